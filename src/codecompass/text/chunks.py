"""Chunks: splits a file into ranges of lines that are indexed as documents, along definitions if there are any.

Each callable is a chunk; the lines between callables (class headers, fields, module code, prose) are split into
windows. A long definition is split, and a short gap before a definition (its comments, its attributes) is added to it.
Prose is split at its headings; a heading with little text is merged with the next one, and a short code example stays
in the surrounding text.
"""

from bisect import bisect_left, bisect_right
from itertools import pairwise

from codecompass.model.code.facts import Chunk, Definition
from codecompass.model.code.kinds import CALLABLE, CONTAINER

WINDOW_LINES = 60
"""Lines per window of plain text or of a long definition."""
MAX_DEFINITION_LINES = 100
"""Definitions up to this number of lines are not split."""
MAX_GAP_LINES = 4
"""Gaps up to this number of lines are added to the definition below."""
MAX_EXAMPLE_LINES = 12
"""Callables up to this number of lines inside prose are examples and not separate chunks."""
SECTION_KIND = "section"


def make_chunks(definitions: tuple[Definition, ...], line_count: int) -> tuple[Chunk, ...]:
    """Return chunks that cover every line of a file once, in order."""
    chunks: list[Chunk] = []
    heads = [position for position, item in enumerate(definitions) if item.kind in CONTAINER]
    starts = [definitions[position].line_start for position in heads]
    at = 1

    def gap(first: int, last: int) -> None:
        """Add the lines outside every unit, split where a container begins; each piece belongs to its container."""
        inside = starts[bisect_right(starts, first) : bisect_right(starts, last)]
        cuts = [first, *dict.fromkeys(inside), last + 1]
        begun = first
        for start, end in pairwise(cuts):
            if end <= last and end - begun <= MAX_GAP_LINES and is_prose(end):
                continue
            done = len(chunks)
            _add_windows(chunks, begun, end - 1, -1, WINDOW_LINES)
            chunks[done:] = [piece._replace(owner=around(max(start, piece.line_start))) for piece in chunks[done:]]
            begun = end

    def is_prose(line: int) -> bool:
        """Whether the container that begins on a line is a section of prose."""
        return definitions[heads[bisect_right(starts, line) - 1]].kind == SECTION_KIND

    def around(line: int) -> int:
        begun = bisect_right(starts, line) - 1
        return _find_container(definitions, heads[begun], line) if begun >= 0 else -1

    for position in _find_units(definitions):
        unit = definitions[position]
        if unit.line_end < at:
            continue
        start = max(unit.line_start, at)
        if start - at > MAX_GAP_LINES or bisect_left(starts, at) < bisect_left(starts, start):
            gap(at, start - 1)
            at = start
        _add_windows(chunks, at, unit.line_end, position, MAX_DEFINITION_LINES)
        at = unit.line_end + 1
    if at <= line_count:
        gap(at, line_count)
    return tuple(chunks)


def make_page_chunks(definitions: tuple[Definition, ...]) -> tuple[Chunk, ...]:
    """Chunk each page separately: a chunk never spans two pages, however short they are."""
    chunks: list[Chunk] = []
    for position, item in enumerate(definitions):
        _add_windows(chunks, item.line_start, item.line_end, position, MAX_DEFINITION_LINES)
    return tuple(chunks)


def _find_container(definitions: tuple[Definition, ...], position: int, line: int) -> int:
    """Return the innermost container around a line, given the last one that began before it; -1 if there is none."""
    while position >= 0 and (definitions[position].kind not in CONTAINER or definitions[position].line_end < line):
        position = definitions[position].parent
    return position


def _find_units(definitions: tuple[Definition, ...]) -> list[int]:
    """Return definitions that become chunks: outermost callables, and containers without callables."""
    covered = [False] * len(definitions)
    holds_callable = [False] * len(definitions)
    for position, item in enumerate(definitions):
        around = definitions[item.parent] if item.parent >= 0 else None
        if around is not None and (covered[item.parent] or around.kind in CALLABLE or _is_example(item, around)):
            covered[position] = True
        if item.kind in CALLABLE:
            above = item.parent
            while above >= 0 and not holds_callable[above]:
                holds_callable[above] = True
                above = definitions[above].parent
    return [
        position
        for position, item in enumerate(definitions)
        if not covered[position]
        and item.kind != SECTION_KIND
        and (item.kind in CALLABLE or (item.kind in CONTAINER and not holds_callable[position]))
        and not _is_inside_unit(definitions, holds_callable, item)
    ]


def _is_inside_unit(definitions: tuple[Definition, ...], holds_callable: list[bool], item: Definition) -> bool:
    """Whether a container is inside another container that is itself one chunk."""
    if item.parent < 0 or definitions[item.parent].kind == SECTION_KIND:
        return False
    return not holds_callable[item.parent] and definitions[item.parent].kind in CONTAINER


def _is_example(item: Definition, above: Definition) -> bool:
    return (
        above.kind == SECTION_KIND and item.kind != SECTION_KIND and item.line_end - item.line_start < MAX_EXAMPLE_LINES
    )


def _add_windows(chunks: list[Chunk], first: int, last: int, owner: int, longest: int) -> None:
    """Split a range into windows; a rest shorter than half a window is added to the last one."""
    if last - first + 1 <= longest:
        chunks.append(Chunk(first, last, owner))
        return
    while first <= last:
        end = first + WINDOW_LINES - 1
        if last - end < WINDOW_LINES // 2:
            end = last
        chunks.append(Chunk(first, end, owner))
        first = end + 1
