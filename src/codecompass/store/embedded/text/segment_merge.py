"""Merging segments of the text index, so that deleted documents leave the disk and the statistics.

The binding offers no call that merges. Its writer merges on its own after a commit: all segments of one size class,
when there are at least eight of them, and the smallest class takes everything below ten thousand documents. So the list
of segments is rewritten to call those that hold deleted documents small, and empty documents in segments of their own
make up the number. How many documents a segment really holds stands in its own files, which is what readers and the
merge go by; a writer that dies on the way leaves an index that is as good as before.
"""

import json
import os
from pathlib import Path
from typing import Any

LIST = "meta.json"
SEGMENTS_MERGED = 8
"""Segments of one size class after which the writer merges them."""
SMALLEST_CLASS = 10_000
"""Documents; segments with fewer are all of one class."""
DEAD_ENOUGH = 0.02
"""The share of deleted documents from which a segment is written anew."""


def stored_documents(work: Path) -> int:
    """How many documents the committed segments hold, deleted ones included."""
    return sum(int(item["max_doc"]) for item in _segments(work)["segments"])


def arrange_merge(work: Path) -> int:
    """Prepare the merge of every segment that holds deleted documents; returns how many filling segments it takes.

    Nobody may have the directory open for writing.
    """
    listed = _segments(work)
    merged = 0
    for item in listed["segments"]:
        size, deletes = int(item["max_doc"]), item.get("deletes")
        dead = int(deletes["num_deleted_docs"]) if deletes else 0
        if deletes and dead >= DEAD_ENOUGH * size:
            deletes["num_deleted_docs"] = size - 1
            merged += 1
        elif size - dead < SMALLEST_CLASS:
            merged += 1
    aside = work / f".{LIST}.new"
    with aside.open("w", encoding="utf-8") as stream:
        json.dump(listed, stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(aside, work / LIST)
    # One at least, for it is a commit that makes the writer look.
    return max(1, SEGMENTS_MERGED - merged)


def _segments(work: Path) -> dict[str, Any]:
    listed: dict[str, Any] = json.loads((work / LIST).read_bytes())
    return listed
