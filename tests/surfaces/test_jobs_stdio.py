"""index_repo, sync_repo, index_status and cancel_job over stdio, in the order in which an agent meets them."""

import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.repo.process.child_process import is_alive
from tests.surfaces.conftest import Shell, environment, git, make_repository
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import all_gone, family_of, kill_hard, payload, process_of, until, write_files

FILES = 1_000
"""Enough for several reports of progress, which come four times a second at most."""


class Agent:
    """A client that asks tools and looks at jobs."""

    def __init__(self, shell: Shell, *words: str) -> None:
        self.shell = shell
        self.data = Path(shell.env["CODECOMPASS_STORAGE_DATA_DIR"])
        self.peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp", *words], shell.cwd, shell.env)
        self._ids = itertools.count(1)
        self.peer.open()

    def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        return payload(self.peer.call(next(self._ids), tool, **arguments))

    def status(self, **arguments: object) -> dict[str, Any]:
        return self.ask("index_status", **arguments)

    def ended(self, job_id: str) -> dict[str, Any]:
        """The job in the history, once it is over."""
        jobs = until(
            lambda: [job for job in self.status()["recent_jobs"] if job["job_id"] == job_id],
            lambda found: bool(found) and found[0]["status"] not in ("queued", "running", "validating"),
        )
        return dict(jobs[0])

    def at_work(self, job_id: str) -> dict[str, Any]:
        """The active job, once it has done a part of its work."""
        return dict(until(lambda: self.status()["active_job"] or {}, lambda job: job.get("files_done", 0) > 0))


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    home = tmp_path_factory.mktemp("jobs")
    # What the tests want to see happen must not be done by somebody else first.
    quiet = {"CODECOMPASS_INDEX_AUTO_SYNC": "false", "CODECOMPASS_INDEX_WORKERS": "1"}
    shell = Shell(make_repository(home / "repo"), environment(home) | quiet)
    agent = Agent(shell)
    yield agent
    agent.peer.kill()


@pytest.fixture(scope="module")
def busy(agent: Agent) -> Agent:
    """The same with one published file and many to index."""
    assert agent.shell.run("index").returncode == 0
    write_files(agent.shell.cwd, FILES)
    return agent


def test_a_project_from_nothing(tmp_path: Path) -> None:
    """D3-INDEX-REPO-ERRORS, D3-INDEX-STATUS-ERRORS, D3-JOB-INPUT, D3-INDEX-REPO-OUTPUT, D3-SYNC-REPO-OUTPUT,
    D3-INDEX-STATUS-OUTPUT, D3-INDEX-STATUS-JOBS: unregistered, not indexed, indexed, synced ref by ref.
    """
    quiet = {"CODECOMPASS_INDEX_AUTO_SYNC": "false"}
    agent = Agent(Shell(make_repository(tmp_path / "repo"), environment(tmp_path) | quiet))
    try:
        unregistered(agent)
        arguments(agent)
        first_index(agent)
        other_refs(agent)
        history(agent)
    finally:
        agent.peer.kill()


def unregistered(agent: Agent) -> None:
    for tool in ("sync_repo", "index_status"):
        error = agent.ask(tool)["error"]
        assert error["code"] == "project_not_found" and "codecompass init" in error["data"]["suggestion"]
    assert agent.shell.run("init").returncode == 0


def arguments(agent: Agent) -> None:
    for tool in ("index_repo", "sync_repo"):
        for wrong in ({"force": "yes"}, {"ref": 7}, {"ref": ""}, {"ref": None}, {"path": "x"}):
            error = agent.ask(tool, **wrong)["error"]
            assert error["code"] == "invalid_input" and error["data"]["violations"]
    assert agent.ask("index_status", ref=1)["error"]["code"] == "invalid_input"
    assert agent.ask("index_repo", ref="no/such/ref")["error"]["code"] == "ref_not_indexed"
    assert agent.status()["recent_jobs"] == []


