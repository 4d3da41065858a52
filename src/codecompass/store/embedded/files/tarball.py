"""Tarball: regular files in a Zstandard-compressed ustar archive, which every tar reads.

The reader accepts only what the writer produces: regular files, in order, with expected names. Links, devices, extended
headers and everything else that a tar may contain are rejected at their header, before their content is read.
"""

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import zstandard

from codecompass.errors import Failure
from codecompass.zstd_stream import ZstdStream

BLOCK = 512
CHUNK = 1 << 20
LEVEL = 3
WINDOW = 2**27
"""Maximum window size in bytes, which bounds the memory that a stream can require."""


class TarHeader(NamedTuple):
    """The header of one file."""

    name: str
    size: int


@contextmanager
def open_tar_writer(target: BinaryIO) -> Iterator[tarfile.TarFile]:
    """Open a tar for adding files; the Zstandard stream includes a checksum."""
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with compressor.stream_writer(target, closefd=False) as stream:
        with tarfile.open(fileobj=stream, mode="w|", format=tarfile.USTAR_FORMAT, bufsize=CHUNK) as archive:
            yield archive


def add_file(archive: tarfile.TarFile, name: str, path: Path) -> None:
    """Add one file, without metadata of this machine."""
    with path.open("rb") as file:
        archive.addfile(_make_header(name, path.stat().st_size), file)


def add_bytes(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    archive.addfile(_make_header(name, len(data)), io.BytesIO(data))


def _make_header(name: str, size: int) -> tarfile.TarInfo:
    head = tarfile.TarInfo(name)
    head.size, head.mode, head.mtime = size, 0o600, 0
    return head


class TarballReader:
    """Reads the files of an archive once, in order."""

    def __init__(self, source: BinaryIO) -> None:
        self._stream = ZstdStream(source, WINDOW)
        self._left = 0
        self._padding = 0

    def next_file(self) -> TarHeader | None:
        """Return the next file's header, None after the last file; skip the rest of the previous file."""
        for _ in self.read_blocks():
            pass
        self._read_exactly(self._padding)
        block = self._read_exactly(BLOCK)
        if block == bytes(BLOCK):
            return None
        head = _parse_header(block)
        self._left, self._padding = head.size, -head.size % BLOCK
        return head

    def read_blocks(self) -> Iterator[bytes]:
        """Yield the content of the current file."""
        while self._left:
            data = self._read_exactly(min(CHUNK, self._left))
            self._left -= len(data)
            yield data

    def check_end(self) -> None:
        """Read to the end, which verifies the checksum of the stream."""
        while data := self._read(CHUNK):
            if data.strip(b"\0"):
                raise make_bundle_failure("something follows its last file")

    def _read_exactly(self, size: int) -> bytes:
        parts = []
        while size:
            data = self._read(size)
            if not data:
                raise make_bundle_failure("it ends too early")
            parts.append(data)
            size -= len(data)
        return b"".join(parts)

    def _read(self, size: int) -> bytes:
        """Return at most `size` bytes; empty at the end of a complete stream."""
        try:
            data = self._stream.read(size)
        except EOFError as error:
            raise make_bundle_failure("it ends too early") from error
        except zstandard.ZstdError as error:
            raise make_bundle_failure("it is not a valid Zstandard stream") from error
        if self._stream.frames > 1:
            raise make_bundle_failure("something follows its last file")
        return data


def make_bundle_failure(why: str) -> Failure:
    """Build the failure for a bundle that is damaged or not what its manifest describes."""
    return Failure("DOWNLOAD_VERIFY_FAILED", f"The bundle cannot be used: {why}.", hint="Fetch or export it again.")


def _parse_header(block: bytes) -> TarHeader:
    """Parse a header as we write it; reject anything else."""
    try:
        item = tarfile.TarInfo.frombuf(block, "ascii", "strict")
    except (tarfile.TarError, ValueError) as error:
        raise make_bundle_failure("a tar header cannot be read") from error
    if item.type != tarfile.REGTYPE or item.size < 0:
        raise Failure("ARCHIVE_UNSAFE", "The bundle contains something other than regular files.")
    return TarHeader(item.name, item.size)
