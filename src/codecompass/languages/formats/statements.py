"""Statements: parses a language statement by statement if its grammar fails on the whole source.

Unsupported dialect syntax then affects one statement only. Fixups are tried first; if they fail, the statement is
blanked for the parser, and patterns in the language's data extract its definition and references. A pattern of
`statements` finds statement boundaries: the groups are `end`, `hard` (an end even inside a block), `open` and `close`
(between them `end` is ignored) and `comment`; other matches, such as strings, are skipped.
"""

import re
from bisect import bisect_right
from typing import NamedTuple

from tree_sitter import Tree

from codecompass.languages.formats.grammar_fixups import apply_fixups
from codecompass.languages.formats.merged_facts import FactsPart, merge_facts
from codecompass.languages.registry import Language
from codecompass.model.code.facts import Definition, EmbeddedSegment, Facts, Reference

MAX_STATEMENTS = 20_000
MAX_MEMBERS = 2_000
_MAX_HEAD = 400
_NON_NEWLINE = re.compile(rb"[^\r\n]")
_LIST = re.compile(rb"[(),]|'[^']*'|\"[^\"]*\"|`[^`]*`|--[^\n]*|/\*.*?\*/", re.DOTALL)
_MARKERS = re.compile(r"^\s*(?:--+|/\*+|\*+/|\*|#+)? ?|\s*\*/\s*$")


class StatementSpan(NamedTuple):
    """One statement: its start, the start of its code, its end, and its comments."""

    start: int
    code: int
    end: int
    comments: tuple[tuple[int, int], ...]


class StatementParse(NamedTuple):
    """The tree of the parsed statements, and the statements that could not be parsed."""

    tree: Tree
    broken: list[StatementSpan]


def parse_statements(language: Language, source: bytes) -> StatementParse:
    """Parse a source; statements that the grammar cannot parse are blanked."""
    tree = language.parser.parse(source)
    if not tree.root_node.has_error:
        return StatementParse(tree, [])
    text, broken = bytearray(_blank(source)), []
    for span in find_statements(language, source):
        mended = apply_fixups(language, source[span.start : span.end])
        if mended is None:
            broken.append(span)
            for first, last in span.comments:
                text[first:last] = source[first:last]
            continue
        text[span.start : span.end] = mended
        if not mended.rstrip().endswith(b";") and text[span.end : span.end + 1] == b" ":
            text[span.end] = ord(";")  # its terminator is not part of the language
    return StatementParse(language.parser.parse(bytes(text)), broken)


def _blank(text: bytes) -> bytes:
    return _NON_NEWLINE.sub(b" ", text)


def find_statements(language: Language, source: bytes) -> list[StatementSpan]:
    """Return the statements of a source in order, each including its terminator."""
    splitter = next((split for when, split in language.statements if when.search(source)), None)
    found: list[StatementSpan] = []
    start, code, depth = 0, -1, 0
    comments: list[tuple[int, int]] = []
    last = 0

    def close(end: int) -> None:
        nonlocal start, code, depth
        if code >= 0:
            found.append(StatementSpan(start, code, end, tuple(comments)))
        start, code, depth = end, -1, 0
        comments.clear()

    for match in splitter.finditer(source) if splitter else ():
        if code < 0:
            code = _find_first_code(source, last, match.start())
        last = match.end()
        if len(found) >= MAX_STATEMENTS:
            break
        kind = match.lastgroup
        if kind == "comment":
            comments.append(match.span())
            continue
        if kind == "hard":
            close(match.start())
            start = match.end()
            continue
        code = match.start() if code < 0 else code
        if kind == "open":
            depth += bool(language.statement_blocks.match(source, code))
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "end" and not depth:
            close(match.end())
    if code < 0:
        code = _find_first_code(source, last, len(source))
    close(len(source))
    return found


def _find_first_code(source: bytes, start: int, end: int) -> int:
    rest = source[start:end]
    return start + len(rest) - len(rest.lstrip()) if rest.strip() else -1


def add_unparsed_statements(
    language: Language, facts: Facts, source: bytes, broken: list[StatementSpan], starts: list[int]
) -> Facts:
    """Add definitions and references found by patterns in the statements that could not be parsed."""
    definitions: list[Definition] = []
    references: list[Reference] = []
    for span in broken:
        text = bytearray(source[span.code : span.end])
        for first, last in span.comments:
            if first >= span.code:
                text[first - span.code : last - span.code] = _blank(source[first:last])
        reader = _StatementReader(language, source, bytes(text), span, starts)
        reader.add_definition(definitions)
        reader.add_references(references)
    if not definitions and not references:
        return facts._replace(parse_errors=facts.parse_errors + len(broken))
    rows, uses = tuple(definitions), tuple(references)
    more = Facts(facts.language, facts.line_count, rows, uses, (), (), (), len(broken), (), "")
    whole = EmbeddedSegment(facts.language, 0, len(source), 1, facts.line_count)
    return merge_facts(facts, [FactsPart(more, (whole,))])._replace(segments=facts.segments)


