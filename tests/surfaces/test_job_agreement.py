"""Jobs as several tools and commands tell them, and calls that must not start one."""

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from codecompass.model.states import ActiveJobState, EndedJobState, JobMode
from tests.surfaces.conftest import Shell, environment, make_repository
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import until

JOB_STATES = {*get_args(ActiveJobState), *get_args(EndedJobState)}
QUERIES: dict[str, dict[str, object]] = {
    "search_code": {"query": "rate limit"},
    "locate_symbol": {"name": "rate_limit"},
    "find_references": {"name": "rate_limit"},
    "get_call_graph": {"name": "rate_limit"},
    "get_code_context": {"query": "rate limit"},
    "get_file_outline": {"path": "src/auth.py"},
}
"""Tools that take a freshness policy, with arguments that find something."""
SETTLE_S = 1.0
"""A background sync is started within a fraction of this."""

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    quiet = {"CODECOMPASS_INDEX_AUTO_SYNC": "false"}
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path) | quiet)
    assert shell.run("index").returncode == 0
    return shell


@pytest.fixture
def ask(shell: Shell, connect_in: Callable[[Shell], Peer]) -> Ask:
    client, ids = connect_in(shell), itertools.count(1)
    return lambda tool, **arguments: client.call(next(ids), tool, **arguments)["result"]["structuredContent"]


def list_jobs(shell: Shell) -> list[dict[str, Any]]:
    return list(json.loads(shell.run("jobs", "--json").stdout))


def test_tools_and_commands_tell_the_same_of_a_job(shell: Shell, ask: Ask) -> None:
    """JOBS-AGREE: mode and state of every job, and the state of the index, whoever is asked."""
    (shell.cwd / "src" / "more.py").write_text("def more(): ...\n")
    assert shell.run("sync").returncode == 0
    started = ask("sync_repo")
    assert started["mode"] in get_args(JobMode)
    status = until(lambda: ask("index_status"), lambda found: found["active_job"] is None)
    by_tool = {job["job_id"]: (job["mode"], job["status"], job["ref"]) for job in status["recent_jobs"]}
    by_command = {job["job_id"]: (job["mode"], job["status"], job["ref"]) for job in list_jobs(shell)}
    assert by_tool == by_command and len(by_tool) == 3
    assert by_tool[started["job_id"]][0] == started["mode"]
    assert {mode for mode, _, _ in by_tool.values()} == set(get_args(JobMode))
    assert {state for _, state, _ in by_tool.values()} <= JOB_STATES
    shown = shell.run("jobs").stdout.splitlines()
    assert {tuple(line.split()[:3]) for line in shown} == {(key, row[1], row[0]) for key, row in by_command.items()}
    states = {
        status["index_status"],
        ask("health_check")["projects"][0]["index_status"],
        ask("check_status")["projects"][0]["indexing"],
        json.loads(shell.run("status", "--json").stdout)["index_status"],
    }
    assert states == {"ready"}


def test_best_effort_starts_no_sync(shell: Shell, ask: Ask) -> None:
    """D4-FRESHNESS: a call with `best_effort` answers from the stale index and starts nothing; `balanced` does."""
    before = list_jobs(shell)
    (shell.cwd / "src" / "more.py").write_text("def more(): ...\n")
    for tool, arguments in QUERIES.items():
        answer = ask(tool, **arguments, freshness_policy="best_effort")
        assert answer["metadata"]["freshness_status"] == "stale", tool
    time.sleep(SETTLE_S)
    assert list_jobs(shell) == before
    ask("search_code", query="rate limit", freshness_policy="balanced")
    after = until(lambda: list_jobs(shell), lambda found: len(found) > len(before))
    assert after[0]["mode"] == "incremental"


@pytest.fixture
def connect_in() -> Iterator[Callable[[Shell], Peer]]:
    """Start servers that end with the test."""
    started: list[Peer] = []

    def connect(shell: Shell) -> Peer:
        client = Peer([sys.executable, "-m", "codecompass", "serve-mcp"], shell.cwd, shell.env)
        started.append(client)
        client.open()
        return client

    yield connect
    for client in started:
        client.kill()
