"""Definition assembly: corrections that need the whole list of a file's definitions.

Adjacent equations of one function become one definition, a package statement extends to the next one, and the export
list of a file sets the visibility. The data of a language selects which of these apply.
"""

from codecompass.languages.language_spec import LanguageSpec
from codecompass.model.code.facts import Definition

EXPORT_LIST_STRATEGY = "listed"
"""The visibility strategy that uses an export list."""


def assemble_definitions(
    spec: LanguageSpec, found: tuple[Definition, ...], exported: set[str], package: str, source: bytes
) -> tuple[Definition, ...]:
    """Apply the corrections that the language requires."""
    rows = list(found)
    if spec.joined:
        rows = _join_adjacent(spec, _drop_shared_heads(spec, rows))
    if spec.reaching:
        rows = _extend_packages(spec, rows, source)
    if spec.visibility.strategy == EXPORT_LIST_STRATEGY:
        rows = _apply_export_list(rows, exported, package)
    return tuple(rows)


def _drop_shared_heads(spec: LanguageSpec, rows: list[Definition]) -> list[Definition]:
    """Drop declarations with a shared head, and copy its signature and documentation to the definitions."""
    last = {(item.parent, item.kind, item.name): at for at, item in enumerate(rows)}
    heads: dict[tuple[int, str, str], Definition] = {}
    dropped: set[int] = set()
    for at, item in enumerate(rows):
        key = (item.parent, item.kind, item.name)
        span = (item.byte_start, item.byte_end)
        beside = rows[max(0, at - 1) : at] + rows[at + 1 : at + 2]
        if item.kind in spec.joined and any((one.byte_start, one.byte_end) == span for one in beside):
            if last[key] != at:
                heads[key] = item
                dropped.add(at)
        elif key in heads:
            head = heads.pop(key)
            rows[at] = item._replace(signature=head.signature, doc=item.doc or head.doc)
    return _remove_rows(rows, dropped) if dropped else rows


def _remove_rows(rows: list[Definition], dropped: set[int]) -> list[Definition]:
    places: dict[int, int] = {-1: -1}
    kept: list[Definition] = []
    for at, item in enumerate(rows):
        if at not in dropped:
            places[at] = len(kept)
            kept.append(item._replace(parent=places.get(item.parent, -1)))
    return kept


def _join_adjacent(spec: LanguageSpec, rows: list[Definition]) -> list[Definition]:
    """Merge adjacent definitions with one name into the first, extended to the end of the last."""
    dropped: set[int] = set()
    first = -1
    for at, item in enumerate(rows):
        before = rows[first] if first >= 0 else None
        if (
            before is not None
            and item.kind in spec.joined
            and (before.kind, before.name, before.parent) == (item.kind, item.name, item.parent)
            and before.byte_end <= item.byte_start
        ):
            rows[first] = before._replace(byte_end=item.byte_end, line_end=item.line_end, doc=before.doc or item.doc)
            dropped.add(at)
        else:
            first = at
    return _remove_rows(rows, dropped) if dropped else rows


def _extend_packages(spec: LanguageSpec, rows: list[Definition], source: bytes) -> list[Definition]:
    """Extend each package statement to the next one or the end of the file, and nest what follows in it."""
    opening = [
        at
        for at, item in enumerate(rows)
        if item.parent < 0 and item.kind in spec.reaching and source[item.byte_end - 1 : item.byte_end] != b"}"
    ]
    for number, at in enumerate(opening):
        following = opening[number + 1] if number + 1 < len(opening) else len(rows)
        end = rows[following].byte_start if following < len(rows) else len(source)
        last = source.count(b"\n", 0, end) + (0 if source[end - 1 : end] == b"\n" else 1)
        rows[at] = rows[at]._replace(byte_end=end, line_end=max(last, rows[at].line_end))
        inside = True
        above = spec.separator.join(part for part in (rows[at].scope, rows[at].name) if part)
        for position in range(at + 1, following):
            item = rows[position]
            if item.parent < 0:
                # A package with a body, and a name with an explicit path, already have the right scope.
                inside = item.kind not in spec.reaching and not item.scope
                item = item._replace(parent=at)
            if inside:
                item = item._replace(scope=spec.separator.join(part for part in (above, item.scope) if part))
            rows[position] = item
    return rows


def _apply_export_list(rows: list[Definition], exported: set[str], package: str) -> list[Definition]:
    """Make only listed names public; without a list, or if the list names the module itself, all are."""
    if not exported or package in exported:
        return rows
    for at, item in enumerate(rows):
        top = item
        while top.parent >= 0:
            top = rows[top.parent]
        if top.kind == "impl" or (top is not item and f"{top.name}:all" in exported):
            shown = True
        elif top is item:
            shown = item.name in exported
        else:
            shown = f"{item.name}:member" in exported
        rows[at] = item._replace(visibility="public" if shown else "private")
    return rows
