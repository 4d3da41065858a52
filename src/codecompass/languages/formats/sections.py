"""Sections: what the headings of a document enclose, and what its links point to.

A grammar shows a heading as one line. What it heads reaches to the next heading that is not deeper, whatever stands
between, so the nesting of all definitions is laid out anew once the headings are known.
"""

import re
from bisect import bisect_right

from tree_sitter import Node, Tree

from codecompass.model.code.facts import Definition, Import

MAX_TITLE = 200
MAX_LINKS = 5_000
_ELSEWHERE = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\{|$")
_MARKUP = re.compile(r"</?(?:a|b|i|em|strong|code|span|small|sub|sup|kbd|u|br|img|font|center|mark)\b[^<>]*>")
"""Tags inside a title that are no part of its text; a name such as `Vec<T>` is."""


def lay_sections(
    definitions: tuple[Definition, ...],
    levels: dict[tuple[int, int], int],
    separator: str,
    starts: list[int],
    tree: Tree,
) -> tuple[Definition, ...]:
    """The definitions with each heading reaching as far as what it heads, and parents and scopes that follow.

    `levels` are those of the headings, by line and column of the name.
    """
    places = [(item.name_line, item.name_col) for item in definitions]
    heads = [(at, levels[place]) for at, place in enumerate(places) if place in levels]
    styles: dict[int, int] = {}
    # Below zero it is a style, and how deep that stands is said by which one came first.
    heads = [(at, level if level > 0 else styles.setdefault(level, len(styles) + 1)) for at, level in heads]
    ends = _ends(definitions, heads, tree.root_node.end_byte)
    found: list[Definition] = []
    opened: list[int] = []
    for at, item in enumerate(definitions):
        while opened and found[opened[-1]].byte_end <= item.byte_start:
            opened.pop()
        around = opened[-1] if opened else -1
        scope = separator.join(part for part in (found[around].scope, found[around].name) if part) if opened else ""
        if at not in ends:
            inside = item.parent >= 0 and item.parent not in ends
            found.append(item if inside else item._replace(parent=around, scope=scope))
            continue
        name = (" ".join(_MARKUP.sub("", item.name).rstrip("#").split()) or item.name)[:MAX_TITLE]
        line_end = max(item.line_end, bisect_right(starts, ends[at] - 1))
        found.append(item._replace(name=name, scope=scope, parent=around, byte_end=ends[at], line_end=line_end))
        opened.append(at)
    return tuple(found)


def level_of(said: str, node: Node, overlined: bool, source: bytes) -> int:
    """How deep a heading stands: the number that is said, or a style below zero, by the sign of the line under it."""
    return int(said) if said.isdigit() else -2 * source[node.start_byte] - overlined


def _ends(definitions: tuple[Definition, ...], heads: list[tuple[int, int]], document_end: int) -> dict[int, int]:
    """Heading → where the next one begins that is not deeper."""
    ends: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []
    for at, level in heads:
        while waiting and waiting[-1][1] >= level:
            ends[waiting.pop()[0]] = definitions[at].byte_start
        waiting.append((at, level))
    ends.update((at, max(document_end, definitions[at].byte_end)) for at, _ in waiting)
    return ends


def find_links(pattern: re.Pattern[bytes], nodes: list[Node], without: list[Node], source: bytes) -> tuple[Import, ...]:
    """The files that links name, each once for a line; addresses of other machines and of this page are none."""
    found: dict[Import, None] = {}
    hidden = sorted((node.start_byte, node.end_byte) for node in without)
    for node in nodes:
        line, counted = node.start_point.row + 1, node.start_byte
        for match in pattern.finditer(source, node.start_byte, node.end_byte):
            start = match.start()
            target = next((group for group in match.groups() if group), b"")
            if _ELSEWHERE.match(target):
                continue
            before = bisect_right(hidden, (start, len(source))) - 1
            if before >= 0 and start < hidden[before][1]:
                continue
            line += source.count(b"\n", counted, start)
            counted = start
            found[Import(target.decode("utf-8", "replace"), "", "", line)] = None
            if len(found) >= MAX_LINKS:
                return tuple(found)
    return tuple(found)
