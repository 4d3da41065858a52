"""Tree entries: parse git's listings of trees and drop entries that no checkout should create. Pure."""

from typing import NamedTuple

from codecompass.confine import is_git_name

_BLOB_MODES = frozenset({b"100644", b"100755", b"100664"})


class TreeEntry(NamedTuple):
    """One file of a commit. The size is -1 where the object is missing, as in a partial clone."""

    path: str
    oid: str
    mode: str
    size: int


def parse_tree(output: bytes) -> list[TreeEntry]:
    """Parse files of `ls-tree -r -l -z` without links, submodules and unsafe names; the first duplicate is used."""
    found: dict[bytes, TreeEntry] = {}
    for record in output.split(b"\0"):
        about, tab, raw = record.partition(b"\t")
        fields = about.split()
        if not tab or len(fields) != 4 or fields[0] not in _BLOB_MODES or raw in found:
            continue
        path = raw.decode("utf-8", "surrogateescape")
        if _is_safe(path):
            size = int(fields[3]) if fields[3].isdigit() else -1
            found[raw] = TreeEntry(path, fields[2].decode("ascii"), fields[0].decode("ascii"), size)
    return list(found.values())


class TreeChange(NamedTuple):
    """One path that differs between two commits; an empty id means that it is not a regular file on that side."""

    path: str
    old: str
    new: str


def parse_changes(output: bytes) -> list[TreeChange]:
    """Parse changed regular files from `diff-tree -r -z --raw`; a change of mode alone does not count."""
    found = []
    records = iter(output.split(b"\0"))
    for about in records:
        raw = next(records, b"")
        fields = about.removeprefix(b":").split()
        if len(fields) != 5:
            continue
        old, new = (
            name.decode("ascii", "replace") if mode in _BLOB_MODES else ""
            for mode, name in ((fields[0], fields[2]), (fields[1], fields[3]))
        )
        path = raw.decode("utf-8", "surrogateescape")
        if old != new and _is_safe(path):
            found.append(TreeChange(path, old, new))
    return found


def _is_safe(path: str) -> bool:
    return not any(part in ("", ".", "..") or is_git_name(part) for part in path.split("/"))
