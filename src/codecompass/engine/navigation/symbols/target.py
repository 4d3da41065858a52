"""Target resolution: find the symbol or file for a handle, a path and line, or a name; errors suggest a next call."""

from codecompass.engine.navigation.symbols.definitions import get_preference, locate
from codecompass.engine.navigation.symbols.handles import (
    find_file_by_id,
    find_snippet_by_id,
    find_symbol_by_id,
    find_symbols_by_stable_id,
)
from codecompass.engine.navigation.symbols.near_targets import find_near_paths, find_near_symbols
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.errors import Failure
from codecompass.model.code.kinds import SECONDARY
from codecompass.model.ids import classify_handle
from codecompass.model.path_text import display_path, parse_displayed_path
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import LocateQuery

_MAX_SUGGESTIONS = 5


def find_targets(view: PinnedView, target: SymbolTarget) -> list[Symbol]:
    """Return the matching definitions, best first and never empty; raise a Failure if there are none."""
    if target.handle is not None:
        return _find_by_handle(view, target.handle.strip())
    if target.path is not None and target.line is not None:
        return [_find_at_line(view, find_path(view, target.path), target.line)]
    if target.name is None:
        raise Failure("INVALID_REQUEST", "Specify a symbol: a name, a handle, or a path with a line.")
    return _find_by_name(view, target.name.strip(), target.path)


def find_file(view: PinnedView, target: SymbolTarget) -> tuple[str, Symbol | None]:
    """Return the target file and, if a symbol or snippet was given, that symbol."""
    if target.handle is None:
        if target.path is None:
            raise Failure("INVALID_REQUEST", "Specify a file: a path or a handle.")
        return find_path(view, target.path), None
    handle = target.handle.strip()
    kind = classify_handle(handle)
    if kind == "file":
        return _find_file_by_handle(view, handle), None
    if kind == "snippet":
        path, ordinal = _find_snippet(view, handle)
        owner = view.facts(path).chunks[ordinal].owner
        return path, view.symbol(path, owner) if owner >= 0 else None
    symbol = _find_by_handle(view, handle)[0]
    return symbol.path, symbol


def find_path(view: PinnedView, path: str) -> str:
    """Return the path of an indexed file as the view spells it, from any spelling used in answers."""
    wanted = path.strip().replace("\\", "/").removeprefix("./").strip("/")
    for spelling in (wanted, path, parse_displayed_path(path)):
        entry = view.entries.get(spelling)
        if entry is not None and entry.blob:
            return spelling
    raise _make_missing_file(view, wanted)


def _make_missing_file(view: PinnedView, wanted: str) -> Failure:
    name = display_path(wanted)[:200]
    if any(known.startswith(f"{wanted}/") for known in view.entries):
        return Failure("FILE_NOT_FOUND", f"'{name}' is a directory, not a file.", {"path": name},
                       hint="Name one of the files in it.")  # fmt: skip
    near = find_near_paths(view, wanted)
    message = f"No indexed file '{name}' in '{_get_display_ref(view)}'."
    return Failure("FILE_NOT_FOUND", message, {"path": name, **({"near": near} if near else {})},
                   hint="Use one of the paths in `near`." if near else "")  # fmt: skip


def _find_by_handle(view: PinnedView, handle: str) -> list[Symbol]:
    kind = classify_handle(handle)
    if kind == "symbol":
        symbol = find_symbol_by_id(view, handle)
        return [symbol] if symbol else _raise_not_found(view, handle, "symbol_id")
    if kind == "stable":
        return sorted(find_symbols_by_stable_id(view, handle), key=get_preference) or _raise_not_found(
            view, handle, "symbol_stable_id"
        )
    if kind == "snippet":
        path, ordinal = _find_snippet(view, handle)
        owner = view.facts(path).chunks[ordinal].owner
        if owner >= 0:
            return [view.symbol(path, owner)]
        lines = view.facts(path).chunks[ordinal]
        raise Failure(
            "SYMBOL_NOT_FOUND",
            f"Lines {lines.line_start} to {lines.line_end} of '{display_path(path)[:200]}' belong to no definition.",
            {"path": display_path(path)[:200], "line_start": lines.line_start, "line_end": lines.line_end},
            hint="Call get_file_outline with that path to see its symbols.",
        )
    if kind == "file":
        path = display_path(_find_file_by_handle(view, handle))[:200]
        raise Failure(
            "SYMBOL_NOT_FOUND",
            f"'{handle}' is the file '{path}', not a symbol.",
            {"path": path},
            hint="Call get_file_outline with that result_id, and use a symbol_id of its answer.",
        )
    raise Failure(
        "INVALID_REQUEST",
        f"'{display_path(handle)[:60]}' is not a handle.",
        hint="Handles look like sym_…, b3:…, snip_… or file_… and are copied from an answer; a name goes into `name`.",
    )


