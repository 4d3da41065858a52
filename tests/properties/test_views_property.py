"""Property of views: whatever is done to a repository, each indexed ref answers for itself and for nobody else."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.model.call import Call
from codecompass.model.queries.symbol_difference import DiffQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import ENV, commit, git, make_repo

PATHS = ("a.py", "b.py", "sub/a.py", "run")
NAMES = ("alpha", "beta", "gamma", "delta")
BRANCHES = ("main", "one", "feat/a", "feat-a")
Files = dict[str, str]
Answers = dict[str, frozenset[str]]

_PATH, _BRANCH = st.sampled_from(PATHS), st.sampled_from(BRANCHES)
_WORK = st.one_of(
    st.tuples(st.just("write"), _PATH, st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple)),
    st.tuples(st.just("binary"), _PATH, st.sampled_from(NAMES)),
    st.tuples(st.just("delete"), _PATH, st.none()),
    st.tuples(st.just("rename"), _PATH, _PATH),
    st.tuples(st.just("revert"), st.none(), st.none()),
    st.tuples(st.just("commit"), st.none(), st.none()),
    st.tuples(st.just("branch"), _BRANCH, st.none()),
    st.tuples(st.just("checkout"), _BRANCH, st.none()),
)
_STEP = st.one_of(
    _WORK,
    _WORK,
    st.tuples(st.just("index"), st.one_of(_BRANCH, st.just("HEAD")), st.none()),
    st.tuples(st.just("sync"), st.none(), st.none()),
)
STEPS = st.lists(_STEP, min_size=6, max_size=14)


def source(names: tuple[str, ...]) -> str:
    """A module that defines the names; the shebang makes it Python whatever the file is called."""
    return "#!/usr/bin/env python3\n" + "".join(f"def {name}():\n    pass\n" for name in names)


def symbols(files: Files) -> Answers:
    """What an index of these files must know, by the simplest reading of them."""
    return {
        path: frozenset(line[4:-3] for line in text.split("\n") if line.startswith("def "))
        for path, text in files.items()
        if "\0" not in text
    }


class Model:
    """A repository and, beside it, what each indexed view must answer."""

    def __init__(self, root: Path) -> None:
        self.repo = make_repo(root / "repo", {"keep.py": source(("keeper",))})
        self.expected: dict[str, Answers] = {}

    def files(self) -> Files:
        paths = [path for path in self.repo.rglob("*") if path.is_file() and ".git" not in path.parts]
        return {str(path.relative_to(self.repo)): path.read_text() for path in paths}

    def committed(self, ref: str) -> Files:
        listed = git(self.repo, "ls-tree", "-r", "--name-only", ref).split("\n")
        return {path: git(self.repo, "show", f"{ref}:{path}") for path in listed}

    def has(self, ref: str) -> bool:
        return ref == "HEAD" or ref in git(self.repo, "branch", "--format=%(refname:short)").split("\n")

    @property
    def head(self) -> str:
        return git(self.repo, "symbolic-ref", "--short", "HEAD")

    def work(self, action: str, first: str | None, second: object) -> None:
        """One step that changes the repository, exactly as a person would with an editor and git."""
        target = self.repo / (first or "")
        if action in ("write", "binary"):
            target.parent.mkdir(exist_ok=True)
            text = (
                source(second) if isinstance(second, tuple) else source((str(second),)).replace("python3", "python\0")
            )
            target.write_text(text)
        elif action == "delete":
            target.unlink(missing_ok=True)
        elif action == "rename" and target.exists() and first != second:
            (self.repo / str(second)).parent.mkdir(exist_ok=True)
            os.replace(target, self.repo / str(second))
        elif action == "revert":
            git(self.repo, "reset", "-q", "--hard")
        elif action == "commit":
            git(self.repo, "add", "-A")
            git(self.repo, "commit", "-q", "--allow-empty", "-m", "step")
        elif action == "branch" and first and not self.has(first):
            git(self.repo, "branch", first)
        elif action == "checkout" and first and self.has(first):
            git(self.repo, "add", "-A")
            git(self.repo, "commit", "-q", "--allow-empty", "-m", "before checkout")
            git(self.repo, "checkout", "-q", first)

    def index(self, desk: Desk, ref: str | None) -> None:
        desk.index(ref)
        if ref is None or ref == self.head:
            self.expected["live"] = symbols(self.files())
        else:
            self.expected[ref] = symbols(self.committed(ref))


def answers(desk: Desk, ref: str) -> Answers:
    """The same from the engine: every file of the view with its names, and for each name where it is found."""
    project = desk.engine._projects.open_for_query(None)
    with project.store.pin() as snapshot:
        row = snapshot.view(f"ref:{ref}") if ref != "live" else snapshot.view(project.view_name("live"))
        assert row is not None
        entries = snapshot.entries(row)
        found = {
            path: frozenset(item.name for item in snapshot.facts(entry.blob).definitions)
            for path, entry in entries.items()
            if entry.blob
        }
        assert row.symbols == sum(
            len(snapshot.facts(entry.blob).definitions) for entry in entries.values() if entry.blob
        )
        return found


def assert_located(desk: Desk, ref: str, expected: Answers) -> None:
    """Through the front door: names and words lead to exactly the files that have them."""
    for name in NAMES:
        where = {path for path, names in expected.items() if name in names}
        assert {hit.path for hit in desk.locate(name, ref).hits if hit.name == name} == where, (ref, name)
        texts = {hit.path for hit in desk.search(name, ref, limit=50).hits if hit.result_type != "file"}
        assert texts == where, (ref, name)


@settings(max_examples=14, deadline=None, derandomize=True)
@given(STEPS)
def test_no_view_ever_answers_for_another(steps: list[tuple[str, str | None, object]]) -> None:
    """VIEW-NO-LEAK: after any edits, commits and checkouts each ref holds what it held when last indexed."""
    with tempfile.TemporaryDirectory() as base:
        model = Model(Path(base))
        with desk_on(model.repo, Path(base) / "data") as desk:
            for action, first, second in [*steps, ("sync", None, None)]:
                if action not in ("index", "sync"):
                    model.work(action, first, second)
                elif action == "sync" or (first is not None and model.has(first)):
                    model.index(desk, first)
                    assert {ref: answers(desk, ref) for ref in model.expected} == model.expected
            for ref, expected in model.expected.items():
                # The branch that is checked out now is answered from the working tree.
                if ref != model.head:
                    assert_located(desk, ref, expected)
            assert desk.engine._projects.open_for_query(None).store.verify() == []


# -- refs: whatever history is made or rewritten, every tool on every ref agrees with git ----------------------------

Bodies = dict[tuple[str, str], str]
TOPICS = ("one", "feat/a", "feat-a")


def versions() -> dict[str, str]:
    """Every content a step may write; committed and indexed once, so that no later step has anything to parse."""
    texts = [text_of(name, number) for name in NAMES for number in range(3)]
    texts += [text_of(one, 0) + text_of(two, 1) for one in NAMES for two in NAMES if one != two]
    return {f"pool/{number}.py": text for number, text in enumerate(texts)}


def text_of(name: str, number: int) -> str:
    return f"def {name}():\n    return {number}\n"


def bodies(files: Files) -> Bodies:
    """(path, name) → body, by the simplest reading of the files; the pool is the same everywhere."""
    found: Bodies = {}
    for path, text in files.items():
        lines = text.strip().split("\n") if not path.startswith("pool/") else []
        for head, body in zip(lines[::2], lines[1::2], strict=True):
            found[path, head[4:-3]] = body.strip()
    return found


def names_of(found: Bodies) -> Answers:
    return {path: frozenset(name for other, name in found if other == path) for path, _ in found}


class History:
    """A repository whose history a random walk makes and rewrites."""

    def __init__(self, root: Path, seed: int) -> None:
        self.random = Random(seed)
        self.pool = versions()
        self.repo = make_repo(root / "repo", self.pool)

    def try_git(self, *words: str) -> bool:
        done = subprocess.run(["git", *words], cwd=self.repo, env=ENV, capture_output=True, check=False)
        return done.returncode == 0

    def branches(self) -> list[str]:
        return git(self.repo, "branch", "--format=%(refname:short)").split("\n")

    @property
    def current(self) -> str:
        return git(self.repo, "symbolic-ref", "--short", "HEAD")

    def parted(self, ref: str) -> str:
        """Where a branch parted from main; a rewritten first commit leaves nothing in common, then main as it is."""
        return git(self.repo, "merge-base", "main", ref) if self.try_git("merge-base", "main", ref) else "main"

    def tree(self, ref: str) -> Bodies:
        listed = git(self.repo, "ls-tree", "-r", "--name-only", ref).split("\n")
        return bodies({path: git(self.repo, "show", f"{ref}:{path}") for path in listed if path[:5] != "pool/"})

    def live(self) -> Bodies:
        paths = [path for path in self.repo.rglob("*.py") if path.is_file()]
        return bodies({str(path.relative_to(self.repo)): path.read_text() for path in paths})

    def write(self) -> None:
        for _ in range(2):
            target = self.repo / self.random.choice(PATHS[:3])
            target.parent.mkdir(exist_ok=True)
            target.write_text(self.random.choice(sorted(self.pool.values())))

    def delete(self) -> None:
        (self.repo / self.random.choice(PATHS[:3])).unlink(missing_ok=True)

    def rename(self) -> None:
        old, new = self.random.sample(PATHS[:3], 2)
        if (self.repo / old).exists():
            (self.repo / new).parent.mkdir(exist_ok=True)
            os.replace(self.repo / old, self.repo / new)

    def commit(self) -> None:
        commit(self.repo, {})

    def branch(self) -> None:
        self.try_git("branch", self.random.choice(TOPICS))

    def checkout(self) -> None:
        self.commit()
        git(self.repo, "checkout", "-q", self.random.choice(self.branches()))

    def revert(self) -> None:
        self.commit()
        self._or_give_up("revert", "--no-edit", "HEAD")

    def merge(self) -> None:
        self.commit()
        self._or_give_up("merge", "-q", "--no-edit", "-X", "ours", self.random.choice(self.branches()))

    def cherry_pick(self) -> None:
        self.commit()
        self._or_give_up("cherry-pick", "--allow-empty", "-X", "theirs", self.random.choice(self.branches()))

    def rebase(self) -> None:
        self.commit()
        self._or_give_up("rebase", "-q", "-X", "ours", self.random.choice(self.branches()))

    def amend(self) -> None:
        self.write()
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-q", "--amend", "--allow-empty", "-m", "amended")

    def _or_give_up(self, verb: str, *words: str) -> None:
        """What conflicts is given up, as a person might."""
        if not self.try_git(verb, *words):
            self.try_git(verb, "--abort")

    def step(self) -> str:
        """One of all these, more often one that writes."""
        actions: list[Callable[[], None]] = [
            self.write, self.write, self.delete, self.rename, self.commit, self.branch, self.branch, self.checkout,
            self.revert, self.merge, self.cherry_pick, self.rebase, self.amend,
        ]  # fmt: skip
        chosen = self.random.choice(actions)
        chosen()
        return chosen.__name__


def assert_outlined(desk: Desk, ref: str, expected: Answers) -> None:
    for path, names in expected.items():
        nodes = desk.engine.outline(None, path, ref, "all", Call(), "best_effort").nodes
        assert frozenset(node.name for node in nodes) == names, (ref, path)


def assert_compared(desk: Desk, base: str, head: str, before: Bodies, after: Bodies) -> None:
    """What left, what came and what changed, exactly; a symbol that moved left one place and came at another."""
    found = desk.engine.diff(None, DiffQuery(base, head, limit=100, callers=0, freshness="best_effort"), Call())
    gone, came, changed = set(), set(), set()
    for one in found.changes:
        if one.change == "modified":
            changed.add((one.path, one.name))
            continue
        if one.before is not None:
            old = one.before.qualified_name or one.qualified_name
            gone.add((one.before.path or one.path, old.rsplit(".", 1)[-1]))
        if one.after is not None:
            came.add((one.path, one.name))
    where = (base, head)
    assert gone == before.keys() - after.keys(), where
    assert came == after.keys() - before.keys(), where
    assert changed == {key for key in before.keys() & after.keys() if before[key] != after[key]}, where


def assert_refs(desk: Desk, model: History, indexed: dict[str, str]) -> None:
    """Every branch with the commit it names now, and fresh exactly when that is the one its index was made from."""
    found = {entry.name: entry for entry in desk.engine.refs(None, "", 100, Call()).refs}
    branches = model.branches()
    assert {name for name, entry in found.items() if entry.kind == "branch"} == set(branches)
    for name in branches:
        entry = found[name]
        assert entry.commit == git(model.repo, "rev-parse", name) and entry.is_current == (name == model.current)
        if not entry.is_current and name in indexed:
            assert entry.freshness == ("fresh" if entry.commit == indexed[name] else "stale"), name


@pytest.mark.parametrize("seed", [3, 8, 21])
def test_every_tool_agrees_with_git_on_every_ref(seed: int) -> None:
    """REFS-CORRECT: merges, reverts, cherry-picks and rewritten branches; locate, search, outline, refs and diff."""
    with tempfile.TemporaryDirectory() as base:
        model = History(Path(base), seed)
        indexed: dict[str, str] = {}
        with desk_on(model.repo, Path(base) / "data") as desk:
            desk.index()
            for _ in range(12):
                done = model.step()
                assert_refs(desk, model, indexed)
                desk.index("live")
                trees = {"live": model.live()}
                for ref in model.branches():
                    if ref != model.current:
                        desk.index(ref)
                        indexed[ref] = git(model.repo, "rev-parse", ref)
                        trees[ref] = model.tree(ref)
                assert_refs(desk, model, indexed)
                for ref, tree in trees.items():
                    expected = names_of(tree)
                    assert_located_outside_pool(desk, ref, expected, done)
                    assert_outlined(desk, ref, expected)
                    if ref != "live":
                        assert_compared(desk, "main", ref, model.tree(model.parted(ref)), tree)
                assert_compared(desk, "HEAD", "live", model.tree("HEAD"), trees["live"])


def assert_located_outside_pool(desk: Desk, ref: str, expected: Answers, done: str) -> None:
    for name in NAMES:
        where = {path for path, names in expected.items() if name in names}
        located = {hit.path for hit in desk.locate(name, ref, limit=100).hits if hit.name == name}
        searched = {hit.path for hit in desk.search(name, ref, limit=100).hits if hit.result_type != "file"}
        for found in (located, searched):
            assert {path for path in found if not path.startswith("pool/")} == where, (done, ref, name)
