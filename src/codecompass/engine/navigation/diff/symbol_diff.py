"""Symbol diff: the symbols that differ between two refs or a ref and the working tree, and their callers.

The base is the merge base of both sides, not the current tip of the base ref.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.navigation.diff.affected_callers import CallerFinder
from codecompass.engine.navigation.diff.changed_files import ChangedFileReader
from codecompass.engine.navigation.diff.definition_pairs import DefinitionMatch, compute_overlap, match_definitions
from codecompass.engine.navigation.diff.diff_request import DiffRequest, resolve_sides
from codecompass.engine.navigation.diff.fingerprint import DefinitionTokens
from codecompass.engine.navigation.diff.ref_list import pin_or_none
from codecompass.engine.navigation.diff.sides import FilePair, Side, find_changed_pairs
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import live_view_name
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import ViewState
from codecompass.model.queries.symbol_difference import (
    CHANGES,
    FILE_CHANGES,
    DiffQuery,
    DiffSide,
    FileChange,
    SymbolChange,
    SymbolDiff,
    SymbolVersion,
)
from codecompass.model.states import RESOLUTIONS
from codecompass.store.ports import Snapshot

ViewStateCheck = Callable[[PinnedView, str], ViewState]
"""Returns the state of a view under the caller's freshness policy."""
_MIN_RENAME_OVERLAP = 0.5
"""Minimum share of equal definitions at which a removed and an added file count as one renamed file."""
_MAX_LISTED_FILES = 200


def compute_difference(
    project: Project, query: DiffQuery, call: Call, pool: WorkerPool, check_state: ViewStateCheck
) -> SymbolDiff:
    """Compare two sides. Commits need not be indexed; a working tree must have been indexed once."""
    request = resolve_sides(project, query, call.check)
    with ExitStack() as stack:
        snapshot = pin_or_none(project, stack)
        base = _open_side(project, snapshot, request.base, request.start, call)
        head = _open_side(project, snapshot, request.head, request.head.commit, call)
        missing = next((side for side in (head, base) if side.live and side.view is None), None)
        if missing is not None:
            return _build_unindexed_answer(project, query, request)
        state = _check_state(project, request, base, head, check_state)
        found = SymbolDiff(request.base, request.head, state, request.merge_base, warnings=request.warnings)
        if request.base == request.head:
            return replace(found, file_totals=dict.fromkeys(FILE_CHANGES, 0), totals=dict.fromkeys(CHANGES, 0))
        reader = ChangedFileReader(base, head, pool, call)
        pairs = reader.load([pair for pair in find_changed_pairs(base, head) if _is_inside(pair, query.path)])
        pairs = _join_similar(pairs)
        matches = match_definitions((pair.old, pair.new) for pair in pairs)
        call.step("compare", len(pairs), len(pairs))
        callers, differing = _open_caller_finder(project, snapshot, head, query, call)
        if differing:
            counts = "1 file" if differing == 1 else f"{differing} files"
            name = display_path(request.head.ref)[:80]
            note = f"Callers come from the index of the working tree, which differs from '{name}' in {counts}."
            found = replace(found, warnings=(*found.warnings, note), callers_from_elsewhere=True)
        return _build_answer(found, query, pairs, matches, reader, callers)


# -- which sides ---------------------------------------------------------------------------------------------------


def _open_side(project: Project, snapshot: Snapshot | None, named: DiffSide, commit: str, call: Call) -> Side:
    row = None
    if snapshot is not None and named.live:
        row = snapshot.view(live_view_name(project.workspace))
    elif snapshot is not None and commit:
        row = project.commit_views.find(snapshot, named.ref, commit, call.check)
    view = PinnedView(snapshot, row, project.registry) if row is not None and snapshot is not None else None
    return Side(project, "" if named.live else commit, named.live, view, stop=call.check)


