"""Line formats: formats without a grammar, read line by line by the tables `lines` of their TOML.

Each table is a rule with a `match`, a pattern that must match from the start of a line; the other keys define what the
line is. Groups of the pattern name the parts. The first rule that matches a line applies. Patterns must not backtrack
heavily: a hostile line would take too long.

    kind             a definition of this kind; group `name` is its name
    level            the level of a heading: a number, or the length of the group `level` if present; the definition
                     then extends to the next heading that is not deeper, and contains what is between
    under            a heading is underlined with one of these characters, from the outermost level on
    fence            the line opens a block that ends at a line with the same text; its content is skipped
    comment          the line is a comment; with `fence` the whole block is
    module           the line imports what this group names
"""

import re
from typing import NamedTuple

from codecompass.languages.language_spec import LanguageSpec, LineRule
from codecompass.model.code.facts import Comment, Definition, Facts, Import

MAX_LINE = 2_000
"""Longer lines are truncated to this length."""
MAX_NAME = 200


class _LineDefinition(NamedTuple):
    """A definition in one line, before its end is known."""

    kind: str
    name: str
    level: int
    line: int
    col: int
    start: int
    end: int
    line_end: int
    signature: str
    doc: str


class LineReader:
    """The compiled rules of one language."""

    def __init__(self, spec: LanguageSpec) -> None:
        self._rules = [(row, re.compile(row.match.encode())) for row in spec.lines]
        self._name, self._separator, self._most = spec.report_as or spec.name, spec.separator, spec.most_definitions
        self._quotes = spec.name_quotes

    def read(self, source: bytes) -> Facts:
        """Return the facts of one source; never fails."""
        lines = source.split(b"\n")
        if len(lines) > 1 and not lines[-1]:
            lines.pop()
        found = _LineParser(self._rules, lines, self._quotes)
        found.run()
        definitions = _nest_definitions(found.heads[: self._most], self._separator, len(source), len(lines))
        imports, comments = tuple(found.imports), tuple(found.comments)
        return Facts(self._name, len(lines), definitions, (), imports, comments, (), 0, (), "")


class _LineParser:
    """One pass over the lines of a source."""

    def __init__(self, rules: list[tuple[LineRule, re.Pattern[bytes]]], lines: list[bytes], around: str) -> None:
        self._rules, self._lines, self._quotes = rules, lines, around
        self.heads: list[_LineDefinition] = []
        self.imports: list[Import] = []
        self.comments: list[Comment] = []
        self._pending_comments: list[str] = []
        """Comment lines directly above."""

    def run(self) -> None:
        at, offset = 0, 0
        while at < len(self._lines):
            taken = self._read_line(at, offset)
            for _ in range(taken):
                offset += len(self._lines[at]) + 1
                at += 1

    def _read_line(self, at: int, offset: int) -> int:
        """Read one line; return the number of lines consumed."""
        whole = self._lines[at].rstrip(b"\r")
        text = whole[:MAX_LINE]
        for row, pattern in self._rules:
            if row.under:
                if self._read_underlined_heading(row, at, text, offset):
                    return 2
                continue
            match = pattern.match(text)
            if match is None:
                continue
            if row.fence:
                return self._skip_block(row, at, offset, text)
            self._apply_rule(row, match, at, offset, whole)
            return 1
        self._pending_comments.clear()
        return 1

    def _apply_rule(self, row: LineRule, match: re.Match[bytes], at: int, offset: int, whole: bytes) -> None:
        groups = match.groupdict()
        if row.comment:
            self.comments.append(Comment(False, at + 1, at + 1, offset, offset + len(whole)))
            text = groups.get("text")
            self._pending_comments.append(_decode(text if text is not None else whole))
            return
        if row.module and groups.get(row.module):
            self.imports.append(Import(_decode(groups[row.module]), "", "", at + 1))
        name = _decode(groups.get("name") or b"").strip(" \t\r" + self._quotes)
        if row.kind and name:
            marks = groups.get("level")
            level = len(marks) if marks else row.level
            self._define(row.kind, name, level, at, match.start("name"), offset, 1, whole)
        self._pending_comments.clear()

    def _define(
        self, kind: str, name: str, level: int, at: int, col: int, offset: int, taken: int, whole: bytes
    ) -> None:
        end = offset + sum(len(line) + 1 for line in self._lines[at : at + taken]) - 1
        doc = "\n".join(self._pending_comments).strip()
        # The value of a key may be secret or very long; the name is enough.
        shown = _decode(whole).strip() if level else name
        head = _LineDefinition(
            kind, name[:MAX_NAME], level, at + 1, col, offset, end, at + taken, shown[:MAX_NAME], doc
        )
        self.heads.append(head)

    def _read_underlined_heading(self, row: LineRule, at: int, text: bytes, offset: int) -> bool:
        """Add a heading if the next line underlines this one with about the same length; return whether it did."""
        following = self._lines[at + 1].rstrip() if at + 1 < len(self._lines) else b""
        title = text.strip()
        sign = following[:1].decode("latin-1")
        if len(following) < 2 or not title or not sign or sign not in row.under or following.strip(following[:1]):
            return False
        if abs(len(_decode(title)) - len(following)) > row.slack or not any(map(str.isalnum, _decode(title))):
            return False
        col = len(text) - len(text.lstrip())
        self._define(row.kind, _decode(title), row.under.index(sign) + 1, at, col, offset, 2, text)
        self._pending_comments.clear()
        return True

    def _skip_block(self, row: LineRule, at: int, offset: int, text: bytes) -> int:
        """Return the number of lines of a fenced block; an unclosed block extends to the end."""
        fence = text.strip()
        last = at + 1
        while last < len(self._lines) and self._lines[last].strip() != fence:
            last += 1
        taken = min(last, len(self._lines) - 1) - at + 1
        if row.comment:
            size = sum(len(line) + 1 for line in self._lines[at : at + taken]) - 1
            self.comments.append(Comment(False, at + 1, at + taken, offset, offset + size))
        self._pending_comments.clear()
        return taken


def _nest_definitions(
    heads: list[_LineDefinition], separator: str, size: int, line_count: int
) -> tuple[Definition, ...]:
    """Nest definitions: a heading extends to the next one that is not deeper, and contains what is under it."""
    ends: dict[int, tuple[int, int]] = {}
    waiting: list[int] = []
    for at, head in enumerate(heads):
        while head.level and waiting and heads[waiting[-1]].level >= head.level:
            ends[waiting.pop()] = (head.start, head.line - 1)
        if head.level:
            waiting.append(at)
    ends.update((at, (size, line_count)) for at in waiting)
    found: list[Definition] = []
    opened: list[int] = []
    for at, head in enumerate(heads):
        end, line_end = ends.get(at, (head.end, head.line_end))
        while opened and found[opened[-1]].byte_end <= head.start:
            opened.pop()
        around = opened[-1] if opened else -1
        scope = separator.join(part for part in (found[around].scope, found[around].name) if part) if opened else ""
        found.append(
            Definition(head.kind, head.name, scope, around, head.line, line_end, head.start, end, head.line, head.col,
                       head.signature, "public", head.doc, ())
        )  # fmt: skip
        if head.level:
            opened.append(at)
    return tuple(found)


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")
