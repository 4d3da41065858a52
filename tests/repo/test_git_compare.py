"""Git reads behind comparisons: where two commits parted, what differs, how old each is; nothing foreign runs."""

from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.repo.git.object_reader import ShadowGit, TreeChange
from codecompass.repo.git.repository import find_git
from tests.repo.gitrepo import commit, git, make_repo
from tests.repo.test_git import HOSTILE_CONFIG


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", {"a.py": "1\n", "b.py": "2\n", "link": "x\n"})


def shadow_of(repo: Path) -> ShadowGit:
    found = find_git(repo)
    assert found is not None
    return ShadowGit(found, repo.parent / "shadow")


def test_changed_files_and_merge_base(repo: Path) -> None:
    """GIT-COMPARE: regular files by their hashes; links, modes and submodules are no contents of ours."""
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "side")
    (repo / "link").unlink()
    (repo / "link").symlink_to("a.py")
    (repo / "b.py").chmod(0o755)
    second = commit(repo, {"a.py": "3\n", "ünï cödé.py": "4\n"})
    git(repo, "checkout", "-q", "main")
    third = commit(repo, {"b.py": "5\n"})
    opened = shadow_of(repo)
    assert opened.find_merge_base(second, third) == opened.find_merge_base(first, third) == first
    found = {change.path: change for change in opened.list_changed_files(first, second)}
    assert found.keys() == {"a.py", "link", "ünï cödé.py"}
    old, new = (git(repo, "rev-parse", f"{one}:a.py") for one in (first, second))
    assert found["a.py"] == TreeChange("a.py", old, new)
    assert found["link"].new == "" and found["ünï cödé.py"].old == ""
    assert opened.list_changed_files(first, first) == []
    git(repo, "checkout", "-q", "--orphan", "island")
    island = commit(repo, {"z.py": "6\n"})
    assert opened.find_merge_base(island, third) is None
    opened.close()


def test_dates_of_commits_and_tags(repo: Path) -> None:
    """GIT-COMPARE: a tag, or a tag of a tag, has the date of its commit; what is missing has none."""
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "-a", "-m", "x", "one")
    git(repo, "tag", "-a", "-m", "x", "two", "one")
    git(repo, "tag", "-a", "-m", "x", "tree", "HEAD^{tree}")
    tags = [git(repo, "rev-parse", f"refs/tags/{name}") for name in ("one", "two", "tree")]
    opened = shadow_of(repo)
    found = opened.read_commit_dates([first, *tags, "e" * 40])
    assert found == dict.fromkeys([first, *tags[:2]], (first, 1_700_000_001))
    assert opened.read_commit_dates([]) == {}
    opened.close()


@pytest.mark.parametrize("bad", ["", "main", "--output=x", "HEAD", "f" * 39, "-f" * 20])
def test_only_full_hashes_are_compared(repo: Path, bad: str) -> None:
    """GIT-COMPARE: nothing that git could take for an option or a name reaches it."""
    opened, first = shadow_of(repo), git(repo, "rev-parse", "HEAD")
    for ask in (lambda: opened.find_merge_base(first, bad), lambda: opened.list_changed_files(bad, first)):
        with pytest.raises(Failure) as caught:
            ask()
        assert caught.value.code == "INVALID_REQUEST"
    opened.close()


def test_missing_history_is_said(repo: Path) -> None:
    """GIT-COMPARE: commits that are not here are an error with a way out, never an empty difference."""
    opened, first = shadow_of(repo), git(repo, "rev-parse", "HEAD")
    for ask in (lambda: opened.find_merge_base(first, "f" * 40), lambda: opened.list_changed_files(first, "f" * 40)):
        with pytest.raises(Failure) as caught:
            ask()
        assert caught.value.code == "REF_NOT_INDEXED" and "Fetch" in caught.value.hint
    opened.close()


def test_comparing_runs_no_program_of_the_repository(repo: Path, tmp_path: Path) -> None:
    """GIT-COMPARE: no diff driver, filter, pager or transport that the repository names is started."""
    marker, program = tmp_path / "MARKER", tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\necho $0 $@ >> {marker}\n")
    program.chmod(0o755)
    first = git(repo, "rev-parse", "HEAD")
    second = commit(repo, {".gitattributes": "* diff=evil filter=evil merge=evil\n", "a.py": "3\n"})
    with (repo / ".git/config").open("a") as config:
        attributes, nothing = repo / ".gitattributes", tmp_path / "no"
        config.write(HOSTILE_CONFIG.format(run=program, hooks=tmp_path, include=nothing, attributes=attributes))
    opened = shadow_of(repo)
    assert opened.find_merge_base(first, second) == first
    assert {change.path for change in opened.list_changed_files(first, second)} == {".gitattributes", "a.py"}
    assert opened.read_commit_dates([first, "f" * 40]).keys() == {first}
    opened.close()
    assert not marker.exists()