def _check_state(
    project: Project, request: DiffRequest, base: Side, head: Side, check_state: ViewStateCheck
) -> ViewState:
    """Return the view state of the head's index, or of a working tree on the base side."""
    if base.live and base.view is not None:
        base.fresh = check_state(base.view, request.base.ref).freshness == "fresh"
    if head.view is not None:
        state = check_state(head.view, request.head.ref)
        head.fresh = state.freshness == "fresh"
        return state
    schema = project.store.state().schema
    # The comparison reads the commit itself, so it is fresh; only the index lacks this commit.
    return ViewState(request.head.ref, "fresh", "not_indexed", schema, current_head=request.head.commit)


def _build_unindexed_answer(project: Project, query: DiffQuery, request: DiffRequest) -> SymbolDiff:
    ref = request.head.ref if request.head.live else request.base.ref
    if query.freshness == "strict":
        raise Failure("NO_INDEX", f"The ref '{display_path(ref)[:100]}' has not been indexed yet.")
    return SymbolDiff(
        request.base, request.head, project.get_unindexed_state(ref), request.merge_base,
        file_totals=dict.fromkeys(FILE_CHANGES, 0), totals=dict.fromkeys(CHANGES, 0), warnings=request.warnings,
    )  # fmt: skip


# -- which files ---------------------------------------------------------------------------------------------------


def _is_inside(pair: FilePair, path: str | None) -> bool:
    wanted = (path or "").removeprefix("./").strip("/")
    paths = [display_path(one.path) for one in (pair.before, pair.after) if one is not None]
    return not wanted or any(one == wanted or one.startswith(wanted + "/") for one in paths)


def _join_similar(pairs: list[FilePair]) -> list[FilePair]:
    """Join a removed and an added file with mostly the same definitions into one renamed file."""
    left = [pair for pair in pairs if pair.new is None and pair.old is not None and pair.change == "deleted"]
    came = [pair for pair in pairs if pair.old is None and pair.new is not None and pair.change == "added"]
    if not left or not came or len(left) * len(came) > 2_500:
        return pairs
    scored = sorted(
        (-compute_overlap(one.old, two.new), at, to)
        for at, one in enumerate(left)
        for to, two in enumerate(came)
        if one.old is not None and two.new is not None
    )
    joined: dict[int, FilePair] = {}
    for score, at, to in scored:
        one, two = left[at], came[to]
        if -score >= _MIN_RENAME_OVERLAP and id(one) not in joined and id(two) not in joined:
            both = FilePair(one.before, two.after, one.old, two.new)
            joined |= {id(one): both, id(two): both}
    kept = [pair for pair in pairs if id(pair) not in joined]
    renamed = {id(pair): pair for pair in joined.values()}
    return sorted([*kept, *renamed.values()], key=lambda pair: pair.path)


# -- the answer ----------------------------------------------------------------------------------------------------


def _open_caller_finder(
    project: Project, snapshot: Snapshot | None, head: Side, query: DiffQuery, call: Call
) -> tuple[CallerFinder | None, int]:
    """Return the caller finder, and in how many files its index differs from the head.

    If the checked-out commit is not indexed itself, the index of the working tree has nearly all of its callers.
    """
    if head.view is not None or snapshot is None or not query.callers:
        return (CallerFinder(project, head.view, call) if head.view is not None and query.callers else None), 0
    row = snapshot.view(live_view_name(project.workspace))
    if row is None or row.commit != head.commit:
        return None, 0
    differing = project.commit_views.count_differences(snapshot, row, head.commit, call.check)
    return CallerFinder(project, PinnedView(snapshot, row, project.registry), call), differing


