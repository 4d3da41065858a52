"""Places for tests of care: repositories with one data directory, and processes that die where they are told to."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from codecompass.store.embedded.databases.sqlite_connection import open_database
from codecompass.store.embedded.embedded_store import EmbeddedStore
from codecompass.store.ports import Owner
from tests.engine.killed_index import arm
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

ME = Owner(os.getpid(), "", "test")
FILES = {f"pkg/mod{number}.py": f"def stays_{number}():\n    return {number}\n" for number in range(8)} | {
    "README.md": "# Shop\n\nHow the basket is made.\n"
}


def repo_with(path: Path, files: dict[str, str] | None = None) -> Path:
    return make_repo(path, files or FILES)


@contextmanager
def indexed(repo: Path, data: Path) -> Iterator[Desk]:
    with desk_on(repo, data) as desk:
        desk.index()
        yield desk


def store_of(desk: Desk) -> EmbeddedStore:
    """The store of the desk's own project."""
    found = desk.engine._projects.get_registered(None).store
    assert isinstance(found, EmbeddedStore)
    return found


def answers(desk: Desk) -> dict[str, object]:
    """What a client sees."""
    names = {f"stays_{number}": sorted(desk.places(f"stays_{number}")) for number in (0, 3, 7)}
    return {**names, "text": sorted({hit.path for hit in desk.search("basket made").hits})}


def all_rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, as SQLite itself gives them."""
    connection = open_database(path, write=False)
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    found = {str(name): list(connection.execute(f'SELECT * FROM "{name}"')) for (name,) in list(names)}
    connection.close()
    return found


def waste(path: Path, kilobytes: int = 600) -> None:
    """Leave free pages in a database, as rows that came and went do."""
    connection = open_database(path, write=True)
    connection.execute("INSERT INTO renditions VALUES (999999, zeroblob(?))", (kilobytes * 1024,))
    connection.execute("DELETE FROM renditions WHERE blob = 999999")
    connection.pragma("wal_checkpoint", "truncate")
    connection.close()


def flip(path: Path, at: int) -> None:
    """Turn one bit of a file."""
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def dies(point: str, work: Callable[[], object]) -> None:
    """Do something in a child that is killed, hard, at a named point."""
    child = os.fork()
    if child == 0:
        try:
            arm(point)
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, f"{point} was never reached"
