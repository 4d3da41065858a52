"""History as it is asked for: one file of a view, its uncommitted edits, and the authors of its lines."""

from pathlib import Path

import pytest

from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.history_facts import NOT_COMMITTED, FileHistory, HistoryAnswer, LineAuthors
from codecompass.repo.git.object_reader import ShadowGit
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import git, make_repo
from tests.repo.story import Story, lines


def ask(desk: Desk, path: str, wanted: tuple[int, int] | None = None, ref: str | None = None) -> HistoryAnswer:
    return desk.engine.history(None, path, ref, wanted, Call())


def file(desk: Desk, path: str, ref: str | None = None) -> FileHistory:
    return ask(desk, path, ref=ref).file


def shares(desk: Desk, path: str, first: int, last: int, ref: str | None = None) -> dict[str, int]:
    found = ask(desk, path, (first, last), ref).lines
    assert isinstance(found, LineAuthors) and not found.reason
    return {row.author: row.lines for row in found.authors}


@pytest.fixture
def told(tmp_path: Path) -> Story:
    """A file by three people, renamed on the way, and one that nobody touched since."""
    story = Story(tmp_path / "repo")
    story.commit({"old.py": lines(6), "still.py": "x = 1\n"}, "Ada Lovelace")
    story.commit({"old.py": lines(6) + "y = 2\n"}, "Grace Hopper")
    story.commit({"old.py": None, "new.py": "z = 3\n" + lines(6) + "y = 2\n"}, "Edsger Dijkstra")
    return story


def test_what_is_told_of_a_file(told: Story, tmp_path: Path) -> None:
    """GIT-FILE: last commit with author and date, churn over the window, former names; all from the view's commit."""
    hashes = told.write()
    with desk_on(told.path, tmp_path / "data") as desk:
        desk.index()
        found = file(desk, "new.py")
        assert found.last is not None and (found.last.id, found.last.author) == (hashes[3], "Edsger Dijkstra")
        assert found.last.date == git(told.path, "log", "-1", "--format=%aI")
        assert (found.commits, found.window, found.added, found.deleted, found.churn) == (3, 10, 8, 0, 8)
        assert (found.history, found.uncommitted, found.former_names) == ("complete", False, ("old.py",))
        still = file(desk, "still.py")
        assert still.last is not None and (still.last.id, still.churn) == (hashes[1], 1)
        git(told.path, "branch", "side", hashes[2])
        desk.index("side")
        other = file(desk, "old.py", "side")
        assert other.last is not None and (other.last.author, other.commits) == ("Grace Hopper", 2)
        with pytest.raises(Failure) as caught:
            file(desk, "old.py")
        assert caught.value.code == "FILE_NOT_FOUND"


def test_authors_of_lines(told: Story, tmp_path: Path) -> None:
    """GIT-LINES: who wrote a range of lines, with counts and the newest date; asked once, kept for the next time."""
    told.write()
    with desk_on(told.path, tmp_path / "data") as desk:
        desk.index()
        assert shares(desk, "new.py", 1, 8) == {"Ada Lovelace": 6, "Edsger Dijkstra": 1, "Grace Hopper": 1}
        assert shares(desk, "new.py", 8, 8) == {"Grace Hopper": 1}
        found = ask(desk, "new.py", (1, 99)).lines
        assert found is not None and found.end == 8
        assert [row.author for row in found.authors][0] == "Ada Lovelace"
        assert found.authors[0].latest == git(told.path, "log", "-1", "--format=%aI", "HEAD~2")
        assert shares(desk, "new.py", 50, 60) == {}


def test_uncommitted_edits(told: Story, tmp_path: Path) -> None:
    """GIT-UNCOMMITTED: edits stand beside the last commit; their lines are nobody's yet, the others stay."""
    told.write()
    with desk_on(told.path, tmp_path / "data") as desk:
        desk.index()
        target = told.path / "new.py"
        target.write_text(target.read_text().replace("y = 2\n", "mine = 1\ny = 2\nlast = 4\n"))
        (told.path / "fresh.py").write_text("a = 1\nb = 2\n")
        seen = file(desk, "new.py")
        assert seen.uncommitted and seen.last is not None and seen.last.author == "Edsger Dijkstra"
        desk.index()
        assert file(desk, "new.py").uncommitted and not file(desk, "still.py").uncommitted
        expected = {"Ada Lovelace": 6, "Edsger Dijkstra": 1, "Grace Hopper": 1, NOT_COMMITTED: 2}
        assert shares(desk, "new.py", 1, 10) == expected
        assert shares(desk, "new.py", 8, 8) == {NOT_COMMITTED: 1}
        assert shares(desk, "new.py", 9, 9) == {"Grace Hopper": 1}
        new = file(desk, "fresh.py")
        assert new.uncommitted and new.last is None and shares(desk, "fresh.py", 1, 2) == {NOT_COMMITTED: 2}
        # A checkout with other line ends, and an edit taken back, are no edits.
        target.write_bytes(git(told.path, "show", "HEAD:new.py").replace("\n", "\r\n").encode() + b"\r\n")
        (told.path / "still.py").write_text("x = 1\n")
        assert not file(desk, "new.py").uncommitted and not file(desk, "still.py").uncommitted
        assert shares(desk, "new.py", 1, 8) == {"Ada Lovelace": 6, "Edsger Dijkstra": 1, "Grace Hopper": 1}


