"""Spans: the pieces of a file that are in another language, and how they are put together into programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from codecompass.languages.registry import Language

MAX_PROGRAMS = 200
"""Programs taken from one host; what comes after stays text."""
MAX_SPANS = 2_000
"""Spans that one program is made of at most."""
Settings = Mapping[str, str | None]
"""The settings of a pattern of `embed.scm`: see `embedded_languages.py`."""


class Span(NamedTuple):
    """One piece of text in another language."""

    start: int
    end: int
    ranges: tuple[tuple[int, int], ...]
    settings: Settings


@dataclass(slots=True)
class Program:
    """Spans that are parsed together."""

    language: Language
    spans: list[Span] = field(default_factory=list)
    text: bytes | None = None
    """A copy of the source to read instead, of the same length and with the same lines."""


class Groups:
    """Spans put together into programs."""

    def __init__(self) -> None:
        self._alone: list[Program] = []
        self._shared: dict[tuple[str, str], Program] = {}
        self._first: dict[str, Language] = {}
        self._open: list[tuple[str, Span, Language | None]] = []

    def add(
        self, node: Node, settings: Settings, chosen: Language | None, default: Language | None, source: bytes
    ) -> None:
        word = settings.get("embed.share")
        # Two programs are one only where the first has ended its last line.
        ended = source[node.start_byte : node.end_byte].rstrip(b" \t").endswith(b"\n")
        if word is not None and (ended or "embed.optional" in settings):
            span = _span(node, settings, source)
            if span is not None:
                self._share(word, span, chosen, default)
            return
        language, span = chosen or default, _span(node, {**settings, "embed.open": None, "embed.close": None}, source)
        if language is not None and span is not None and len(self._alone) < MAX_PROGRAMS:
            self._alone.append(Program(language, [span]))

    def _share(self, word: str, span: Span, chosen: Language | None, default: Language | None) -> None:
        if chosen is not None:
            self._first.setdefault(word, chosen)
            self._put(word, chosen, span)
        else:
            self._open.append((word, span, default))

    def _put(self, word: str, language: Language, span: Span) -> None:
        program = self._shared.setdefault((word, language.spec.name), Program(language))
        program.spans.append(span)

    def programs(self) -> list[Program]:
        for word, span, default in self._open:
            language = self._first.get(word) or default
            if language is not None:
                self._put(word, language, span)
        for program in self._shared.values():
            needed_first = sorted(program.spans, key=lambda span: ("embed.optional" in span.settings, span.start))
            program.spans = _apart(sorted(needed_first[:MAX_SPANS], key=lambda span: span.start))
        return [*self._shared.values(), *self._alone][:MAX_PROGRAMS]


def _span(node: Node, settings: Settings, source: bytes) -> Span | None:
    """The text of a node without its children, which are marks of the host (`>` of a quotation)."""
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
    return Span(node.start_byte, node.end_byte, tuple(ranges), settings)


def _apart(spans: list[Span]) -> list[Span]:
    """Spans without those that reach into one before them."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span.ranges[0][0] >= kept[-1].ranges[-1][1]:
            kept.append(span)
    return kept


def first_sign(span: Span) -> Span | None:
    """What a span is opened with: it may end the statement of the one before."""
    start = span.ranges[0][0]
    return Span(start, start + 1, ((start, start + 1),), {}) if start < span.start else None


def with_marks(source: bytes, spans: list[Span]) -> bytes:
    """The source with what stands around spans written over as their settings say."""
    if all(not span.settings.get("embed.open") and not span.settings.get("embed.close") for span in spans):
        return source
    copy = bytearray(source)
    for span in spans:
        copy[span.ranges[0][0] : span.start] = (span.settings.get("embed.open") or "").encode()
        copy[span.end : span.ranges[-1][1]] = (span.settings.get("embed.close") or "").encode()
    return bytes(copy)