def first_index(agent: Agent) -> None:
    blank = agent.status()
    assert (blank["index_status"], blank["schema_status"], blank["active_job"]) == ("not_indexed", "not_indexed", None)
    assert blank["metadata"]["result_completeness"] == "partial"
    started = agent.ask("index_repo")
    assert set(started) == {"job_id", "status", "mode", "file_count", "metadata"}
    assert (started["status"], started["mode"], started["file_count"]) == ("running", "full", None)
    job = agent.ended(started["job_id"])
    assert set(job) == {"job_id", "ref", "mode", "status", "changed_files", "duration_ms", "created_at"}
    assert (job["ref"], job["mode"], job["status"], job["changed_files"]) == ("main", "full", "published", 1)
    status = agent.status()
    wanted = {
        "project_id", "repo_root", "index_status", "schema_status", "current_schema_version", "required_schema_version",
        "last_indexed_at", "ref", "file_count", "symbol_count", "active_job", "recent_jobs", "metadata",
    }  # fmt: skip
    assert wanted <= set(status)
    assert (status["index_status"], status["schema_status"], status["ref"]) == ("ready", "compatible", "main")
    assert (status["file_count"], status["symbol_count"], status["active_job"]) == (1, 3, None)
    assert status["repo_root"] == str(agent.shell.cwd) and status["last_indexed_at"].endswith("Z")
    assert status["current_schema_version"] == status["required_schema_version"]
    assert status["metadata"]["freshness_status"] == "fresh" and status["metadata"]["indexing_status"] == "ready"


def other_refs(agent: Agent) -> None:
    git(agent.shell.cwd, "branch", "feature")
    for ref, changed in (("feature", 0), ("live", 0), ("main", 0)):
        started = agent.ask("sync_repo", ref=ref)
        assert set(started) == {"job_id", "status", "mode", "changed_files", "metadata"}
        assert (started["status"], started["mode"], started["changed_files"]) == ("running", "incremental", None)
        assert started["metadata"]["ref"] == ref
        job = agent.ended(started["job_id"])
        assert (job["ref"], job["status"]) == (ref, "published") and job["changed_files"] >= changed
        shown = agent.status(ref=ref)
        assert shown["ref"] == ref and shown["recent_jobs"][0]["job_id"] == started["job_id"]
    forced = agent.ask("sync_repo", force=True)
    assert forced["mode"] == "full" and agent.ended(forced["job_id"])["changed_files"] == 1
    assert agent.ended(agent.ask("index_repo")["job_id"])["mode"] == "incremental"


def history(agent: Agent) -> None:
    jobs = agent.status()["recent_jobs"]
    times = [job["created_at"] for job in jobs]
    assert len(jobs) == 5 and times == sorted(times, reverse=True)


def test_a_large_job(busy: Agent) -> None:
    """D4-ACTIVE-JOB, D3-INDEX-REPO-ERRORS, D3-SYNC-REPO-ERRORS, JOB-CANCEL, JOB-CANCEL-ERRORS, D4-RECOVERY-REPORT,
    JOB-RECOVERY: watched, in the way of others, cancelled, killed, and carried on with to its end.
    """
    at_work(busy)
    cancelling(busy)
    deaf(busy)
    killed(busy)


def at_work(agent: Agent) -> None:
    started = agent.ask("sync_repo")
    seen = [agent.at_work(started["job_id"])["files_done"]]
    for _ in range(2):
        job = until(lambda: agent.status()["active_job"], lambda now: now is None or now["files_done"] != seen[-1])
        assert job is not None, f"over too soon, after {seen}"
        seen.append(job["files_done"])
    assert seen == sorted(seen) and len(set(seen)) == 3
    # From here on it stands still, so that the rest of the work cannot end before it was looked at.
    pid, _ = process_of(agent.data, job["project_id"], job["job_id"])
    os.kill(pid, signal.SIGSTOP)
    status = agent.status()
    job = status["active_job"]
    assert set(job) == {
        "job_id", "project_id", "ref", "mode", "status", "changed_files", "files_done", "files_total", "started_at",
    }  # fmt: skip
    assert (job["job_id"], job["mode"], job["status"]) == (started["job_id"], "incremental", "running")
    assert job["project_id"] == status["project_id"] and job["files_done"] < job["files_total"] >= FILES
    assert status["index_status"] == "indexing" and status["metadata"]["freshness_status"] == "syncing"
    in_the_way = {"job_id": started["job_id"], "ref": "main"}
    for tool, code in (("index_repo", "index_in_progress"), ("sync_repo", "sync_in_progress")):
        error = agent.ask(tool)["error"]
        assert error["code"] == code and in_the_way.items() <= error["data"].items()
    assert agent.ask("sync_repo", ref="feature")["error"]["code"] == "index_in_progress"
    health = agent.ask("health_check")
    assert health["status"] == "indexing" and health["active_job"]["job_id"] == started["job_id"]


