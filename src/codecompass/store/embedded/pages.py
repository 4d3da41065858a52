"""Checksummed pages: SQLite on a file layer that signs each page it writes and checks each page it reads.

SQLite itself notices few flipped bits and returns the rest as data. Here the last eight bytes of every page of a
main database file (a region SQLite leaves to extensions) hold the XXH3 of the page, seeded with the page's number,
so a flipped bit or a page in the wrong place is an error on first touch. Any plain SQLite can still read the file.
"""

import apsw
import xxhash

PAGE = 16_384
RESERVED = 8
_NAME = "codecompass-pages"


class _PageFile(apsw.VFSFile):
    """A main database file. Reads and writes that are not one whole page (the header probe) pass unchecked."""

    def xRead(self, amount: int, offset: int) -> bytes:
        data = super().xRead(amount, offset)
        if amount == PAGE and len(data) == PAGE and offset % PAGE == 0:
            if xxhash.xxh3_64_digest(data[:-RESERVED], seed=offset // PAGE) != data[-RESERVED:]:
                raise apsw.CorruptError(f"page {offset // PAGE + 1} does not match its checksum")
        return data

    def xWrite(self, data: bytes, offset: int) -> None:
        if len(data) == PAGE and offset % PAGE == 0:
            body = bytes(data[:-RESERVED])
            data = body + xxhash.xxh3_64_digest(body, seed=offset // PAGE)
        super().xWrite(data, offset)


class _PageFiles(apsw.VFS):
    """The file layer: page files for databases, the system's own for journals."""

    def __init__(self) -> None:
        super().__init__(_NAME, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return _PageFile("", name, flags)
        return apsw.VFSFile("", name, flags)


# SQLite keeps file layers in a table of its own for the life of the process; this is our one row in it.
_LAYER = _PageFiles()
LAYER_NAME = _NAME
