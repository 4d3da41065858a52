"""Archives: zip, tar, gz and zst are opened into an empty directory, and nothing they say is believed.

Sizes count twice, as declared and as they come; the count that ends an opening is the one that comes first. Only plain
files and directories are made, under names that are safe on every system, and none of them twice.
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

from codecompass.fetch.archive_entries import Ledger, Limits, too_large, unsafe, visible

_PIECE = 1 << 16
_MAX_HEADERS = 2**20
"""Bytes between two entries of a tar; long names are far shorter."""
_MAX_DIRECTORY = 8 * 2**20
"""Bytes of the table of contents of a zip."""
_WINDOW = 64 * 2**20
_BITE = 256
_END, _END_SIZE, _LOCATOR = b"PK\x05\x06", 22, b"PK\x06\x07"
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, zstandard.ZstdError, EOFError, ValueError, struct.error,
    OverflowError, LookupError, gzip.BadGzipFile, RuntimeError,
)  # fmt: skip


def kind_of(path: Path) -> str:
    """`zip`, `tar`, `gz`, `zst`, or nothing: by its first bytes, whatever it is called."""
    with path.open("rb") as file:
        head = file.read(512)
    if head.startswith((b"PK\x03\x04", _END)):
        return "zip"
    if head.startswith(b"\x1f\x8b"):
        return "gz"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zst"
    return "tar" if head[257:262] == b"ustar" else ""


def open_archive(
    path: Path, into: Path, *, name: str, limits: Limits | None = None, check: Callable[[], None] = lambda: None
) -> tuple[str, ...]:
    """Open into a directory that does not exist yet; it is gone again when anything is wrong.

    `name` is what the one file of a bare `.gz` or `.zst` is called.
    """
    kind = kind_of(path)
    if not kind:
        raise unsafe("it is neither zip nor tar, gz or zst")
    into.mkdir(mode=0o700, parents=True)
    ledger = Ledger(into, limits or Limits(), check)
    try:
        if kind == "zip":
            _open_zip(path, ledger)
        else:
            _open_stream(path, kind, ledger, name)
    except BaseException as error:
        shutil.rmtree(into, ignore_errors=True)
        if isinstance(error, _BROKEN) or (isinstance(error, OSError) and error.errno == errno.EINVAL):
            raise unsafe("it is damaged, cut short or oddly made") from None
        raise
    return tuple(ledger.made)


def _open_zip(path: Path, ledger: Ledger) -> None:
    _check_directory(path)
    with zipfile.ZipFile(path) as archive:
        for item in archive.infolist():
            ledger.enter(item.filename, item.file_size)
            if "\0" in item.orig_filename:
                raise unsafe("a name goes on after its end")
            mode = item.external_attr >> 16
            if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise unsafe(f"'{visible(item.filename)}' is a link or a device")
            if item.flag_bits & 0x1 or item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise unsafe(f"'{visible(item.filename)}' is encrypted, or packed in a way that is not read here")
            if item.is_dir():
                ledger.add_directory(item.filename)
            else:
                with archive.open(item) as source:
                    ledger.add_file(item.filename, cast(BinaryIO, source), item.file_size)


def _check_directory(path: Path) -> None:
    """Look at the end of a zip before its table of contents is read into memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 65_557))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise unsafe("it has no table of contents")
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    if tail[max(0, at - 20) : at].startswith(_LOCATOR) or length > _MAX_DIRECTORY:
        raise too_large("its table of contents is made for far larger archives")


class _Counted:
    """What comes out of a decompressor, with a limit on what is no entry."""

    def __init__(self, source: BinaryIO, allowance: int) -> None:
        self._source = source
        self.allowance = allowance

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size if 0 <= size <= _PIECE else _PIECE)
        self.allowance -= len(data)
        if self.allowance < 0:
            raise too_large("it holds more than its entries say")
        return data


def _open_stream(path: Path, kind: str, ledger: Ledger, name: str) -> None:
    with path.open("rb") as packed, _unpacked(packed, kind) as plain:
        head = plain.read(512) if kind != "tar" else b""
        while 0 < len(head) < 512 and (more := plain.read(512 - len(head))):
            head += more
        joined = cast(BinaryIO, _Joined(head, plain))
        if kind == "tar" or head[257:262] == b"ustar":
            _open_tar(joined, ledger)
        else:
            ledger.enter(name, -1)
            ledger.add_file(name, joined, -1)


@contextmanager
def _unpacked(packed: BinaryIO, kind: str) -> Iterator[BinaryIO]:
    if kind == "gz":
        with gzip.GzipFile(fileobj=packed) as plain:
            yield cast(BinaryIO, plain)
    elif kind == "zst":
        yield cast(BinaryIO, _Zst(packed))
    else:
        yield packed


class _Zst:
    """Frames of zst one after another; the library's own reader takes a cut frame for its end."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._input = b""
        self._output = b""

    def read(self, size: int = -1) -> bytes:
        want = size if 0 <= size <= _PIECE else _PIECE
        while not self._output and self._more():
            pass
        data, self._output = self._output[:want], self._output[want:]
        return data

    def _more(self) -> bool:
        # In small bites: each may become some thirty thousand times as long.
        self._input = self._input or self._packed.read(_BITE)
        if self._frame is None and self._input:
            self._frame = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        if self._frame is None:
            return False
        if not self._input:
            raise EOFError("a frame is cut short")
        self._output = self._frame.decompress(self._input)
        self._input = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame = None
        return True


class _Joined:
    """Bytes that were looked at, then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int = -1) -> bytes:
        if self._head:
            data, self._head = (self._head[:size], self._head[size:]) if size >= 0 else (self._head, b"")
            return data
        return self._rest.read(size)


def _open_tar(plain: BinaryIO, ledger: Ledger) -> None:
    counted = _Counted(plain, _MAX_HEADERS)
    ended = False
    with tarfile.open(fileobj=cast(BinaryIO, counted), mode="r|", bufsize=10_240) as archive:
        while not ended:
            counted.allowance = _MAX_HEADERS
            item = archive.next()
            ended = item is None
            if item is not None:
                # Everything of an entry is read, so what `next` reads is headers and padding only.
                counted.allowance = ledger.limits.entry + _MAX_HEADERS
                _take(archive, item, ledger)


def _take(archive: tarfile.TarFile, item: tarfile.TarInfo, ledger: Ledger) -> None:
    ledger.enter(item.name, item.size)
    if item.isdir():
        ledger.add_directory(item.name)
        return
    # A sparse file declares holes that cost nothing in the archive and everything on the disk.
    if not item.isreg() or item.issparse():
        raise unsafe(f"'{visible(item.name)}' is a link, a device or a sparse file")
    source = archive.extractfile(item)
    assert source is not None
    with source:
        ledger.add_file(item.name, cast(BinaryIO, source), item.size)
