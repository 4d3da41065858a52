"""Odd repositories and odd refs: a clear refusal, or the right answer, never a crash."""

import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from codecompass.errors import Failure
from tests.badinput.oddrepo import assert_whole, odd_repo, project_of, skipped
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

ODD_REFS = [
    "--format=x", "-h", "--end-of-options", "a..b", "main..main", "@{", "main@{1}", "HEAD@{upstream}",
    "x" * 1000, "a\nb", "main\n", "", " ", "main ", "refs/heads/", "/main", "main/", ".hidden", "a.lock",
    "main^{tree}", "main:neighbour.py", ":/change", "main~x", "main~999999", "nothing", "deadbeef", "0" * 40,
    "a\0b", "refs/../HEAD", "\\", "~", "^", "café",
]  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("refs")
    with desk_on(odd_repo(base / "repo"), base / "data") as desk:
        desk.index()
        yield desk


@pytest.mark.parametrize("ref", ODD_REFS, ids=lambda ref: ascii(ref)[:30])
def test_an_odd_ref_is_refused_in_words(desk: Desk, ref: str) -> None:
    """BAD-REFS: a ref that names no commit is a failure with a code, for indexing as for asking."""
    for act in (desk.index, partial(desk.locate, "neighbour_stays"), partial(desk.search, "neighbour_stays")):
        with pytest.raises(Failure) as caught:
            act(ref)
        assert caught.value.code in ("REF_NOT_INDEXED", "INVALID_REQUEST")
        assert 10 < len(caught.value.message) < 500
        caught.value.message.encode("utf-8")
    assert_whole(desk)


def test_slashes_and_dashes_make_two_views(tmp_path: Path) -> None:
    """BAD-REFS: feat/a, feat-a and feat_a are three branches and three views."""
    repo = odd_repo(tmp_path / "repo")
    names = ["feat/a", "feat-a", "feat_a", "feat/b/c.d"]
    for number, name in enumerate(names):
        git(repo, "checkout", "-q", "-b", name, "main")
        commit(repo, {f"only{number}.py": f"def only_{number}():\n    pass\n"})
    git(repo, "checkout", "-q", "main")
    with desk_on(repo, tmp_path / "data") as desk:
        for ref in (None, *names):
            desk.index(ref)
        for number, name in enumerate(names):
            for other, ref in enumerate(names):
                expected = {f"only{number}.py:1"} if number == other else set()
                assert desk.places(f"only_{number}", ref) == expected, (name, ref)
        assert {"feat/a", "feat-a", "feat_a", "feat/b/c.d", "live"} <= set(desk.engine.status(None, None).refs)
        assert_whole(desk)


