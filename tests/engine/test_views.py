"""Views: every answer belongs to one ref, and a second ref costs only what it does not share."""

import os
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.store.ports import Store
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

FILES = {
    "src/auth/token.py": "def validate_token(token):\n    return check(token)\n",
    "src/auth/session.py": "class Session:\n    def open(self):\n        return validate_token(self.token)\n",
    "README.md": "# Sample\n\nTokens are validated before a session opens.\n",
}


def blobs(desk: Desk) -> int:
    """Rows of the blob table: what was parsed so far."""
    with desk.engine._projects.open_for_query(None).store.pin() as snapshot:
        return len({entry.blob for view in snapshot.views() for entry in snapshot.entries(view).values()})


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", FILES)


def test_live_holds_uncommitted_edits(repo: Path, tmp_path: Path) -> None:
    """VIEW-LIVE: the working tree is indexed as it lies on disk, uncommitted and untracked files included."""
    (repo / "src/auth/token.py").write_text("\n\ndef validate_token(token):\n    return True\n")
    (repo / "src/new.py").write_text("def brand_new():\n    pass\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.places("validate_token") == {"src/auth/token.py:3"}
        assert desk.places("brand_new") == {"src/new.py:1"}


def test_a_commit_is_read_from_the_object_database(repo: Path, tmp_path: Path) -> None:
    """VIEW-REFS: branch, tag and commit are indexed without touching the working tree."""
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "v1")
    commit(repo, {"src/auth/token.py": "def check_token(token):\n    return 1\n"})
    git(repo, "branch", "old", "v1")
    (repo / "src/auth/token.py").write_text("def edited():\n    pass\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        for ref in ("old", "v1", first, first[:10], "HEAD"):
            desk.index(ref)
        assert desk.places("edited") == {"src/auth/token.py:1"}
        assert desk.places("edited", "HEAD") == set()
        assert desk.places("check_token", "HEAD") == {"src/auth/token.py:1"}
        for ref in ("old", "v1", first, first[:10]):
            assert desk.places("validate_token", ref) == {"src/auth/token.py:1"}
            assert desk.places("check_token", ref) == set()
    assert git(repo, "status", "--porcelain") == "M src/auth/token.py"


def test_the_checked_out_branch_is_the_working_tree(repo: Path, tmp_path: Path) -> None:
    """VIEW-DEFAULT-REF: no ref, the current branch's name and `live` give one answer; the name is reported."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.places("Session") == desk.places("Session", "main") == desk.places("Session", "live")
        assert desk.locate("Session").state.ref == "main"


def test_a_branch_with_the_same_files_parses_nothing(repo: Path, tmp_path: Path) -> None:
    """VIEW-SHARED-BLOBS: equal content is parsed once, in whatever branch or path it appears."""
    git(repo, "branch", "twin")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        before = blobs(desk)
        desk.index("twin")
        assert blobs(desk) == before
        assert desk.places("Session", "twin") == {"src/auth/session.py:1"}


def test_a_rename_costs_nothing(repo: Path, tmp_path: Path) -> None:
    """VIEW-SHARED-BLOBS: a moved file keeps its blob; its qualified name follows the path."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        before = blobs(desk)
        (repo / "src/auth/token.py").rename(repo / "src/tokens.py")
        desk.index()
        assert blobs(desk) == before
        (hit,) = desk.locate("validate_token").hits
        assert (hit.path, hit.qualified_name) == ("src/tokens.py", "tokens.validate_token")


def test_a_deleted_file_does_not_come_back(repo: Path, tmp_path: Path) -> None:
    """VIEW-DELETED: neither symbols nor text of a deleted file are found."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        (repo / "src/auth/session.py").unlink()
        desk.index()
        assert desk.places("Session") == set()
        assert "src/auth/session.py" not in desk.paths("Session open token")


def test_two_mains_are_two_symbols(tmp_path: Path) -> None:
    """SYM-QUALIFIED: equal names in two files are two symbols with two identities."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def main():\n    pass\n", "b.py": "def main():\n    pass\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        hits = desk.locate("main").hits
        assert [hit.qualified_name for hit in hits] == ["a.main", "b.main"]
        assert len({hit.symbol_id for hit in hits}) == len({hit.symbol_stable_id for hit in hits}) == 2


def test_a_plain_directory_is_live(tmp_path: Path) -> None:
    """VIEW-NO-GIT: a directory that is no repository works, under the ref `live`."""
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "tool.rb").write_text("def greet\n  puts 'hi'\nend\n")
    with desk_on(plain, tmp_path / "data") as desk:
        desk.index()
        assert desk.locate("greet").state.ref == "live"
        assert desk.places("greet") == {"tool.rb:1"}
        with pytest.raises(Failure) as caught:
            desk.index("main")
        assert caught.value.code == "REF_NOT_INDEXED"


