"""Issue reader: split a pasted issue, pull request or log into parts, line by line, in one pass."""

import re
from dataclasses import dataclass, field

from codecompass.engine.search.issue.mentioned_names import find_calls, find_mentions
from codecompass.engine.search.issue.parts import Frame, Issue, Part, PartKind
from codecompass.engine.search.issue.templates import (
    drop_comments,
    is_form_heading,
    is_form_line,
    is_version_line,
    opens_aside,
    read_heading,
)
from codecompass.engine.search.issue.traces import (
    begins_trace,
    match_error,
    match_frame,
    match_function_line,
    order_frames,
)

MAX_CHARS = 20_000
"""What is read of a text; the rest is cut, and the answer says so."""
LONG_LINE, LONG_WORDS = 400, 40
"""Characters and words from which on a single line is an issue and not a query."""
MAX_SENTENCE_CHARS = 500
"""Longest text that a search of sentences compares."""
MAX_TITLE = 240
_LEAST_LINES = 3
_NOT_WORD = re.compile(r"\W+")
_FENCE = re.compile(r"^\s*(?:```+|~~~+|\{code\S*\})\s*([\w+-]*)")
_LOGS = frozenset(
    "console text txt log shell sh bash sh-session shellsession pytb pycon output stderr stdout plaintext none".split()
)
_INDENTED = re.compile(r"^(?: {4,}|\t)\S")
_PROMPT = re.compile(r"^\s*(?:>>> |\.\.\. |In \[\d+\]:|irb\S*> |iex\S*> |\$ |% )")
_TITLE_MARKS = re.compile(r"^(?:#+\s*|title:\s*|\[[\w -]{1,20}\]\s*:?\s*)+", re.I)
_QUOTE_MARK = re.compile(r"^\s*>\s?(?!>>)")
_CODE_SIGNS = re.compile(
    r"[;{}]\s*$|^\s*(?:def |class |import |from \w+ import|func |fn |let |const |var |return\b|#include|public "
    r"|private |@\w+)|\w\(.*\)\s*[:;{]?\s*$|\s=\s|=>|->"
)


def is_issue(text: str) -> bool:
    """Whether a query is a pasted text and not a question with operators."""
    if len(text) >= LONG_LINE and len(text.split(None, LONG_WORDS)) > LONG_WORDS:
        return True
    lines = [line for line in text.split("\n") if line.strip()]
    return len(lines) >= _LEAST_LINES or (len(lines) > 1 and any(map(match_frame, lines)))


def read_issue(text: str) -> Issue:
    """Read an issue as its parts; every text has some."""
    reader = _Reader()
    kept = drop_comments(text[:MAX_CHARS])
    for line in kept.split("\n"):
        reader.read_line(line.rstrip("\r"))
    notes = []
    if len(text) > MAX_CHARS:
        notes.append(f"The query was cut after {MAX_CHARS:,} of {len(text):,} characters.")
    if reader.ignored:
        notes.append(f"{reader.ignored} lines of the query (form, versions) were ignored.")
    return Issue(reader.title, tuple(dict.fromkeys(reader.parts)), order_frames(reader.groups), tuple(notes))


def shorten_question(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what a search of sentences asks for: of a pasted text its title and sentences; and a note on the cut."""
    if len(text) <= MAX_SENTENCE_CHARS:
        return text, ()
    issue = read_issue(text)
    told = " ".join((*issue.texts("title"), *issue.texts("prose"), *issue.texts("error"))) or text
    note = f"Only the title and sentences of the query were asked, {min(len(told), MAX_SENTENCE_CHARS)} characters."
    return told[:MAX_SENTENCE_CHARS], (note, *issue.notes)


@dataclass
class _Reader:
    """The state between two lines."""

    title: str = ""
    parts: list[Part] = field(default_factory=list)
    groups: list[list[tuple[Frame, bool]]] = field(default_factory=lambda: [[]])
    ignored: int = 0
    _fence: str | None = None
    """Language of the open code block; None outside of one."""
    _in_aside: bool = False
    _in_code: bool = False
    """Whether the line before was code without a fence."""
    _before: str = ""
    _trace_lines: int = 0
    """Lines since the last frame; sources and notes stand between two frames."""

    def read_line(self, line: str) -> None:
        fence = _FENCE.match(line)
        if fence is not None:
            self._fence = None if self._fence is not None else fence[1].lower()
            return
        if self._fence is None:
            line = _QUOTE_MARK.sub("", line)
        if not line.strip():
            self._before = ""
            return
        if not self._read_trace(line):
            self._read_text(line)
        self._before = line

    def _read_trace(self, line: str) -> bool:
        """Read a line as a part of a traceback; whether it was one."""
        if begins_trace(line):
            self.groups.append([])
        framed = match_frame(line)
        if framed is not None:
            frame, last = framed
            if not frame.function:
                frame = Frame(frame.path, frame.line, match_function_line(self._before))
            self.groups[-1].append((frame, last))
            self._trace_lines = 2
        error = match_error(line)
        if error is not None:
            name, message = error
            self._add("call", _NOT_WORD.split(name)[-1])
            self._add("error", message if len(message.split()) > 1 else "")
            if not self.title:
                self.title = line.strip()[:MAX_TITLE]
        if framed is None and error is None and self._trace_lines > 0 and line[:1] in " \t":
            # The source that some runtimes show below each frame.
            self._trace_lines -= 1
            return True
        return framed is not None or error is not None or begins_trace(line)

    def _read_text(self, line: str) -> None:
        if self._fence is None and not self.title:
            self.title = _TITLE_MARKS.sub("", line.strip())[:MAX_TITLE]
            self._add_prose(line, "title")
            return
        if self._fence is not None:
            self._read_block(line)
            return
        heading = read_heading(line)
        if heading is not None:
            self._in_aside = opens_aside(heading)
            if self._in_aside or is_form_heading(heading):
                self._ignore("template", line)
            else:
                self._add_prose(heading, "prose")
            return
        if self._in_aside or is_form_line(line):
            self._ignore("template", line)
        elif is_version_line(line):
            self._ignore("version", line)
        elif _PROMPT.match(line) or (_INDENTED.match(line) and (self._in_code or not self._before)):
            self._in_code = True
            self._read_block(line)
            return
        else:
            self._add_prose(line, "prose")
        self._in_code = False

    def _read_block(self, line: str) -> None:
        """Read a line of a code block: code, or what a program wrote."""
        if self._in_aside or is_version_line(line):
            self._ignore("version", line)
        elif self._fence in _LOGS and not _PROMPT.match(line) and not _CODE_SIGNS.search(line):
            self._add("output", line.strip())
        else:
            self._add("code", line.strip())
            self.parts += find_calls(line)

    def _add_prose(self, line: str, kind: PartKind) -> None:
        mentions, bare = find_mentions(line.strip())
        self.parts += mentions
        self._add(kind, " ".join(bare.split()))

    def _add(self, kind: PartKind, text: str) -> None:
        if text:
            self.parts.append(Part(kind, text))

    def _ignore(self, kind: PartKind, line: str) -> None:
        self.ignored += 1
        self._add(kind, line.strip())
