"""Freshness: the bytes on disk decide, with and without a watch."""

import os
import time
from pathlib import Path

import pytest

from codecompass.errors import Failure
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo


def wait_for(desk: Desk, wanted: str) -> str:
    """A watch needs a moment to hear of a change; a look at the files needs none."""
    deadline = time.monotonic() + 10
    while True:
        found = desk.locate("one").state.freshness
        if found == wanted or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


@pytest.fixture(params=[False, True], ids=["looking", "watching"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    repo = make_repo(tmp_path / "repo", {"a.py": "def one():\n    pass\n", ".gitignore": "*.log\n"})
    context = desk_on(repo, tmp_path / "data", watch=request.param)
    found = context.__enter__()
    request.addfinalizer(lambda: context.__exit__(None, None, None))
    found.index()
    found.repo = repo  # type: ignore[attr-defined]
    return found


def test_an_edit_is_stale_and_its_revert_fresh(desk: Desk, tmp_path: Path) -> None:
    """FRESH-BYTES: an unindexed edit is stale; the old bytes back, it is fresh again."""
    path = tmp_path / "repo/a.py"
    before = path.read_text()
    assert wait_for(desk, "fresh") == "fresh"
    path.write_text("def one():\n    return 2\n")
    assert wait_for(desk, "stale") == "stale"
    path.write_text(before)
    os.utime(path, (1, 1))
    assert desk.index().changed_files is not None
    assert wait_for(desk, "fresh") == "fresh"


def test_new_and_deleted_files_are_stale(desk: Desk, tmp_path: Path) -> None:
    """FRESH-BYTES: a new file and a deleted one are changes."""
    (tmp_path / "repo/b.py").write_text("def two():\n    pass\n")
    assert wait_for(desk, "stale") == "stale"
    (tmp_path / "repo/b.py").unlink()
    assert wait_for(desk, "fresh") == "fresh"


def test_an_ignored_file_changes_nothing(desk: Desk, tmp_path: Path) -> None:
    """FRESH-BYTES: what would not be indexed cannot make an index stale."""
    (tmp_path / "repo/noise.log").write_text("noise\n")
    time.sleep(0.3)
    assert desk.locate("one").state.freshness == "fresh"


def test_another_commit_is_stale(desk: Desk, tmp_path: Path) -> None:
    """FRESH-BYTES: HEAD moved; after a sync it is fresh."""
    commit(tmp_path / "repo", {"c.py": "x = 1\n"})
    assert wait_for(desk, "stale") == "stale"
    desk.index()
    assert wait_for(desk, "fresh") == "fresh"


def test_strict_blocks(desk: Desk, tmp_path: Path) -> None:
    """FRESH-STRICT: a strict query on a stale index is an error with both commits and the way out."""
    (tmp_path / "repo/a.py").write_text("def one():\n    return 3\n")
    assert wait_for(desk, "stale") == "stale"
    with pytest.raises(Failure) as caught:
        desk.locate("one", freshness="strict")
    head = git(tmp_path / "repo", "rev-parse", "HEAD")
    assert caught.value.code == "INDEX_STALE"
    assert caught.value.details["last_indexed_commit"] == caught.value.details["current_head"] == head
    assert "sync_repo" in str(caught.value.details["suggestion"])


def test_a_branch_compares_its_own_commit(desk: Desk, tmp_path: Path) -> None:
    """FRESH-REFS: a ref's view is stale when the ref moved, whatever the working tree does."""
    repo = tmp_path / "repo"
    git(repo, "branch", "side")
    desk.index("side")
    (repo / "a.py").write_text("def one():\n    return 4\n")
    assert desk.locate("one", "side").state.freshness == "fresh"
    git(repo, "checkout", "-q", "-f", "side")
    commit(repo, {"a.py": "def one():\n    return 5\n"})
    git(repo, "checkout", "-q", "main")
    assert desk.locate("one", "side").state.freshness == "stale"
