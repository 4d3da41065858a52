"""Sections: the extent of the headings of a document, and the targets of its links.

A grammar reports a heading as one line. Its section extends to the next heading that is not deeper, so the nesting of
all definitions is recomputed once the headings are known.
"""

import re
from bisect import bisect_right

from tree_sitter import Node, Tree

from codecompass.model.code.facts import Definition, Import

MAX_TITLE = 200
MAX_LINKS = 5_000
_EXTERNAL_LINK = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\{|$")
_MARKUP = re.compile(r"</?(?:a|b|i|em|strong|code|span|small|sub|sup|kbd|u|br|img|font|center|mark)\b[^<>]*>")
"""Tags to remove from a title; a name such as `Vec<T>` is kept."""


def nest_sections(
    definitions: tuple[Definition, ...],
    levels: dict[tuple[int, int], int],
    separator: str,
    starts: list[int],
    tree: Tree,
) -> tuple[Definition, ...]:
    """Extend each heading to the end of its section, and update parents and scopes.

    `levels` are the levels of headings, by line and column of the name.
    """
    places = [(item.name_line, item.name_col) for item in definitions]
    heads = [(at, levels[place]) for at, place in enumerate(places) if place in levels]
    styles: dict[int, int] = {}
    # A negative level is an underline style; styles get levels in the order of first use.
    heads = [(at, level if level > 0 else styles.setdefault(level, len(styles) + 1)) for at, level in heads]
    ends = _find_section_ends(definitions, heads, tree.root_node.end_byte)
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


def get_heading_level(level: str, node: Node, overlined: bool, source: bytes) -> int:
    """Return the level of a heading: the given number, or a negative style derived from its underline character."""
    return int(level) if level.isdigit() else -2 * source[node.start_byte] - overlined


def _find_section_ends(
    definitions: tuple[Definition, ...], heads: list[tuple[int, int]], document_end: int
) -> dict[int, int]:
    """Map each heading to the start of the next one that is not deeper."""
    ends: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []
    for at, level in heads:
        while waiting and waiting[-1][1] >= level:
            ends[waiting.pop()[0]] = definitions[at].byte_start
        waiting.append((at, level))
    ends.update((at, max(document_end, definitions[at].byte_end)) for at, _ in waiting)
    return ends


def find_links(pattern: re.Pattern[bytes], nodes: list[Node], without: list[Node], source: bytes) -> tuple[Import, ...]:
    """Return the files that links name, once per line; URLs and anchors within the page are excluded."""
    found: dict[Import, None] = {}
    hidden = sorted((node.start_byte, node.end_byte) for node in without)
    for node in nodes:
        line, counted = node.start_point.row + 1, node.start_byte
        for match in pattern.finditer(source, node.start_byte, node.end_byte):
            start = match.start()
            target = next((group for group in match.groups() if group), b"")
            if _EXTERNAL_LINK.match(target):
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
