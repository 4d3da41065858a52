"""WAL checksums: verifies pages that are read from a write-ahead log against the log's own checksums.

SQLite computes a checksum for each frame it appends, and verifies it only when it recovers a log. A page that is read
from a log in use, or copied from it into the database, is not verified: a flipped bit would be returned, and get a
valid page checksum. Here every such read is verified.
"""

import struct

import apsw

LOG_HEADER = 32
FRAME_HEADER = 24
_MAGIC = 0x377F0682
"""The magic number of a log with little-endian checksums; the next number means big-endian."""
_PAIR = 8
"""Bytes of a frame's header that are covered by its checksum."""


class WalFile(apsw.VFSFile):
    """A write-ahead log of a database with pages of one size."""

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], page: int) -> None:
        super().__init__("", name, flags)
        self._page = page
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
        from codecompass.store.embedded.databases.frame_checksum import get_weights  # noqa: PLC0415 - loads numpy

        is_little = int.from_bytes(magic, "big") == _MAGIC
        weights = get_weights(self._page + _PAIR)
        found = weights.checksum(header[:_PAIR] + data, struct.unpack(">II", before), is_little=is_little)
        if found != struct.unpack(">II", header[16:]):
            raise apsw.CorruptError(f"frame {frame + 1} of the log does not match its checksum")
