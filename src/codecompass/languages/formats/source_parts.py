"""Source parts: extracts long sources in parts, which bounds time and memory.

Each part is parsed with all text before it blanked, so every offset, line and column is that of the whole file. A part
ends before a line that begins a top-level item if possible, so that few definitions are split.
"""

import re
from collections.abc import Callable, Iterator

from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.formats.merged_facts import FactsPart, merge_facts
from codecompass.languages.registry import Language, Registry
from codecompass.model.code.facts import EmbeddedSegment, Facts

PART_BYTES = 2**20
"""A longer source is split into parts of at most this size."""
_BLANKS = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))
_TOP_LEVEL = (re.compile(rb"\n[ \t]*\r?\n(?=[^\s)\]}])"), re.compile(rb"\n(?=[^\s)\]}])"))
"""Where a part may end, best first: before a top-level line after an empty line, before any top-level line."""


def extract_in_parts(
    registry: Registry, language: Language, source: bytes, begin: Callable[[], None] = lambda: None
) -> Facts:
    """Extract the facts of a source of any length; `begin` is called before each part but the first."""
    if len(source) <= PART_BYTES or language.spec.cells:
        return extract_with_embedded(registry, language, source)
    sets: list[Facts] = []
    spans = list(split_source(source))
    for start, end in spans:
        if sets:
            begin()
        sets.append(extract_with_embedded(registry, language, source[:start].translate(_BLANKS) + source[start:end]))
    return _join_parts(source, sets, spans)


def split_source(source: bytes) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each part; together they cover the whole source."""
    start = 0
    while start < len(source):
        end = len(source) if len(source) - start <= PART_BYTES else _find_part_end(source, start)
        yield start, end
        start = end


def _find_part_end(source: bytes, start: int) -> int:
    """Return the last good split point in the second half of the part; else after its last line, else at the limit."""
    full = start + PART_BYTES
    for pattern in _TOP_LEVEL:
        places = [found.end() for found in pattern.finditer(source, start + PART_BYTES // 2, full)]
        if places:
            return places[-1]
    at = source.rfind(b"\n", start, full)
    if at > start:
        return at + 1
    while full > start + 1 and source[full] & 0xC0 == 0x80:  # never inside a character
        full -= 1
    return full


def _join_parts(source: bytes, sets: list[Facts], spans: list[tuple[int, int]]) -> Facts:
    lines = source.count(b"\n") + (0 if source.endswith(b"\n") else 1)
    parts = [
        FactsPart(facts, (EmbeddedSegment("", *span, 1, 1),)) for facts, span in zip(sets[1:], spans[1:], strict=True)
    ]
    segments = tuple(item for facts in sets for item in facts.segments)
    return merge_facts(sets[0], parts)._replace(line_count=lines, segments=segments)
