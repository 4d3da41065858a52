"""Line matches: find the lines of one text that match a pattern, with ripgrep's definition of a line.

A line ends only at a line feed; a carriage return before it belongs to the line. Bytes that are not valid UTF-8 match
no character.
"""

import codecs
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from codecompass.engine.grep.regex.pattern import MatcherSpan
from codecompass.text.credentials import mask_credentials
from codecompass.text.sniff import decode

BINARY_HEAD = 65_536
"""A NUL in the first BINARY_HEAD bytes makes a file binary; the search stops at a later NUL."""
MAX_LINE_CHARS = 400
"""Maximum number of characters of a matching line in the answer."""
MAX_CONTEXT_CHARS = 200
"""Maximum number of characters of a context line in the answer."""
MATCH_LEAD_CHARS = 60
"""Characters kept before the match when the beginning of its line is cut."""
CONTEXT_LINES = 2

LineTest = Callable[[int], bool]


class LineMatch(NamedTuple):
    """A matching line: its number, its start offset, and the offset of the first match in it."""

    line: int
    start: int
    at: int


class MatchExcerpt(NamedTuple):
    """A matching line and its context as shown in an answer."""

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    cut: bool


def to_searchable_text(data: bytes, *, masked: bool = True) -> bytes | None:
    """Convert file bytes to UTF-8 text that ends with a line feed; return None for a binary file."""
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        data = decode(data, masked=False)[0].encode("utf-8", "replace")
    end = data.find(b"\0")
    if 0 <= end < BINARY_HEAD:
        return None
    if end > 0:
        data = data[: data.rfind(b"\n", 0, end) + 1]
    if masked:
        data = mask_credentials(data)
    return data if not data or data.endswith(b"\n") else data + b"\n"


@dataclass
class LineSearch:
    """Collects the first matching lines of one text, up to a limit."""

    text: bytes
    limit: int
    line_test: LineTest | None = None
    """Filters lines by number. With it every line is visited, because otherwise the total would be wrong."""
    matches: list[LineMatch] = field(default_factory=list)
    total: int = 0
    """Number of matching lines before `resume_at`."""
    resume_at: int = 0
    """Offset of the first line that was not searched."""
    _line: int = 1
    _counted: int = 0

    def run(self, pieces: Iterable[MatcherSpan]) -> "LineSearch":
        if self.limit or self.line_test is not None:
            for finder, at, end in pieces:
                if not self._collect(finder, at, end):
                    return self
            self.resume_at = len(self.text)
        return self

    def _collect(self, finder: Any, at: int, end: int) -> bool:  # noqa: ANN401 - of RE2
        """Visit matching lines one by one; return False when enough are found."""
        text, passes = self.text, self.line_test
        for match in finder.finditer(text, at, end):
            first = match.start()
            start = text.rfind(b"\n", at, first) + 1 or at
            at = match.end()
            self._line += text.count(b"\n", self._counted, start)
            self._counted = start
            if passes is not None and not passes(self._line):
                continue
            self.total += 1
            if len(self.matches) < self.limit:
                self.matches.append(LineMatch(self._line, start, first))
            if passes is None and len(self.matches) == self.limit:
                self.resume_at = at
                return False
        return True


def find_other_lines(text: bytes, pieces: Iterable[MatcherSpan], line_test: LineTest | None) -> list[LineMatch]:
    """Return the lines that no pattern matches."""
    everything = LineSearch(text, len(text)).run(pieces)
    matching = {place.line for place in everything.matches}
    found, at = [], 0
    for number in range(1, text.count(b"\n") + 1):
        if number not in matching and (line_test is None or line_test(number)):
            found.append(LineMatch(number, at, at))
        at = text.index(b"\n", at) + 1
    return found


def build_excerpt(text: bytes, place: LineMatch) -> MatchExcerpt:
    """Return a line with two context lines on each side, truncating long lines."""
    stop = text.index(b"\n", place.at)
    line = text[place.start : stop].removesuffix(b"\r")
    shown, cut = _truncate_around(line, min(place.at - place.start, len(line)))
    before, after = read_context(text, place.start, CONTEXT_LINES, CONTEXT_LINES)
    return MatchExcerpt(shown, tuple(map(_truncate, before)), tuple(map(_truncate, after)), cut)


def read_whole_line(text: bytes, place: LineMatch, before: int, after: int) -> MatchExcerpt:
    """Return a line and its context lines as they are."""
    above, below = read_context(text, place.start, before, after)
    line = read_line(text, place.start)
    return MatchExcerpt(decode_line(line), tuple(map(decode_line, above)), tuple(map(decode_line, below)), False)


def read_line(text: bytes, start: int) -> bytes:
    """Return the line that begins at an offset, without its line feed."""
    return text[start : text.index(b"\n", start)]


def read_context(text: bytes, start: int, before: int, after: int) -> tuple[list[bytes], list[bytes]]:
    """Return the lines before and after the line that begins at an offset."""
    above: list[bytes] = []
    at = start
    while at > 0 and len(above) < before:
        earlier = text.rfind(b"\n", 0, at - 1) + 1
        above.insert(0, text[earlier : at - 1])
        at = earlier
    below: list[bytes] = []
    at = text.index(b"\n", start) + 1
    while at < len(text) and len(below) < after:
        later = text.index(b"\n", at)
        below.append(text[at:later])
        at = later + 1
    return above, below


def decode_line(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")


def _truncate(line: bytes) -> str:
    text = decode_line(line[: 4 * MAX_CONTEXT_CHARS + 4])
    return text if len(text) <= MAX_CONTEXT_CHARS else text[:MAX_CONTEXT_CHARS] + "…"


def _truncate_around(line: bytes, at: int) -> tuple[str, bool]:
    """Return the part of a line that contains the match, and whether anything was cut."""
    whole = len(line) <= MAX_LINE_CHARS
    head = line[:at].decode("utf-8", "replace")
    tail = (line[at:] if whole else line[at : at + 4 * MAX_LINE_CHARS]).decode("utf-8", "replace")
    if whole or (len(head) + len(tail) <= MAX_LINE_CHARS and at + 4 * MAX_LINE_CHARS >= len(line)):
        return head + tail, False
    first = len(head) - MATCH_LEAD_CHARS if len(head) > MAX_LINE_CHARS // 2 else 0
    shown = head[first:] + tail
    ends = len(shown) <= MAX_LINE_CHARS and at + 4 * MAX_LINE_CHARS >= len(line)
    return ("…" if first else "") + shown[:MAX_LINE_CHARS] + ("" if ends else "…"), True
