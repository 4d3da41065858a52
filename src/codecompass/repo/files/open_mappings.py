"""Open mappings: files that another process can change through a shared memory mapping.

Such a write causes no event. Whether it updates the times of the file depends on the file system and on when the page
was last written back, so neither missing events nor unchanged times prove that such a file is unchanged.
"""

import os
import sys

_MAX_MAPS_BYTES = 2**22


def find_mapped_files(root: str) -> frozenset[str]:
    """Find paths below a root that a process visible to us has in a shared writable mapping."""
    base = os.path.realpath(root).rstrip("/") + "/"
    found: set[str] = set()
    if sys.platform != "linux":
        return frozenset()
    mark = os.fsencode(base)
    for name in os.listdir("/proc"):
        if name.isdigit():
            found.update(_find_mapped_by(name, mark))
    return frozenset(path.removeprefix(base) for path in found)


def _find_mapped_by(process: str, mark: bytes) -> set[str]:
    try:
        with open(f"/proc/{process}/maps", "rb", buffering=0) as file:
            data = b""
            while len(data) < _MAX_MAPS_BYTES and (more := file.read(2**16)):
                data += more
    except OSError:
        return set()
    if mark not in data:
        return set()
    lines = (line.split(None, 5) for line in data.split(b"\n"))
    # Address, rights (`w`: may be written, `s`: shared with the file), offset, device, inode, path.
    rows = (row for row in lines if len(row) == 6 and row[1][1:2] == b"w" and row[1][3:4] == b"s")
    return {os.fsdecode(row[5].removesuffix(b" (deleted)")) for row in rows if row[5].startswith(mark)}
