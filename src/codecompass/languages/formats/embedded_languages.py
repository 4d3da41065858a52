"""Embedded languages: parses spans of a host in other languages, and merges the facts.

`embed.scm` of the host captures `embed`, the node with the text (without its children), and may capture
`embed.language`, a node that names the language in any accepted spelling. Settings of a pattern:

    embed.language NAME  the language if none is captured
    embed.share WORD     spans with the same word and language form one program: they share names
    embed.optional       omitted from its program if it cannot be parsed; with embed.apart it is then parsed alone
    embed.sample         an example in prose: omitted if much of it cannot be parsed; its errors are not counted
    embed.open TEXT, embed.close TEXT   replacement for the bytes before and after the span, in a copy

A parser gets the whole source and the ranges to parse, so every byte, row and column is that of the file. The first
pattern that matches a span wins, and text in an unknown language remains text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from tree_sitter import Node, Point, Range, Tree

from codecompass.languages.extraction.extractor import LineTable, QueryMatch, clean_utf8, extract, extract_tree
from codecompass.languages.formats.embedded_spans import (
    EmbeddedProgram,
    EmbeddedSpan,
    PatternSettings,
    ProgramGrouper,
    get_opening_span,
    overwrite_markers,
)
from codecompass.languages.formats.grammar_fixups import parse_with_fixups
from codecompass.languages.formats.merged_facts import FactsPart, merge_facts
from codecompass.languages.formats.notebooks import find_cells
from codecompass.languages.registry import Language, Registry
from codecompass.model.code.facts import EmbeddedSegment, Facts

MAX_DEPTH = 2
MAX_FIXUP_BYTES = 30_000
"""Maximum text size for which examples are parsed with grammar fixups."""
_WORD = re.compile(r"[^\s,;:{}()\[\]\"']+")
_MEDIA = re.compile(r"^(?:text|application)/(?:x-)?")
_CELL_SETTINGS: PatternSettings = {"embed.optional": None, "embed.apart": None}
_BROKEN_SHARE = 4
"""A sample is omitted if at least 1/N of it is errors."""


def extract_with_embedded(registry: Registry, language: Language, source: bytes) -> Facts:
    """Extract the facts of one blob, including embedded text in other languages."""
    if not language.is_host:
        return extract(language, source)
    source = clean_utf8(source)
    reader = _EmbeddedReader(registry, source)
    if language.hazard is not None and language.hazard.search(source):
        return reader.make_empty_facts(language)
    return reader.read(language, source, parse_with_fixups(language, source), 0)


def blank_outside_segments(source: bytes, segments: tuple[EmbeddedSegment, ...]) -> bytes:
    """Blank all lines outside the segments; without segments return the source unchanged."""
    if not segments:
        return source
    lines = source.split(b"\n")
    kept = [b""] * len(lines)
    for item in segments:
        kept[item.line_start - 1 : item.line_end] = lines[item.line_start - 1 : item.line_end]
    return b"\n".join(kept)


class _EmbeddedReader:
    """Extracts one blob with its embedded languages."""

    def __init__(self, registry: Registry, source: bytes) -> None:
        self._registry = registry
        self._lines = LineTable(source)

    def make_empty_facts(self, language: Language) -> Facts:
        """Return facts without definitions, for a source that must not be parsed."""
        name = language.spec.report_as or language.spec.name
        return Facts(name, len(self._lines.starts), (), (), (), (), (), 1, (), "")

    def read(self, language: Language, source: bytes, tree: Tree, depth: int) -> Facts:
        embeds: list[QueryMatch] = []
        facts = extract_tree(language, source, tree, (), self._lines, embeds)
        if depth >= MAX_DEPTH or not language.is_host:
            return facts
        text: list[EmbeddedSegment] = []
        if language.spec.cells:
            programs, text = self._find_cell_programs(language, source, tree)
        else:
            programs = self._find_programs(language, source, embeds)
        parts = [part for program in programs for part in self._extract_parts(program, source, depth + 1)]
        return merge_facts(facts, parts, text) if parts or text else facts

    def _find_programs(self, language: Language, source: bytes, embeds: list[QueryMatch]) -> list[EmbeddedProgram]:
        claimed: dict[int, tuple[int, Node, str | None]] = {}
        for pattern, captures in embeds:
            named = captures.get("embed.language")
            for node in captures["embed"]:
                known = claimed.get(node.start_byte)
                if node.end_byte > node.start_byte and (known is None or pattern < known[0]):
                    claimed[node.start_byte] = (pattern, node, _decode(source, named[0]) if named else None)
        groups = ProgramGrouper()
        for at in sorted(claimed):
            pattern, node, spelled = claimed[at]
            options = language.query.pattern_settings(pattern)
            chosen = self._resolve_language(language, spelled) if spelled is not None else None
            if spelled is not None and chosen is None:
                continue
            default = self._registry.get(options.get("embed.language") or "")
            groups.add(node, options, chosen, default, source)
        return groups.build_programs()

    def _resolve_language(self, host: Language, spelled: str) -> Language | None:
        word = _MEDIA.sub("", spelled.strip().lower())
        word = host.spec.embed_names.get(word, word)
        found = _WORD.search(word)
        name = found.group().lstrip(".") if found else ""
        language = self._registry.get(self._registry.resolve_name(host.spec.embed_names.get(name, name)) or "")
        return language if language is not None and language.spec.grammar else None

    def _find_cell_programs(
        self, host: Language, source: bytes, tree: Tree
    ) -> tuple[list[EmbeddedProgram], list[EmbeddedSegment]]:
        """Return the programs in the cells, and the cells that are plain text."""
        found = find_cells(source, tree, host.magic)
        programs: dict[str, EmbeddedProgram] = {}
        text = [self._make_segment("", *inline) for inline in found.inline]
        for spelled, cells in found.programs:
            language = self._resolve_language(host, spelled)
            if language is None:
                text += [self._make_segment("", cell[0][0], cell[-1][1]) for cell in cells]
                continue
            program = programs.setdefault(language.spec.name, EmbeddedProgram(language, [], found.text))
            program.spans += [EmbeddedSpan(cell[0][0], cell[-1][1], tuple(cell), _CELL_SETTINGS) for cell in cells]
        last = max((cell[-1][1] for _, cells in found.programs for cell in cells), default=0)
        for program in programs.values():
            program.spans.sort(key=lambda span: span.start)
            end = program.spans[-1]
            if end.end < last and source.endswith(b"\n", 0, last):
                # All programs end with the empty end of the last cell.
                program.spans[-1] = end._replace(ranges=(*end.ranges, (last - 1, last)))
        return list(programs.values()), text

    def _extract_parts(self, program: EmbeddedProgram, source: bytes, depth: int) -> Iterator[FactsPart]:
        language, spans = program.language, program.spans
        text = program.text if program.text is not None else overwrite_markers(source, spans)
        if language.hazard is not None and any(language.hazard.search(text, span.start, span.end) for span in spans):
            return
        tree = self._parse(language, text, spans)
        if tree.root_node.has_error and len(spans) > 1 and any("embed.optional" in span.settings for span in spans):
            # An unparsable span must not break the rest; with embed.apart it is parsed alone.
            ends = [get_opening_span(span) for span in spans[1:]] + [None]
            fine = {
                span.start
                for span, end in zip(spans, ends, strict=True)
                if not self._parse(language, text, [span, end] if end else [span]).root_node.has_error
            }
            for span in spans:
                if span.start not in fine and "embed.apart" in span.settings:
                    yield from self._extract_parts(EmbeddedProgram(language, [span], text), source, depth)
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
        yield FactsPart(facts, tuple(self._make_segment(shown, span.start, span.end) for span in spans))

    def _parse(self, language: Language, text: bytes, spans: list[EmbeddedSpan]) -> Tree:
        parser = language.parser
        parser.included_ranges = [
            Range(self._to_point(start), self._to_point(end), start, end)
            for span in spans
            for start, end in span.ranges
        ]
        try:
            # Fixups parse the whole text again: too expensive for each of many examples.
            much = len(text) > MAX_FIXUP_BYTES and "embed.sample" in spans[0].settings
            return language.parser.parse(text) if much else parse_with_fixups(language, text)
        finally:
            parser.included_ranges = []

    def _make_segment(self, language: str, start: int, end: int) -> EmbeddedSegment:
        starts = self._lines.starts
        return EmbeddedSegment(language, start, end, bisect_right(starts, start), bisect_right(starts, end - 1))

    def _to_point(self, offset: int) -> Point:
        row = bisect_right(self._lines.starts, offset) - 1
        return Point(row, offset - self._lines.starts[row])


def _decode(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _is_broken(root: Node) -> bool:
    size = root.end_byte - root.start_byte
    broken = sum(child.end_byte - child.start_byte for child in root.children if child.has_error)
    return broken * _BROKEN_SHARE >= size
