"""Questions after edits: the answer shows the files as they are, or says that it does not."""

import json
import os
import time
from pathlib import Path

import pytest

from codecompass.store.embedded.files.writer_lock import WriterLock
from codecompass.store.ports import Owner
from codecompass.surfaces.cli.readiness.question_preparation import QUICK_FILES
from tests.surfaces.conftest import Shell, git

PATIENT = {"CODECOMPASS_QUERY_SYNC_S": "60"}
"""A slow machine must not decide whether the sync is done in time."""


@pytest.fixture
def edited(fresh: Shell) -> Shell:
    """An indexed project, whose commands may take their time to sync."""
    assert fresh.run("index").returncode == 0
    fresh.env |= PATIENT
    return fresh


def state(shell: Shell, *words: str) -> tuple[list[str], str]:
    """The names that `locate` finds, and the freshness that it tells."""
    found = json.loads(shell.run("locate", *words, "--json").stdout)
    return [item["name"] for item in found["results"]], found["metadata"]["freshness_status"]


def test_an_edit_is_in_the_next_answer(edited: Shell) -> None:
    """CLI-QUICK-SYNC: edited, new, renamed and deleted files, without a job and without a word about it."""
    source = edited.cwd / "src" / "auth.py"
    source.write_text(source.read_text() + "\n\ndef brand_new():\n    return 1\n")
    assert state(edited, "brand_new") == (["brand_new"], "fresh")
    (edited.cwd / "src" / "more.py").write_text("def another_one():\n    return brand_new()\n")
    done = edited.run("references", "brand_new")
    assert "src/more.py" in done.stdout and done.stderr == ""
    (edited.cwd / "src" / "more.py").rename(edited.cwd / "src" / "moved.py")
    assert "src/moved.py" in edited.run("search", "another_one").stdout
    (edited.cwd / "src" / "moved.py").unlink()
    assert state(edited, "another_one") == ([], "fresh")
    assert len(json.loads(edited.run("jobs", "--json").stdout)) == 1


def test_meaning_and_lint_follow_the_edit(edited: Shell) -> None:
    """CLI-QUICK-SYNC: a quick sync leaves nothing out that a job would make."""
    (edited.cwd / "src" / "worse.py").write_text("import os\n\n\ndef parse_invoice_total(text):\n    return text\n")
    assert "F401" in edited.run("lint", "src/worse.py").stdout
    again = edited.run("sync", "--json")
    assert json.loads(again.stdout)["changed_files"] == 0
    assert '"vectors"' not in again.stderr, "the vectors were made already"


def test_a_commit_without_edits_is_followed(edited: Shell) -> None:
    """CLI-QUICK-SYNC: the checked-out commit is part of being fresh."""
    git(edited.cwd, "commit", "-qm", "nothing", "--allow-empty")
    assert state(edited, "rate_limit") == (["rate_limit"], "fresh")


@pytest.mark.parametrize("how", ["flag", "setting"])
def test_it_can_be_turned_off(edited: Shell, how: str) -> None:
    """CLI-QUICK-SYNC: by --no-sync and by the setting; then the answer says that it is stale."""
    (edited.cwd / "src" / "late.py").write_text("def too_late(): ...\n")
    words = ["--no-sync"] if how == "flag" else []
    edited.env |= {"CODECOMPASS_QUERY_SYNC_S": "0"} if how == "setting" else {}
    assert state(edited, "too_late", *words) == ([], "stale")


def test_many_changes_are_left_to_a_sync(edited: Shell) -> None:
    """CLI-QUICK-SYNC: the answer comes at once, says stale and names the command."""
    for n in range(QUICK_FILES * 6):
        (edited.cwd / "src" / f"m{n}.py").write_text(f"def made_{n}(): ...\n")
    done = edited.run("locate", "rate_limit")
    assert done.returncode == 0 and "stale" in done.stdout
    assert done.stderr == (
        f"note: {QUICK_FILES * 6} files changed since the last sync, so the answer may be stale. "
        "Run 'codecompass sync' first.\n"
    )
    assert edited.run("sync").returncode == 0
    assert state(edited, "made_3") == (["made_3"], "fresh")


def test_no_time_is_stale_and_not_an_error(edited: Shell) -> None:
    """CLI-QUICK-SYNC: what is not done within the time is said to be stale; the work is kept for the next try."""
    (edited.cwd / "src" / "late.py").write_text("def too_late(): ...\n")
    edited.env |= {"CODECOMPASS_QUERY_SYNC_S": "0.000001"}
    done = edited.run("locate", "too_late")
    assert done.returncode == 1 and "'codecompass sync'" in done.stderr and "stale" in done.stdout
    edited.env |= PATIENT
    assert state(edited, "too_late") == (["too_late"], "fresh")


def test_a_writer_does_not_delay_an_answer(edited: Shell) -> None:
    """CLI-QUICK-SYNC: while another process writes the index, the answer does not wait for its lock."""
    (edited.cwd / "src" / "late.py").write_text("def too_late(): ...\n")
    (project,) = Path(edited.env["CODECOMPASS_STORAGE_DATA_DIR"], "projects").iterdir()
    lock = WriterLock(project / "lock", Owner(os.getpid(), "", "other"))
    try:
        began = time.monotonic()
        done = edited.run("locate", "too_late")
        waited = time.monotonic() - began
    finally:
        lock.close()
    assert done.returncode == 1 and "another process is updating the index" in done.stderr and "stale" in done.stdout
    assert waited < float(PATIENT["CODECOMPASS_QUERY_SYNC_S"])
    assert state(edited, "too_late") == (["too_late"], "fresh")


def test_another_ref_is_not_synced(edited: Shell) -> None:
    """CLI-QUICK-SYNC: edits of the working tree do not concern a question about another branch."""
    git(edited.cwd, "branch", "old")
    assert edited.run("index", "--ref", "old").returncode == 0
    (edited.cwd / "src" / "late.py").write_text("def too_late(): ...\n")
    assert state(edited, "rate_limit", "--ref", "old")[0] == ["rate_limit"]
    assert state(edited, "too_late", "--no-sync") == ([], "stale")
