"""JSON scanner: stream a JSON text of any size and yield the values at selected paths as bytes.

The scanner handles only brackets, strings and commas; the decoder parses the values. One malformed value therefore does
not affect its neighbours, and at most one value is held in memory.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

PIECE_BYTES = 1 << 16
MAX_ITEM_BYTES = 4 << 20
"""Bytes of one value; a longer one is skipped and reported."""
MAX_KEY_BYTES = 1 << 16
MAX_DEPTH = 100
"""Brackets inside brackets within one value."""
MAX_ERRORS = 1_000
"""Syntax errors of one text; with more of them it is not JSON."""

_BLANK = b" \t\r\n"
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["{}\[\]]', re.DOTALL)
"""A whole string, the quote of one that continues after the window, or a bracket."""
_IN_STRING = re.compile(rb'["\\]')
_END_OF_WORD = re.compile(rb"[\s,\]}:]")

JsonPath = tuple[str | int, ...]
ValueSelector = Callable[[JsonPath], str]
"""Path → `item`: yield the value; `sign`: yield its first byte; `into`: descend; `skip`: skip it."""


class ScannedValue(NamedTuple):
    """A value at its path, or the reason why it could not be read."""

    path: JsonPath
    offset: int
    """Position in bytes."""
    raw: bytes = b""
    error: str = ""


class MalformedJsonError(Exception):
    """The text cannot be scanned any further."""


def scan_values(stream: BinaryIO, wanted: ValueSelector, most: int = MAX_ITEM_BYTES) -> Iterator[ScannedValue]:
    """Yield every selected value in order. Syntax errors between values are yielded as errors."""
    scan = _Scanner(stream, most)
    try:
        yield from scan.scan_value((), wanted)
        if scan.peek():
            yield ScannedValue((), scan.offset, error="unexpected text after the end of the JSON text")
    except MalformedJsonError as broken:
        yield ScannedValue((), scan.offset, error=str(broken))


class _Scanner:
    """A forward-only window on the text."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream = stream
        self._most = most
        self._window = b""
        self._at = 0
        self._before = 0
        self._errors = 0

    @property
    def offset(self) -> int:
        return self._before + self._at

    def _read_more(self) -> bool:
        piece = self._stream.read(PIECE_BYTES)
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
            if not self._read_more():
                return b""

    def scan_value(self, path: JsonPath, wanted: ValueSelector) -> Iterator[ScannedValue]:
        choice, sign = wanted(path), self.peek()
        if not sign:
            raise MalformedJsonError("the text ends where a value is expected" if path else "the text is empty")
        if choice == "into" and sign == b"[":
            yield from self._scan_array(path, wanted)
        elif choice == "into" and sign == b"{":
            yield from self._scan_object(path, wanted)
        else:
            offset = self.offset
            if choice == "sign":
                # Before the rest of the value is read, because it may be incomplete.
                yield ScannedValue(path, offset, sign)
            raw, trouble = self._read_value(self._most, keep=choice == "item")
            if choice == "item":
                yield ScannedValue(path, offset, raw, trouble)

    def _scan_array(self, path: JsonPath, wanted: ValueSelector) -> Iterator[ScannedValue]:
        self._at += 1
        index = 0
        while (sign := self.peek()) != b"]":
            if sign in (b",", b"}", b":"):
                yield self._recover(path, sign)
                continue
            yield from self.scan_value((*path, index), wanted)
            index += 1
            yield from self._read_separator(path, b"]")
        self._at += 1

    def _scan_object(self, path: JsonPath, wanted: ValueSelector) -> Iterator[ScannedValue]:
        self._at += 1
        while (sign := self.peek()) != b"}":
            if sign != b'"':
                yield self._recover(path, sign)
                continue
            key, _ = self._read_value(MAX_KEY_BYTES, keep=True)
            if self.peek() != b":":
                yield self._recover(path, self.peek())
                continue
            self._at += 1
            yield from self.scan_value((*path, _decode_key(key)), wanted)
            yield from self._read_separator(path, b"}")
        self._at += 1

    def _read_separator(self, path: JsonPath, end: bytes) -> Iterator[ScannedValue]:
        """Read the comma between two values; where it is missing, continue with the next value."""
        sign = self.peek()
        if sign == b",":
            self._at += 1
        elif sign != end:
            yield self._recover(path, sign)

    def _recover(self, path: JsonPath, sign: bytes) -> ScannedValue:
        """Report an unexpected byte and move to where a value may start again."""
        self._errors += 1
        if not sign:
            raise MalformedJsonError("the text ends before its last bracket is closed")
        if self._errors > MAX_ERRORS:
            raise MalformedJsonError("too many syntax errors: the text is not JSON")
        found = ScannedValue(path, self.offset, error=f"unexpected {sign.decode('latin-1')!r}")
        if sign in b",:":
            self._at += 1
        elif sign in b"}]":
            raise MalformedJsonError(f"the bracket {sign.decode()!r} has no matching opening bracket")
        elif sign not in b'"{[':
            self._read_word()
        return found

    def _read_value(self, most: int, *, keep: bool) -> tuple[bytes, str]:
        """Read one value; return its bytes if `keep` is set, and the error if it is too long or too deep."""
        taken, size, deepest = [], 0, 0
        for piece, depth in self._read_pieces():
            size += len(piece)
            deepest = max(deepest, depth)
            if keep and size <= most:
                taken.append(piece)
        if size > most:
            return b"", f"it has {size:,} bytes; at most {most:,} are read"
        if deepest > MAX_DEPTH:
            return b"", f"it is nested {deepest} levels deep; at most {MAX_DEPTH} are read"
        return b"".join(taken), ""

    def _read_pieces(self) -> Iterator[tuple[bytes, int]]:
        """Yield one value in pieces, each with the greatest depth so far."""
        sign = self.peek()
        if sign == b'"':
            yield from ((piece, 0) for piece in self._read_string())
            return
        if sign not in (b"{", b"["):
            yield self._read_word(), 0
            return
        depth = deepest = 0
        at = self._at
        while True:
            found = _STRING_OR_BRACKET.search(self._window, at)
            if found is None:
                yield self._window[self._at :], deepest
                at = self._at = len(self._window)
                if not self._read_more():
                    raise MalformedJsonError("the text ends inside a value")
                at = self._at
                continue
            at = found.end()
            if found[0] == b'"':
                yield self._window[self._at : found.start()], deepest
                self._at = found.start()
                yield from ((piece, deepest) for piece in self._read_string())
                at = self._at
            elif len(found[0]) == 1:
                depth += 1 if found[0] in b"{[" else -1
                deepest = max(deepest, depth)
                if depth == 0:
                    yield self._window[self._at : at], deepest
                    self._at = at
                    return

    def _read_string(self) -> Iterator[bytes]:
        yield self._window[self._at : self._at + 1]
        self._at += 1
        while True:
            found = _IN_STRING.search(self._window, self._at)
            if found is None or (found[0] == b"\\" and found.end() >= len(self._window)):
                stop = found.start() if found else len(self._window)
                yield self._window[self._at : stop]
                self._at = stop
                if not self._read_more():
                    raise MalformedJsonError("the text ends inside a string")
                continue
            end = found.end() + (found[0] == b"\\")
            yield self._window[self._at : end]
            self._at = end
            if found[0] == b'"':
                return

    def _read_word(self) -> bytes:
        """Read a number, a literal, or any other text up to the next delimiter."""
        taken = []
        while True:
            found = _END_OF_WORD.search(self._window, self._at)
            stop = found.start() if found else len(self._window)
            taken.append(self._window[self._at : stop])
            self._at = stop
            if found is not None or not self._read_more():
                word = b"".join(taken)
                if not word:
                    # A delimiter that starts no value, such as a lone colon.
                    self._at += 1
                return word


def _decode_key(key: bytes) -> str:
    """Decode a key; a truncated or invalid one matches nothing."""
    return key[1:-1].decode("utf-8", "replace")