def test_odd_names_and_a_detached_head(tmp_path: Path) -> None:
    """GIT-FILE: names with line breaks and bytes that are no text; a commit checked out without a branch."""
    story = Story(tmp_path / "repo")
    story.commit({"a\nb\udcff.py": "x = 1\n"}, "Ada")
    story.commit({"plain.py": "y = 1\n"}, "Grace")
    hashes = story.write()
    git(story.path, "checkout", "-q", "--detach", hashes[1])
    with desk_on(story.path, tmp_path / "data") as desk:
        desk.index()
        found = file(desk, "a\nb\udcff.py")
        assert found.last is not None and (found.last.author, found.churn) == ("Ada", 1)
        assert shares(desk, "a\nb\udcff.py", 1, 1) == {"Ada": 1}


def test_shallow_lines_have_no_author(tmp_path: Path) -> None:
    """GIT-SHALLOW: lines from before the border are unknown until the history is there."""
    story = Story(tmp_path / "origin")
    story.commit({"a.py": lines(3)}, "Ada")
    story.commit({"b.py": "x = 1\n"}, "Grace")
    story.commit({"a.py": lines(3) + "new = 1\n"}, "Edsger")
    story.write()
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{story.path}", str(tmp_path / "repo"))
    with desk_on(tmp_path / "repo", tmp_path / "data") as desk:
        desk.index()
        assert shares(desk, "a.py", 1, 4) == {"unknown": 3, "Edsger": 1}
        assert file(desk, "b.py").last is None and file(desk, "b.py").history == "shallow"
        git(tmp_path / "repo", "fetch", "-q", "--unshallow")
        assert shares(desk, "a.py", 1, 4) == {"Ada": 3, "Edsger": 1}


def test_without_git_there_is_a_word(tmp_path: Path) -> None:
    """GIT-NONE: no repository, no commit, no program: the answer says so and nothing fails."""
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("x = 1\n")
    unborn = make_repo(tmp_path / "unborn")
    (unborn / "a.py").write_text("x = 1\n")
    for number, repo in enumerate((plain, unborn)):
        with desk_on(repo, tmp_path / f"data{number}") as desk:
            desk.index()
            found = ask(desk, "a.py", (1, 1))
            assert found.file.git == "none" and found.file.reason and found.file.last is None
            assert found.lines is not None and found.lines.git == "none" and not found.lines.authors


def test_without_the_program_or_the_commit(tmp_path: Path) -> None:
    """GIT-NONE: a git that cannot be started and a commit that is gone are reasons, not errors."""
    repo = make_repo(tmp_path / "repo", {"a.py": "x = 1\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        project = desk.engine._projects.open_for_query(None)
        commit = git(repo, "rev-parse", "HEAD")
        (repo / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
        assert "missing" in file(desk, "a.py").reason

        def lost() -> ShadowGit:
            assert project.workspace.git is not None
            return ShadowGit(project.workspace.git, tmp_path / "other", search_path=["/nonexistent"])

        project.historian._git = lost
        assert "not installed" in file(desk, "a.py").reason


def test_every_file_of_a_view_at_once(told: Story, tmp_path: Path) -> None:
    """GIT-FILE: filters ask for all files of a view; only those that were counted have churn."""
    told.write()
    with desk_on(told.path, tmp_path / "data") as desk:
        desk.index()
        project: Project = desk.engine._projects.open_for_query(None)
        with project.open_view("live") as view:
            history: ViewHistory = project.history(view, Call())
            assert history.git == "ok"
            found = {path: history.file_history(path) for path in view.entries}
            assert {path: one.churn for path, one in found.items()} == {"new.py": None, "still.py": None}
            history.count_changes(view.entries)
            assert {path: history.file_history(path).churn for path in view.entries} == {"new.py": 8, "still.py": 1}
            assert not any(one.uncommitted for one in found.values())


def test_a_cancelled_question_ends(told: Story, tmp_path: Path) -> None:
    """GIT-BOUNDED: a call that was given up ends instead of answering."""
    told.write()
    with desk_on(told.path, tmp_path / "data") as desk:
        desk.index()
        call = Call()
        call.cancelled.set()
        with pytest.raises(Failure) as caught:
            desk.engine.history(None, "new.py", None, None, call)
        assert caught.value.code == "CANCELLED"
