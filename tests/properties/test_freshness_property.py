"""Freshness against an oracle that reads every file, over random edits, with a watch and without."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.repo.files.tree_walk import walk_tree
from codecompass.repo.git.repository import find_git
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

Place = tuple[Desk, Path, Path]
DIRECTORIES = ("", "p/", "p/q/", "r/")
NAMES = tuple(directory + name for directory in DIRECTORIES for name in ("a.py", "b.py"))
CONTENTS = ("def one():\n    pass\n", "def two():\n    pass\n", "")
RULES = ("", "b.py\n", "p/\n", "q/\n!b.py\n")

name = st.sampled_from(NAMES)
directory = st.sampled_from([item.rstrip("/") for item in DIRECTORIES if item])
step = st.one_of(
    st.tuples(st.just("write"), name, st.sampled_from(CONTENTS)),
    st.tuples(st.just("save"), name, st.sampled_from(CONTENTS)),
    st.tuples(st.just("delete"), name, st.just("")),
    st.tuples(st.just("move"), name, name),
    st.tuples(st.just("move"), directory, directory),
    st.tuples(st.just("clear"), directory, st.just("")),
    st.tuples(st.just("rules"), st.sampled_from(["", "p/"]), st.sampled_from(RULES)),
    st.tuples(st.just("touch"), name, st.just("")),
    st.tuples(st.just("restore"), st.just(""), st.just("")),
)


def apply(root: Path, kept: Path, action: str, one: str, other: str) -> None:
    """One step; what cannot be done, such as moving what is not there, changes nothing."""
    path = root / one
    try:
        if action in ("write", "save"):
            path.parent.mkdir(parents=True, exist_ok=True)
            target = path if action == "write" else path.with_suffix(".tmp~")
            target.write_text(other)
            target.replace(path)
        elif action == "delete":
            path.unlink()
        elif action == "move":
            path.rename(root / other)
        elif action == "clear":
            shutil.rmtree(path)
        elif action == "rules":
            (path / ".gitignore").write_text(other)
        elif action == "touch":
            path.touch()
        else:
            for item in root.iterdir():
                if item.is_dir() and item.name != ".git":
                    shutil.rmtree(item)
                elif item.is_file():
                    item.unlink()
            shutil.copytree(kept, root, dirs_exist_ok=True)
    except OSError:
        return


def everything(root: Path) -> dict[str, bytes]:
    return {item.path: (root / item.path).read_bytes() for item in walk_tree(root, find_git(root)).files}


@pytest.fixture(scope="module", params=[False, True], ids=["looking", "watching"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One index for all examples; each begins with the files as they were indexed."""
    top = tmp_path_factory.mktemp("tree")
    root, kept = top / "repo", top / "kept"
    for item, text in (("a.py", CONTENTS[0]), ("p/a.py", CONTENTS[1]), ("p/q/b.py", CONTENTS[0])):
        for base in (root, kept):
            (base / item).parent.mkdir(parents=True, exist_ok=True)
            (base / item).write_text(text)
    make_repo(root)
    with desk_on(root, top / "data", watch=request.param) as desk:
        desk.index()
        yield desk, root, kept


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(step, min_size=1, max_size=14))
def test_fresh_means_equal(place: Place, steps: list[tuple[str, str, str]]) -> None:
    """FRESH-EXACT: after every step, fresh exactly when every listed file's bytes are the indexed ones."""
    desk, root, kept = place
    indexed = everything(kept)
    for action, one, other in [("restore", "", ""), *steps]:
        apply(root, kept, action, one, other)
        wanted = "fresh" if everything(root) == indexed else "stale"
        assert desk.engine.describe(None, "live").freshness == wanted, (action, one, other)
