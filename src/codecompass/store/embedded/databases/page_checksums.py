"""Checksummed pages: SQLite on a file layer that signs each page it writes and checks each page it reads.

SQLite itself notices few flipped bits and returns the rest as data. Here the last eight bytes of every page of a
main database file (a region SQLite leaves to extensions) hold the XXH3 of the page, seeded with the page's number,
so a flipped bit or a page in the wrong place is an error on first touch. Any plain SQLite can still read the file.
Pages that still stand in the write-ahead log are checked as well: see `wal_checksums.py`.
"""

import apsw
import xxhash

from codecompass.store.embedded.databases.wal_checksums import FrameFile, Weights

PAGE = 16_384
RESERVED = 8
_NAME = "codecompass-pages"
_SMALLEST = 512
"""SQLite has no smaller pages; what it reads of a file besides pages is smaller."""
_WEIGHTS = Weights(PAGE)


class _PageFile(apsw.VFSFile):
    """A main database file. Only the probe of its header, which is read again as a page, passes unchecked."""

    def xRead(self, amount: int, offset: int) -> bytes:
        data = super().xRead(amount, offset)
        if not data or (offset < PAGE and amount < _SMALLEST):
            return data
        if offset % PAGE or amount > PAGE:
            # Only a damaged header makes SQLite believe that pages have another size, and nothing would be checked.
            raise apsw.CorruptError("its header names another page size")
        # Of a page that continues a long value SQLite may read no more than that value.
        page = data if amount == PAGE else super().xRead(PAGE, offset)
        if len(page) < PAGE or xxhash.xxh3_64_digest(page[:-RESERVED], seed=offset // PAGE) != page[-RESERVED:]:
            raise apsw.CorruptError(f"page {offset // PAGE + 1} does not match its checksum")
        return data

    def xWrite(self, data: bytes, offset: int) -> None:
        if len(data) == PAGE and offset % PAGE == 0:
            body = bytes(data[:-RESERVED])
            data = body + xxhash.xxh3_64_digest(body, seed=offset // PAGE)
        super().xWrite(data, offset)


class _YoungFile(_PageFile):
    """A file that is being made without a journal. SQLite never writes a page that it took and gave back at once, and
    reads it as zeros when it takes it again.
    """

    def xRead(self, amount: int, offset: int) -> bytes:
        data = apsw.VFSFile.xRead(self, amount, offset)
        return data if not any(data) else super().xRead(amount, offset)


class _PageFiles(apsw.VFS):
    """The file layer: page files for databases, the system's own for journals."""

    def __init__(self, name: str, kind: type[_PageFile]) -> None:
        super().__init__(name, "")
        self._kind = kind

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return self._kind("", name, flags)
        if flags[0] & apsw.SQLITE_OPEN_WAL:
            return FrameFile(name, flags, PAGE, _WEIGHTS)
        return apsw.VFSFile("", name, flags)


# SQLite keeps file layers in a table of its own for the life of the process; these are our two rows in it.
_LAYERS = (_PageFiles(_NAME, _PageFile), _PageFiles(f"{_NAME}-young", _YoungFile))
LAYER_NAME = _NAME
YOUNG_LAYER_NAME = f"{_NAME}-young"
"""For files that nobody reads before they are whole, and that are then read back through the other layer."""
