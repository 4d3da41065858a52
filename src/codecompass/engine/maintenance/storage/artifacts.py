"""Artifacts: measure the parts of a project on disk, and find problems with them."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.queries.results import ProjectStatus

PARTS = {
    "index.db": "catalog", "text": "text", "history.db": "history", "records.db": "records", "portable": "sqlite",
    "shadow.git": "git", "memory.db": "memory", "vectors.db": "vectors", "triage": "triage",
}  # fmt: skip
"""Names of the parts by file or directory; everything else is `other`."""


def measure_parts(directory: Path) -> dict[str, int]:
    """Return the bytes of each part; a file with several hard links in one part counts once."""
    sizes = dict.fromkeys((*PARTS.values(), "other"), 0)
    seen: set[tuple[int, int]] = set()
    for path, info in _walk_files(directory):
        if (info.st_dev, info.st_ino) not in seen:
            seen.add((info.st_dev, info.st_ino))
            sizes[name_part(path.relative_to(directory).parts[0])] += info.st_size
    return sizes


def name_part(top: str) -> str:
    """Return the part that a file or directory of a project's directory belongs to."""
    return next((PARTS[part] for part in PARTS if top == part or top.startswith((f"{part}-", f"{part}."))), "other")


def measure_directory(directory: Path) -> int:
    """Return the bytes of a directory; a file with several hard links counts once."""
    return sum({(info.st_dev, info.st_ino): info.st_size for _, info in _walk_files(directory)}.values())


def measure_paths(paths: Iterable[Path]) -> int:
    """Return the bytes of files and directories; a file with several hard links counts once."""
    found = {}
    for path in paths:
        for _, info in _walk_files(path) if path.is_dir() and not path.is_symlink() else _stat_file(path):
            found[info.st_dev, info.st_ino] = info.st_size
    return sum(found.values())


def _stat_file(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    try:
        yield path, path.lstat()
    except FileNotFoundError:
        return


def _walk_files(directory: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for root, _, names in os.walk(directory):
        for name in names:
            path = Path(root, name)
            try:
                info = path.lstat()
            except FileNotFoundError:
                # A running writer may delete files.
                continue
            yield path, info


def find_issues(status: ProjectStatus, portable: PortableReport) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the problems of a project, and how to fix them."""
    issues: list[str] = []
    hints: list[str] = []
    if status.state.schema == "not_indexed":
        issues.append("Nothing has been indexed yet.")
        hints.append("Call index_repo.")
    elif status.state.schema != "compatible":
        issues += status.state.warnings or ("The index cannot be used.",)
        hints.append("Run 'codecompass index --force' to rebuild it from the sources; records are kept.")
    elif status.state.freshness == "stale":
        issues.append("The index is behind the files.")
        hints.append("Call sync_repo.")
    if status.state.indexing == "failed" and status.state.schema == "compatible":
        issues.append("The last job failed.")
        hints.append("index_status has its error.")
    if status.recovery is not None:
        issues.append(f"{status.recovery.interrupted_jobs} jobs were interrupted since the last publish.")
        hints.append(status.recovery.recommended_action)
    if portable.exists and not portable.usable:
        issues.append(portable.message)
        hints.append("Call build_sqlite_index to rebuild it.")
    elif portable.exists and not portable.fresh:
        issues.append("The SQLite index was built from another state of its view.")
        hints.append("Call build_sqlite_index to update it.")
    return tuple(issues), tuple(hints)
