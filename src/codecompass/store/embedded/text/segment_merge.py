"""Segment merge: merges segments of the text index to remove deleted documents from disk and statistics.

The Tantivy binding has no call that merges. Its writer merges automatically after a commit: all segments of one size
class, if there are at least eight of them; the smallest class includes everything below ten thousand documents. So the
list of segments is rewritten to mark those with deleted documents as small, and empty documents in segments of their
own make up the number. The true document count of a segment is in its own files, which readers and the merge use; a
writer that dies on the way leaves an index that is as good as before.
"""

import json
from pathlib import Path
from typing import Any

from codecompass.atomic import write_file

SEGMENT_LIST = "meta.json"
MERGE_SEGMENTS = 8
"""The number of segments of one size class at which the writer merges them."""
SMALLEST_CLASS = 10_000
"""Segments with fewer documents are all in one class."""
MIN_DELETED_SHARE = 0.02
"""The share of deleted documents from which a segment is rewritten."""


def count_stored_documents(work: Path) -> int:
    """Return the number of documents in the committed segments, including deleted ones."""
    return sum(int(item["max_doc"]) for item in _read_segment_list(work)["segments"])


def read_delete_files(work: Path) -> dict[str, str]:
    """Return segment → its current file of deletions, or "" without any; empty if the list cannot be read."""
    try:
        return {_make_file_stem(item): _name_delete_file(item) for item in _read_segment_list(work)["segments"]}
    except (OSError, ValueError, KeyError):
        # Without a list there is nothing to compare with; opening the index reports the damage.
        return {}


def _make_file_stem(item: dict[str, Any]) -> str:
    """Return what the names of a segment's files begin with."""
    return str(item["segment_id"]).replace("-", "")


def _name_delete_file(item: dict[str, Any]) -> str:
    """Return the name of a segment's file of deletions. A commit that deletes more replaces it by another."""
    deletes = item.get("deletes")
    return f"{_make_file_stem(item)}.{deletes['opstamp']}.del" if deletes else ""


def arrange_merge(work: Path, min_deleted_share: float = MIN_DELETED_SHARE) -> int:
    """Prepare the merge of segments with this share of deleted documents; return the number of fillers needed.

    No writer may have the directory open.
    """
    listed = _read_segment_list(work)
    merged = 0
    for item in listed["segments"]:
        size, deletes = int(item["max_doc"]), item.get("deletes")
        dead = int(deletes["num_deleted_docs"]) if deletes else 0
        if deletes and dead >= min_deleted_share * size:
            deletes["num_deleted_docs"] = size - 1
            merged += 1
        elif size - dead < SMALLEST_CLASS:
            merged += 1
    write_file(work / SEGMENT_LIST, json.dumps(listed).encode())
    # At least one, because only a commit triggers the writer's merge policy.
    return max(1, MERGE_SEGMENTS - merged)


def _read_segment_list(work: Path) -> dict[str, Any]:
    listed: dict[str, Any] = json.loads((work / SEGMENT_LIST).read_bytes())
    return listed
