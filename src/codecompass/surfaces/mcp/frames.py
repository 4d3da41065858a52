r"""Content-Length framing of messages, as clients of the legacy mode send them.

The parser is strict: header lines end in CRLF, names and values have their exact form, a length occurs once and in
plain digits. After an error it looks for the next header, which it can tell from text: `Content-Length: 5\r\n` cannot
occur inside JSON, where a line end within a string is escaped. A stream without any frame is abandoned at once:
its client uses another framing and would wait forever.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from codecompass.surfaces.mcp.wire import BOM, MAX_MESSAGE, TooLong, read_chunk

MAX_HEADER = 65_536
MAX_SKIP = 1 << 30
"""A message over the cap is skipped if its declared length is at most this; a larger length is not trusted."""

_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*?)[ \t]*")
_LENGTH = re.compile(rb"[0-9]{1,10}")
_CHARSET = re.compile(rb';[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)', re.IGNORECASE)
_NEXT = re.compile(rb"Content-Length:[ \t]*[0-9]{1,10}[ \t]*\r\n", re.IGNORECASE)
_LONGEST_NEXT = 64
"""Bytes to keep while looking for the next header, so that a header split between two reads is found."""


@dataclass(frozen=True, slots=True)
class BadFrame:
    """A framing error with a message for the client. After a final one nothing more can be read."""

    message: str
    final: bool = False


class _FrameError(Exception):
    """An invalid header; `skip` is the length of the message that it declares."""

    def __init__(self, message: str, *, skip: int | None = None, final: bool = False) -> None:
        super().__init__(message)
        self.bad = BadFrame(message, final)
        self.skip = skip


def encode_frame(message: bytes) -> bytes:
    """Prefix a message with its Content-Length header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


def read_frames(descriptor: int, cap: int = MAX_MESSAGE) -> Iterator[bytes | TooLong | BadFrame]:
    """Yield messages in order, and an error object for each framing error; end with the input."""
    source = _FrameReader(descriptor)
    framed = False
    while True:
        try:
            length = _read_header(source, cap, framed=framed)
            if length is None:
                return
            framed = True
            body = source.read_exact(length)
            if body is None:
                return
            yield body
        except _FrameError as wrong:
            yield TooLong() if wrong.skip is not None and wrong.skip > cap else wrong.bad
            if wrong.bad.final:
                return
            framed = True
            found = source.skip(wrong.skip) if wrong.skip is not None else source.seek(cap)
            if found is None:
                return
            if not found:
                yield BadFrame("no further Content-Length header was found", final=True)
                return


def _read_header(source: "_FrameReader", cap: int, *, framed: bool) -> int | None:
    """Return the length in the next header, or None at the end of the input."""
    lengths: list[bytes] = []
    charset = b"utf-8"
    passed = b""
    while (line := source.read_line(MAX_HEADER - len(passed))) != b"\r\n":
        if line is None:
            return None
        passed += line
        if len(passed) > MAX_HEADER:
            raise _FrameError(f"a header is longer than {MAX_HEADER} bytes", final=True)
        field = _FIELD.fullmatch(line[:-2]) if line.endswith(b"\r\n") else None
        if field is None:
            message = "expected a Content-Length header whose lines end in CRLF"
            if not framed:
                message += "; for one JSON message a line, start the server without --mcp-mode legacy"
            # The next header may be in this line, after the tail of a message whose declared length was too short.
            source.put_back(line)
            raise _FrameError(message, final=not framed)
        name = field[1].lower()
        if name == b"content-length":
            lengths.append(field[2])
        elif name == b"content-type" and (given := _CHARSET.search(field[2])):
            charset = given[1].lower()
    if not lengths:
        # What looked like other headers may be the tail of a message, followed by the next header.
        source.put_back(passed + b"\r\n")
    return _parse_length(lengths, charset, cap)


def _parse_length(lengths: list[bytes], charset: bytes, cap: int) -> int:
    if len(lengths) != 1:
        raise _FrameError("a header must have exactly one Content-Length")
    if not _LENGTH.fullmatch(lengths[0]):
        raise _FrameError("Content-Length must be a number of bytes in at most ten digits")
    length = int(lengths[0])
    if length > cap:
        raise _FrameError(f"a message is longer than {cap} bytes", skip=length if length <= MAX_SKIP else None)
    if charset not in (b"utf-8", b"utf8"):
        raise _FrameError("the charset of a message must be utf-8", skip=length)
    return length


class _FrameReader:
    """Buffered reader of a descriptor: by line, by length, or up to the next header."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._fresh = True

    def read_line(self, limit: int) -> bytes | None:
        """Return the next line with its end, the bytes so far if it is longer than the limit, or None at the end."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > limit:
                return self._consume(searched)
            if not self._fill():
                return None
        return self._consume(end + 1)

    def put_back(self, line: bytes) -> None:
        self._buffer[:0] = line

    def read_exact(self, count: int) -> bytes | None:
        while len(self._buffer) < count:
            if not self._fill():
                return None
        return self._consume(count)

    def skip(self, count: int) -> bool | None:
        """Skip that many bytes without buffering them; None when the input ends first."""
        while count > len(self._buffer):
            count -= len(self._buffer)
            self._buffer.clear()
            if not self._fill():
                return None
        del self._buffer[:count]
        return True

    def seek(self, limit: int) -> bool | None:
        """Skip everything before the next header; False when there is none within the limit."""
        while (found := _NEXT.search(self._buffer)) is None:
            passed = max(0, len(self._buffer) - _LONGEST_NEXT)
            limit -= passed
            if limit < 0:
                return False
            del self._buffer[:passed]
            if not self._fill():
                return None
        del self._buffer[: found.start()]
        return True

    def _fill(self) -> bool:
        chunk = read_chunk(self._descriptor)
        self._buffer += chunk
        if self._fresh and len(self._buffer) >= len(BOM):
            # As with lines: a byte order mark is accepted only at the beginning.
            self._fresh = False
            if self._buffer.startswith(BOM):
                del self._buffer[: len(BOM)]
        return bool(chunk)

    def _consume(self, count: int) -> bytes:
        # A memoryview avoids copying a large message twice.
        with memoryview(self._buffer) as view:
            taken = bytes(view[:count])
        del self._buffer[:count]
        return taken
