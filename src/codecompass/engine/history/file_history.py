"""File history: commits, line counts and blame of a project's files, read from git on demand and stored by commit.

Nothing here runs while indexing. A walk is limited in commits and time; every part of it is stored as soon as it is
read, so that a killed process or a call that ran out of time leaves less work for the next one.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from threading import Lock

from codecompass.cache import LRU
from codecompass.engine.history.commit_records import (
    GIT_TIMEOUT_S,
    TOO_LARGE_CODES,
    CommitRecordReader,
    try_write,
)
from codecompass.engine.history.commit_walk import HistoryWalker
from codecompass.engine.options import EngineOptions
from codecompass.engine.view.tree_sources import MAX_OBJECT_BYTES
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.history_facts import Blame, FileCommits, TreeCommits
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.git.git_log import GitLog
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.store.ports import HistoryStore

_MAX_TIPS = 8
"""Maximum number of earlier walks at which a new one may end."""
_MAX_SEPARATE_FILES = 16
"""Up to this many files are counted one by one; for more files, whole commits are counted."""
_COMMITS_PER_COUNT = 250
_COUNT_THREADS = 2
_MAX_MISSING_COMMITS = 25
"""Maximum number of commits with missing objects that one call skips."""
_MAX_HISTORIES = 2


@dataclass
class CommitHistory:
    """All files of one commit: the commits that changed them, and their object ids."""

    commit: str
    trace: TreeCommits
    tree: dict[bytes, str]
    borders: frozenset[str]
    line_counts: dict[bytes, tuple[int, int] | None] = field(default_factory=dict)
    """Added and deleted lines of the counted files; None where they cannot be counted."""


class GitHistory:
    """Git history of one open project; thread-safe. Walks of one process run one at a time, so none is repeated."""

    def __init__(self, git: Callable[[], ShadowGit], store: HistoryStore, options: EngineOptions) -> None:
        self._git = git
        self._store = store
        self.window = options.history_window
        self._limit = options.history_commits
        self._timeout_s = options.history_timeout_s
        self._turn = Lock()
        self._histories: LRU[tuple[str, str], CommitHistory] = LRU(_MAX_HISTORIES)

    def start_budget(self, call: Call) -> TimeBudget:
        """Start the time budget of one call for git commands."""
        return TimeBudget.start(self._timeout_s, call)

    def load_commit(self, commit: str, clock: TimeBudget) -> CommitHistory:
        """Return the history of every file of a commit; raises Failure if git cannot read it."""
        log = GitLog(self._git(), stop=clock.call.check)
        borders = log.list_shallow_commits()
        mark = hashlib.sha256("\n".join(sorted(borders)).encode("ascii")).hexdigest()[:16] if borders else ""
        terms = f"{self.window}/{self._limit}/{mark}"
        with self._take_turn(clock):
            known = self._histories.get((commit, terms))
            if known is None:
                known, whole = self._build_history(log, commit, terms, borders, clock)
                if whole:
                    self._histories.put((commit, terms), known)
            return known

    def _build_history(
        self, log: GitLog, commit: str, terms: str, borders: frozenset[str], clock: TimeBudget
    ) -> tuple[CommitHistory, bool]:
        tree = log.read_tree(commit, clock.get_remaining())
        trace = self._store.trace(commit, terms)
        if trace is not None:
            return CommitHistory(commit, trace, tree, borders), True
        tips = self._store.list_traced_commits(terms)[:_MAX_TIPS]
        settled: dict[str, TreeCommits | None] = {}

        def find(name: str) -> TreeCommits | None:
            if name in tips and name not in settled:
                settled[name] = self._store.trace(name, terms)
            return settled.get(name)

        with CommitRecordReader(self._store, log, borders, tips, self._limit, clock) as records:
            new_trace = HistoryWalker(self.window, self._limit, records.get, find).walk(commit, tree)
        if records.in_time:
            try_write(lambda: self._store.put_trace(commit, terms, new_trace))
        return CommitHistory(commit, new_trace, tree, borders), records.in_time

    @contextmanager
    def _take_turn(self, clock: TimeBudget) -> Iterator[None]:
        while not self._turn.acquire(timeout=0.2):
            if clock.get_remaining() <= 0:
                raise Failure("TOOL_TIMEOUT", "The history is being read by another call; try again.")
        try:
            yield
        finally:
            self._turn.release()

    # -- lines -----------------------------------------------------------------------------------------------------

    def count_lines(self, table: CommitHistory, paths: Iterable[bytes], clock: TimeBudget) -> None:
        """Fill `line_counts` for these paths, as far as the time allows."""
        known_files = table.trace.files
        files = {path: known_files[path] for path in paths if path not in table.line_counts and path in known_files}
        wanted = {path: _counted_pairs(table.trace, path, file) for path, file in files.items()}
        known = self._store.counts({commit for pairs in wanted.values() for commit, _ in pairs})
        log = GitLog(self._git(), stop=clock.call.check)
        missing = {path: [pair for pair in pairs if pair not in known] for path, pairs in wanted.items()}
        missing = {path: pairs for path, pairs in missing.items() if pairs}
        if len(missing) <= _MAX_SEPARATE_FILES:
            for path, pairs in missing.items():
                names = {path, *(name for pair in files[path].names for name in pair)}
                self._count_pairs(log, pairs, sorted(names), known, clock)
        else:
            self._count_pairs(log, [pair for pairs in missing.values() for pair in pairs], (), known, clock)
        for path, pairs in wanted.items():
            if all(pair in known for pair in pairs):
                table.line_counts[path] = _sum_counts([known[pair] for pair in pairs])

    def _count_pairs(
        self,
        log: GitLog,
        pairs: Sequence[tuple[str, bytes]],
        names: Sequence[bytes],
        known: dict[tuple[str, bytes], tuple[int, int] | None],
        clock: TimeBudget,
    ) -> None:
        """Count the lines of (commit, path) pairs into `known` and the store; `names` limits git to these paths."""
        paths_by_commit: dict[str, list[bytes]] = {}
        for commit, path in pairs:
            paths_by_commit.setdefault(commit, []).append(path)
        todo, size, skipped = list(paths_by_commit), _COMMITS_PER_COUNT, 0
        with ThreadPoolExecutor(_COUNT_THREADS, "count") as pool:
            while todo and skipped <= _MAX_MISSING_COMMITS and (left := clock.get_remaining()) > 0:
                now, todo = todo[: _COUNT_THREADS * size], todo[_COUNT_THREADS * size :]
                parts = [now[at : at + size] for at in range(0, len(now), size)]
                try:
                    answers = list(pool.map(log.count_lines, parts, repeat(names), repeat(min(left, GIT_TIMEOUT_S))))
                except Failure as failure:
                    if failure.code not in TOO_LARGE_CODES:
                        raise
                    # An enormous commit is counted alone, or not at all.
                    todo = now + todo if size > 1 else todo
                    size = max(1, size // 8)
                    continue
                for part, (found, whole) in zip(parts, answers, strict=True):
                    rows, rest = _split_counts(part, paths_by_commit, found, whole=whole)
                    skipped += not whole
                    todo = rest + todo
                    known.update(((commit, path), count) for commit, path, count in rows)
                    values = [(commit, path, *(count or (None, None))) for commit, path, count in rows]
                    try_write(partial(self._store.add_counts, values))

    def blame(self, table: CommitHistory, path: bytes, clock: TimeBudget) -> Blame:
        """Return the blame of a file at the table's commit; stored under the commit that last changed the file."""
        file = table.trace.files[path]
        commit = table.trace.commits[file.touches[0]].id if file.touches else table.commit
        known = self._store.blame(commit, path)
        if known is None:
            known = computed = GitLog(self._git(), stop=clock.call.check).blame(commit, path, clock.get_remaining())
            # Lines from before the border of a shallow clone have an unknown author, so the blame is not final.
            if not any(one.id in table.borders for one in computed.commits):
                try_write(lambda: self._store.put_blame(commit, path, computed))
        return known

    def read_blob(self, oid: str) -> bytes | None:
        """Read one blob of the repository."""
        return self._git().read_blob(oid, MAX_OBJECT_BYTES)