def test_an_annotated_tag_is_its_commit(tmp_path: Path) -> None:
    """BAD-TAGS: a tag object, also a tag of a tag, stands for the commit below it, and its view is fresh."""
    repo = odd_repo(tmp_path / "repo")
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "-a", "v1", "-m", "one")
    git(repo, "tag", "-a", "v1.again", "-m", "two", "v1")
    commit(repo, {"neighbour.py": "def other():\n    pass\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        for tag in ("v1", "v1.again"):
            desk.index(tag)
            state = desk.locate("neighbour_stays", tag).state
            assert (state.indexed_commit, state.freshness) == (first, "fresh")
            assert desk.places("neighbour_stays", tag) == {"neighbour.py:1"}
        git(repo, "tag", "blob", git(repo, "rev-parse", "HEAD:neighbour.py"))
        with pytest.raises(Failure) as caught:
            desk.index("blob")
        assert caught.value.code == "REF_NOT_INDEXED"


def test_a_repository_with_missing_objects(tmp_path: Path) -> None:
    """BAD-MISSING-OBJECTS: a commit lacks only the files whose objects are gone; a lost tree or commit is a failure."""
    repo = odd_repo(tmp_path / "repo")
    commit(repo, {"lost.py": "def lost():\n    pass\n", "sub/kept.py": "def kept():\n    pass\n"})
    git(repo, "branch", "copy")

    def lose(name: str) -> None:
        oid = git(repo, "rev-parse", name)
        (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()

    lose("copy:lost.py")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index("copy")
        assert desk.places("kept", "copy") == {"sub/kept.py:1"}
        assert desk.locate("lost", "copy").hits == ()
        assert skipped(desk, "copy") == {"missing_object": 1}
        desk.index()
        assert desk.places("lost") == {"lost.py:1"}
        lose("copy:sub")
        git(repo, "branch", "again", "copy")
        with pytest.raises(Failure):
            desk.index("again")
        lose("copy")
        (repo / ".git/refs/heads/third").write_text(git(repo, "rev-parse", "refs/heads/copy") + "\n")
        with pytest.raises(Failure):
            desk.index("third")
        assert_whole(desk)


def test_a_shallow_clone(tmp_path: Path) -> None:
    """BAD-SHALLOW: a clone without history is indexed; what lies before its border is no commit."""
    origin = odd_repo(tmp_path / "origin")
    commit(origin, {"second.py": "def second():\n    pass\n"})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{origin}", "shallow")
    with desk_on(tmp_path / "shallow", tmp_path / "data") as desk:
        desk.index()
        desk.index("HEAD")
        desk.index("origin/main")
        assert desk.places("second", "HEAD") == desk.places("second", "origin/main") == {"second.py:1"}
        with pytest.raises(Failure) as caught:
            desk.index("HEAD~1")
        assert caught.value.code == "REF_NOT_INDEXED"
        assert_whole(desk)


def test_in_the_middle_of_a_merge(tmp_path: Path) -> None:
    """BAD-MERGE: a working tree with conflicts is indexed as it lies there, conflict marks included."""
    repo = odd_repo(tmp_path / "repo")
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {"both.py": "def theirs():\n    pass\n"})
    git(repo, "checkout", "-q", "main")
    commit(repo, {"both.py": "def ours():\n    pass\n"})
    with pytest.raises(AssertionError):
        git(repo, "merge", "side")
    assert (repo / ".git/MERGE_HEAD").exists()
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("side")
        assert desk.places("ours") == {"both.py:2"}
        assert desk.places("theirs", "side") == {"both.py:1"}
        assert_whole(desk)


def test_directories_that_look_like_repositories_are_not_entered(tmp_path: Path) -> None:
    """BAD-NESTED: a bare repository, a submodule and a repository below the root are counted, not entered."""
    inner = make_repo(tmp_path / "inner", {"inner.py": "def in_submodule():\n    pass\n"})
    repo = odd_repo(tmp_path / "repo")
    git(repo, "submodule", "--quiet", "add", f"file://{inner}", "module")
    git(repo, "commit", "-q", "-m", "module")
    git(repo, "branch", "copy")
    shutil.copytree(inner / ".git", repo / "bare.looking")
    (repo / "bare.looking/hidden.py").write_text("def in_bare():\n    pass\n")
    shutil.copytree(inner, repo / "vendored/inner")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("copy")
        assert skipped(desk) == {"nested_repository": 3}
        for name in ("in_submodule", "in_bare"):
            assert desk.locate(name).hits == desk.locate(name, "copy").hits == ()
        assert_whole(desk)
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(inner), str(bare))
    with desk_on(bare, tmp_path / "data2") as desk:
        assert desk.index().status == "published"
        assert desk.locate("in_submodule").state.ref == "live"


def test_a_git_file_or_link_that_leads_elsewhere_is_not_believed(tmp_path: Path) -> None:
    """BAD-NESTED: a `.git` that is a link, or names a directory that does not answer, makes a plain directory."""
    other = make_repo(tmp_path / "other", {"x.py": "def x():\n    pass\n"})
    for name in ("linked", "pointing"):
        place = tmp_path / name
        place.mkdir()
        (place / "here.py").write_text("def here():\n    pass\n")
    (tmp_path / "linked/.git").symlink_to(other / ".git")
    (tmp_path / "pointing/.git").write_text(f"gitdir: {other}/.git\n")
    for name in ("linked", "pointing"):
        with desk_on(tmp_path / name, tmp_path / f"data-{name}") as desk:
            desk.index()
            assert desk.places("here") == {"here.py:1"}
            with pytest.raises(Failure):
                desk.index("main")


def test_a_binary_that_becomes_text_of_the_same_size_is_indexed(tmp_path: Path) -> None:
    """BAD-BINARY-TURNS-TEXT: what a file was says nothing of what it is, in a commit as in the working tree."""
    text = b"def now_text():\n    pass\n"
    repo = odd_repo(tmp_path / "repo", {"odd.py": b"\0" * len(text)})
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "binary")
    git(repo, "branch", "copy")
    with desk_on(repo, tmp_path / "data") as desk:
        for ref in (None, "copy"):
            assert desk.index(ref).file_count == desk.index(ref).file_count == 1
            assert skipped(desk, ref) == {"binary": 1}
        old = os.stat(repo / "odd.py")
        (repo / "odd.py").write_bytes(text)
        os.utime(repo / "odd.py", ns=(old.st_atime_ns, old.st_mtime_ns))
        assert desk.engine.status(None, None).state.freshness == "stale"
        git(repo, "commit", "-q", "-a", "-m", "text")
        git(repo, "branch", "-f", "copy")
        for ref in (None, "copy"):
            desk.index(ref)
            assert desk.places("now_text", ref) == {"odd.py:1"}
            assert skipped(desk, ref) == {}
        assert project_of(desk).store.verify() == []