class _StatementReader:
    """Applies patterns to one statement with its comments blanked."""

    def __init__(self, language: Language, source: bytes, text: bytes, span: StatementSpan, starts: list[int]) -> None:
        self._language = language
        self._source = source
        self._text = text.rstrip()
        self._span = span
        self._starts = starts
        self._names: set[int] = set()
        self._ranges: list[tuple[int, int, int]] = []
        self.found = -1
        """Position of the definition of its head, or -1."""

    def _to_position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1]

    def _read_name(self, match: re.Match[bytes], group: str) -> tuple[str, int]:
        """Return a name without quotes, and its offset."""
        raw, quotes = match[group] or b"", self._language.spec.name_quotes.encode()
        bare = raw.lstrip(quotes)
        at = self._span.code + match.start(group) + len(raw) - len(bare)
        return bare.rstrip(quotes).decode("utf-8", "replace"), at

    def add_definition(self, found: list[Definition]) -> None:
        for pattern, kind in self._language.statement_heads:
            match = pattern.match(self._text)
            if match is None:
                continue
            name, at = self._read_name(match, "name")
            above = self._read_name(match, "scope")[0] if match["scope"] else ""
            stop = self._language.statement_body.search(self._text, match.end())
            end = match.end() if kind in self._language.spec.statement_holders else len(self._text)
            head = self._text[: min(stop.start() if stop else end, end, _MAX_HEAD)]
            self.found = len(found)
            self._ranges.append((self._span.code, self._span.end, self.found))
            head = head.rstrip(b"; \t\r\n")
            found.append(self._make_definition(kind, name, above, -1, at, 0, len(self._text), head, self._read_doc()))
            if kind in self._language.spec.statement_holders:
                self._add_members(match.end(), name, above, found)
            return

    def _make_definition(
        self, kind: str, name: str, scope: str, parent: int, at: int, first: int, last: int, head: bytes, doc: str
    ) -> Definition:
        line, col = self._to_position(at)
        start, end = self._span.code + first, self._span.code + last
        self._names.add(at)
        signature = " ".join(head.decode("utf-8", "replace").split())
        lines = (self._to_position(start)[0], self._to_position(max(start, end - 1))[0])
        return Definition(kind, name, scope, parent, *lines, start, end, line, col, signature, "public", doc, ())

    def _add_members(self, start: int, name: str, above: str, found: list[Definition]) -> None:
        """Add the members in the parenthesized list after a head."""
        pattern, text = self._language.statement_member, self._text
        scope = self._language.spec.separator.join(part for part in (above, name) if part)
        opening = text.find(b"(", start)
        item, depth = opening + 1, 0
        for match in _LIST.finditer(text, max(opening, 0)) if opening >= 0 else ():
            sign = match.group()
            depth += (sign == b"(") - (sign == b")")
            if (sign == b"," and depth == 1) or (sign == b")" and not depth):
                part = pattern.match(text, item, match.start())
                if part is not None and len(found) - self.found < MAX_MEMBERS:
                    first = part.start("name")
                    title, at = self._read_name(part, "name")
                    head = text[first : match.start()].rstrip()
                    begin = self._span.code + first
                    self._ranges.append((begin, begin + len(head), len(found)))
                    found.append(
                        self._make_definition("field", title, scope, self.found, at, first, first + len(head), head, "")
                    )
                item = match.end()
            if not depth:
                return

    def _read_doc(self) -> str:
        """Return the comments that end on the line above the code."""
        lines: list[str] = []
        below = self._to_position(self._span.code)[0]
        for first, last in reversed(self._span.comments):
            if last > self._span.code or below - self._to_position(max(first, last - 1))[0] != 1:
                continue
            below = self._to_position(first)[0]
            text = self._source[first:last].decode("utf-8", "replace")
            lines.insert(0, "\n".join(_MARKERS.sub("", line).strip() for line in text.splitlines()).strip())
        return "\n".join(lines)[:600]

    def add_references(self, found: list[Reference]) -> None:
        for pattern, role in self._language.statement_uses:
            for match in pattern.finditer(self._text):
                name, at = self._read_name(match, "name")
                if at in self._names or not name:
                    continue
                self._names.add(at)
                line, col = self._to_position(at)
                receiver = self._read_name(match, "scope")[0] if "scope" in pattern.groupindex else ""
                owner = next((number for first, end, number in reversed(self._ranges) if first <= at < end), -1)
                found.append(Reference(role, name, line, col, owner, receiver))
