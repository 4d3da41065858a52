"""Languages inside one another: a host hands spans of its text to other languages, and the facts become one.

`embed.scm` of the host captures `embed`, the node with the text (its children are no part of it), and may capture
`embed.language`, a node that names the language in any accepted spelling. Settings of a pattern:

    embed.language NAME  the language where none is captured
    embed.share WORD     spans of one word and one language are one program: they see each other's names
    embed.optional       left out of its program if it cannot be parsed; with embed.apart it is then read alone
    embed.sample         an example in prose: left out when much of it cannot be parsed, and its errors do not count
    embed.open TEXT, embed.close TEXT   what the bytes before and after the span are read as, in a copy

A parser gets the whole source and the ranges to read, so every byte, row and column is that of the file. The first
pattern that gives a span wins, and text in a language nobody knows stays text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node, Point, Range, Tree

from codecompass.languages.cells import find_cells
from codecompass.languages.extract import LineTable, Match, clean_utf8, extract, extract_tree
from codecompass.languages.mended import parse_mended
from codecompass.languages.merged import Part, merge
from codecompass.languages.registry import Language, Registry
from codecompass.model.code import Facts, Segment

MAX_PROGRAMS = 200
"""Programs taken from one host; what comes after stays text."""
MAX_SPANS = 2_000
"""Spans that one program is made of at most."""
MAX_DEPTH = 2
MAX_MENDED = 30_000
"""Examples in a longer text are not mended."""
_WORD = re.compile(r"[^\s,;:{}()\[\]\"']+")
_MEDIA = re.compile(r"^(?:text|application)/(?:x-)?")
Settings = Mapping[str, str | None]
_CELL: Settings = {"embed.optional": None, "embed.apart": None}
_BROKEN_SHARE = 4
"""A sample is left out when one part in so many of it, or more, are errors."""


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


def extract_whole(registry: Registry, language: Language, source: bytes) -> Facts:
    """The facts of one blob with those of all text in other languages that it holds."""
    if not language.is_host:
        return extract(language, source)
    source = clean_utf8(source)
    reader = _Reader(registry, source)
    if language.hazard is not None and language.hazard.search(source):
        return reader.leave(language)
    return reader.read(language, source, parse_mended(language, source), 0)


def spoken_text(source: bytes, segments: tuple[Segment, ...]) -> bytes:
    """The source with every line blank that no segment stands on; all of it where there are no segments."""
    if not segments:
        return source
    lines = source.split(b"\n")
    kept = [b""] * len(lines)
    for item in segments:
        kept[item.line_start - 1 : item.line_end] = lines[item.line_start - 1 : item.line_end]
    return b"\n".join(kept)


class _Reader:
    """Reads one blob; the table of its lines is made once."""

    def __init__(self, registry: Registry, source: bytes) -> None:
        self._registry = registry
        self._lines = LineTable(source)

    def leave(self, language: Language) -> Facts:
        """The facts of a source that no parser should see."""
        name = language.spec.report_as or language.spec.name
        return Facts(name, len(self._lines.starts), (), (), (), (), (), 1, (), "")

    def read(self, language: Language, source: bytes, tree: Tree, depth: int) -> Facts:
        embeds: list[Match] = []
        facts = extract_tree(language, source, tree, (), self._lines, embeds)
        if depth >= MAX_DEPTH or not language.is_host:
            return facts
        text: list[Segment] = []
        if language.spec.cells:
            programs, text = self._cells(language, source, tree)
        else:
            programs = self._programs(language, source, embeds)
        parts = [part for program in programs for part in self._parts(program, source, depth + 1)]
        return merge(facts, parts, text) if parts or text else facts

    def _programs(self, language: Language, source: bytes, embeds: list[Match]) -> list[Program]:
        claimed: dict[int, tuple[int, Node, str | None]] = {}
        for pattern, captures in embeds:
            named = captures.get("embed.language")
            for node in captures["embed"]:
                known = claimed.get(node.start_byte)
                if node.end_byte > node.start_byte and (known is None or pattern < known[0]):
                    claimed[node.start_byte] = (pattern, node, _text(source, named[0]) if named else None)
        groups = _Groups()
        for at in sorted(claimed):
            pattern, node, spelled = claimed[at]
            options = language.query.pattern_settings(pattern)
            chosen = self._named(language, spelled) if spelled is not None else None
            if spelled is not None and chosen is None:
                continue
            default = self._registry.get(options.get("embed.language") or "")
            groups.add(node, options, chosen, default, source)
        return groups.programs()

    def _named(self, host: Language, spelled: str) -> Language | None:
        word = _MEDIA.sub("", spelled.strip().lower())
        word = host.spec.embed_names.get(word, word)
        found = _WORD.search(word)
        name = found.group().lstrip(".") if found else ""
        language = self._registry.get(self._registry.canonical(host.spec.embed_names.get(name, name)) or "")
        return language if language is not None and language.spec.grammar else None

    def _cells(self, host: Language, source: bytes, tree: Tree) -> tuple[list[Program], list[Segment]]:
        """The programs in the cells, and the cells that are only text."""
        found = find_cells(source, tree, host.magic)
        programs: dict[str, Program] = {}
        text = [self._segment("", *inline) for inline in found.inline]
        for spelled, cells in found.programs:
            language = self._named(host, spelled)
            if language is None:
                text += [self._segment("", cell[0][0], cell[-1][1]) for cell in cells]
                continue
            program = programs.setdefault(language.spec.name, Program(language, [], found.text))
            program.spans += [Span(cell[0][0], cell[-1][1], tuple(cell), _CELL) for cell in cells]
        last = max((cell[-1][1] for _, cells in found.programs for cell in cells), default=0)
        for program in programs.values():
            program.spans.sort(key=lambda span: span.start)
            end = program.spans[-1]
            if end.end < last and source.endswith(b"\n", 0, last):
                # The empty end of the last cell is the end of every program.
                program.spans[-1] = end._replace(ranges=(*end.ranges, (last - 1, last)))
        return list(programs.values()), text

    def _parts(self, program: Program, source: bytes, depth: int) -> Iterator[Part]:
        language, spans = program.language, program.spans
        text = program.text if program.text is not None else _with_marks(source, spans)
        if language.hazard is not None and any(language.hazard.search(text, span.start, span.end) for span in spans):
            return
        tree = self._parse(language, text, spans)
        if tree.root_node.has_error and len(spans) > 1 and any("embed.optional" in span.settings for span in spans):
            # What cannot be parsed must not spoil the rest; what is a program by itself is then read alone.
            ends = [_first_sign(span) for span in spans[1:]] + [None]
            fine = {
                span.start
                for span, end in zip(spans, ends, strict=True)
                if not self._parse(language, text, [span, end] if end else [span]).root_node.has_error
            }
            for span in spans:
                if span.start not in fine and "embed.apart" in span.settings:
                    yield from self._parts(Program(language, [span], text), source, depth)
            spans = [span for span in spans if span.start in fine or "embed.optional" not in span.settings]
            if not spans:
                return
            tree = self._parse(language, text, spans)
        root = tree.root_node
        sample = all("embed.sample" in span.settings for span in spans)
        if root.type == "ERROR" or (sample and root.has_error and _is_broken(root)):
            return
        facts = self.read(language, text, tree, depth)
        if sample and facts.parse_errors:
            facts = facts._replace(parse_errors=0, insight=facts.insight._replace(diagnostics=()))
        shown = language.spec.report_as or language.spec.name
        yield Part(facts, tuple(self._segment(shown, span.start, span.end) for span in spans))

    def _parse(self, language: Language, text: bytes, spans: list[Span]) -> Tree:
        parser = language.parser
        parser.included_ranges = [
            Range(self._point(start), self._point(end), start, end) for span in spans for start, end in span.ranges
        ]
        try:
            # A mend reads the whole text again: too much for each of many examples.
            much = len(text) > MAX_MENDED and "embed.sample" in spans[0].settings
            return language.parser.parse(text) if much else parse_mended(language, text)
        finally:
            parser.included_ranges = []

    def _segment(self, language: str, start: int, end: int) -> Segment:
        starts = self._lines.starts
        return Segment(language, start, end, bisect_right(starts, start), bisect_right(starts, end - 1))

    def _point(self, offset: int) -> Point:
        row = bisect_right(self._lines.starts, offset) - 1
        return Point(row, offset - self._lines.starts[row])


class _Groups:
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


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


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


def _first_sign(span: Span) -> Span | None:
    """What a span is opened with: it may end the statement of the one before."""
    start = span.ranges[0][0]
    return Span(start, start + 1, ((start, start + 1),), {}) if start < span.start else None


def _with_marks(source: bytes, spans: list[Span]) -> bytes:
    """The source with what stands around spans written over as their settings say."""
    if all(not span.settings.get("embed.open") and not span.settings.get("embed.close") for span in spans):
        return source
    copy = bytearray(source)
    for span in spans:
        copy[span.ranges[0][0] : span.start] = (span.settings.get("embed.open") or "").encode()
        copy[span.end : span.ranges[-1][1]] = (span.settings.get("embed.close") or "").encode()
    return bytes(copy)


def _is_broken(root: Node) -> bool:
    size = root.end_byte - root.start_byte
    broken = sum(child.end_byte - child.start_byte for child in root.children if child.has_error)
    return broken * _BROKEN_SHARE >= size
