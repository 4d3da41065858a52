"""A commit that is indexed under one name answers under all of its names; anything else never answers for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.symbol_difference import DiffQuery, SymbolDiff
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

FILES = {
    "lib.py": "def helper():\n    return 1\n",
    "app.py": "from lib import helper\n\n\ndef main():\n    return helper()\n",
    ".gitignore": "*.tmp\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = make_repo(tmp_path / "repo", FILES)
    commit(root, {"lib.py": "def helper(size):\n    return size\n"}, "second")
    return root


@pytest.fixture
def desk(repo: Path, tmp_path: Path) -> Iterator[Desk]:
    with desk_on(repo, tmp_path / "data") as found:
        yield found


def diff(desk: Desk, base: str, head: str) -> SymbolDiff:
    return desk.engine.diff(None, DiffQuery(base, head, freshness="best_effort"), Call())


def test_every_name_of_the_commit_that_is_checked_out(repo: Path, desk: Desk) -> None:
    """VIEW-SAME-COMMIT: HEAD, a hash, its beginning, a tag and a branch are the clean working tree, and fresh."""
    whole = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "v1")
    git(repo, "tag", "-a", "-m", "x", "v1.0")
    git(repo, "branch", "twin")
    (repo / "ignored.tmp").write_text("x")
    desk.index()
    for name in ("HEAD", "HEAD~0", whole, whole[:9], "v1", "v1.0", "twin", "refs/heads/twin"):
        found = desk.locate("helper", name)
        assert [hit.signature for hit in found.hits] == ["def helper(size)"], name
        assert (found.state.ref, found.state.freshness) == (name, "fresh")
    with pytest.raises(Failure) as caught:
        desk.locate("helper", "HEAD~1")
    assert caught.value.code == "REF_NOT_INDEXED"


@pytest.mark.parametrize("change", ["edited", "new", "deleted"])
def test_a_changed_working_tree_does_not_answer_for_its_commit(repo: Path, desk: Desk, change: str) -> None:
    """VIEW-SAME-COMMIT: one file that differs is enough; the error says so and both ways out."""
    if change == "edited":
        (repo / "lib.py").write_text("def helper(other):\n    return 1\n")
    elif change == "new":
        (repo / "more.py").write_text("def helper(more):\n    return 1\n")
    else:
        (repo / "app.py").unlink()
    desk.index()
    with pytest.raises(Failure) as caught:
        desk.locate("helper", "HEAD")
    assert "differs from it in 1 file" in caught.value.message
    desk.index("HEAD")
    assert [hit.signature for hit in desk.locate("helper", "HEAD").hits] == ["def helper(size)"]


def test_what_was_indexed_stays_the_commit_while_the_files_move_on(repo: Path, desk: Desk) -> None:
    """VIEW-SAME-COMMIT: an index of the clean tree is HEAD's even after an edit that is not indexed yet."""
    desk.index()
    (repo / "lib.py").write_text("def helper(edited):\n    return 1\n")
    found = desk.locate("helper", "HEAD")
    assert found.state.freshness == "fresh" and found.hits[0].signature == "def helper(size)"
    assert desk.locate("helper").state.freshness == "stale"


def test_another_commit_with_the_same_tree(repo: Path, desk: Desk) -> None:
    """VIEW-SAME-COMMIT: commits with equal trees are one; a file beyond the size limit is compared by its bytes."""
    commit(repo, {"large.py": "# " + "x" * 80 + "\n" + "a = 1\n" * 300_000})
    first = git(repo, "rev-parse", "HEAD")
    desk.index(first)
    git(repo, "commit", "-q", "--allow-empty", "-m", "nothing")
    git(repo, "tag", "empty")
    assert desk.locate("helper", "empty").hits
    commit(repo, {"other.py": "b = 1\n"})
    with pytest.raises(Failure):
        desk.locate("helper", "HEAD")
    desk.index()
    assert desk.locate("helper", "HEAD").hits


def test_no_hint_leads_in_a_circle(desk: Desk) -> None:
    """VIEW-SAME-COMMIT: a name that nothing has is never said to be not indexed yet."""
    desk.index()
    asks = (desk.locate, desk.index, diff)
    arguments = (("helper", "nowhere"), ("nowhere",), (desk, "nowhere", "HEAD"))
    for ask, given in zip(asks, arguments, strict=True):
        with pytest.raises(Failure) as caught:
            ask(*given)  # type: ignore[operator]
        assert "nowhere" in caught.value.message
        assert "index" not in caught.value.hint and "list_refs" in caught.value.hint


def test_callers_of_a_difference_between_commits(repo: Path, desk: Desk) -> None:
    """VIEW-SAME-COMMIT: `diff HEAD~1 HEAD` knows the callers; with a changed tree they are told as what they are."""
    desk.index()
    found = diff(desk, "HEAD~1", "HEAD")
    (change,) = found.changes
    assert change.callers_total == 1 and change.callers[0].resolution == "resolved"
    assert change.callers_counts == {"resolved": 1} and found.state.indexing == "ready" and not found.warnings
    (repo / "more.py").write_text("from lib import helper\nhelper(2)\n")
    desk.index()
    near = diff(desk, "HEAD~1", "HEAD")
    assert near.callers_from_elsewhere and "differs from 'HEAD' in 1 file" in near.warnings[0]
    assert near.changes[0].callers_total == 2


def test_a_file_that_is_no_text_here_does_not_stand_for_the_committed_one(tmp_path: Path) -> None:
    """VIEW-SAME-COMMIT: of a file that was left out the view knows nothing, so it proves nothing of the commit."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def alpha():\n    return 1\n", "b.py": "def beta():\n    return 2\n"})
    git(repo, "branch", "side")
    (repo / "b.py").write_bytes(b"\0\1\2" * 100)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        with pytest.raises(Failure) as caught:
            desk.locate("beta", "side")
        assert caught.value.code == "REF_NOT_INDEXED"
        git(repo, "checkout", "-q", "b.py")
        desk.index()
        assert desk.places("beta", "side") == {"b.py:1"}
