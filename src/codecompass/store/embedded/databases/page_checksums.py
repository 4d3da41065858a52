"""Page checksums: a SQLite VFS that adds a checksum to each page it writes and verifies each page it reads.

SQLite itself detects few flipped bits and returns the rest as data. Here the last eight bytes of every page of a
main database file (a region SQLite leaves to extensions) contain the XXH3 of the page, seeded with the page's number,
so a flipped bit or a misplaced page is an error at the first read. Any plain SQLite can still read the file.
Pages that are still in the write-ahead log are verified as well: see `wal_checksums.py`.
"""

import apsw
import xxhash

from codecompass.store.embedded.databases.wal_checksums import ChecksumWeights, WalFile

PAGE_SIZE = 16_384
RESERVED_BYTES = 8
_NAME = "codecompass-pages"
_MIN_PAGE_SIZE = 512
"""SQLite's smallest page size; reads of anything but pages are smaller."""
_CHECKSUM_WEIGHTS = ChecksumWeights(PAGE_SIZE)


class _PageFile(apsw.VFSFile):
    """A main database file. Only the first read of its header is unchecked; it is read again as a page."""

    def xRead(self, amount: int, offset: int) -> bytes:
        data = super().xRead(amount, offset)
        if not data or (offset < PAGE_SIZE and amount < _MIN_PAGE_SIZE):
            return data
        if offset % PAGE_SIZE or amount > PAGE_SIZE:
            # Only a damaged header makes SQLite assume another page size, and then nothing would be checked.
            raise apsw.CorruptError("its header names another page size")
        # SQLite may read only part of an overflow page.
        page = data if amount == PAGE_SIZE else super().xRead(PAGE_SIZE, offset)
        if (
            len(page) < PAGE_SIZE
            or xxhash.xxh3_64_digest(page[:-RESERVED_BYTES], seed=offset // PAGE_SIZE) != page[-RESERVED_BYTES:]
        ):
            raise apsw.CorruptError(f"page {offset // PAGE_SIZE + 1} does not match its checksum")
        return data

    def xWrite(self, data: bytes, offset: int) -> None:
        if len(data) == PAGE_SIZE and offset % PAGE_SIZE == 0:
            body = bytes(data[:-RESERVED_BYTES])
            data = body + xxhash.xxh3_64_digest(body, seed=offset // PAGE_SIZE)
        super().xWrite(data, offset)


class _UnjournaledPageFile(_PageFile):
    """A file that is being created without a journal. SQLite never writes a page that was allocated and freed at once,
    and reads it as zeros when it allocates it again.
    """

    def xRead(self, amount: int, offset: int) -> bytes:
        data = apsw.VFSFile.xRead(self, amount, offset)
        return data if not any(data) else super().xRead(amount, offset)


class _PageVfs(apsw.VFS):
    """The VFS: checksummed files for databases and logs, the system's own for other journals."""

    def __init__(self, name: str, kind: type[_PageFile]) -> None:
        super().__init__(name, "")
        self._kind = kind

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return self._kind("", name, flags)
        if flags[0] & apsw.SQLITE_OPEN_WAL:
            return WalFile(name, flags, PAGE_SIZE, _CHECKSUM_WEIGHTS)
        return apsw.VFSFile("", name, flags)


# SQLite registers a VFS for the life of the process; these references keep our two alive.
_VFS_INSTANCES = (_PageVfs(_NAME, _PageFile), _PageVfs(f"{_NAME}-young", _UnjournaledPageFile))
VFS_NAME = _NAME
UNJOURNALED_VFS_NAME = f"{_NAME}-young"
"""For files that are not read before they are complete, and are then verified through the other VFS."""
