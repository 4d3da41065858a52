"""Tarball: plain files in a Zstandard stream, in the oldest format that every tar reads.

We read only what we write: regular files, in order, with names that are announced. Links, devices, extended headers and
everything else that a tar may hold is refused where it begins, before any of it is read.
"""

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import zstandard

from codecompass.errors import Failure

BLOCK = 512
CHUNK = 1 << 20
LEVEL = 3
WINDOW = 2**27
"""The most memory that a stream may make us hold."""
FEED = 1 << 10
"""Compressed bytes taken at a time: even the densest stream makes no more than some megabytes of them."""
_REGULAR = b"0"


class Head(NamedTuple):
    """The head of one file."""

    name: str
    size: int


@contextmanager
def writing(target: BinaryIO) -> Iterator[tarfile.TarFile]:
    """A tar to add files to; the stream carries its own checksum."""
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with compressor.stream_writer(target, closefd=False) as stream:
        with tarfile.open(fileobj=stream, mode="w|", format=tarfile.USTAR_FORMAT, bufsize=CHUNK) as archive:
            yield archive


def add_file(archive: tarfile.TarFile, name: str, path: Path) -> None:
    """One file, without anything of the machine it comes from."""
    with path.open("rb") as file:
        archive.addfile(_head(name, path.stat().st_size), file)


def add_bytes(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    archive.addfile(_head(name, len(data)), io.BytesIO(data))


def _head(name: str, size: int) -> tarfile.TarInfo:
    head = tarfile.TarInfo(name)
    head.size, head.mode, head.mtime = size, 0o600, 0
    return head


class Reading:
    """A stream of files, read once from front to back."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._stream = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
        self._ready = memoryview(b"")
        self._left = 0
        self._padding = 0

    def next(self) -> Head | None:
        """The next file, None after the last one; what the one before still held is skipped."""
        for _ in self.blocks():
            pass
        self._exactly(self._padding)
        block = self._exactly(BLOCK)
        if block == bytes(BLOCK):
            return None
        head = _parsed(block)
        self._left, self._padding = head.size, -head.size % BLOCK
        return head

    def blocks(self) -> Iterator[bytes]:
        """The bytes of the file whose head was read last."""
        while self._left:
            data = self._exactly(min(CHUNK, self._left))
            self._left -= len(data)
            yield data

    def finish(self) -> None:
        """Read to the end, so that the checksum of the stream is looked at."""
        while data := self._read(CHUNK):
            if data.strip(b"\0"):
                raise damaged("something follows its last file")

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            data = self._read(size)
            if not data:
                raise damaged("it ends too early")
            parts.append(data)
            size -= len(data)
        return b"".join(parts)

    def _read(self, size: int) -> bytes:
        """At most so many bytes; none at the end of a stream that is whole."""
        while not self._ready:
            fed = self._source.read(FEED)
            if self._stream.eof and (fed or self._stream.unused_data):
                raise damaged("something follows its last file")
            if not fed:
                if not self._stream.eof:
                    raise damaged("it ends too early")
                return b""
            try:
                self._ready = memoryview(self._stream.decompress(fed))
            except zstandard.ZstdError as error:
                raise damaged("it is no sound Zstandard stream") from error
        data, self._ready = bytes(self._ready[:size]), self._ready[size:]
        return data


def damaged(why: str) -> Failure:
    """The refusal of a bundle whose bytes are not those that were written."""
    return Failure("DOWNLOAD_VERIFY_FAILED", f"The bundle cannot be used: {why}.", hint="Fetch or export it again.")


def _parsed(block: bytes) -> Head:
    """A head as we write them; anything else is refused."""
    try:
        stated = int(block[148:156].rstrip(b"\0 "), 8)
        size = int(block[124:136].rstrip(b"\0 "), 8)
        name = block[:100].rstrip(b"\0").decode("ascii")
    except ValueError as error:
        raise damaged("a head in it cannot be read") from error
    if stated != sum(block[:148]) + 8 * 32 + sum(block[156:]):
        raise damaged("a head in it does not match its checksum")
    if block[156:157] != _REGULAR or block[345:500].strip(b"\0") or size < 0:
        raise Failure("ARCHIVE_UNSAFE", "The bundle holds something else than plain files.")
    return Head(name, size)
