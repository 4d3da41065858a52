"""Archives: extract zip, tar, gz and zst files safely into an empty directory.

Archives are untrusted. Both the declared and the actual sizes count against the limits; the first that exceeds one ends
the extraction. Only plain files and directories are created, under names that are safe on every system and unique.
"""

import errno
import gzip
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from codecompass.fetch.archive_entries import (
    ArchiveExtractor,
    ArchiveLimits,
    make_too_large_failure,
    make_unsafe_failure,
    quote_name,
)
from codecompass.zstd_stream import ZstdStream

_PIECE = 1 << 16
_MAX_HEADERS = 2**20
"""Bytes between two entries of a tar; long names need far less."""
_MAX_CENTRAL_DIRECTORY = 8 * 2**20
"""Bytes of the central directory of a zip."""
_WINDOW = 64 * 2**20
_END, _END_SIZE, _LOCATOR = b"PK\x05\x06", 22, b"PK\x06\x07"
_DECODE_ERRORS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, zstandard.ZstdError, EOFError, ValueError, struct.error,
    OverflowError, LookupError, gzip.BadGzipFile, RuntimeError,
)  # fmt: skip


def detect_kind(path: Path) -> str:
    """Detect `zip`, `tar`, `gz`, `zst`, or an empty string by the first bytes, whatever the file name."""
    with path.open("rb") as file:
        head = file.read(512)
    if head.startswith((b"PK\x03\x04", _END)):
        return "zip"
    if head.startswith(b"\x1f\x8b"):
        return "gz"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zst"
    return "tar" if head[257:262] == b"ustar" else ""


def extract_archive(
    path: Path, into: Path, *, name: str, limits: ArchiveLimits | None = None, check: Callable[[], None] = lambda: None
) -> tuple[str, ...]:
    """Extract into a directory that must not exist yet; it is removed again on any error.

    `name` is the name of the single file of a bare `.gz` or `.zst`.
    """
    kind = detect_kind(path)
    if not kind:
        raise make_unsafe_failure("it is not a zip, tar, gz or zst file")
    into.mkdir(mode=0o700, parents=True)
    ledger = ArchiveExtractor(into, limits or ArchiveLimits(), check)
    try:
        if kind == "zip":
            _extract_zip(path, ledger)
        else:
            _extract_stream(path, kind, ledger, name)
    except BaseException as error:
        shutil.rmtree(into, ignore_errors=True)
        if isinstance(error, _DECODE_ERRORS) or (isinstance(error, OSError) and error.errno == errno.EINVAL):
            raise make_unsafe_failure("it is damaged, truncated or malformed") from None
        raise
    return tuple(ledger.extracted)


def _extract_zip(path: Path, ledger: ArchiveExtractor) -> None:
    _check_central_directory(path)
    with zipfile.ZipFile(path) as archive:
        for item in archive.infolist():
            ledger.check_entry(item.filename, item.file_size)
            if "\0" in item.orig_filename:
                raise make_unsafe_failure("a name contains a NUL")
            mode = item.external_attr >> 16
            if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise make_unsafe_failure(f"'{quote_name(item.filename)}' is a link or a device")
            if item.flag_bits & 0x1 or item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise make_unsafe_failure(
                    f"'{quote_name(item.filename)}' is encrypted, or uses an unsupported compression"
                )
            if item.is_dir():
                ledger.add_directory(item.filename)
            else:
                with archive.open(item) as source:
                    ledger.add_file(item.filename, cast(BinaryIO, source), item.file_size)


def _check_central_directory(path: Path) -> None:
    """Check the size of a zip's central directory before it is read into memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 65_557))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise make_unsafe_failure("it has no central directory")
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    if tail[max(0, at - 20) : at].startswith(_LOCATOR) or length > _MAX_CENTRAL_DIRECTORY:
        raise make_too_large_failure("its central directory is too large")


class _LimitedReader:
    """Reader of decompressed bytes with a limit on bytes that belong to no entry."""

    def __init__(self, source: BinaryIO, allowance: int) -> None:
        self._source = source
        self.allowance = allowance

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size if 0 <= size <= _PIECE else _PIECE)
        self.allowance -= len(data)
        if self.allowance < 0:
            raise make_too_large_failure("it holds more bytes than its entries declare")
        return data


def _extract_stream(path: Path, kind: str, ledger: ArchiveExtractor, name: str) -> None:
    with path.open("rb") as packed, _open_decompressed(packed, kind) as plain:
        head = plain.read(512) if kind != "tar" else b""
        while 0 < len(head) < 512 and (more := plain.read(512 - len(head))):
            head += more
        joined = cast(BinaryIO, _PrefixedReader(head, plain))
        if kind == "tar" or head[257:262] == b"ustar":
            _extract_tar(joined, ledger)
        else:
            ledger.check_entry(name, -1)
            ledger.add_file(name, joined, -1)


@contextmanager
def _open_decompressed(packed: BinaryIO, kind: str) -> Iterator[BinaryIO]:
    if kind == "gz":
        with gzip.GzipFile(fileobj=packed) as plain:
            yield cast(BinaryIO, plain)
    elif kind == "zst":
        yield cast(BinaryIO, ZstdStream(packed, _WINDOW))
    else:
        yield packed


class _PrefixedReader:
    """Reader that returns bytes already read before the rest of a stream."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int = -1) -> bytes:
        if self._head:
            data, self._head = (self._head[:size], self._head[size:]) if size >= 0 else (self._head, b"")
            return data
        return self._rest.read(size)


def _extract_tar(plain: BinaryIO, ledger: ArchiveExtractor) -> None:
    counted = _LimitedReader(plain, _MAX_HEADERS)
    ended = False
    with tarfile.open(fileobj=cast(BinaryIO, counted), mode="r|", bufsize=10_240) as archive:
        while not ended:
            counted.allowance = _MAX_HEADERS
            item = archive.next()
            ended = item is None
            if item is not None:
                # Each entry is read completely, so `next` reads only headers and padding.
                counted.allowance = ledger.limits.entry + _MAX_HEADERS
                _extract_member(archive, item, ledger)


def _extract_member(archive: tarfile.TarFile, item: tarfile.TarInfo, ledger: ArchiveExtractor) -> None:
    ledger.check_entry(item.name, item.size)
    if item.isdir():
        ledger.add_directory(item.name)
        return
    # A sparse file declares holes that are free in the archive but may fill the disk.
    if not item.isreg() or item.issparse():
        raise make_unsafe_failure(f"'{quote_name(item.name)}' is a link, a device or a sparse file")
    source = archive.extractfile(item)
    assert source is not None
    with source:
        ledger.add_file(item.name, cast(BinaryIO, source), item.size)
