"""Index coverage: files that are indexed only in part, and the warning for answers that may be incomplete."""

from collections.abc import Iterable
from dataclasses import dataclass

NOTES = ("truncated", "poison")
"""Notes of partially indexed blobs."""
SKIPS = ("too_large", "unparseable")
"""Reasons why a text file is not indexed at all."""
PENDING = "pending"
"""Why a file is skipped that an unfinished first index has not reached; the next sync reads it."""
_MAX_NAMED_FILES = 5
"""Maximum number of files that a warning names."""
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class CoverageGap:
    """One file that is not indexed completely."""

    path: str
    reason: str
    """`truncated`: longer than the limit, so the end is missing. `too_large`, `unparseable`: the whole file is missing.
    `poison`: the names are missing, because parsing timed out; the text is indexed.
    """
    size: int = 0
    """File size in bytes, if known."""

    @property
    def hides_text(self) -> bool:
        """Whether text is missing, not only names."""
        return self.reason != "poison"


_REASON_TEXTS = {
    "truncated": "its end is not indexed",
    "too_large": "it is not indexed",
    "unparseable": "it could not be read as text in time",
    "poison": "its names are not indexed, only its text",
}


def describe_gaps(gaps: Iterable[CoverageGap]) -> str:
    """Return a warning that names the files and the remedy; empty if there are no gaps."""
    found = list(gaps)
    if not found:
        return ""
    rows = [
        f"{gap.path}{_format_size(gap.size)}: {_REASON_TEXTS.get(gap.reason, gap.reason)}"
        for gap in found[:_MAX_NAMED_FILES]
    ]
    more = f"; and {len(found) - _MAX_NAMED_FILES} more, see index_status" if len(found) > _MAX_NAMED_FILES else ""
    cut = any(gap.reason in ("truncated", "too_large") for gap in found)
    way = " Raise index.max_file_size and run `codecompass sync`, or use grep_codebase." if cut else ""
    count = "1 file is" if len(found) == 1 else f"{len(found)} files are"
    return f"{count} indexed only in part, so something may be missing here ({'; '.join(rows)}{more}).{way}"


def _format_size(size: int) -> str:
    return f" ({size / _MIB:.1f} MiB)" if size else ""
