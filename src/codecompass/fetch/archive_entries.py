"""Archive entries: write entries of an archive under names that are safe on every system, within limits."""

import os
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from codecompass.confine import find_escape
from codecompass.errors import Failure

_PIECE = 1 << 16
_MAX_COMPONENT = 200
_MAX_NAME = 1_000
_RESERVED = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))))


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Limits on the extracted content of an archive."""

    total: int = 200 * 2**20
    entry: int = 50 * 2**20
    entries: int = 2_048


@dataclass
class ArchiveExtractor:
    """Extracts entries into a directory and refuses unsafe names and content beyond the limits."""

    root: Path
    limits: ArchiveLimits
    check: Callable[[], None]
    names: dict[str, bool] = field(default_factory=dict)
    """Folded name → whether it is a directory."""
    extracted: list[str] = field(default_factory=list)
    count: int = 0
    total: int = 0

    def check_entry(self, name: str, declared: int) -> None:
        self.check()
        self.count += 1
        if self.count > self.limits.entries:
            raise make_too_large_failure(f"it has more than {self.limits.entries} entries")
        if declared > self.limits.entry:
            raise make_too_large_failure(f"'{quote_name(name)}' is larger than {self.limits.entry} bytes")
        if self.total + max(declared, 0) > self.limits.total:
            raise make_too_large_failure(f"it holds more than {self.limits.total} bytes")

    def resolve_path(self, name: str, *, directory: bool) -> Path | None:
        """Return the target path of an entry; None for the root itself."""
        parts = split_safe_name(name)
        if not parts:
            if directory:
                return None
            raise make_unsafe_failure(f"'{quote_name(name)}' is not the name of a file")
        for depth in range(1, len(parts)):
            self._register_name("/".join(parts[:depth]), directory=True)
        self._register_name("/".join(parts), directory=directory)
        return self.root.joinpath(*parts)

    def _register_name(self, name: str, *, directory: bool) -> None:
        folded = unicodedata.normalize("NFC", name).casefold()
        known = self.names.get(folded)
        if known is None:
            self.names[folded] = directory
        elif not (known and directory):
            raise make_unsafe_failure(f"'{quote_name(name)}' occurs twice, or as a file and as a directory")

    def add_directory(self, name: str) -> None:
        path = self.resolve_path(name, directory=True)
        if path is not None:
            path.mkdir(mode=0o755, parents=True, exist_ok=True)

    def add_file(self, name: str, source: BinaryIO, declared: int) -> None:
        path = self.resolve_path(name, directory=False)
        assert path is not None
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        size = 0
        with open(fd, "wb") as file:
            while piece := source.read(_PIECE):
                self.check()
                size += len(piece)
                self.total += len(piece)
                if size > self.limits.entry:
                    raise make_too_large_failure(f"'{quote_name(name)}' becomes larger than {self.limits.entry} bytes")
                if self.total > self.limits.total:
                    raise make_too_large_failure(f"it becomes more than {self.limits.total} bytes")
                file.write(piece)
        if declared >= 0 and size != declared:
            raise make_unsafe_failure(f"'{quote_name(name)}' does not have the declared size")
        self.extracted.append("/".join(split_safe_name(name)))


def split_safe_name(name: str) -> tuple[str, ...]:
    """Split an entry's name into components; ARCHIVE_UNSAFE when any system could interpret it differently."""
    escape = find_escape(name)
    if escape == "absolute" or len(name.encode("utf-8", "surrogatepass")) > _MAX_NAME:
        raise make_unsafe_failure(f"'{quote_name(name)}' is an absolute path, or far too long")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    for part in parts:
        stem = part.partition(".")[0].strip().lower()
        odd = any(ord(letter) < 32 or letter in '\\:*?"<>|\x7f' or "\ud800" <= letter <= "\udfff" for letter in part)
        if escape or odd or part.endswith((".", " ")) or part.startswith(" ") or stem in _RESERVED:
            raise make_unsafe_failure(
                f"'{quote_name(name)}' leaves the directory, or is not a valid name on some system"
            )
        if len(part.encode()) > _MAX_COMPONENT:
            raise make_unsafe_failure(f"'{quote_name(name)}' has a component that is too long")
    return parts


def quote_name(name: str) -> str:
    """Format a name from an archive for a message."""
    return ascii(name[:80])[1:-1]


def make_unsafe_failure(why: str) -> Failure:
    message = f"The archive was not opened: {why}."
    return Failure("ARCHIVE_UNSAFE", message, hint="Do not use it; look for another source.")


def make_too_large_failure(why: str) -> Failure:
    return Failure("ARCHIVE_TOO_LARGE", f"The archive was not opened: {why}.",
                   hint="Fetch the files by themselves, or look for a smaller archive.")  # fmt: skip
