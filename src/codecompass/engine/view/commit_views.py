"""Commit views: find the indexed view that has exactly the files of a commit, under whatever name it was indexed.

`HEAD`, a tag and a hash may all name a commit that was indexed as a branch, or as the working tree while it has no
changes. A view of the working tree matches only if the contents of all its files are those of the commit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from blake3 import blake3

from codecompass.cache import LRU
from codecompass.engine.view.tree_sources import CommitTreeSource
from codecompass.errors import Failure
from codecompass.model.code.coverage import PENDING
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.process.child_process import StopCheck
from codecompass.store.ports import Snapshot, ViewEntry, ViewRow
from codecompass.text.sniff import is_binary

NOT_INDEXED = 0
MAX_CACHED_COUNTS = 64
MAX_ROWS = 200
"""Maximum number of views compared for one lookup."""


@dataclass
class CommitViews:
    """Finds the view of a commit; results of comparisons are cached per generation."""

    git: Callable[[], ShadowGit]
    max_file_bytes: int
    _difference_counts: LRU[tuple[str, int, int, str], int] = field(default_factory=lambda: LRU(MAX_CACHED_COUNTS))

    def find(self, snapshot: Snapshot, ref: str, commit: str, stop: StopCheck | None = None) -> ViewRow | None:
        """Find a view with the files of a commit and name it by the requested ref; None if there is none."""
        rows = snapshot.views()[:MAX_ROWS]
        commits = [row for row in rows if row.name.startswith("ref:") and row.commit]
        same = next((row for row in commits if row.commit == commit), None) or self._find_same_tree(
            commits, commit, stop
        )
        if same is not None and PENDING in snapshot.skips(same):
            same = None  # its first index is not finished, so it stands for no other ref
        if same is None:
            live = (row for row in rows if row.name.startswith("live:"))
            near = sorted(live, key=lambda row: row.commit != commit)
            same = next((row for row in near if not self.count_differences(snapshot, row, commit, stop)), None)
        return replace(same, name=f"ref:{ref}", commit=commit) if same is not None else None

    def _find_same_tree(self, rows: list[ViewRow], commit: str, stop: StopCheck | None) -> ViewRow | None:
        trees = self.git().read_tree_ids([commit, *(row.commit for row in rows)], stop)
        wanted = trees.get(commit)
        return next((row for row in rows if wanted and trees.get(row.commit) == wanted), None)

    def count_differences(self, snapshot: Snapshot, row: ViewRow, commit: str, stop: StopCheck | None = None) -> int:
        """Count the files that differ between a view and a commit: changed, missing or added."""
        key = (snapshot.store_id, row.id, row.generation, commit)
        known = self._difference_counts.get(key)
        if known is None:
            known = self._compare(snapshot, row, commit, stop)
            self._difference_counts.put(key, known)
        return known

    def _compare(self, snapshot: Snapshot, row: ViewRow, commit: str, stop: StopCheck | None) -> int:
        source = CommitTreeSource(self.git(), commit, self.max_file_bytes, stop)
        wanted = {item.path: item for item in source.list().files}
        entries = snapshot.entries(row)
        differing = sum(1 for path in _indexed_paths(entries) if path not in wanted)
        unverified, left_out = [], []
        for path, item in wanted.items():
            entry = entries.get(path)
            if entry is None:
                differing += 1
            elif entry.blob == NOT_INDEXED:
                left_out.append(item)  # the view has no content hash for it
            elif (oid := snapshot.identity(entry.blob)[1]) != item.oid:
                if oid or entry.size != item.size:
                    differing += 1
                else:
                    unverified.append(item)  # only a part of it is indexed, so its git object id is unknown
        for content in source.read(unverified) if unverified else ():
            known = snapshot.identity(entries[content.file.path].blob)[0]
            differing += content.data is None or blake3(content.data).digest() != known
        for content in source.read(left_out) if left_out else ():
            differing += content.data is not None and not is_binary(content.data)
        return differing


def _indexed_paths(entries: dict[str, ViewEntry]) -> Iterable[str]:
    return (path for path, entry in entries.items() if entry.blob != NOT_INDEXED)


def make_not_indexed_failure(ref: str, commit: str, differing: int | None) -> Failure:
    """Build the error for a commit that no view has; `differing` counts differences to the working tree."""
    message = f"The ref '{ref[:100]}' (commit {commit[:10]}) has not been indexed."
    if differing is None:
        return Failure("REF_NOT_INDEXED", message, {"ref": ref[:200], "commit": commit})
    files = "1 file" if differing == 1 else f"{differing} files"
    message = f"{message} The working tree, which is indexed, differs from it in {files}."
    hint = "Omit ref to query the working tree, or call index_repo with this ref."
    return Failure("REF_NOT_INDEXED", message, {"ref": ref[:200], "commit": commit}, hint=hint)
