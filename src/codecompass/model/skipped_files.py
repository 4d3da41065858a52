"""Files that are not indexed: how many and why, in words."""

from collections.abc import Mapping

SKIPPED_FILES = {
    "binary": "binary", "binary_name": "binary", "too_large": "too large", "secret": "secret", "symlink": "links",
    "not_regular": "not regular files", "unreadable": "unreadable", "unparseable": "unparseable",
    "too_many": "beyond the largest number of files", "excluded_directory": "third-party code or caches",
    "missing_object": "missing from this clone",
}  # fmt: skip
"""Why files are skipped, in words."""


def list_skipped(skipped: Mapping[str, int]) -> str:
    """Format how many files were skipped for each reason, most frequent first; equal words are one reason."""
    counts: dict[str, int] = {}
    for reason, count in skipped.items():
        words = SKIPPED_FILES.get(reason, reason.replace("_", " "))
        counts[words] = counts.get(words, 0) + count
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {words}" for words, count in ordered)


def format_skipped(skipped: Mapping[str, int]) -> str:
    """Format how many files were skipped and why, as a sentence."""
    return f"{sum(skipped.values()):,} skipped: {list_skipped(skipped)}."
