"""Stages: the parts in which a first index is published, so that search answers long before the last file is parsed.

A part is a group of files that are parsed completely. Files of later parts are entries of the published view with the
skip reason `pending`: their paths are known, their contents are not indexed yet.
"""

from collections.abc import Callable, Sequence

from codecompass.engine.view.tree_sources import SourceFile

MIN_FILES = 300
"""A view with fewer new files is published at once."""
FIRST_SHARE = 1 / 12
"""The largest share of the estimated work that the first part may take."""
FIRST_BYTES = 4 * 2**20
"""The largest first part in bytes of source, so that a huge repository answers as soon as a large one."""
GROWTH = 4
"""How many times the published work grows from one publish to the next: a publish costs as much as some 50 files."""
TEXT_WEIGHT = 8
"""How many bytes of text without a grammar take as long as one byte of source code."""
LARGE_BYTES = 2**17
"""A file above this size comes after the others of its rank: many are generated."""
FileRank = Callable[[str], int]
"""Returns the rank of a path: files of a lower rank are indexed first."""


def plan_stages(
    files: Sequence[SourceFile], rank: FileRank, has_grammar: Callable[[str], bool]
) -> list[list[SourceFile]]:
    """Split files into parts, the most useful files first; one part if they are few."""
    if len(files) < MIN_FILES:
        return [list(files)]
    costs = {item.path: _estimate_cost(item, has_grammar) for item in files}
    total = sum(costs.values())
    limit = min(total * FIRST_SHARE, FIRST_BYTES)
    parts: list[list[SourceFile]] = [[]]
    done = 0.0
    for item in sorted(files, key=lambda item: _make_order(item, rank)):
        if parts[-1] and done + costs[item.path] > limit and limit <= total / 2:
            parts.append([])
            limit *= GROWTH
        parts[-1].append(item)
        done += costs[item.path]
    return parts


def _make_order(item: SourceFile, rank: FileRank) -> tuple[int, bool, int, int, str]:
    """Order by rank, then from the top of the tree downwards; the longest files of a level define most of its names."""
    return rank(item.path), item.size > LARGE_BYTES, item.path.count("/"), -item.size, item.path


def _estimate_cost(item: SourceFile, has_grammar: Callable[[str], bool]) -> float:
    return (item.size + 1) / (1 if has_grammar(item.path) else TEXT_WEIGHT)
