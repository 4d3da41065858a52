"""Git index file: the tracked files, read without running git. Ignore rules do not apply to a tracked file."""

from bisect import bisect_left

from codecompass.repo.git.ref_name import get_hash_length
from codecompass.repo.git.repository import GitDir, read_small

_LIMIT = 2**29
_STAT_BYTES = 40
_EXTENDED = 0x4000


class TrackedFiles:
    """Paths in the index, sorted by bytes as git does. Empty for an index format that is not supported."""

    def __init__(self, git: GitDir | None) -> None:
        data = read_small(git.git_dir / "index", _LIMIT) if git else None
        self._paths = _parse_paths(data, get_hash_length(git.object_format) // 2) if git and data else []

    def has_file(self, path: bytes) -> bool:
        """Whether exactly this path is tracked."""
        at = bisect_left(self._paths, path)
        return at < len(self._paths) and self._paths[at] == path

    def has_below(self, directory: bytes) -> bool:
        """Whether any file under a directory is tracked."""
        prefix = directory + b"/"
        at = bisect_left(self._paths, prefix)
        return at < len(self._paths) and self._paths[at].startswith(prefix)


def _parse_paths(data: bytes, oid_bytes: int) -> list[bytes]:
    """Parse the paths of an index of version 2, 3 or 4; empty if its entries are inconsistent."""
    version = int.from_bytes(data[4:8], "big")
    count = int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4) or count > len(data) // (_STAT_BYTES + oid_bytes):
        return []
    paths: list[bytes] = []
    at = 12
    previous = b""
    fixed = _STAT_BYTES + oid_bytes
    for _ in range(count):
        start = at
        at += fixed + 2
        # Two more bytes of flags follow where the extended bit is set.
        if at < len(data) and data[at - 2] & (_EXTENDED >> 8):
            at += 2
        kept = b""
        if version == 4:
            strip, at = _read_varint(data, at)
            kept = previous[: max(0, len(previous) - strip)]
        end = data.find(b"\0", at)
        if end < 0:
            return []
        previous = kept + data[at:end]
        paths.append(previous)
        # Older versions pad each entry with one to eight NULs to a multiple of eight.
        at = end + 1 if version == 4 else start + ((end - start + 8) & ~7)
    # A split index stores most entries in another file, so this list would be incomplete and unsorted.
    return [] if b"link" == data[at : at + 4] else paths


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a number in git's offset encoding; return it and the position after it."""
    value = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value = (value << 7) | (byte & 127)
        if byte < 128:
            break
        value += 1
    return value, at