def test_a_repository_without_commits(tmp_path: Path) -> None:
    """VIEW-UNBORN: an unborn branch is indexed from the working tree."""
    repo = make_repo(tmp_path / "repo")
    (repo / "x.go").write_text("package x\n\nfunc Run() {}\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.places("Run") == {"x.go:3"}
        assert desk.locate("Run").state.freshness == "fresh"


def test_a_detached_head(repo: Path, tmp_path: Path) -> None:
    """VIEW-DETACHED: without a branch the working tree answers as `live`."""
    git(repo, "checkout", "-q", "--detach")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.locate("Session").state.ref == "live"
        assert desk.places("Session") == {"src/auth/session.py:1"}


def test_a_ref_that_was_not_indexed_is_an_error(repo: Path, tmp_path: Path) -> None:
    """VIEW-REFS: another branch's answer is never given in place of a missing one."""
    git(repo, "branch", "other")
    commit(repo, {"src/more.py": "def more():\n    pass\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        with pytest.raises(Failure) as caught:
            desk.locate("Session", "other")
        assert caught.value.code == "REF_NOT_INDEXED"


def test_worktrees_share_an_index_but_not_a_view(repo: Path, tmp_path: Path) -> None:
    """VIEW-WORKTREES: two worktrees of one repository have one store and each its own live view."""
    git(repo, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "feature"))
    (tmp_path / "feature/src/auth/token.py").write_text("def validate_feature():\n    pass\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
    with desk_on(tmp_path / "feature", tmp_path / "data") as desk:
        desk.index()
        assert desk.places("validate_feature") == {"src/auth/token.py:1"}
        assert len(list((tmp_path / "data/projects").iterdir())) == 1
    with desk_on(repo, tmp_path / "data") as desk:
        assert desk.places("validate_feature") == set()
        assert desk.places("validate_token") == {"src/auth/token.py:1"}


def test_nothing_changed_publishes_nothing(repo: Path, tmp_path: Path) -> None:
    """SYNC-INCREMENTAL: a sync without changes leaves the generation alone."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        first = desk.locate("Session").state.generation
        again = desk.index()
        assert again.changed_files == 0
        assert desk.locate("Session").state.generation == first


def test_force_parses_everything_again(repo: Path, tmp_path: Path) -> None:
    """SYNC-FORCE: a forced run makes new blobs and answers the same."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        job = desk.index(force=True)
        assert (job.mode, job.changed_files) == ("full", len(FILES))
        assert desk.places("Session") == {"src/auth/session.py:1"}


def test_files_younger_than_the_clock_are_read_once_more_and_then_trusted(repo: Path, tmp_path: Path) -> None:
    """SYNC-INCREMENTAL: a file written in the moment of the scan is read again at the next sync, not at every one."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        views = [desk.engine._projects.open_for_query(None).store]
        before = scanned(views[0])
        desk.index()
        assert scanned(views[0]) > before
        for path in repo.rglob("*.*"):
            if path.is_file() and ".git" not in path.parts:
                os.utime(path, (path.stat().st_atime - 60, path.stat().st_mtime - 60))
        desk.index()
        settled = scanned(views[0])
        desk.index()
        assert scanned(views[0]) == settled


def scanned(store: Store) -> int:
    with store.pin() as snapshot:
        return snapshot.views()[0].scanned_ns
