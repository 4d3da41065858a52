"""build_index and bootstrap: builds that are waited for, and a working place prepared step by step."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.tool import Host
from codecompass.engine.maintenance.storage import vector_wait
from codecompass.engine.options import DownloadOptions
from codecompass.engine.workspace.job_table import format_now
from codecompass.engine.workspace.query_embedder import QueryEmbedder
from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.model.queries.vector_state import SemanticState
from codecompass.repo.process.child_process import is_alive, read_start_time
from codecompass.tools import bootstrap, build_index, index_build
from tests.engine.maintenance.places import FILES, answers, indexed, repo_with
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo


def ask(desk: Desk, tool: Any, **raw: object) -> dict[str, Any]:  # noqa: ANN401 - a Tool
    found: dict[str, Any] = tool.run(Host(desk.engine), Call(), decode(tool.params, raw)).payload
    return found


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the bundle of its first commit in `ci-artifacts`, untracked."""
    base = tmp_path_factory.mktemp("built")
    repo = repo_with(base / "repo")
    (repo / "ci-artifacts").mkdir()
    with indexed(repo, base / "data") as desk:
        desk.engine.export_state(None, None, str(base / "state.tar.zst"), Call())
    shutil.move(base / "state.tar.zst", repo / "ci-artifacts" / "codecompass-state.tar.zst")
    return repo


@pytest.fixture
def desk(bundle: Path, tmp_path: Path) -> Iterator[Desk]:
    with desk_on(bundle, tmp_path / "data", import_bundles=True) as found:
        found.engine.init(str(bundle))
        yield found


def test_a_build_answers_with_what_it_did(desk: Desk) -> None:
    """BUILD-RESULT: build id, counts, durations, warnings and the SQLite file; the older name does the same."""
    first = ask(desk, build_index.TOOL)
    assert first["ok"] and first["mode"] == "all" and not first["incremental"] and not first["restoredArtifacts"]
    assert first["counts"] == {"files": len(FILES), "symbols": 9, "changed": len(FILES)} and first["generation"] == 1
    assert first["buildId"] == desk.engine.status(None, None).recent_jobs[0].job_id
    assert {"indexMs", "sqliteMs", "totalMs"} == set(first["durations"]) and first["sqlite"]["fresh"]
    assert any("binary" in warning for warning in first["warnings"]), "the bundle itself is no text"
    again = ask(desk, index_build.TOOL, incremental=True)
    assert set(again) == set(first) and again["counts"]["changed"] == 0 and not again["sqlite"].get("built")
    assert "Deprecated" in index_build.TOOL.summary


def test_modes_narrow_the_file_and_the_counts(desk: Desk) -> None:
    """BUILD-RESULT: `mode` and `sqlite`; fields that have no meaning here are refused, not ignored."""
    prose = ask(desk, build_index.TOOL, mode="prose")
    assert prose["sqlite"]["modes"] == ["prose"] and prose["counts"]["files"] == 1
    bare = ask(desk, build_index.TOOL, mode="code", sqlite=False, incremental=True)
    assert bare["sqlite"] is False and bare["counts"]["files"] == len(FILES) - 1 and bare["counts"]["symbols"] == 8
    for reserved in ("stubEmbeddings", "ann"):
        with pytest.raises(Failure) as caught:
            decode(build_index.TOOL.params, {reserved: True})
        assert caught.value.code == "INVALID_REQUEST" and reserved in caught.value.message


def test_a_build_begins_from_artifacts(desk: Desk, bundle: Path, tmp_path: Path) -> None:
    """BUILD-ARTIFACTS: a bundle whose commit fits is restored; any other is a warning, and the build goes on."""
    done = ask(desk, build_index.TOOL, useArtifacts=True, sqlite=False)
    assert done["restoredArtifacts"] and "restoreMs" in done["durations"] and desk.places("stays_3")
    empty = ask(desk, build_index.TOOL, artifactsDir="pkg", sqlite=False, incremental=True)
    assert not empty["restoredArtifacts"] and "There is no codecompass-state.tar.zst" in empty["warnings"][0]
    with pytest.raises(Failure) as caught:
        ask(desk, build_index.TOOL, artifactsDir=str(tmp_path))
    assert caught.value.code == "FORBIDDEN"


