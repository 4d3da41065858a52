"""Lines: where a pattern matches in one text, line by line as ripgrep counts them.

A line ends at a line feed and nowhere else; a carriage return before it belongs to the line. Bytes that are no UTF-8
match no character.
"""

import codecs
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from codecompass.engine.grep.regex.pattern import Piece
from codecompass.text.credentials import mask_credentials
from codecompass.text.sniff import decode

BINARY_HEAD = 65_536
"""A NUL in so many first bytes makes a file binary; a later one ends what is searched of it."""
LONGEST = 400
"""Characters of a line that are shown."""
LONGEST_NEAR = 200
"""The same of a line around it."""
AHEAD = 60
"""Characters before a match that stay when the beginning of its line is cut."""
AROUND = 2

Passes = Callable[[int], bool]


class Place(NamedTuple):
    """A line that matches: its number, where it starts, and where the first match in it does."""

    line: int
    start: int
    at: int


class Excerpt(NamedTuple):
    """A line as it is shown."""

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    cut: bool


def text_of(data: bytes, *, masked: bool = True) -> bytes | None:
    """The text of a file as lines in UTF-8, each with a line feed at its end; None for a file that is binary."""
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
class Search:
    """The first lines of one text that match, as many as are wanted."""

    text: bytes
    want: int
    passes: Passes | None = None
    """Judges lines by their numbers; then all lines are looked at, for only so they can be counted."""
    found: list[Place] = field(default_factory=list)
    total: int = 0
    """Lines that match, up to `rest`."""
    rest: int = 0
    """Where what was not looked at begins; always a line."""
    _line: int = 1
    _counted: int = 0

    def run(self, pieces: Iterable[Piece]) -> "Search":
        if self.want or self.passes is not None:
            for finder, at, end in pieces:
                if not self._collect(finder, at, end):
                    return self
            self.rest = len(self.text)
        return self

    def _collect(self, finder: Any, at: int, end: int) -> bool:  # noqa: ANN401 - of RE2
        """Look at lines one by one; False when no more are wanted."""
        text, passes = self.text, self.passes
        for match in finder.finditer(text, at, end):
            first = match.start()
            start = text.rfind(b"\n", at, first) + 1 or at
            at = match.end()
            self._line += text.count(b"\n", self._counted, start)
            self._counted = start
            if passes is not None and not passes(self._line):
                continue
            self.total += 1
            if len(self.found) < self.want:
                self.found.append(Place(self._line, start, first))
            if passes is None and len(self.found) == self.want:
                self.rest = at
                return False
        return True


def excerpt(text: bytes, place: Place) -> Excerpt:
    """A line and two around it, long ones cut."""
    stop = text.index(b"\n", place.at)
    line = text[place.start : stop].removesuffix(b"\r")
    shown, cut = _cut_around(line, min(place.at - place.start, len(line)))
    before: list[str] = []
    at = place.start
    while at > 0 and len(before) < AROUND:
        above = text.rfind(b"\n", 0, at - 1) + 1
        before.insert(0, _cut(text[above : at - 1]))
        at = above
    after: list[str] = []
    at = stop + 1
    while at < len(text) and len(after) < AROUND:
        below = text.index(b"\n", at)
        after.append(_cut(text[at:below]))
        at = below + 1
    return Excerpt(shown, tuple(before), tuple(after), cut)


def _read(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")


def _cut(line: bytes) -> str:
    text = _read(line[: 4 * LONGEST_NEAR + 4])
    return text if len(text) <= LONGEST_NEAR else text[:LONGEST_NEAR] + "…"


def _cut_around(line: bytes, at: int) -> tuple[str, bool]:
    """The part of a line in which the match begins, and whether that is not all of it."""
    whole = len(line) <= LONGEST
    head = line[:at].decode("utf-8", "replace")
    tail = (line[at:] if whole else line[at : at + 4 * LONGEST]).decode("utf-8", "replace")
    if whole or (len(head) + len(tail) <= LONGEST and at + 4 * LONGEST >= len(line)):
        return head + tail, False
    first = len(head) - AHEAD if len(head) > LONGEST // 2 else 0
    shown = head[first:] + tail
    ends = len(shown) <= LONGEST and at + 4 * LONGEST >= len(line)
    return ("…" if first else "") + shown[:LONGEST] + ("" if ends else "…"), True
