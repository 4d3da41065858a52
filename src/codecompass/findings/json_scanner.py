"""Scanner: a JSON text of any size, read piece by piece, that hands out the values at certain places as bytes.

Only brackets, strings and commas are understood here; what stands inside a value is the decoder's. So one broken value
spoils itself and not its neighbours, and no more of the text is held than one value.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

PIECE = 1 << 16
MOST_ITEM = 4 << 20
"""Bytes of one value; a longer one is passed over and said to be too long."""
MOST_KEY = 1 << 16
MOST_DEPTH = 100
"""Brackets inside brackets within one value."""
MOST_TROUBLES = 1_000
"""Broken places of one text; beyond them it is no JSON."""

_BLANK = b" \t\r\n"
_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["{}\[\]]', re.DOTALL)
"""A whole string, the quote of one that goes on beyond what is at hand, or a bracket."""
_IN_STRING = re.compile(rb'["\\]')
_END_OF_WORD = re.compile(rb"[\s,\]}:]")
_NEXT_ITEM = re.compile(rb'[",{}\[\]]')

Path = tuple[str | int, ...]
Wanted = Callable[[Path], str]
"""Path → `item`: hand it out; `sign`: hand out its first byte; `into`: look inside; `skip`: pass over."""


class Value(NamedTuple):
    """A value at its place, or why there is none."""

    path: Path
    offset: int
    """Bytes before it."""
    raw: bytes = b""
    trouble: str = ""


class Broken(Exception):
    """The text cannot be read on from here."""


def values(stream: BinaryIO, wanted: Wanted, most: int = MOST_ITEM) -> Iterator[Value]:
    """Every wanted value in the order of the text. What is broken between values is handed out as trouble."""
    scan = _Scan(stream, most)
    try:
        yield from scan.value((), wanted)
        if scan.peek():
            yield Value((), scan.offset, trouble="something follows the end of the JSON text")
    except Broken as broken:
        yield Value((), scan.offset, trouble=str(broken))


class _Scan:
    """A window on the text that only moves forward."""

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
        """The next byte that is no blank, or nothing at the end."""
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
            raise Broken("the text ends where a value should stand" if path else "the text is empty")
        if choice == "into" and sign == b"[":
            yield from self._array(path, wanted)
        elif choice == "into" and sign == b"{":
            yield from self._object(path, wanted)
        else:
            offset = self.offset
            if choice == "sign":
                # Before the rest is read, because the text may end in it.
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
        """The comma between two values; where it is missing, the text is read on from the next one."""
        sign = self.peek()
        if sign == b",":
            self._at += 1
        elif sign != end:
            yield self._odd(path, sign)

    def _odd(self, path: Path, sign: bytes) -> Value:
        """Something stands where it must not: say so, and go to where a value may begin again."""
        self._troubles += 1
        if not sign:
            raise Broken("the text ends before its last bracket is closed")
        if self._troubles > MOST_TROUBLES:
            raise Broken("too much of the text is no JSON")
        found = Value(path, self.offset, trouble=f"{sign.decode('latin-1')!r} stands where it must not")
        if sign in b",:":
            self._at += 1
        elif sign in b"}]":
            raise Broken(f"a bracket {sign.decode()!r} closes what it did not open")
        elif sign not in b'"{[':
            self._word()
        return found

    def _whole(self, most: int, *, keep: bool) -> tuple[bytes, str]:
        """Pass over one value; its bytes if they are wanted, and what is wrong with it as a whole."""
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
        """One value in pieces, each with how deep it reaches."""
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
        """A number, a literal, or whatever stands there up to the next sign."""
        taken = []
        while True:
            found = _END_OF_WORD.search(self._window, self._at)
            stop = found.start() if found else len(self._window)
            taken.append(self._window[self._at : stop])
            self._at = stop
            if found is not None or not self._more():
                word = b"".join(taken)
                if not word:
                    # A sign that begins nothing, such as a lone colon.
                    self._at += 1
                return word


def _name(key: bytes) -> str:
    """A key as text; one that is cut or odd matches nothing."""
    return key[1:-1].decode("utf-8", "replace")
