"""`care` and `state` at the command line: flags made from parameters, pictures for people, consent before removal."""

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.app import main
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import GcRequest
from codecompass.surfaces.cli.care_args import CARE_ACTIONS
from codecompass.surfaces.cli.commands.care_command import ask_yes_no
from codecompass.surfaces.cli.output import format_bytes
from codecompass.surfaces.cli.tool_args import read_arguments
from codecompass.surfaces.cli.views.maintenance_view import CARE_VIEWS
from codecompass.tools import TOOLS
from tests.engine.maintenance.places import indexed, repo_with
from tests.engine.support import desk_on


class Shell:
    """The command line in this process."""

    def __init__(self, base: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.repo, self.data = base / "repo", base / "data"
        self._capfd = capfd
        self.errors = ""

    def run(self, *words: str, code: int = 0) -> str:
        self._capfd.readouterr()
        found = main(["--data-dir", str(self.data), *words, "--path", str(self.repo)])
        said = self._capfd.readouterr()
        self.errors = said.err
        assert found == code, said.err
        return said.out

    def json(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run(*words, "--json"))
        return found


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cli")
    with indexed(repo_with(made / "repo"), made / "data"):
        return made


@pytest.fixture
def shell(base: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield Shell(base, capfd)
    for number, handler in before.items():
        signal.signal(number, handler)


def test_every_action_has_a_tool_and_a_picture(shell: Shell) -> None:
    """CLI-CARE: what `care` lists is what it can do; its flags are the tool's parameters in words."""
    tools = {tool.name for tool in TOOLS}
    assert {row.tool for row in CARE_ACTIONS} <= tools & set(CARE_VIEWS)
    listed = shell.run("care")
    assert all(f"codecompass care {row.name}" in listed for row in CARE_ACTIONS)
    assert "--max-age-days" in shell.run("care", "gc", "--help")
    shell.run("care", "gc", "--max-age-days", "many", code=2)
    shell.run("care", "gc", "--bogus", code=2)
    shell.run("care", "sweep", code=2)


def test_people_and_programs_are_told_the_same(shell: Shell) -> None:
    """CLI-CARE: pleasant for people, the tool's payload for programs."""
    assert "nothing is wrong" in shell.run("care", "report") or "behind the files" in shell.run("care", "report")
    assert shell.json("care", "report", "--all")["allRepos"]["repos"]
    assert "holds" in shell.run("care", "sqlite")
    assert "rows equal" in shell.run("care", "compact")
    assert shell.json("care", "compact", "--dry-run")["databases"][0]["status"] == "planned"
    assert "sqlite-vec" in shell.run("care", "verify-extensions")
    steps = shell.run("care", "bootstrap", "--skip-install", "--skip-index", "--skip-tooling")
    assert "artifacts" in steps and "not wanted" in steps
    assert (format_bytes(5), format_bytes(2048), format_bytes(5 * 2**30)) == ("5 bytes", "2.0 KiB", "5.0 GiB")


def test_an_index_is_carried_over(shell: Shell, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """CLI-STATE: export and import in words and as JSON; a refusal has its reason and its exit code."""
    bundle = str(tmp_path / "state.tar.zst")
    assert "Wrote" in shell.run("state", "export", bundle)
    assert shell.json("state", "export", bundle)["manifest"]["ref"] == "main"
    assert "Synced" in shell.run("state", "import", bundle)
    assert shell.json("state", "import", bundle)["job"]["status"] == "published"
    Path(bundle).write_bytes(Path(bundle).read_bytes()[:-9])
    shell.run("state", "import", bundle, code=12)
    assert "ends too early" in shell.errors and "hint:" in shell.errors
    shell.run("state", "import", str(tmp_path / "none"), code=2)


def test_removing_needs_consent(shell: Shell) -> None:
    """CLI-CONSENT: without a terminal nothing is removed unless --yes is given; gc shows its plan."""
    index = next((shell.data / "projects").glob("*/index.db"))
    shell.run("care", "clean", code=2)
    assert "--yes" in shell.errors and index.exists()
    assert "would be freed" in shell.run("care", "clean", "--dry-run") and index.exists()
    assert "would be freed" in shell.run("care", "clean", "--all", "--dry-run") and index.exists()
    assert "kept: it is the current repository" in shell.run("care", "gc", "--max-bytes", "0")
    assert "freed" in shell.run("care", "clean", "--yes") and not index.exists()
    assert shell.json("care", "clean", "--yes")["freedBytes"] == 0


def test_programs_are_told_of_refusals(shell: Shell, tmp_path: Path) -> None:
    """CLI-CARE, CLI-STATE: with --json a refusal is JSON on stdout too, beside the words on stderr."""
    for words, code in (
        (("care", "build", "--incremental", "--sqlite", "false", "--json"), 0), (("care", "clean", "--json"), 2),
        (("state", "import", str(tmp_path / "none"), "--json"), 2),
    ):  # fmt: skip
        said = json.loads(shell.run(*words, code=code))
        assert said["ok"] is (code == 0)
        if code:
            assert said["code"] == "INVALID_REQUEST" and said["hint"] and said["message"] in shell.errors


def test_repositories_are_named(base: Path, shell: Shell, tmp_path: Path) -> None:
    """CLI-CONSENT: whoever is asked what may go sees which repositories that is, not numbers alone."""
    other = repo_with(tmp_path / "other-repository")
    with indexed(other, shell.data) as desk:
        home = desk.engine._projects.get_registered(None).directory
    plan = shell.run("care", "gc", "--max-bytes", "0")
    assert f"too much    {other}" in plan and f"{shell.repo}  kept: it is the current" in plan
    assert "Nothing was removed; add --yes" in shell.errors and (home / "index.db").exists()
    assert str(other) in shell.run("care", "report", "--all")
    found = shell.json("care", "gc", "--max-bytes", "0")["removals"]
    assert [item["root"] for item in found] == [str(other)]
    with desk_on(shell.repo, shell.data, allowed_roots=(str(shell.repo),)) as desk:
        swept = desk.engine.sweep(None, GcRequest(0), Call())
        assert {item.root for item in swept.spared} == {"", str(shell.repo)}, (
            "nobody learns of roots that they may not name"
        )
        assert not swept.removals


def test_downloads_for_people(shell: Shell) -> None:
    """CLI-CARE: a line for each source, sizes in words, and nothing that is empty."""
    (shell.repo / "words.txt").write_text("alpha\nbeta\n")
    source = f"en=file://{shell.repo}/words.txt"
    assert "✓ en  downloaded, 11 bytes" in shell.run("care", "download-dictionaries", "--url", source)
    assert "Downloading 11 bytes of 11 bytes" in shell.errors and "Sources 1/1\n" in shell.errors
    assert "· en  is there already" in shell.run("care", "download-dictionaries", "--url", source)
    other = f"de=file://{shell.repo}/none.txt"
    for words in (["--args-json", json.dumps({"url": [source, other]})], ["--url", source, "--url", other]):
        said = shell.run("care", "download-dictionaries", *words)
        assert "✗ de  failed: " in said and "· en" in said
    told = shell.run("care", "verify-extensions")
    assert "✓ loads" in told and "✓ answers" in told and "None" not in told
    assert "None" not in shell.run("care", "verify-extensions", "--load", "false")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--evidence", "a.py"], ["a.py"]),
        (["--evidence", "5"], ["5"]),
        (["--evidence", "a.py", "--evidence", "b.py:3"], ["a.py", "b.py:3"]),
        (["--evidence", '["a.py", "b.py"]'], ["a.py", "b.py"]),
    ],
)
def test_a_flag_may_come_again(words: list[str], value: object) -> None:
    """CLI-CARE: a parameter that takes several values takes its flag several times; none is dropped."""
    tool = next(tool for tool in TOOLS if tool.name == "triage_decision")
    assert read_arguments(tool, words) == {"evidence": value}


def _on_terminal(words: list[str], answer: bytes) -> tuple[int, str]:
    """A command on a terminal of its own, with a person who types one answer."""
    leader, follower = pty.openpty()
    child = subprocess.Popen([sys.executable, "-m", "codecompass", *words], stdin=follower, stdout=follower,
                             stderr=follower, close_fds=True)  # fmt: skip
    os.close(follower)
    said, deadline, typed = b"", time.monotonic() + 60, False
    while time.monotonic() < deadline:
        if select.select([leader], [], [], 0.2)[0]:
            try:
                data = os.read(leader, 65_536)
            except OSError:
                break
            if not data:
                break
            said += data
        if b"[y/N]" in said and not typed:
            os.write(leader, answer)
            typed = True
        if child.poll() is not None and not select.select([leader], [], [], 0)[0]:
            break
    code = child.wait(10)
    os.close(leader)
    return code, said.decode("utf-8", "replace")


def test_a_person_is_asked(tmp_path: Path) -> None:
    """CLI-CONSENT: on a terminal the plan is shown and only a yes removes anything."""
    with indexed(repo_with(tmp_path / "repo"), tmp_path / "data") as desk:
        index = desk.home / "index.db"
    words = ["--data-dir", str(tmp_path / "data"), "care", "clean", "--path", str(tmp_path / "repo")]
    code, said = _on_terminal(words, b"n\n")
    assert code == 1 and "Remove it? [y/N]" in said and "would be freed" in said and index.exists()
    given = {"y\n": True, "YES\n": True, "\n": False, "": False, "n\n": False, "yesterday\n": False}
    assert {text: ask_yes_no("Remove it?", io.StringIO(text).readline) for text in given} == given
