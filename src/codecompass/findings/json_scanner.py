"""JSON scanner: stream a JSON text of any size and yield the values at selected paths as bytes.

The scanner handles only brackets, strings and commas; the decoder parses the values. One malformed value therefore does
not affect its neighbours, and at most one value is held in memory.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

PIECE = 1 << 16
MOST_ITEM = 4 << 20
"""Bytes of one value; a longer one is skipped and reported."""
MOST_KEY = 1 << 16
MOST_DEPTH = 100
"""Brackets inside brackets within one value."""
MOST_TROUBLES = 1_000
"""Syntax errors of one text; with more of them it is not JSON."""

_BLANK = b" \t\r\n"
_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["{}\[\]]', re.DOTALL)
"""A whole string, the quote of one that continues after the window, or a bracket."""
_IN_STRING = re.compile(rb'["\\]')
_END_OF_WORD = re.compile(rb"[\s,\]}:]")
_NEXT_ITEM = re.compile(rb'[",{}\[\]]')

Path = tuple[str | int, ...]
Wanted = Callable[[Path], str]
"""Path → `item`: yield the value; `sign`: yield its first byte; `into`: descend; `skip`: skip it."""


class Value(NamedTuple):
    """A value at its path, or the reason why it could not be read."""

    path: Path
    offset: int
    """Position in bytes."""
    raw: bytes = b""
    trouble: str = ""


class Broken(Exception):
    """The text cannot be scanned any further."""


def values(stream: BinaryIO, wanted: Wanted, most: int = MOST_ITEM) -> Iterator[Value]:
    """Yield every selected value in order. Syntax errors between values are yielded as errors."""
    scan = _Scan(stream, most)
    try:
        yield from scan.value((), wanted)
        if scan.peek():
            yield Value((), scan.offset, trouble="unexpected text after the end of the JSON text")
    except Broken as broken:
        yield Value((), scan.offset, trouble=str(broken))


class _Scan:
    """A forward-only window on the text."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream = stream
        self._most = most
        self._window = b""
        self._at = 0
        self._before = 0
        self._troubles = 0

    @property
    def offset(self) -> int:
        return self._before + self._at

    def _more(self) -> bool:
        piece = self._stream.read(PIECE)
        if not piece:
            return False
        self._before += self._at
        self._window = self._window[self._at :] + piece
        self._at = 0
        return True

    def peek(self) -> bytes:
        """Return the next byte that is not white space; empty at the end."""
        while True:
            while self._at < len(self._window):
                if self._window[self._at] not in _BLANK:
                    return self._window[self._at : self._at + 1]
                self._at += 1
            if not self._more():
                return b""

    def value(self, path: Path, wanted: Wanted) -> Iterator[Value]:
        choice, sign = wanted(path), self.peek()
        if not sign:
            raise Broken("the text ends where a value is expected" if path else "the text is empty")
        if choice == "into" and sign == b"[":
            yield from self._array(path, wanted)
        elif choice == "into" and sign == b"{":
            yield from self._object(path, wanted)
        else:
            offset = self.offset
            if choice == "sign":
                # Before the rest of the value is read, because it may be incomplete.
                yield Value(path, offset, sign)
            raw, trouble = self._whole(self._most, keep=choice == "item")
            if choice == "item":
                yield Value(path, offset, raw, trouble)

    def _array(self, path: Path, wanted: Wanted) -> Iterator[Value]:
        self._at += 1
        index = 0
        while (sign := self.peek()) != b"]":
            if sign in (b",", b"}", b":"):
                yield self._odd(path, sign)
                continue
            yield from self.value((*path, index), wanted)
            index += 1
            yield from self._separator(path, b"]")
        self._at += 1

    def _object(self, path: Path, wanted: Wanted) -> Iterator[Value]:
        self._at += 1
        while (sign := self.peek()) != b"}":
            if sign != b'"':
                yield self._odd(path, sign)
                continue
            key, _ = self._whole(MOST_KEY, keep=True)
            if self.peek() != b":":
                yield self._odd(path, self.peek())
                continue
            self._at += 1
            yield from self.value((*path, _name(key)), wanted)
            yield from self._separator(path, b"}")
        self._at += 1

    def _separator(self, path: Path, end: bytes) -> Iterator[Value]:
        """Read the comma between two values; where it is missing, continue with the next value."""
        sign = self.peek()
        if sign == b",":
            self._at += 1
        elif sign != end:
            yield self._odd(path, sign)

    def _odd(self, path: Path, sign: bytes) -> Value:
        """Report an unexpected byte and move to where a value may start again."""
        self._troubles += 1
        if not sign:
            raise Broken("the text ends before its last bracket is closed")
        if self._troubles > MOST_TROUBLES:
            raise Broken("too many syntax errors: the text is not JSON")
        found = Value(path, self.offset, trouble=f"unexpected {sign.decode('latin-1')!r}")
        if sign in b",:":
            self._at += 1
        elif sign in b"}]":
            raise Broken(f"the bracket {sign.decode()!r} has no matching opening bracket")
        elif sign not in b'"{[':
            self._word()
        return found

    def _whole(self, most: int, *, keep: bool) -> tuple[bytes, str]:
        """Read one value; return its bytes if `keep` is set, and the error if it is too long or too deep."""
        taken, size, deepest = [], 0, 0
        for piece, depth in self._pieces():
            size += len(piece)
            deepest = max(deepest, depth)
            if keep and size <= most:
                taken.append(piece)
        if size > most:
            return b"", f"it has {size:,} bytes; at most {most:,} are read"
        if deepest > MOST_DEPTH:
            return b"", f"it is nested {deepest} levels deep; at most {MOST_DEPTH} are read"
        return b"".join(taken), ""

    def _pieces(self) -> Iterator[tuple[bytes, int]]:
        """Yield one value in pieces, each with the greatest depth so far."""
        sign = self.peek()
        if sign == b'"':
            yield from ((piece, 0) for piece in self._string())
            return
        if sign not in (b"{", b"["):
            yield self._word(), 0
            return
        depth = deepest = 0
        at = self._at
        while True:
            found = _MARKS.search(self._window, at)
            if found is None:
                yield self._window[self._at :], deepest
                at = self._at = len(self._window)
                if not self._more():
                    raise Broken("the text ends inside a value")
                at = self._at
                continue
            at = found.end()
            if found[0] == b'"':
                yield self._window[self._at : found.start()], deepest
                self._at = found.start()
                yield from ((piece, deepest) for piece in self._string())
                at = self._at
            elif len(found[0]) == 1:
                depth += 1 if found[0] in b"{[" else -1
                deepest = max(deepest, depth)
                if depth == 0:
                    yield self._window[self._at : at], deepest
                    self._at = at
                    return

    def _string(self) -> Iterator[bytes]:
        yield self._window[self._at : self._at + 1]
        self._at += 1
        while True:
            found = _IN_STRING.search(self._window, self._at)
            if found is None or (found[0] == b"\\" and found.end() >= len(self._window)):
                stop = found.start() if found else len(self._window)
                yield self._window[self._at : stop]
                self._at = stop
                if not self._more():
                    raise Broken("the text ends inside a string")
                continue
            end = found.end() + (found[0] == b"\\")
            yield self._window[self._at : end]
            self._at = end
            if found[0] == b'"':
                return

    def _word(self) -> bytes:
        """Read a number, a literal, or any other text up to the next delimiter."""
        taken = []
        while True:
            found = _END_OF_WORD.search(self._window, self._at)
            stop = found.start() if found else len(self._window)
            taken.append(self._window[self._at : stop])
            self._at = stop
            if found is not None or not self._more():
                word = b"".join(taken)
                if not word:
                    # A delimiter that starts no value, such as a lone colon.
                    self._at += 1
                return word


def _name(key: bytes) -> str:
    """Decode a key; a truncated or invalid one matches nothing."""
    return key[1:-1].decode("utf-8", "replace")
