"""WAL checksums: verifies pages that are read from a write-ahead log against the log's own checksums.

SQLite computes a checksum for each frame it appends, and verifies it only when it recovers a log. A page that is read
from a log in use, or copied from it into the database, is not verified: a flipped bit would be returned, and get a
valid page checksum. Here every such read is verified.

The checksum of a frame continues that of the frame before it. It is linear in the words it covers (modulo 2³²), so it
is two scalar products with constant weights.
"""

import struct

import apsw
import numpy as np
from numpy.typing import NDArray

LOG_HEADER = 32
FRAME_HEADER = 24
_MAGIC = 0x377F0682
"""The magic number of a log with little-endian checksums; the next number means big-endian."""
_PAIR = 8
"""Bytes of a frame's header that are covered by its checksum."""
_WORD = 2**32

Words = NDArray[np.uint32]


class ChecksumWeights:
    """Weights of a frame's words, and of the previous checksum, in the frame's checksum."""

    def __init__(self, page: int) -> None:
        pairs = (page + _PAIR) // 8
        first, second = np.empty(pairs * 2, np.uint32), np.empty(pairs * 2, np.uint32)
        # One pair of words (a, b) takes the checksum (s, t) to (s + t + a, s + 2t + a + b).
        s, t, u, v = 1, 0, 0, 1
        for at in range(pairs - 1, -1, -1):
            first[at * 2], first[at * 2 + 1] = (s + t) % _WORD, t
            second[at * 2], second[at * 2 + 1] = (u + v) % _WORD, v
            s, t, u, v = (s + t) % _WORD, (s + 2 * t) % _WORD, (u + v) % _WORD, (u + 2 * v) % _WORD
        self._first, self._second = first, second
        self._carry = (s, t, u, v)

    def checksum(self, words: Words, before: tuple[int, int]) -> tuple[int, int]:
        """Compute the checksum of a frame from its words and the previous frame's checksum."""
        s, t, u, v = self._carry
        one = int(np.dot(self._first, words)) + s * before[0] + t * before[1]
        two = int(np.dot(self._second, words)) + u * before[0] + v * before[1]
        return one % _WORD, two % _WORD


class WalFile(apsw.VFSFile):
    """A write-ahead log of a database with pages of one size."""

    def __init__(
        self, name: str | apsw.URIFilename | None, flags: list[int], page: int, weights: ChecksumWeights
    ) -> None:
        super().__init__("", name, flags)
        self._page = page
        self._weights = weights
        self._is_unfinished = False
        """Whether this connection has appended frames without a commit yet. A page that is written twice before a
        commit replaces its first frame, whose checksum SQLite updates only at the commit."""

    def xRead(self, amount: int, offset: int) -> bytes:
        data = super().xRead(amount, offset)
        at = offset - LOG_HEADER - FRAME_HEADER
        frame, rest = divmod(at, self._page + FRAME_HEADER)
        if amount == self._page == len(data) and at >= 0 and rest == 0 and not self._is_unfinished:
            self._check(frame, offset - FRAME_HEADER, data)
        return data

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        if len(data) == FRAME_HEADER:
            # Only the last frame of a commit has the number of database pages in its header.
            self._is_unfinished = not any(data[4:8])

    def _check(self, frame: int, start: int, data: bytes) -> None:
        header = super().xRead(FRAME_HEADER, start)
        magic = super().xRead(4, 0)
        # The checksum before the first frame is that of the log's header; both are the eight bytes before the page or
        # the first frame.
        before = super().xRead(8, start - self._page - 8) if frame else super().xRead(8, LOG_HEADER - 8)
        order = "<u4" if int.from_bytes(magic, "big") == _MAGIC else ">u4"
        words = np.frombuffer(header[:_PAIR] + data, order).astype(np.uint32, copy=False)
        if self._weights.checksum(words, struct.unpack(">II", before)) != struct.unpack(">II", header[16:]):
            raise apsw.CorruptError(f"frame {frame + 1} of the log does not match its checksum")
