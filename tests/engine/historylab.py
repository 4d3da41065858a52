"""A historian on a repository of its own, histories thrown by dice, and the slow way to the same answers."""

import random
from functools import cache
from pathlib import Path

from codecompass.engine.history.file_history import CommitHistory, GitHistory
from codecompass.engine.options import EngineOptions
from codecompass.model.call import Call
from codecompass.model.history_facts import Commit
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import find_git
from codecompass.repo.process.child_process import CompletedCommand, StopCheck
from codecompass.store.embedded.databases.history_database import EmbeddedHistoryStore
from tests.repo.gitrepo import git
from tests.repo.story import Story, lines

NAMES = ("a", "b", "sub/c", "sub/d", "e")


class Watched(ShadowGit):
    """Git that remembers which questions it was asked, and how many commits it told of."""

    def __init__(self, repo: Path, shadow: Path) -> None:
        found = find_git(repo)
        assert found is not None
        super().__init__(found, shadow)
        self.told = 0
        self.asked: list[str] = []

    def run_git(
        self, *arguments: str, input: bytes, timeout: float, max_output: int, stop: StopCheck | None = None
    ) -> CompletedCommand:
        done = super().run_git(*arguments, input=input, timeout=timeout, max_output=max_output, stop=stop)
        self.asked.append(arguments[0])
        self.told += done.stdout.count(b"\x01") if arguments[0] == "log" else 0
        return done


class Bench:
    """A historian on a repository, with a store of its own."""

    def __init__(self, repo: Path, home: Path, **options: float) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.git = Watched(repo, home / "shadow")
        self.store = EmbeddedHistoryStore(home / "history.db")
        self.historian = GitHistory(lambda: self.git, self.store, EngineOptions(**options))  # type: ignore[arg-type]

    @property
    def clock(self) -> TimeBudget:
        return self.historian.start_budget(Call())

    def table(self, commit: str) -> CommitHistory:
        return self.historian.load_commit(commit, self.clock)

    def churn(self, commit: str, path: str) -> tuple[int, int] | None:
        table = self.table(commit)
        self.historian.count_lines(table, [path.encode()], self.clock)
        return table.line_counts[path.encode()]


def touches(table: CommitHistory, path: str | bytes) -> list[str]:
    name = path.encode() if isinstance(path, str) else path
    return [table.trace.commits[at].id for at in table.trace.files[name].touches]


def everything(table: CommitHistory) -> dict[bytes, list[str]]:
    return {name: touches(table, name) for name in table.trace.files}


def edges(table: CommitHistory) -> dict[str, str]:
    return {name.decode(): file.edge for name, file in table.trace.files.items()}


def last(table: CommitHistory, path: str) -> Commit:
    return table.trace.commits[table.trace.files[path.encode()].touches[0]]


def told_plainly(repo: Path, commit: str, path: str, count: int) -> list[str]:
    """The slow way for one file: whole trees compared, the newest commit first, up to where the file was added."""
    found: list[str] = []
    queue, seen = [commit], {commit}
    while queue and len(found) < count:
        queue.sort(key=lambda name: -_date(repo, name))
        at = queue.pop(0)
        mine = _tree(repo, at)[path]
        parents = git(repo, "log", "-1", "--format=%P", at).split()
        theirs = [(parent, _tree(repo, parent).get(path)) for parent in parents]
        same = [parent for parent, text in theirs if text == mine]
        if not same:
            found.append(at)
        onward = same[:1] or [parent for parent, text in theirs if text]
        queue += [parent for parent in onward if parent not in seen]
        seen.update(onward)
    return found


@cache
def _tree(repo: Path, commit: str) -> dict[str, str]:
    rows = (row.split() for row in git(repo, "ls-tree", "-r", commit).splitlines())
    return {name: oid for _, _, oid, name in rows}


@cache
def _date(repo: Path, commit: str) -> int:
    return int(git(repo, "log", "-1", "--format=%ct", commit))


def random_story(path: Path, seed: int, *, skewed: bool = False, deleting: bool = True) -> list[str]:
    """Branches, merges of all sorts, files deleted, written again and swapped."""
    dice = random.Random(seed)
    story = Story(path)
    trees: list[dict[str, str]] = [{}]
    for number in range(1, 31):
        near = range(max(1, number - 5), number)
        parents = dice.sample(near, min(len(near), dice.choice((1, 1, 2, 2, 3))))
        tree = dict(trees[parents[0]]) if parents else {}
        wanted = dict(tree)
        for other in parents[1:]:
            # A merge takes some files of each parent as they are.
            wanted.update({name: text for name, text in trees[other].items() if dice.random() < 0.6})
        for name in dice.sample(NAMES, dice.choice((0, 1, 1, 2)) if parents[1:] else dice.choice((1, 1, 2, 3))):
            if deleting and dice.random() < 0.25:
                wanted.pop(name, None)
            else:
                wanted[name] = lines(3, f"{name}{dice.randrange(4)}")
        for name in ("a",) if deleting else NAMES:
            wanted.setdefault(name, f"always {name}\n")
        changes: dict[str, str | None] = {name: None for name in tree if name not in wanted}
        changes |= {name: text for name, text in wanted.items() if tree.get(name) != text}
        skew = dice.randrange(1_500_000_000, 1_700_000_000) if skewed else None
        story.commit(changes, f"author {number}", parents, skew)
        trees.append(wanted)
    return story.write(checkout=False)
