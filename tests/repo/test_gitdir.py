"""A repository read as files says what git says, and a forged one says nothing."""

import os
from pathlib import Path

import pytest

from codecompass.repo.git.ref_name import is_valid_ref, split_ancestry
from codecompass.repo.git.repository import GitDir, HeadState, RefRow, find_git, list_refs, read_head, resolve_ref
from tests.repo.gitrepo import commit, git, make_repo


def opened(root: Path) -> GitDir:
    found = find_git(root)
    assert found is not None
    return found


def test_finds_the_repository_only_at_its_root(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"d/a.py": ""})
    assert opened(root) == GitDir(root / ".git", root / ".git", root, "sha1")
    assert find_git(root / "d") is None
    assert find_git(tmp_path) is None


def test_unborn_branch_has_a_name_and_no_commit(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r")
    assert read_head(opened(root)) == HeadState("main", None)
    assert resolve_ref(opened(root), "HEAD") is None
    assert list_refs(opened(root)) == ()


def test_detached_head_has_a_commit_and_no_branch(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "checkout", "-q", "--detach")
    assert read_head(opened(root)) == HeadState(None, git(root, "rev-parse", "HEAD"))


@pytest.mark.parametrize("packed", [False, True])
def test_refs_are_read_loose_and_packed(tmp_path: Path, packed: bool) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    first = git(root, "rev-parse", "HEAD")
    git(root, "branch", "feature/x#1")
    git(root, "tag", "v1")
    git(root, "tag", "-a", "v2", "-m", "two")
    git(root, "update-ref", "refs/remotes/origin/main", first)
    git(root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    second = commit(root, {"b.py": ""})
    if packed:
        git(root, "pack-refs", "--all")
        assert not (root / ".git/refs/heads/main").exists()
    found = opened(root)
    tag_object = git(root, "rev-parse", "v2")
    # Only a packed annotated tag carries the commit with it.
    v2 = first if packed else tag_object
    assert list_refs(found) == (
        RefRow("feature/x#1", "branch", first),
        RefRow("main", "branch", second),
        RefRow("origin/main", "remote", first),
        RefRow("v1", "tag", first),
        RefRow("v2", "tag", v2),
    )
    names = ("main", "HEAD", "@", "refs/heads/main", "heads/main", "feature/x#1", "v1", "v2", "origin/main", "origin")
    wanted = (second, second, second, second, second, first, first, v2, first, first)
    assert tuple(resolve_ref(found, name) for name in names) == wanted
    assert read_head(found) == HeadState("main", second)


def test_a_loose_ref_wins_over_the_packed_one(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "pack-refs", "--all")
    second = commit(root, {"b.py": ""})
    assert resolve_ref(opened(root), "main") == second
    assert list_refs(opened(root)) == (RefRow("main", "branch", second),)


def test_a_branch_wins_over_a_tag_of_the_same_name(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "tag", "main")
    second = commit(root, {"b.py": ""})
    assert resolve_ref(opened(root), "main") == second


def test_the_end_of_another_name_is_not_a_packed_ref(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "update-ref", "refs/heads/x/refs/heads/y", "HEAD")
    git(root, "pack-refs", "--all")
    assert resolve_ref(opened(root), "refs/heads/y") is None


def test_loops_of_symbolic_refs_end(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "symbolic-ref", "refs/heads/a", "refs/heads/b")
    git(root, "symbolic-ref", "refs/heads/b", "refs/heads/a")
    (root / ".git/HEAD").write_text("ref: refs/heads/a\n")
    assert read_head(opened(root)) == HeadState("a", None)
    assert resolve_ref(opened(root), "a") is None


@pytest.mark.parametrize(
    "name",
    [
        "", "-h", "--format=x", "a..b", "a//b", "/a", "a/", "a.", "a.lock", "a.lock/b", ".a", "a/.b", "a b", "a\nb",
        "a\x7fb",
        "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a@{1}", "x" * 201, "../../etc/passwd", "refs/../../config",
    ],
)  # fmt: skip
def test_names_that_are_no_refs_are_never_looked_up(tmp_path: Path, name: str) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    assert not is_valid_ref(name)
    assert resolve_ref(opened(root), name) is None


@pytest.mark.parametrize("name", ["main", "feature/x#1", "é", "a-b", "a+b", "v1.2.3", "dependabot/npm/@types/node-1"])
def test_names_people_use_are_refs(name: str) -> None:
    assert is_valid_ref(name)


@pytest.mark.parametrize(
    ("rev", "parts"),
    [("main", ("main", "")), ("main~3^2", ("main", "~3^2")), ("a^{tree}", None), ("a~1:x", None), ("a^-", None)],
)
def test_only_plain_ancestry_follows_a_name(rev: str, parts: tuple[str, str] | None) -> None:
    assert split_ancestry(rev) == parts


def test_hostile_files_in_refs_are_passed_over(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    heads = root / ".git/refs/heads"
    (heads / "-h").write_text(git(root, "rev-parse", "HEAD"))
    (heads / "text").write_text("not a hash\n")
    (heads / "outside").symlink_to("/etc/passwd")
    (heads / "escape").write_text("ref: ../../../../etc/passwd\n")
    os.mkfifo(heads / "fifo")
    (root / ".git/packed-refs").write_bytes(b"\xff\xfe garbage\nzz refs/heads/z\n^^^\n")
    assert [row.name for row in list_refs(opened(root))] == ["main"]
    assert [resolve_ref(opened(root), name) for name in ("text", "outside", "escape", "fifo", "z")] == [None] * 5


def test_a_linked_worktree_shares_objects_and_has_its_own_head(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "w"))
    found = opened(tmp_path / "w")
    assert (found.git_dir, found.common_dir) == (root / ".git/worktrees/w", root / ".git")
    assert read_head(found).branch == "side"
    assert read_head(opened(root)).branch == "main"
    assert resolve_ref(found, "main") == git(root, "rev-parse", "main")


def test_a_submodule_is_found_through_its_git_file(tmp_path: Path) -> None:
    inner = make_repo(tmp_path / "inner", {"a.py": ""})
    outer = make_repo(tmp_path / "outer", {"b.py": ""})
    git(outer, "submodule", "add", "-q", str(inner), "sub")
    assert opened(outer / "sub").git_dir == outer / ".git/modules/sub"


def test_a_git_file_that_names_someone_elses_repository_is_refused(tmp_path: Path) -> None:
    private = make_repo(tmp_path / "private", {"secret.py": ""})
    git(private, "worktree", "add", "-q", "-b", "side", str(tmp_path / "w"))
    for target in (private / ".git", private / ".git/worktrees/w", Path("/etc"), tmp_path / "gone"):
        evil = tmp_path / "evil"
        evil.mkdir(exist_ok=True)
        (evil / ".git").write_text(f"gitdir: {target}\n")
        assert find_git(evil) is None


def test_a_forged_commondir_is_refused(tmp_path: Path) -> None:
    private = make_repo(tmp_path / "private", {"secret.py": ""})
    evil = make_repo(tmp_path / "evil", {"a.py": ""})
    (evil / ".git/commondir").write_text(f"{private}/.git\n")
    assert find_git(evil) is None
    own = tmp_path / "own"
    (own / "meta/worktrees").mkdir(parents=True)
    (own / "meta/HEAD").write_text("ref: refs/heads/main\n")
    (own / "meta/gitdir").write_text(f"{own}/.git\n")
    (own / "meta/commondir").write_text(f"{private}/.git\n")
    (own / ".git").write_text("gitdir: meta\n")
    assert find_git(own) is None


def test_a_symlinked_git_directory_is_refused(tmp_path: Path) -> None:
    private = make_repo(tmp_path / "private", {"secret.py": ""})
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / ".git").symlink_to(private / ".git")
    assert find_git(evil) is None


@pytest.mark.parametrize("content", ["", "gitdir: ", "gitdir: \n", "gitdir: a\0b", "something else", "x" * 10_000])
def test_a_git_file_of_nonsense_is_no_repository(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert find_git(tmp_path) is None


def test_an_empty_git_directory_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert find_git(tmp_path) is None


def test_the_hash_of_a_sha256_repository_is_long(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""}, object_format="sha256")
    assert opened(root).object_format == "sha256"
    assert resolve_ref(opened(root), "main") == git(root, "rev-parse", "HEAD")
    assert len(read_head(opened(root)).commit or "") == 64


def test_ten_thousand_packed_refs_are_no_trouble(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    first = git(root, "rev-parse", "HEAD")
    refs = "".join(f"{first} refs/heads/b{number:05}\n" for number in range(10_000))
    (root / ".git/packed-refs").write_text(f"# pack-refs with: peeled fully-peeled sorted \n{refs}")
    assert len(list_refs(opened(root))) == 10_001
    assert resolve_ref(opened(root), "b09999") == first