def test_a_bundle_of_another_branch_does_not_fit(bundle: Path, tmp_path: Path) -> None:
    """BUILD-ARTIFACTS: a commit that is not part of what is checked out would be thrown away, so it is not restored."""
    repo = tmp_path / "repo"
    git(tmp_path, "clone", "-q", str(bundle), str(repo))
    git(repo, "checkout", "-q", "--orphan", "fresh")
    commit(repo, {"alone.py": "def alone():\n    pass\n"})
    (repo / "ci-artifacts").mkdir()
    shutil.copy(bundle / "ci-artifacts" / "codecompass-state.tar.zst", repo / "ci-artifacts")
    with desk_on(repo, tmp_path / "data", import_bundles=True) as desk:
        desk.engine.init(str(repo))
        done = ask(desk, build_index.TOOL, useArtifacts=True, sqlite=False)
        assert not done["restoredArtifacts"] and "not part of the history" in done["warnings"][0]
        assert desk.places("alone")


def _child(data: Path) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", "codecompass", "--data-dir", str(data))


def test_a_build_runs_in_a_child_and_can_be_stopped(tmp_path: Path) -> None:
    """BUILD-CHILD: the work is a process of its own, tells how far it is, and ends when the call is given up."""
    repo, data = repo_with(tmp_path / "repo"), tmp_path / "data"
    with desk_on(repo, data, child_command=_child(data)) as desk:
        desk.engine.init(str(repo))
        told: list[Progress] = []
        call = Call(report=told.append)
        params = decode(build_index.TOOL.params, {"sqlite": False})
        done = build_index.TOOL.run(Host(desk.engine), call, params).payload
        job = desk.engine.status(None, None).recent_jobs[0]
        assert job.pid not in (0, os.getpid()) and done["buildId"] == job.job_id
        assert told and {event.phase for event in told} == {"index"} and desk.places("stays_1")

        def give_up(_: Progress) -> None:
            call.cancelled.set()

        call = replace(call, report=give_up)
        with pytest.raises(Failure) as caught:
            build_index.TOOL.run(Host(desk.engine), call, params)
        assert caught.value.code == "CANCELLED"
        job = desk.engine.status(None, None).recent_jobs[0]
        assert job.status == "cancelled" and not (job.pid and is_alive(job.pid, job.start_time))
        assert desk.places("stays_1"), "what was there still answers"


def test_a_build_waits_for_whoever_indexes(tmp_path: Path) -> None:
    """BUILD-CHILD: a server syncs by itself, and who asks for a build then gets one; meanwhile it can be given up."""
    repo, data = repo_with(tmp_path / "repo"), tmp_path / "data"
    params = decode(build_index.TOOL.params, {"sqlite": False})
    with desk_on(repo, data, child_command=_child(data)) as desk:
        desk.engine.init(str(repo))
        board = desk.engine._projects.get_registered(None).jobs
        other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            busy = replace(board.create("main", "incremental"), status="running", pid=other.pid,
                           start_time=read_start_time(other.pid), started_at=format_now())  # fmt: skip
            board.records.put_job(busy)
            call = Call()
            with pytest.raises(Failure) as caught:
                build_index.TOOL.run(Host(desk.engine), replace(call, report=lambda _: call.cancelled.set()), params)
            assert caught.value.code == "CANCELLED" and board.find_active() == busy and other.poll() is None

            def leave(_: Progress) -> None:
                other.kill()
                other.wait()

            done = build_index.TOOL.run(Host(desk.engine), Call(report=leave), params).payload
            assert done["buildId"] != busy.job_id and desk.places("stays_1")
        finally:
            other.kill()
            other.communicate()


# -- bootstrap ---------------------------------------------------------------------------------------------------------


def steps(payload: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["status"] for step in payload["steps"]}


def test_bootstrap_prepares_a_place(desk: Desk, bundle: Path) -> None:
    """BOOT-STEPS: each step with outcome, reason and time; the bundle is restored, then the rest is indexed."""
    done = ask(desk, bootstrap.TOOL, withSqlite=True)
    assert done["ok"] and done["restoredArtifacts"] and done["repoPath"] == str(bundle)
    assert steps(done) == {
        "environment": "done", "dictionaries": "skipped", "extensions": "done", "artifacts": "done", "index": "done",
        "sqlite": "done",
    }  # fmt: skip
    assert all(step["ms"] >= 0 for step in done["steps"])
    assert all(step["reason"] for step in done["steps"] if step["status"] != "done")
    assert answers(desk)["text"] == ["README.md"] and desk.engine.portable(None).fresh


