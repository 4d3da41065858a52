"""Commit miner: mine commit messages and tasks that commits resolved. Each commit is read once."""

from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

import msgspec

from codecompass.engine.memory.mining.comment_miner import is_task, parse_task
from codecompass.engine.memory.mining.message_miner import mine_message
from codecompass.engine.memory.mining.mined_item import MinedItem
from codecompass.errors import Failure
from codecompass.model.history_facts import Commit
from codecompass.model.path_text import display_path
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.files.secret_names import is_secret
from codecompass.repo.git.commit_log import CommitLog
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.store.memory_port import MemoryCache

RULES_VERSION = b"3"
_CHUNK, _MAX_CHUNK = 500, 4_000
_GIT_TIMEOUT_S = 10.0
_MAX_RESOLVED_COMMITS = 300
"""Newest commits to search for resolved tasks; older ones are not of interest."""
_RESOLVED_CHUNK = 50
_MAX_PATHS = 12
_TASK_PATTERN = "(TODO|FIXME|HACK|XXX)"
_ENCODER = msgspec.msgpack.Encoder()


class MinedCommit(NamedTuple):
    """A commit whose message is worth remembering."""

    item: MinedItem
    commit: Commit
    paths: tuple[str, ...] = ()


class ResolvedTask(NamedTuple):
    """A task comment that a commit removed."""

    item: MinedItem
    path: str
    commit: Commit


_MINED_COMMIT_DECODER = msgspec.msgpack.Decoder(MinedCommit)
_RESOLVED_TASKS_DECODER = msgspec.msgpack.Decoder(tuple[ResolvedTask, ...])


@dataclass
class CommitMiner:
    """Mines the commits of one repository."""

    git: ShadowGit
    cache: MemoryCache
    limit: int
    budget: TimeBudget
    notes: list[str] = field(default_factory=list)
    commits: int = 0
    complete: bool = True

    def mine(self, commit: str) -> tuple[list[MinedCommit], list[ResolvedTask]]:
        """Mine the ancestors of a commit, the newest first, and the tasks that the newest of them resolved."""
        log = CommitLog(self.git, self.budget.call.check)
        try:
            names = log.list_ancestors(commit, self.limit, max(self.budget.get_remaining(), 1.0))
        except Failure as failure:
            self._record_failure(failure)
            return [], []
        self.commits = len(names)
        if len(names) >= self.limit:
            self.notes.append(f"Only the newest {self.limit} commits are read.")
        if self.git.list_shallow_commits():
            self.notes.append("The clone is shallow: older commits are missing.")
        found = self._load_mined_commits(names, log)
        return found, self._load_resolved_tasks(names[:_MAX_RESOLVED_COMMITS], log)

    def _load_mined_commits(self, names: list[str], log: CommitLog) -> list[MinedCommit]:
        keys = {name: RULES_VERSION + bytes.fromhex(name) for name in names}
        packs = self.cache.get_many("commit", keys.values())
        missing = [name for name in names if keys[name] not in packs]
        at, size = 0, _CHUNK
        while at < len(missing):
            self.budget.report_progress("commits", at, len(missing))
            if self.budget.is_over():
                self._record_timeout(len(missing) - at)
                break
            try:
                packs.update(self._mine_messages(missing[at : at + size], log))
            except Failure as failure:
                self._record_failure(failure)
                break
            # A small first chunk gives an early result; growing chunks avoid starting git many times.
            at, size = at + size, min(2 * size, _MAX_CHUNK)
        return [
            _intern_strings(_MINED_COMMIT_DECODER.decode(pack)) for name in names if (pack := packs.get(keys[name]))
        ]

    def _mine_messages(self, names: list[str], log: CommitLog) -> list[tuple[bytes, bytes]]:
        messages = log.read_messages(names, _GIT_TIMEOUT_S)
        items = {one.commit.id: (item, one.commit) for one in messages if (item := mine_message(one)) is not None}
        paths = log.list_changed_paths(list(items), _GIT_TIMEOUT_S) if items else {}
        rows = []
        for message in messages:
            name = message.commit.id
            made = b""
            if name in items:
                touched = tuple(display_path(path) for path in paths.get(name, ()) if not is_secret(path))
                made = _ENCODER.encode(MinedCommit(*items[name], touched[:_MAX_PATHS]))
            rows.append((RULES_VERSION + bytes.fromhex(name), made))
        self.cache.put_many("commit", rows)
        return rows

    def _load_resolved_tasks(self, names: list[str], log: CommitLog) -> list[ResolvedTask]:
        keys = {name: RULES_VERSION + bytes.fromhex(name) for name in names}
        packs = self.cache.get_many("closed", keys.values())
        missing = [name for name in names if keys[name] not in packs]
        for at in range(0, len(missing), _RESOLVED_CHUNK):
            part = missing[at : at + _RESOLVED_CHUNK]
            if self.budget.is_over():
                self._record_timeout(0)
                break
            try:
                packs.update(self._mine_resolved_tasks(part, log))
            except Failure as failure:
                self._record_failure(failure)
                break
        found: dict[str, ResolvedTask] = {}
        for name in names:
            for one in _RESOLVED_TASKS_DECODER.decode(packs.get(keys[name]) or b"\x90"):
                found.setdefault(one.item.id, one)
        return list(found.values())

    def _mine_resolved_tasks(self, names: list[str], log: CommitLog) -> list[tuple[bytes, bytes]]:
        removed = log.find_removed_lines(names, _TASK_PATTERN, _GIT_TIMEOUT_S)
        about = (
            {one.commit.id: one.commit for one in log.read_messages(list(removed), _GIT_TIMEOUT_S)} if removed else {}
        )
        rows = []
        for name in names:
            made = [
                ResolvedTask(item, display_path(path), about[name])
                for path, line in removed.get(name, ())
                if name in about and is_task(line) and not is_secret(path) and (item := parse_task(line))
            ]
            rows.append((RULES_VERSION + bytes.fromhex(name), _ENCODER.encode(tuple(made[:50]))))
        self.cache.put_many("closed", rows)
        return rows

    def _record_timeout(self, count: int) -> None:
        self.complete = False
        if count:
            self.notes.append(f"{count} commits were not read in time; ask again.")

    def _record_failure(self, failure: Failure) -> None:
        if failure.code == "CANCELLED":
            raise failure
        self.complete = False
        self.notes.append("The history could not be read completely.")


def _intern_strings(entry: MinedCommit) -> MinedCommit:
    """Intern authors and paths, because many commits share them."""
    author = intern(entry.commit.author)
    return entry._replace(commit=entry.commit._replace(author=author), paths=tuple(map(intern, entry.paths)))
