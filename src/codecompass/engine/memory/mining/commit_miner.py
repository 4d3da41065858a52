"""Commit miner: mine commit messages and tasks that commits resolved. Each commit is read once."""

from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

import msgspec

from codecompass.engine.memory.mining.comment_miner import is_task, task_of
from codecompass.engine.memory.mining.message_miner import mine_message
from codecompass.engine.memory.mining.mined_item import Item
from codecompass.engine.memory.time_budget import Budget
from codecompass.errors import Failure
from codecompass.model.history_facts import Commit
from codecompass.repo.files.secret_names import is_secret
from codecompass.repo.git.commit_log import GitMessages
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.store.memory_port import MemoryCache

RULES = b"2"
_CHUNK, _LARGEST = 500, 4_000
_ASK_S = 10.0
_CLOSED = 300
"""Newest commits to search for resolved tasks; older ones are not of interest."""
_CLOSED_CHUNK = 50
_PATHS = 12
_TASKS = "(TODO|FIXME|HACK|XXX)"
_ENCODER = msgspec.msgpack.Encoder()


class Entry(NamedTuple):
    """A commit whose message is worth remembering."""

    item: Item
    commit: Commit
    paths: tuple[str, ...] = ()


class Closed(NamedTuple):
    """A task comment that a commit removed."""

    item: Item
    path: str
    commit: Commit


_ENTRY = msgspec.msgpack.Decoder(Entry)
_CLOSINGS = msgspec.msgpack.Decoder(tuple[Closed, ...])


@dataclass
class Annals:
    """Mines the commits of one repository."""

    git: ShadowGit
    cache: MemoryCache
    limit: int
    budget: Budget
    notes: list[str] = field(default_factory=list)
    commits: int = 0
    complete: bool = True

    def entries(self, commit: str) -> tuple[list[Entry], list[Closed]]:
        """Mine the ancestors of a commit, the newest first, and the tasks that the newest of them resolved."""
        log = GitMessages(self.git, self.budget.call.check)
        try:
            names = log.reachable(commit, self.limit, max(self.budget.left(), 1.0))
        except Failure as failure:
            self._missed(failure)
            return [], []
        self.commits = len(names)
        if len(names) >= self.limit:
            self.notes.append(f"Only the newest {self.limit} commits are read.")
        if self.git.borders():
            self.notes.append("The clone is shallow: older commits are missing.")
        found = self._known(names, log)
        return found, self._closed(names[:_CLOSED], log)

    def _known(self, names: list[str], log: GitMessages) -> list[Entry]:
        keys = {name: RULES + bytes.fromhex(name) for name in names}
        packs = self.cache.find("commit", keys.values())
        missing = [name for name in names if keys[name] not in packs]
        at, size = 0, _CHUNK
        while at < len(missing):
            self.budget.step("commits", at, len(missing))
            if self.budget.over():
                self._late(len(missing) - at)
                break
            try:
                packs.update(self._mined(missing[at : at + size], log))
            except Failure as failure:
                self._missed(failure)
                break
            # A small first chunk gives an early result; growing chunks avoid starting git many times.
            at, size = at + size, min(2 * size, _LARGEST)
        return [_slim(_ENTRY.decode(pack)) for name in names if (pack := packs.get(keys[name]))]

    def _mined(self, names: list[str], log: GitMessages) -> list[tuple[bytes, bytes]]:
        messages = log.messages(names, _ASK_S)
        items = {one.commit.id: (item, one.commit) for one in messages if (item := mine_message(one)) is not None}
        paths = log.paths(list(items), _ASK_S) if items else {}
        rows = []
        for message in messages:
            name = message.commit.id
            made = b""
            if name in items:
                touched = tuple(path for path in paths.get(name, ()) if not is_secret(path))
                made = _ENCODER.encode(Entry(*items[name], touched[:_PATHS]))
            rows.append((RULES + bytes.fromhex(name), made))
        self.cache.keep("commit", rows)
        return rows

    def _closed(self, names: list[str], log: GitMessages) -> list[Closed]:
        keys = {name: RULES + bytes.fromhex(name) for name in names}
        packs = self.cache.find("closed", keys.values())
        missing = [name for name in names if keys[name] not in packs]
        for at in range(0, len(missing), _CLOSED_CHUNK):
            part = missing[at : at + _CLOSED_CHUNK]
            if self.budget.over():
                self._late(0)
                break
            try:
                packs.update(self._closings(part, log))
            except Failure as failure:
                self._missed(failure)
                break
        found: dict[str, Closed] = {}
        for name in names:
            for one in _CLOSINGS.decode(packs.get(keys[name]) or b"\x90"):
                found.setdefault(one.item.id, one)
        return list(found.values())

    def _closings(self, names: list[str], log: GitMessages) -> list[tuple[bytes, bytes]]:
        removed = log.removed_lines(names, _TASKS, _ASK_S)
        about = {one.commit.id: one.commit for one in log.messages(list(removed), _ASK_S)} if removed else {}
        rows = []
        for name in names:
            made = [
                Closed(item, path, about[name])
                for path, line in removed.get(name, ())
                if name in about and is_task(line) and not is_secret(path) and (item := task_of(line))
            ]
            rows.append((RULES + bytes.fromhex(name), _ENCODER.encode(tuple(made[:50]))))
        self.cache.keep("closed", rows)
        return rows

    def _late(self, count: int) -> None:
        self.complete = False
        if count:
            self.notes.append(f"{count} commits were not read in time; ask again.")

    def _missed(self, failure: Failure) -> None:
        if failure.code == "CANCELLED":
            raise failure
        self.complete = False
        self.notes.append("The history could not be read completely.")


def _slim(entry: Entry) -> Entry:
    """Intern authors and paths, because many commits share them."""
    author = intern(entry.commit.author)
    return entry._replace(commit=entry.commit._replace(author=author), paths=tuple(map(intern, entry.paths)))
