"""Coverage: files that a view holds only in part, and how an answer that may miss something of them says so."""

from collections.abc import Iterable
from dataclasses import dataclass

NOTES = ("truncated", "poison")
"""Notes of blobs that are indexed in part."""
SKIPS = ("too_large", "unparseable")
"""Reasons why a text file is not indexed at all."""
_NAMED = 5
"""Files that a warning names."""
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Gap:
    """One file of which something is not indexed."""

    path: str
    reason: str
    """`truncated`: longer than the limit, so its end is missing. `too_large`, `unparseable`: all of it is missing.
    `poison`: its names are missing, because it could not be parsed in time; its text is there.
    """
    size: int = 0
    """Bytes of the file, where that is known."""

    @property
    def hides_text(self) -> bool:
        """Whether text of the file is missing, not only its names."""
        return self.reason != "poison"


_SAID = {
    "truncated": "its end is not indexed",
    "too_large": "it is not indexed",
    "unparseable": "it could not be read as text in time",
    "poison": "its names are not indexed, only its text",
}


def describe_gaps(gaps: Iterable[Gap]) -> str:
    """One sentence that names the files and the way out; empty where there are none."""
    found = list(gaps)
    if not found:
        return ""
    rows = [f"{gap.path}{_size(gap.size)}: {_SAID.get(gap.reason, gap.reason)}" for gap in found[:_NAMED]]
    more = f"; and {len(found) - _NAMED} more, see index_status" if len(found) > _NAMED else ""
    cut = any(gap.reason in ("truncated", "too_large") for gap in found)
    way = " Raise index.max_file_size and run `codecompass sync`, or use grep_codebase." if cut else ""
    count = "1 file is" if len(found) == 1 else f"{len(found)} files are"
    return f"{count} indexed only in part, so something may be missing here ({'; '.join(rows)}{more}).{way}"


def _size(size: int) -> str:
    return f" ({size / _MIB:.1f} MiB)" if size else ""
