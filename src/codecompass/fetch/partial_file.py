"""Partial file: a download in progress beside its target, resumable, and completed by one rename.

.<target>.part           bytes received so far
.<target>.part.json      the source, and the validators by which the server recognises the same file
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from codecompass.atomic import move_into_place
from codecompass.errors import Failure
from codecompass.fetch.source_url import SourceUrl
from codecompass.system.file_locks import lock_exclusive

_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class FileValidators:
    """Source and validators of a partial file."""

    source: str = ""
    etag: str = ""
    last_modified: str = ""

    @property
    def range_validator(self) -> str:
        """Value for If-Range: a strong ETag, else Last-Modified; a weak ETag does not identify bytes."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified


class PartialFile:
    """The growing file beside the target, locked by one process at a time."""

    def __init__(self, target: Path, place: SourceUrl) -> None:
        self._target = target
        self._path = target.with_name(f".{target.name}.part")
        self._validators_path = target.with_name(f".{target.name}.part.json")
        # The URL may hold a key, so only its hash is written.
        self._source = hashlib.sha256(place.url.encode()).hexdigest()
        self._hash = hashlib.sha256()
        self._fd = -1
        self.size = 0
        self.validators = FileValidators(self._source)

    def __enter__(self) -> "PartialFile":
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._fd = os.open(self._path, flags, 0o600)
            lock_exclusive(self._fd, wait=False)
            if os.fstat(self._fd).st_ino != self._path.stat().st_ino:
                raise BlockingIOError  # another process has just renamed it to the target
        except (BlockingIOError, FileNotFoundError):
            self._close()
            raise Failure("DOWNLOAD_FAILED", f"{self._target.name} is being downloaded by another process.") from None
        except OSError as error:
            self._close()
            raise Failure("DOWNLOAD_FAILED", f"The download cannot be stored ({error.strerror}).") from None
        self._resume()
        return self

    def __exit__(self, *_: object) -> None:
        # A partial file without a validator cannot be resumed.
        if self._fd >= 0 and not (self.size and self.validators.range_validator):
            self._remove()
        self._close()

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _resume(self) -> None:
        """Resume a partial file of the same source; truncate any other."""
        try:
            found = json.loads(self._validators_path.read_bytes())
            note = FileValidators(*(str(found[name]) for name in ("source", "etag", "last_modified")))
        except (OSError, ValueError, KeyError, TypeError):
            note = FileValidators()
        if note.source != self._source or not note.range_validator:
            os.ftruncate(self._fd, 0)
            return
        self.validators = note
        for piece in self._read_pieces():
            self._hash.update(piece)
            self.size += len(piece)

    def _read_pieces(self) -> Iterator[bytes]:
        os.lseek(self._fd, 0, os.SEEK_SET)
        while piece := os.read(self._fd, _PIECE):
            yield piece

    def begin(self, note: FileValidators, start: int) -> None:
        """Prepare to write from `start`; 0 truncates the file."""
        if not start:
            os.ftruncate(self._fd, 0)
            self._hash, self.size = hashlib.sha256(), 0
        os.lseek(self._fd, start, os.SEEK_SET)
        self.validators = note
        self._validators_path.write_text(json.dumps(asdict(note)))

    def write(self, piece: bytes) -> None:
        view = memoryview(piece)
        while view:
            view = view[os.write(self._fd, view) :]
        self._hash.update(piece)
        self.size += len(piece)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def discard(self) -> None:
        """Remove all bytes received so far."""
        os.ftruncate(self._fd, 0)
        self._validators_path.unlink(missing_ok=True)
        self._hash, self.size, self.validators = hashlib.sha256(), 0, FileValidators(self._source)

    def finish(self, sha256: str) -> None:
        """Rename the file to its target, if it has the expected hash."""
        if sha256 and self.digest != sha256:
            details: dict[str, object] = {"expected": sha256, "actual": self.digest}
            self.discard()
            raise Failure(
                "DOWNLOAD_VERIFY_FAILED", f"{self._target.name} does not have the expected SHA-256.", details,
                "Do not use it. Check the hash and the source; try again if the source was updated.",
            )  # fmt: skip
        os.fchmod(self._fd, 0o644)
        move_into_place(self._path, self._target)
        self._validators_path.unlink(missing_ok=True)
        self._close()

    def _remove(self) -> None:
        for path in (self._path, self._validators_path):
            path.unlink(missing_ok=True)