def cancelling(agent: Agent) -> None:
    job = agent.status()["active_job"]
    family = family_of(*process_of(agent.data, job["project_id"], job["job_id"]))
    assert len(family) > 1
    os.kill(next(iter(family)), signal.SIGCONT)
    cancelled = agent.ask("cancel_job", job_id=job["job_id"])
    assert (cancelled["job_id"], cancelled["status"]) == (job["job_id"], "cancelled")
    all_gone(family)
    status = agent.status()
    assert status["active_job"] is None and status["recent_jobs"][0]["status"] == "cancelled"
    assert status["index_status"] == "ready" and status["file_count"] == 1
    found = agent.ask("locate_symbol", name="rate_limit", freshness_policy="best_effort")
    assert found["results"][0]["path"] == "src/auth.py" and found["metadata"]["freshness_status"] == "stale"
    for arguments in ({}, {"job_id": job["job_id"]}, {"job_id": "nobody"}):
        error = agent.ask("cancel_job", **arguments)["error"]
        assert error["code"] == "job_not_found" and "index_status" in error["data"]["suggestion"]


def deaf(agent: Agent) -> None:
    started = agent.ask("sync_repo")
    job = agent.at_work(started["job_id"])
    family = family_of(*process_of(agent.data, job["project_id"], job["job_id"]))
    os.kill(next(iter(family)), signal.SIGSTOP)
    assert agent.ask("cancel_job")["status"] == "cancelled"
    all_gone(family)
    assert "interrupted_recovery_report" not in agent.status()


def killed(agent: Agent) -> None:
    started = agent.ask("sync_repo")
    job = agent.at_work(started["job_id"])
    family = family_of(*process_of(agent.data, job["project_id"], job["job_id"]))
    kill_hard(next(iter(family)))
    all_gone(family)
    assert agent.ended(started["job_id"])["status"] == "interrupted"
    for tool in ("index_status", "health_check"):
        report = agent.ask(tool)["interrupted_recovery_report"]
        assert set(report) == {"detected", "interrupted_jobs", "last_interrupted_at", "recommended_action"}
        assert report["detected"] is True and report["interrupted_jobs"] == 1
        assert "sync_repo" in report["recommended_action"]
    done = agent.ended(agent.ask("sync_repo")["job_id"])
    assert done["status"] == "published" and done["changed_files"] >= FILES
    assert "interrupted_recovery_report" not in agent.status()
    assert agent.ask("health_check")["interrupted_recovery_report"] is None
    assert agent.ask("locate_symbol", name="Bulk650")["results"][0]["path"] == "bulk10/bulk_650.py"


@pytest.mark.parametrize("how", ["EOF", "SIGTERM", "SIGKILL"])
def test_jobs_end_with_their_server(busy: Agent, how: str) -> None:
    """JOB-CHILDREN-DIE, JOB-RECOVERY: job and parse workers are gone, however the server ends; the next one says so."""
    server = Agent(busy.shell)
    try:
        started = server.ask("index_repo", force=True)
        job = server.at_work(started["job_id"])
        # Another server sees the job of a living process and takes it for what it is.
        assert busy.status()["active_job"]["job_id"] == started["job_id"]
        assert "interrupted_recovery_report" not in busy.status()
        family = family_of(*process_of(busy.data, job["project_id"], job["job_id"]))
        assert len(family) > 1 and all(is_alive(*member) for member in family.items())
        server.peer.end(how)
        all_gone(family)
    finally:
        server.peer.kill()
    assert busy.ended(started["job_id"])["status"] == "interrupted"
    assert busy.status()["interrupted_recovery_report"]["detected"] is True
    assert busy.ended(busy.ask("sync_repo")["job_id"])["status"] == "published"
    assert "interrupted_recovery_report" not in busy.status()
