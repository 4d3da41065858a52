"""Mount table: decide by file system type whether this kernel sees every change below a directory."""

import re

_TABLE = "/proc/self/mountinfo"
_OCTAL = re.compile(r"\\([0-7]{3})")
LOCAL_FILE_SYSTEMS = frozenset(
    {
        "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs", "tmpfs", "ramfs",
        "overlay", "vfat", "exfat", "ntfs3", "squashfs", "erofs", "iso9660", "rootfs",
    }
)  # fmt: skip
"""File systems that only this machine writes to. A network share or a host's shared folder changes without events."""


def can_report_changes(root: str, table: str = _TABLE) -> bool:
    """Whether the file system of a real path, and every one mounted below it, is local."""
    try:
        with open(table, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return False
    around, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        place = _OCTAL.sub(lambda found: chr(int(found[1], 8)), before.split(" ")[4])
        its_kind = after.split(" ")[0]
        if _is_inside(place, root):
            # The innermost of several mounts around it counts; of several on one directory, the last.
            if len(place) >= len(around):
                around, kind = place, its_kind
        elif _is_inside(root, place) and its_kind not in LOCAL_FILE_SYSTEMS:
            return False
    return kind in LOCAL_FILE_SYSTEMS


def _is_inside(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")
