"""The portable file: any SQLite reads it, it is whole or not there, and it goes only where it may."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.store.ports import Owner
from tests.architecture.source import ROOT
from tests.engine.search.small_repo import FILES
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

MORE = {
    "docs/guide.md": "# Guide\n\nHow the basket is filled.\n",
    "copy/one.py": "def twin():\n    '''Stands at two paths.'''\n    return 1\n",
    "copy/two.py": "def twin():\n    '''Stands at two paths.'''\n    return 1\n",
    "src/odd.py": (
        "import os.path\n\n\n@cached\nasync def größe_von(name: str, depth=3) -> int:\n"
        "    '''The size of a thing.'''\n    for one in walk(name):\n        if one:\n            await close(one)\n"
        "    return os.path.getsize(name)\n"
    ),
}
POINTS = [
    "store.portable.portable_writer:_create:after:1",
    "store.portable.portable_writer:PortableWriter.add:after:1",
    "store.portable.portable_writer:PortableWriter.add:after:5",
    "store.portable.portable_writer:PortableWriter.finish:before:1",
    "store.portable.portable_writer:_check:before:1",
    "store.portable.portable_writer:_check:after:1",
    "atomic:sync_file:after:1",
    "atomic:sync_directory:after:1",
    "store.portable.portable_writer:PortableWriter.finish:after:1",
]


def build(desk: Desk, **order: object) -> PortableReport:
    return desk.engine.build_portable(None, PortableBuildRequest(**order), Call())  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("portable")


@pytest.fixture(scope="module")
def desk(home: Path) -> Iterator[Desk]:
    """One index for all; a test that changes files changes them back."""
    with desk_on(make_repo(home / "repo", FILES | MORE), home / "data") as found:
        found.index()
        yield found


def ask(path: str | Path, query: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(query, values).fetchall()


def test_any_sqlite_reads_it(desk: Desk) -> None:
    """SQL-FILE: the SQLite of the standard library finds chunks by words, with path, lines, kind, name and facts."""
    made = build(desk)
    assert made.built and made.fresh and made.bytes == os.path.getsize(made.path)
    assert ask(made.path, "PRAGMA integrity_check") == [("ok",)]
    found = ask(
        made.path,
        "SELECT path, start_line, kind, name, signature, doc, language, mode, facts FROM chunks WHERE id IN"
        " (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'getsize')",
    )
    [(path, line, kind, name, signature, doc, language, mode, facts)] = found
    assert (path, line, kind, name, language, mode) == ("src/odd.py", 1, "fn", "größe_von", "python", "code")
    assert "async def größe_von" in str(signature) and doc == "The size of a thing."
    known = json.loads(str(facts))
    assert [item["name"] for item in known["params"]] == ["name", "depth"] and known["returnType"] == "int"
    assert known["decorators"] == ["@cached"] and "async" in known["marks"] and "os.path.getsize" in known["calls"]
    assert known["controlFlow"]["loops"] == known["controlFlow"]["branches"] == 1 and known["imports"] == ["os.path"]


def test_words_are_whole_and_in_parts(desk: Desk) -> None:
    """SQL-FILE: an identifier is found whole, by its parts, and ranked by bm25 with its name first."""
    path = build(desk).path
    for word in ("computetotalprice", "compute AND total", "validate_token", "größe_von", "größe"):
        assert ask(path, "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", word), word
    assert not ask(path, "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", "omputetotal")
    assert ask(path, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'prose : thing'") == [(1,)]


def test_one_content_at_two_paths_is_kept_once(desk: Desk) -> None:
    """SQL-FILE: chunks has a row for each path, the tables below it one for each content."""
    path = build(desk).path
    rows = ask(path, "SELECT path, id FROM chunks WHERE name = 'twin' ORDER BY path")
    assert [row[0] for row in rows] == ["copy/one.py", "copy/two.py"] and rows[0][1] == rows[1][1]
    assert ask(path, "SELECT count(*) FROM symbols WHERE name = 'twin'") == [(1,)]
    assert ask(path, "SELECT count(*) FROM definitions WHERE name = 'twin'") == [(2,)]


def test_it_says_where_it_came_from(desk: Desk, home: Path) -> None:
    """SQL-FILE: meta has format, versions, generation, commit, ref and checksum; the checksum follows the contents."""
    made = build(desk)
    meta = {row[0]: row[1] for row in ask(made.path, "SELECT key, value FROM meta")}
    assert meta["commit"] == git(home / "repo", "rev-parse", "HEAD") and meta["generation"] == made.generation
    assert meta["ref"] == "main" and meta["tool_version"] and meta["vectors"] == 0 and meta["modes"]
    assert ask(made.path, "PRAGMA user_version") == [(2,)]
    assert made.files == len(FILES | MORE) == ask(made.path, "SELECT count(*) FROM files")[0][0]
    (home / "repo" / "src" / "new.py").write_text("def new():\n    pass\n")
    desk.index()
    again = {row[0]: row[1] for row in ask(build(desk).path, "SELECT key, value FROM meta")}
    assert again["checksum"] != meta["checksum"] and again["generation"] == made.generation + 1
    (home / "repo" / "src" / "new.py").unlink()
    desk.index()
    assert ask(build(desk).path, "SELECT value FROM meta WHERE key = 'checksum'") == [(meta["checksum"],)]


def test_modes_choose_files(desk: Desk) -> None:
    """SQL-FILE: only files of the modes asked for."""
    assert {row[0] for row in ask(build(desk).path, "SELECT DISTINCT mode FROM files")} == {"code", "prose"}
    made = build(desk, modes=("prose",))
    assert {row[0] for row in ask(made.path, "SELECT path FROM files")} >= {"docs/guide.md"}
    assert {row[0] for row in ask(made.path, "SELECT DISTINCT mode FROM files")} == {"prose"}


def test_a_current_file_is_kept(desk: Desk, home: Path) -> None:
    """SQL-INCREMENTAL: asked to, a build leaves a current file alone; other modes or contents make it anew."""
    first = build(desk)
    inode = os.stat(first.path).st_ino
    kept = build(desk, keep_current=True)
    assert not kept.built and kept.fresh and os.stat(first.path).st_ino == inode
    assert build(desk, keep_current=True, modes=("code",)).built
    assert build(desk, keep_current=True).built
    (home / "repo" / "src" / "odd.py").write_text("x = 1\n")
    desk.index()
    assert build(desk, keep_current=True).built
    git(home / "repo", "checkout", "-q", ".")
    desk.index()


def test_a_branch_is_read_from_git(desk: Desk, home: Path) -> None:
    """SQL-FILE: a view of a commit holds the commit's text, whatever the working tree says."""
    repo = home / "repo"
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {"src/side.py": "def only_on_side():\n    return 'sidemarker'\n"})
    git(repo, "checkout", "-q", "main")
    desk.index("side")
    made = build(desk, ref="side")
    assert made.ref == "side" and made.without_text == 0
    assert ask(made.path, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'sidemarker'") == [(1,)]


def test_what_was_edited_since_comes_from_git_or_is_counted(desk: Desk, home: Path) -> None:
    """SQL-FILE: the words are those that were indexed; bytes that are gone everywhere are counted, not guessed."""
    repo = home / "repo"
    (repo / "src" / "loose.py").write_text("def loose():\n    return 'loosemarker'\n")
    desk.index()
    (repo / "src" / "loose.py").write_text("def other():\n    pass\n")
    (repo / "src" / "odd.py").write_text("def other():\n    return 'othermarker'\n")
    made = build(desk)
    assert made.without_text == 1
    count = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    assert ask(made.path, count, "getsize") == [(1,)], "the committed bytes"
    assert ask(made.path, count, "othermarker") == ask(made.path, count, "loosemarker") == [(0,)]
    assert ask(made.path, "SELECT count(*) FROM definitions WHERE name = 'loose'") == [(1,)]
    (repo / "src" / "loose.py").unlink()
    git(repo, "checkout", "-q", ".")
    desk.index()


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_instant(desk: Desk, home: Path, point: str) -> None:
    """SQL-CRASH: the old file stays as it was, or the new one is whole; the next build leaves nothing lying about."""
    old = build(desk, modes=("prose",))
    before = Path(old.path).read_bytes()
    argv = [sys.executable, "-m", "tests.store.building", str(home / "repo"), str(home / "data"), point]
    died = subprocess.run(argv, cwd=ROOT, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    assert ask(old.path, "PRAGMA integrity_check") == [("ok",)]
    renamed = point.endswith(("sync_directory:after:1", "finish:after:1"))
    assert ask(old.path, "SELECT count(*) FROM definitions WHERE name = 'twin'") == [(2 * renamed,)]
    assert (Path(old.path).read_bytes() == before) is not renamed
    assert build(desk).fresh
    assert {path.name for path in Path(old.path).parent.iterdir()} == {"index.sqlite", "lock"}


def test_cancelled_it_leaves_the_old_file(desk: Desk) -> None:
    """SQL-CRASH: a cancelled build stops at the next file, tells how far it was, and leaves nothing behind."""
    made = build(desk)
    before = Path(made.path).read_bytes()
    cancelled, heard = Event(), []

    def hear(progress: Progress) -> None:
        heard.append(progress)
        if progress.done == 3:
            cancelled.set()

    with pytest.raises(Failure) as caught:
        desk.engine.build_portable(None, PortableBuildRequest(), Call(cancelled=cancelled, report=hear))
    assert caught.value.code == "CANCELLED" and heard[-1].done == 3 < heard[-1].total
    assert Path(made.path).read_bytes() == before
    assert {path.name for path in Path(made.path).parent.iterdir()} == {"index.sqlite", "lock"}
    assert build(desk).fresh, "and the lock is free"


def test_one_build_at_a_time(desk: Desk) -> None:
    """SQL-CRASH: a second builder is refused while the first is at work."""
    writer = desk.engine._projects.open_for_query(None).store.portable.open_writer(Owner(os.getpid(), "", "first"))
    try:
        with pytest.raises(Failure) as caught:
            build(desk)
        assert caught.value.code == "INDEX_IN_PROGRESS"
    finally:
        writer.close()
    assert build(desk).fresh


def test_a_copy_goes_where_it_may(desk: Desk, home: Path) -> None:
    """SQL-OUT: into the workspace, again over a file of ours, and the project's own file is not touched."""
    own = os.stat(build(desk).path).st_ino
    made = build(desk, out="copy/export.sqlite")
    assert made.path == str(home / "repo" / "copy" / "export.sqlite")
    assert ask(made.path, "SELECT count(*) FROM files")[0][0] == len(FILES | MORE)
    assert build(desk, out=made.path).built and os.stat(desk.engine.portable(None).path).st_ino == own
    os.unlink(made.path)


def test_a_copy_goes_nowhere_else(desk: Desk, home: Path) -> None:
    """SQL-OUT: not outside the allowed roots, not over a file that is not ours, not through a link, not into .git."""
    repo = home / "repo"
    (repo / "mine.db").write_bytes(b"precious")
    (repo / "away").symlink_to(home)
    (repo / "link.sqlite").symlink_to(repo / "mine.db")
    refused = {
        "../out.sqlite": "FORBIDDEN", str(home / "out.sqlite"): "FORBIDDEN", "away/out.sqlite": "FORBIDDEN",
        "mine.db": "INVALID_REQUEST", "link.sqlite": "INVALID_REQUEST", ".git/out.sqlite": "FORBIDDEN",
        "none/out.sqlite": "INVALID_REQUEST", "src/odd.py": "INVALID_REQUEST", "a\0.sqlite": "INVALID_REQUEST",
    }  # fmt: skip
    for out, code in refused.items():
        with pytest.raises(Failure) as caught:
            build(desk, out=out)
        assert caught.value.code == code, out
    assert (repo / "mine.db").read_bytes() == b"precious" and not (home / "out.sqlite").exists()
    assert not list(repo.glob(".*building*"))


def test_without_an_index_there_is_nothing_to_write(tmp_path: Path) -> None:
    """SQL-FILE: NO_INDEX before anything was indexed, and no file."""
    with desk_on(make_repo(tmp_path / "repo", FILES), tmp_path / "data") as desk:
        desk.engine.init(str(tmp_path / "repo"))
        with pytest.raises(Failure) as caught:
            build(desk)
        assert caught.value.code == "NO_INDEX" and not desk.engine.portable(None).exists
