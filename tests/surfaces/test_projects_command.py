"""`projects` and `forget`: what is kept of which repository, and how one goes away."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surfaces.conftest import Shell, environment, make_repository


@pytest.fixture
def two(tmp_path: Path) -> tuple[Shell, Shell]:
    """Two indexed repositories with one data directory."""
    env = environment(tmp_path)
    found = tuple(Shell(make_repository(tmp_path / name), env) for name in ("one", "two"))
    for shell in found:
        assert shell.run("index", "--no-embed").returncode == 0
    return found[0], found[1]


def list_projects(shell: Shell, *words: str) -> dict[str, dict[str, object]]:
    answer = json.loads(shell.run("projects", "--json", *words).stdout)
    assert answer["json_version"] == 1
    return {Path(one["root"]).name: one for one in answer["projects"]}


def test_projects_are_listed_and_missing_ones_marked(two: tuple[Shell, Shell]) -> None:
    """CLI-PROJECTS: path, size and time of the last index; from any directory; gc removes what is missing."""
    first, second = two
    found = list_projects(first)
    assert set(found) == {"one", "two"}
    for one in found.values():
        assert one["state"] == "indexed" and one["files"] == 1 and one["derived_bytes"] and one["indexed_at"]
        assert not one["is_missing"]
    shutil.rmtree(second.cwd)
    assert set(list_projects(first, "--missing")) == {"two"}
    shown = first.run("projects").stdout
    assert str(first.cwd) in shown and "missing" in shown and "'codecompass care gc'" in shown
    swept = json.loads(first.run("care", "gc", "--yes", "--json").stdout)
    assert [item["root"] for item in swept["removals"]] == [str(second.cwd)]
    assert list_projects(first)["two"]["derived_bytes"] == 0


def test_forget_keeps_records_unless_they_are_named(two: tuple[Shell, Shell]) -> None:
    """CLI-FORGET: the index of that project alone goes; with --with-records nothing is left."""
    first, second = two
    assert first.run("context", "add", "Tokens are checked by Auth alone.", "--type", "rule").returncode == 0
    planned = json.loads(first.run("forget", "--dry-run", "--json").stdout)
    assert planned["dry_run"] and "catalog" in planned["removed"] and "records" in planned["kept"]
    assert list_projects(first)["one"]["state"] == "indexed", "a dry run removes nothing"
    done = first.run("forget", "--yes")
    assert done.returncode == 0 and "--with-records" in done.stdout, done.stderr
    assert list_projects(first)["one"]["state"] == "not_indexed" and list_projects(first)["two"]["state"] == "indexed"
    assert "Tokens are checked" in first.run("context", "export", "--out", "-").stdout
    assert second.run("forget", str(first.cwd), "--yes", "--with-records").returncode == 0
    assert set(list_projects(second)) == {"two"}
    assert "rate_limit" in second.run("search", "rate limit").stdout


def test_a_missing_clone_is_forgotten_by_its_path(two: tuple[Shell, Shell]) -> None:
    """CLI-FORGET: also by its id; a directory that was never registered is an error."""
    first, second = two
    shutil.rmtree(second.cwd)
    assert first.run("forget", str(second.cwd), "--yes").returncode == 0
    number = str(list_projects(first)["two"]["id"])
    assert first.run("forget", number, "--yes", "--with-records").returncode == 0
    assert set(list_projects(first)) == {"one"}
    for name in ("nowhere", "..", "\x7f"):
        done = first.run("forget", name, "--yes")
        assert done.returncode == 5 and "codecompass projects" in done.stderr


def test_forget_asks(two: tuple[Shell, Shell]) -> None:
    """CLI-FORGET: no is the default on a terminal; without a terminal it refuses."""
    first, _ = two
    refused = first.run("forget")
    assert refused.returncode == 2 and "nothing was removed" in refused.stderr and "--yes" in refused.stderr
    for answer, state, code in ((b"\n", "indexed", 1), (b"y\n", "not_indexed", 0)):
        master, slave = pty.openpty()
        child = subprocess.Popen([sys.executable, "-m", "codecompass", "forget"], cwd=first.cwd, env=first.env,
                                 stdin=slave, stdout=slave, stderr=slave)  # fmt: skip
        os.close(slave)
        os.write(master, answer)
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        assert child.wait(60) == code and b"Remove it? [y/N]" in shown
        os.close(master)
        assert list_projects(first)["one"]["state"] == state
