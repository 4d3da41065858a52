"""First contact: an agent with the README's configuration on a repository never indexed gets an answer."""

import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.surfaces.conftest import Shell, environment, make_repository
from tests.surfaces.httpserver import serving
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import payload, until


class Stranger:
    """A client that knows nothing but the configuration of the README."""

    def __init__(self, shell: Shell, *words: str) -> None:
        command = [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(shell.cwd), *words]
        self.peer = Peer(command, shell.cwd, shell.env)
        self._ids = itertools.count(1)
        self.peer.open()

    def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        return payload(self.peer.call(next(self._ids), tool, **arguments))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    env = environment(tmp_path)
    del env["CODECOMPASS_INDEX_AUTO_INDEX"]
    return Shell(make_repository(tmp_path / "repo"), env)


@pytest.fixture
def strangers(shell: Shell) -> Iterator[list[Stranger]]:
    made: list[Stranger] = []
    yield made
    for one in made:
        one.peer.kill()


def test_the_first_question_leads_to_an_answer(shell: Shell, strangers: list[Stranger]) -> None:
    """FIRST-CONTACT: the server indexes its workspace by itself, and says so until it is done."""
    strangers.append(agent := Stranger(shell))
    first = agent.ask("search_code", query="rate limit")
    assert "error" not in first
    if not first["results"]:
        assert first["metadata"]["indexing_status"] == "indexing"
        assert first["metadata"]["result_completeness"] == "partial"
    found = until(lambda: agent.ask("search_code", query="rate limit"), lambda answer: bool(answer["results"]))
    assert found["metadata"]["indexing_status"] == "ready"
    assert agent.ask("index_status")["metadata"]["schema_status"] == "compatible"


@pytest.mark.parametrize("first", ["the server", "a command"])
def test_an_index_that_is_removed_is_made_again(shell: Shell, strangers: list[Stranger], first: str) -> None:
    """FIRST-CONTACT: whoever made it; a server that runs while it is cleaned need not be restarted."""
    if first == "a command":
        assert shell.run("index").returncode == 0
    strangers.append(agent := Stranger(shell))
    for _ in range(2):
        found = until(lambda: agent.ask("search_code", query="rate limit"), lambda answer: bool(answer["results"]))
        assert found["metadata"]["indexing_status"] == "ready"
        done = shell.run("care", "clean", "--yes")
        assert done.returncode == 0, done.stderr


def test_the_index_is_built_while_the_server_still_loads(shell: Shell) -> None:
    """FIRST-CONTACT: the job starts before the packages of the protocol are imported, which takes as long."""
    env = shell.env | {"PYTHONPROFILEIMPORTTIME": "1"}
    command = [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(shell.cwd)]
    done = subprocess.run(command, cwd=shell.cwd, env=env, input="", capture_output=True, text=True, check=False)
    names = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert names.index("codecompass.engine.jobs.first_index") < names.index("mcp_types")


def test_a_job_of_a_server_yields_to_the_server() -> None:
    """FIRST-CONTACT: the index is built beside a server that starts, and must not delay its first answer."""
    script = (
        "import os; from codecompass import composition, settings; before = os.nice(0);"
        "composition.prepare_process(settings.load_settings(), in_background=True); print(os.nice(0) - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 0


def test_it_can_be_turned_off(shell: Shell, strangers: list[Stranger]) -> None:
    """FIRST-CONTACT: with --no-auto-index nothing is registered."""
    strangers.append(agent := Stranger(shell, "--no-auto-index"))
    assert agent.ask("search_code", query="rate limit")["error"]["code"] == "project_not_found"


@pytest.mark.parametrize("kind", ["home", "plain"])
def test_a_home_or_a_plain_directory_is_left_alone(
    shell: Shell, tmp_path: Path, strangers: list[Stranger], kind: str
) -> None:
    """FIRST-CONTACT: neither a home directory, be it a repository, nor a directory without a manifest is indexed."""
    place = shell.cwd if kind == "home" else tmp_path / "plain"
    place.mkdir(exist_ok=True)
    (place / "note.py").write_text("x = 1\n")
    env = shell.env | ({"HOME": str(place)} if kind == "home" else {})
    strangers.append(agent := Stranger(Shell(place, env)))
    assert agent.ask("search_code", query="note")["error"]["code"] == "project_not_found"


def test_a_manifest_is_enough(shell: Shell, tmp_path: Path, strangers: list[Stranger]) -> None:
    """FIRST-CONTACT: a directory without git that holds a project manifest is indexed."""
    place = tmp_path / "plain"
    place.mkdir()
    (place / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    (place / "shop.py").write_text("def open_shop():\n    return 1\n")
    strangers.append(agent := Stranger(Shell(place, shell.env)))
    until(lambda: agent.ask("locate_symbol", name="open_shop"), lambda answer: bool(answer.get("results")))


@pytest.mark.parametrize("tool", ["index_repo", "build_index", "bootstrap"])
def test_a_call_that_indexes_registers(shell: Shell, strangers: list[Stranger], tool: str) -> None:
    """FIRST-CONTACT-JOBS: over MCP, without a step before it; sync_repo and questions register nothing."""
    strangers.append(agent := Stranger(shell, "--no-auto-index"))
    for other in ("search_code", "sync_repo"):
        arguments = {"query": "rate limit"} if other == "search_code" else {}
        assert agent.ask(other, **arguments)["error"]["code"] == "project_not_found"
    done = agent.peer.call(99, tool)
    assert not done["result"]["isError"], done
    found = until(lambda: agent.ask("search_code", query="rate limit"), lambda answer: bool(answer["results"]))
    assert "error" not in found


def test_only_inside_the_allowed_roots(shell: Shell, tmp_path: Path, strangers: list[Stranger]) -> None:
    """FIRST-CONTACT-JOBS: a directory outside the roots is refused; one inside is registered when it is named."""
    inside, outside = make_repository(tmp_path / "roots" / "inside"), make_repository(tmp_path / "outside")
    strangers.append(agent := Stranger(shell, "--allowed-root", str(tmp_path / "roots")))
    assert agent.ask("index_repo", workspace=str(outside))["error"]["code"] == "workspace_not_allowed"
    question = {"query": "rate limit", "workspace": str(inside)}
    assert agent.ask("search_code", **question)["error"]["code"] == "workspace_not_registered"
    assert "job_id" in agent.ask("index_repo", workspace=str(inside))
    until(lambda: agent.ask("search_code", **question), lambda answer: bool(answer["results"]))


def test_a_call_over_http_registers(shell: Shell) -> None:
    """FIRST-CONTACT-JOBS: over HTTP too, for a client with the token."""
    with serving(shell, "--no-auto-index") as server:

        def ask(tool: str, **arguments: object) -> httpx2.Response:
            return httpx2.post(f"{server.url}/tools/{tool}", json=arguments, headers=server.auth)

        assert ask("search_code", query="rate limit").status_code == 404
        assert ask("index_repo").status_code == 200
        assert until(lambda: ask("search_code", query="rate limit"), lambda answer: answer.status_code == 200)
