"""Property of views: whatever is done to a repository, each indexed ref answers for itself and for nobody else."""

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import git, make_repo

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
    project = desk.engine._projects.get(None)
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
            assert desk.engine._projects.get(None).store.verify() == []