def test_steps_that_are_not_wanted(desk: Desk) -> None:
    """BOOT-STEPS: every flag leaves out its own step."""
    flags = {
        "skipInstall": "environment", "skipDicts": "dictionaries", "skipTooling": "extensions",
        "skipArtifacts": "artifacts", "skipIndex": "index",
    }  # fmt: skip
    done = ask(desk, bootstrap.TOOL, **dict.fromkeys(flags, True))
    assert set(steps(done).values()) == {"skipped"}
    wanted = [step["name"] for step in done["steps"] if step["reason"] == "not wanted"]
    assert wanted == list(flags.values()) and desk.engine.status(None, None).state.indexing == "not_indexed"


def test_a_failed_optional_step_does_not_stop(bundle: Path, tmp_path: Path) -> None:
    """BOOT-FAILURES: a word list that cannot be had and a bundle that is damaged are said; the index is made."""
    repo = tmp_path / "repo"
    git(tmp_path, "clone", "-q", str(bundle), str(repo))
    (repo / "ci-artifacts").mkdir()
    whole = (bundle / "ci-artifacts" / "codecompass-state.tar.zst").read_bytes()
    (repo / "ci-artifacts" / "codecompass-state.tar.zst").write_bytes(whole[: len(whole) // 2])
    missing = DownloadOptions(dictionaries=(f"en=file://{repo}/none.txt",))
    with desk_on(repo, tmp_path / "data", downloads=missing, import_bundles=True) as desk:
        desk.engine.init(str(repo))
        done = ask(desk, bootstrap.TOOL, skipInstall=True)
        assert done["ok"] and not done["restoredArtifacts"]
        found = steps(done)
        assert (found["dictionaries"], found["artifacts"], found["index"]) == ("failed", "failed", "done")
        reasons = {step["name"]: step.get("reason", "") for step in done["steps"]}
        assert reasons["dictionaries"] and "ends too early" in reasons["artifacts"]
        assert desk.places("stays_3")


def test_a_stranger_s_bundle_is_passed_over(bundle: Path, tmp_path: Path) -> None:
    """BOOT-FAILURES: what does not fit is no failure, and nothing of it is used."""
    repo = make_repo(tmp_path / "repo", {"own.py": "def own():\n    pass\n"})
    shutil.copytree(bundle / "ci-artifacts", repo / "ci-artifacts")
    with desk_on(repo, tmp_path / "data", import_bundles=True) as desk:
        desk.engine.init(str(repo))
        done = ask(desk, bootstrap.TOOL, skipInstall=True)
        assert steps(done)["artifacts"] == "skipped" and done["ok"]
        assert desk.places("own") and not desk.places("stays_3")


def test_an_index_that_fails_is_not_ok(desk: Desk) -> None:
    """BOOT-FAILURES: the one step that matters decides."""
    done = ask(desk, bootstrap.TOOL, branch="nowhere", skipInstall=True, skipArtifacts=True, withSqlite=True)
    assert not done["ok"] and steps(done)["index"] == "failed" and steps(done)["sqlite"] == "skipped"


def test_a_build_that_cannot_wait_says_that_vectors_are_coming(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """BUILD-VECTORS: where nobody makes the vectors any more, the answer counts those that are missing."""
    monkeypatch.setattr(vector_wait, "STALL_SECONDS", 0.0)
    missing = SemanticState("building", "m", 8, 1, 5)
    monkeypatch.setattr(QueryEmbedder, "state", lambda self, view: missing)
    done = ask(desk, build_index.TOOL, sqlite=False)
    assert done["vectors"] == {"semantic": "building", "files": 1, "filesTotal": 5}
    assert any("1 of 5 files have vectors; the others follow" in text for text in done["warnings"])


def test_nothing_is_imported_from_a_workspace_unasked(bundle: Path, tmp_path: Path) -> None:
    """STATE-CONSENT: without the user's own setting no tool begins from a bundle of the workspace, and says why."""
    with desk_on(bundle, tmp_path / "data") as desk:
        desk.engine.init(str(bundle))
        done = ask(desk, bootstrap.TOOL, skipInstall=True)
        reason = next(step["reason"] for step in done["steps"] if step["name"] == "artifacts")
        assert (
            steps(done)["artifacts"] == "skipped" and "index.import_bundles" in reason and not done["restoredArtifacts"]
        )
        built = ask(desk, build_index.TOOL, useArtifacts=True, sqlite=False)
        assert not built["restoredArtifacts"] and "index.import_bundles" in built["warnings"][0]
        assert desk.places("stays_3"), "the index is built from the sources"