def _build_answer(
    found: SymbolDiff, query: DiffQuery, pairs: list[FilePair], matches: list[DefinitionMatch],
    reader: ChangedFileReader, callers: CallerFinder | None,
) -> SymbolDiff:  # fmt: skip
    changed = sorted((match for match in matches if match.change), key=_get_sort_key)
    in_file: dict[str, int] = {}
    for match in changed:
        path = _get_displayed_side(match).symbol.path
        in_file[path] = in_file.get(path, 0) + 1
    files = tuple(
        FileChange(display_path(pair.path), pair.change, display_path(pair.old_path), in_file.get(pair.path, 0))
        for pair in pairs
    )
    top = changed[: query.limit]
    warnings = list(found.warnings)
    if query.callers and callers is None and top:
        warnings.append("Callers are not listed: the head is not indexed at this commit.")
    if callers is not None and not reader.head.fresh:
        warnings.append("The files were read as they are now; callers come from the index, which is older.")
    if reader.left_out:
        counts = ", ".join(f"{count} {reason}" for reason, count in sorted(reader.left_out.items()))
        warnings.append(f"Symbols were not compared in some files: {counts}.")
    return replace(
        found,
        files=files[:_MAX_LISTED_FILES],
        file_totals={change: sum(1 for one in files if one.change == change) for change in FILE_CHANGES},
        changes=tuple(_build_changes(top, callers, query.callers, reader.call)),
        totals={change: sum(1 for match in changed if match.change == change) for change in CHANGES},
        moved_only=sum(1 for match in matches if match.is_moved_only),
        doc_only=sum(1 for match in matches if match.doc_changed and not match.change),
        left_out=dict(reader.left_out),
        warnings=tuple(warnings),
        truncated=len(changed) > len(top) or len(files) > _MAX_LISTED_FILES or bool(_get_unread_reasons(reader)),
    )


def _get_unread_reasons(reader: ChangedFileReader) -> set[str]:
    """Return the reasons that may hide changes; a binary file has no symbols to miss."""
    return set(reader.left_out) - {"binary"}


def _get_sort_key(match: DefinitionMatch) -> tuple[int, bool, str, int]:
    """Return the sort key: changes that can break callers come first, removals before changed signatures."""
    side = _get_displayed_side(match)
    return CHANGES.index(match.change), not match.signature_changed, side.symbol.path, side.definition.line_start


def _get_displayed_side(match: DefinitionMatch) -> DefinitionTokens:
    side = match.after or match.before
    assert side is not None
    return side


def _build_changes(
    top: list[DefinitionMatch], callers: CallerFinder | None, most: int, call: Call
) -> Iterator[SymbolChange]:
    for number, match in enumerate(top):
        call.step("callers", number, len(top))
        yield _build_change(match, callers, most)


def _build_change(match: DefinitionMatch, callers: CallerFinder | None, most: int) -> SymbolChange:
    side = _get_displayed_side(match)
    item = side.definition
    uses = []
    if callers is not None:
        if match.after is not None:
            uses += callers.find(match.after.symbol)
        if match.before is not None and match.change in ("removed", "renamed"):
            uses = [*callers.find_broken(match.before.symbol), *uses]
    uses.sort(key=lambda use: RESOLUTIONS.index(use.resolution))
    return SymbolChange(
        change=match.change,
        symbol_id=side.file.view.handles(side.symbol).symbol_id,
        kind=item.kind,
        name=item.name,
        qualified_name=side.symbol.qualified_name,
        path=display_path(side.symbol.path),
        before=_build_version(match.before, side),
        after=_build_version(match.after, side),
        signature_changed=match.signature_changed,
        body_changed=match.body_changed,
        doc_changed=match.doc_changed,
        callers=tuple(uses[:most]),
        callers_total=len(uses) if callers is not None else None,
        callers_counts=dict(Counter(use.resolution for use in uses)),
    )


def _build_version(item: DefinitionTokens | None, shown_as: DefinitionTokens) -> SymbolVersion | None:
    """Build one side of a change; its name and path are set only if they differ from the displayed ones."""
    if item is None:
        return None
    one, other = item.symbol, shown_as.symbol
    return SymbolVersion(
        item.definition.signature,
        item.definition.line_start,
        item.definition.line_end,
        one.qualified_name if one.qualified_name != other.qualified_name else "",
        display_path(one.path) if one.path != other.path else "",
    )