def _raise_not_found(view: PinnedView, handle: str, field: str) -> list[Symbol]:
    raise Failure(
        "SYMBOL_NOT_FOUND",
        f"No definition in '{_get_display_ref(view)}' has the {field} '{handle}'.",
        {field: handle},
        hint="It was renamed, moved or removed, or belongs to another ref: call locate_symbol with its name.",
    )


def _find_snippet(view: PinnedView, handle: str) -> tuple[str, int]:
    found = find_snippet_by_id(view, handle)
    if found is None:
        raise Failure(
            "RESULT_NOT_FOUND",
            f"No lines in '{_get_display_ref(view)}' have the result_id '{handle}'.",
            {"result_id": handle},
            hint="Its file has changed since: call search_code again, or use the symbol_id of that result.",
        )
    return found


def _find_file_by_handle(view: PinnedView, handle: str) -> str:
    found = find_file_by_id(view, handle)
    if found is None:
        raise Failure(
            "RESULT_NOT_FOUND",
            f"No file in '{_get_display_ref(view)}' has the result_id '{handle}'.",
            {"result_id": handle},
            hint="It was moved or removed, or belongs to another ref: call search_code with its path.",
        )
    if not view.entries[found].blob:
        raise Failure(
            "FILE_NOT_FOUND", f"'{display_path(found)[:200]}' is indexed by name only; its content was skipped."
        )
    return found


def _find_at_line(view: PinnedView, path: str, line: int) -> Symbol:
    facts = view.facts(path)
    around = [
        (item.line_end - item.line_start, -position)
        for position, item in enumerate(facts.definitions)
        if item.line_start <= line <= item.line_end
    ]
    if not around:
        name = display_path(path)[:200]
        length = f" (it has {facts.line_count} lines)" if line > facts.line_count else ""
        raise Failure(
            "SYMBOL_NOT_FOUND",
            f"No definition in '{name}' contains line {line}{length}.",
            {"path": name, "line": line},
            hint="Call get_file_outline with that path to see the lines of its symbols.",
        )
    return view.symbol(path, -min(around)[1])


def _find_by_name(view: PinnedView, name: str, path: str | None) -> list[Symbol]:
    within = path.strip().removeprefix("./").strip("/") if path is not None else ""
    if within and not any(known == within or known.startswith(within + "/") for known in view.entries):
        within = find_path(view, path or "")
    found = locate(view, LocateQuery(name), within)
    if found and found[0][1] != "prefix":
        code = [symbol for symbol, _, _ in found if symbol.definition.kind not in SECONDARY]
        return code or [symbol for symbol, _, _ in found]
    # A prefix match is another symbol: suggest it, but do not return it.
    near = list(dict.fromkeys(symbol.qualified_name for symbol, _, _ in found))[:_MAX_SUGGESTIONS]
    near = near or find_near_symbols(view, name)
    where = f" in '{within}'" if within else ""
    raise Failure(
        "SYMBOL_NOT_FOUND",
        f"No definition{where} of '{_get_display_ref(view)}' is named '{display_path(name)[:200]}'.",
        {"name": display_path(name)[:200], **({"near": near} if near else {})},
        hint="Call locate_symbol with one of the names in `near`." if near else "Call search_code with these words.",
    )


def _get_display_ref(view: PinnedView) -> str:
    """Return the display name of the view: `live` for a working tree, the ref for a commit."""
    return "live" if view.row.name.startswith("live:") else view.row.name.removeprefix("ref:")[:100]
