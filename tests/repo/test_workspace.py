"""Which directory, which repository, and which ref a name stands for."""

from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.repo.workspace import is_working_tree_ref, open_workspace, resolve_target
from tests.repo.gitrepo import git, make_repo


def test_a_plain_directory_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    opened = open_workspace(tmp_path)
    assert (opened.root, opened.git) == (tmp_path, None)
    assert opened.project_key == opened.worktree_key == str(tmp_path)


def test_links_to_a_workspace_are_resolved_once(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r")
    (tmp_path / "alias").symlink_to(root)
    assert open_workspace(tmp_path / "alias") == open_workspace(str(root))


def test_worktrees_share_a_project_and_not_a_worktree(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "w"))
    main, side = open_workspace(root), open_workspace(tmp_path / "w")
    assert main.project_key == side.project_key == str(root / ".git")
    assert main.worktree_key != side.worktree_key
    assert (resolve_target(main, None).name, resolve_target(side, None).name) == ("main", "side")


@pytest.mark.parametrize("path", ["", "gone", "file", "a\0b", "loop", "file/below"])
def test_what_is_no_directory_is_an_invalid_request(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(Failure) as caught:
        open_workspace(f"{tmp_path}/{path}" if path else "")
    assert caught.value.code == "INVALID_REQUEST"


def test_the_ref_meant_when_none_is_named(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r")
    assert resolve_target(open_workspace(root), None, "develop").name == "main"
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    git(root, "checkout", "-q", "--detach")
    assert resolve_target(open_workspace(root), None, "develop").name == "develop"
    assert resolve_target(open_workspace(root), None).name == "live"
    assert resolve_target(open_workspace(tmp_path), None).name == "live"


def test_which_refs_are_answered_from_the_files_here(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "branch", "other")
    opened = open_workspace(root)
    answers = {ref: is_working_tree_ref(opened, ref) for ref in ("live", "main", "refs/heads/main", "other", "HEAD")}
    assert answers == {"live": True, "main": True, "refs/heads/main": True, "other": False, "HEAD": False}
    git(root, "checkout", "-q", "other")
    assert is_working_tree_ref(opened, "other") and not is_working_tree_ref(opened, "main")
    assert not is_working_tree_ref(open_workspace(tmp_path), "main")
