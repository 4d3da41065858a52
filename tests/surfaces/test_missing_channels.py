"""Channels of search that are damaged or missing, from outside: named, and back without a word from the user."""

import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.sqlite_connection import open_database
from tests.repo.gitrepo import git, make_repo
from tests.store.textlab import FILES, QUESTION, add_strays, damage, generations, text_bytes, write_version
from tests.surfaces.conftest import Shell, environment
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import payload, until

MEANING = "Search by meaning"
BACK_S = 60.0


def delete(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Bytes in the middle of every page but the first."""
    data = bytearray(path.read_bytes())
    for at in range(4096 + 2000, len(data), 4096):
        data[at] ^= 0xFF
    path.write_bytes(bytes(data))


HARMS: dict[str, Callable[[Path], None]] = {"deleted": delete, "emptied": empty, "truncated": truncate, "flipped": flip}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    repo = make_repo(tmp_path / "repo")
    write_version(repo, 0)
    found = Shell(repo, environment(tmp_path))
    done = found.run("index")
    assert done.returncode == 0, done.stderr
    return found


def home_of(shell: Shell) -> Path:
    (found,) = (Path(shell.env["CODECOMPASS_STORAGE_DATA_DIR"]) / "projects").iterdir()
    return found


def search(shell: Shell) -> dict[str, Any]:
    done = shell.run("search", QUESTION, "--json", "--limit", "100")
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def warnings(answer: dict[str, Any]) -> list[str]:
    found: list[str] = answer["metadata"].get("warnings", [])
    return found


def tool(shell: Shell, name: str, **arguments: object) -> dict[str, Any]:
    done = shell.run("tool", name, "--args-json", json.dumps(arguments))
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def doctor_line(shell: Shell, name: str) -> str:
    (found,) = [line for line in shell.run("doctor").stdout.splitlines() if name in line.split("  ")[0]]
    return found


class Server:
    """A running `serve-mcp` of one repository."""

    def __init__(self, shell: Shell) -> None:
        command = [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(shell.cwd)]
        self._peer = Peer(command, shell.cwd, shell.env)
        self._peer.open()
        self._ids = itertools.count(1)

    def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        return payload(self._peer.call(next(self._ids), tool, **arguments))

    def search(self) -> dict[str, Any]:
        return self.ask("search_code", query=QUESTION, limit=100)

    def close(self) -> None:
        self._peer.kill()


@pytest.fixture
def serve(shell: Shell) -> Iterator[Callable[[], Server]]:
    started: list[Server] = []

    def start() -> Server:
        started.append(Server(shell))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.mark.parametrize("harm", HARMS)
def test_vectors_lost_between_commands(shell: Shell, harm: str) -> None:
    """CHANNEL-NAMED, CHANNEL-BACK: every answer names the missing vectors, and the next sync makes them again."""
    before = search(shell)
    assert not warnings(before)
    HARMS[harm](home_of(shell) / "vectors.db")
    (note,) = warnings(search(shell))
    assert note.startswith(MEANING) and "codecompass sync" in note
    context = tool(shell, "get_code_context", query=QUESTION)
    assert any(one.startswith(MEANING) for one in warnings(context))
    first = before["results"][0]
    explained = tool(shell, "explain_ranking", query=QUESTION, path=first["path"], line=first["line_start"])
    assert any(one.startswith(MEANING) for one in warnings(explained))
    assert any(one.startswith(MEANING) for one in tool(shell, "search", query=QUESTION)["warnings"])
    by_words = tool(shell, "search", query=QUESTION, ann=False).get("warnings", [])
    assert not any(one.startswith(MEANING) for one in by_words)
    for name in ("health_check", "index_status"):
        answer = tool(shell, name)
        project = answer["projects"][0] if name == "health_check" else answer
        assert project["channels"]["meaning"]["status"] == "building"
    assert "0 of 60" in doctor_line(shell, "vectors")
    assert shell.run("sync").returncode == 0
    after = search(shell)
    assert not warnings(after) and after["results"] == before["results"]
    assert "60 of 60" in doctor_line(shell, "vectors")


@pytest.mark.parametrize("harm", HARMS)
def test_vectors_lost_under_a_server(shell: Shell, serve: Callable[[], Server], harm: str) -> None:
    """CHANNEL-NAMED, CHANNEL-BACK: a server names what is missing, makes it again behind its answers, and says so."""
    server = serve()
    before = until(server.search, lambda answer: not warnings(answer), BACK_S)
    HARMS[harm](home_of(shell) / "vectors.db")
    at_once = server.search()
    # What was loaded before may go on answering; then nothing is missing.
    assert at_once["results"] == before["results"] or any(note.startswith(MEANING) for note in warnings(at_once))
    after = until(server.search, lambda answer: not warnings(answer), BACK_S)
    assert after["results"] == before["results"]
    server.close()
    again = serve()
    found = until(again.search, lambda answer: not warnings(answer), BACK_S)
    assert found["results"] == before["results"]


def test_an_index_of_the_old_deletion_heals_by_the_command_line(shell: Shell) -> None:
    """TEXT-HEALS: answers come at once, the doctor names the sync, and the sync heals though no file changed."""
    home = home_of(shell)
    before, size = search(shell), text_bytes(home)
    damage(home, add_strays)
    assert text_bytes(home) > size
    found = search(shell)
    assert [one["path"] for one in found["results"]] == [one["path"] for one in before["results"]]
    assert found["total_candidates"] == before["total_candidates"]
    assert doctor_line(shell, "text index").startswith("✗")
    assert not tool(shell, "health_check")["tantivy_ok"]
    assert shell.run("sync").returncode == 0
    assert search(shell)["results"] == before["results"]
    assert doctor_line(shell, "text index").startswith("✓")
    assert tool(shell, "health_check")["tantivy_ok"]
    assert text_bytes(home) < 1.5 * size and len(generations(home)) == 1


def test_an_index_of_the_old_deletion_heals_under_a_server(shell: Shell, serve: Callable[[], Server]) -> None:
    """TEXT-HEALS: a server that opens it answers from the first question on, and heals it behind its answers."""
    home = home_of(shell)
    size = text_bytes(home)
    damage(home, add_strays)
    server = serve()
    first = server.search()
    assert {one["path"] for one in first["results"]} == {f"shop/part{number}.py" for number in range(FILES)}

    def words() -> dict[str, Any]:
        found: dict[str, Any] = server.ask("health_check")["projects"][0]["channels"]["words"]
        return found

    until(words, lambda found: found["status"] == "on" and not found["unknown_contents"], BACK_S)
    assert server.ask("health_check")["tantivy_ok"]
    assert len(server.search()["results"]) == len(first["results"])
    until(lambda: text_bytes(home), lambda found: found < 1.5 * size, BACK_S)


def test_an_index_of_another_version_is_made_anew_by_a_server(shell: Shell, serve: Callable[[], Server]) -> None:
    """TEXT-HEALS: where the format itself is another, a server makes the index anew without being told."""
    connection = open_database(home_of(shell) / "index.db", write=True)
    connection.pragma("user_version", INDEX_VERSION - 1)
    connection.close()
    server = serve()
    answer = until(server.search, lambda found: bool(found.get("results")), BACK_S)
    assert {one["path"] for one in answer["results"]} == {f"shop/part{number}.py" for number in range(FILES)}


def test_one_sync_brings_the_vectors_of_every_ref_back(shell: Shell) -> None:
    """CHANNEL-BACK: a damaged vector file is replaced as a whole, not for the synced view alone."""
    git(shell.cwd, "add", "-A")
    git(shell.cwd, "commit", "-qm", "These contents")
    git(shell.cwd, "switch", "-q", "-c", "other")
    write_version(shell.cwd, 1)
    git(shell.cwd, "commit", "-qam", "Other contents")
    git(shell.cwd, "switch", "-q", "main")
    assert shell.run("index", "--ref", "other").returncode == 0
    delete(home_of(shell) / "vectors.db")
    assert shell.run("sync").returncode == 0
    done = shell.run("search", QUESTION, "--json", "--ref", "other")
    assert not [line for line in warnings(json.loads(done.stdout)) if MEANING in line]
    assert "other refs" not in doctor_line(shell, "vectors")