def _counted_pairs(trace: TreeCommits, path: bytes, file: FileCommits) -> list[tuple[str, bytes]]:
    """Return (commit, name in it) of the commits to count; merges are left out, as they repeat their branches."""
    names = file.names or ((path, path),) * len(file.touches)
    return [
        (trace.commits[at].id, after)
        for at, (after, _) in zip(file.touches, names, strict=True)
        if not trace.commits[at].merge
    ]


def _sum_counts(counted: Sequence[tuple[int, int] | None]) -> tuple[int, int] | None:
    numbers = [pair for pair in counted if pair is not None]
    if len(numbers) < len(counted):
        return None
    return sum(pair[0] for pair in numbers), sum(pair[1] for pair in numbers)


def _split_counts(
    part: Sequence[str],
    paths_by_commit: dict[str, list[bytes]],
    found: dict[str, list[tuple[bytes, int, int]]],
    *,
    whole: bool,
) -> tuple[list[tuple[str, bytes, tuple[int, int] | None]], list[str]]:
    """Return the counts of the requested paths, and the commits that must be counted again."""
    rows: list[tuple[str, bytes, tuple[int, int] | None]] = []
    for commit in part:
        if commit in found or whole:
            counted = {path: (added, deleted) for path, added, deleted in found.get(commit, ())}
            rows += [(commit, path, counted.get(path, (0, 0))) for path in paths_by_commit[commit]]
    rest = [commit for commit in part if commit not in found] if not whole else []
    # git stopped at the first commit without output: its objects are missing.
    rows += [(commit, path, None) for commit in rest[:1] for path in paths_by_commit[commit]]
    return rows, rest[1:]
