"""Embedded spans: ranges of a file in another language, grouped into programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from codecompass.languages.registry import Language

MAX_PROGRAMS = 200
"""Maximum programs of one host; the rest remains text."""
MAX_SPANS = 2_000
"""Maximum spans of one program."""
PatternSettings = Mapping[str, str | None]
"""The settings of a pattern of `embed.scm`: see `embedded_languages.py`."""


class EmbeddedSpan(NamedTuple):
    """One range of text in another language."""

    start: int
    end: int
    ranges: tuple[tuple[int, int], ...]
    settings: PatternSettings


@dataclass(slots=True)
class EmbeddedProgram:
    """Spans that are parsed together."""

    language: Language
    spans: list[EmbeddedSpan] = field(default_factory=list)
    text: bytes | None = None
    """A modified copy of the source to parse instead, with the same length and lines."""


class ProgramGrouper:
    """Groups spans into programs."""

    def __init__(self) -> None:
        self._alone: list[EmbeddedProgram] = []
        self._shared: dict[tuple[str, str], EmbeddedProgram] = {}
        self._first: dict[str, Language] = {}
        self._open: list[tuple[str, EmbeddedSpan, Language | None]] = []

    def add(
        self, node: Node, settings: PatternSettings, chosen: Language | None, default: Language | None, source: bytes
    ) -> None:
        word = settings.get("embed.share")
        # Programs can be joined only if the first ends with a line break.
        ended = source[node.start_byte : node.end_byte].rstrip(b" \t").endswith(b"\n")
        if word is not None and (ended or "embed.optional" in settings):
            span = _make_span(node, settings, source)
            if span is not None:
                self._add_shared(word, span, chosen, default)
            return
        language, span = (
            chosen or default,
            _make_span(node, {**settings, "embed.open": None, "embed.close": None}, source),
        )
        if language is not None and span is not None and len(self._alone) < MAX_PROGRAMS:
            self._alone.append(EmbeddedProgram(language, [span]))

    def _add_shared(self, word: str, span: EmbeddedSpan, chosen: Language | None, default: Language | None) -> None:
        if chosen is not None:
            self._first.setdefault(word, chosen)
            self._append_span(word, chosen, span)
        else:
            self._open.append((word, span, default))

    def _append_span(self, word: str, language: Language, span: EmbeddedSpan) -> None:
        program = self._shared.setdefault((word, language.spec.name), EmbeddedProgram(language))
        program.spans.append(span)

    def build_programs(self) -> list[EmbeddedProgram]:
        for word, span, default in self._open:
            language = self._first.get(word) or default
            if language is not None:
                self._append_span(word, language, span)
        for program in self._shared.values():
            needed_first = sorted(program.spans, key=lambda span: ("embed.optional" in span.settings, span.start))
            program.spans = _drop_overlapping(sorted(needed_first[:MAX_SPANS], key=lambda span: span.start))
        return [*self._shared.values(), *self._alone][:MAX_PROGRAMS]


def _make_span(node: Node, settings: PatternSettings, source: bytes) -> EmbeddedSpan | None:
    """Return the text of a node without its children, which are host markup (`>` of a quotation)."""
    ranges, at = [], node.start_byte
    for child in node.named_children:
        if child.end_byte > child.start_byte:
            if child.start_byte > at:
                ranges.append((at, child.start_byte))
            at = max(at, child.end_byte)
    if at < node.end_byte:
        ranges.append((at, node.end_byte))
    if not ranges:
        return None
    before, after = len(settings.get("embed.open") or ""), len(settings.get("embed.close") or "")
    if before or after:
        first, last = ranges[0][0] - before, ranges[-1][1] + after
        if b"\n" in source[first : ranges[0][0]] + source[ranges[-1][1] : last]:
            return None
        ranges[0], ranges[-1] = (first, ranges[0][1]), (ranges[-1][0] if len(ranges) > 1 else first, last)
    return EmbeddedSpan(node.start_byte, node.end_byte, tuple(ranges), settings)


def _drop_overlapping(spans: list[EmbeddedSpan]) -> list[EmbeddedSpan]:
    """Drop spans that overlap an earlier one."""
    kept: list[EmbeddedSpan] = []
    for span in spans:
        if not kept or span.ranges[0][0] >= kept[-1].ranges[-1][1]:
            kept.append(span)
    return kept


def get_opening_span(span: EmbeddedSpan) -> EmbeddedSpan | None:
    """Return the first character of a span's opening text: it may end the statement of the previous span."""
    start = span.ranges[0][0]
    return EmbeddedSpan(start, start + 1, ((start, start + 1),), {}) if start < span.start else None


def overwrite_markers(source: bytes, spans: list[EmbeddedSpan]) -> bytes:
    """Overwrite the text around spans with `embed.open` and `embed.close` of their settings."""
    if all(not span.settings.get("embed.open") and not span.settings.get("embed.close") for span in spans):
        return source
    copy = bytearray(source)
    for span in spans:
        copy[span.ranges[0][0] : span.start] = (span.settings.get("embed.open") or "").encode()
        copy[span.end : span.ranges[-1][1]] = (span.settings.get("embed.close") or "").encode()
    return bytes(copy)
