"""`codecompass context …` as people and scripts use it, on a real repository."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass import app
from tests.engine.memory.memory_engine import CASE
from tests.engine.memory.memorylab import lab_on, put
from tests.engine.support import desk_on
from tests.repo.gitrepo import git
from tests.surfaces.conftest import environment

AT_RISK = 20


class Terminal:
    """Runs commands in this process, as a shell in the repository would."""

    def __init__(self, repo: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.repo = repo
        self._capfd = capfd
        self.errors = ""

    def run(self, *words: str, code: int = 0) -> str:
        self._capfd.readouterr()
        done = app.main(list(words))
        out, self.errors = self._capfd.readouterr()
        assert done == code, (words, out, self.errors)
        return out

    def json(self, *words: str, code: int = 0) -> Any:  # noqa: ANN401 - any JSON value
        return json.loads(self.run(*words, "--json", code=code))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("cli")
    with lab_on(made, CASE):
        pass
    yield made


@pytest.fixture
def terminal(base: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Terminal:
    for key, value in environment(base).items():
        monkeypatch.setenv(key, value)
    monkeypatch.chdir(base / "repo")
    return Terminal(base / "repo", capfd)


def test_add_list_show_forget(terminal: Terminal) -> None:
    """CLI-CONTEXT: what is added is listed and shown, and once forgotten it is neither."""
    more = ("--type", "rule", "--module", "shop", "--author", "Ada")
    said = terminal.run("context", "add", "Carts expire after a day.", *more)
    name = said.split()[1]
    assert name.startswith("disc_")
    shown = terminal.run("context", "show", name)
    assert "Carts expire after a day." in shown and "Ada" in shown and "rule" in shown
    rows = terminal.json("context", "list", "--source", "recorded")["items"]
    assert [row["id"] for row in rows] == [name] and rows[0]["author"] == "Ada"
    assert name in terminal.run("context", "list", "--contains", "expire")
    assert name not in terminal.run("context", "list", "--type", "issue")
    terminal.run("context", "forget", name)
    assert name not in terminal.run("context", "list", "--limit", "1000")
    assert name in terminal.run("context", "list", "--state", "forgotten")
    terminal.run("context", "show", "disc_none", code=5)
    assert "error:" in terminal.errors


def test_statements_from_stdin(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-CONTEXT: `-` reads stdin; secrets are left out and that is said; a word is no statement."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"The mirror signs in with {token} at night.\n"))
    made = terminal.json("context", "add", "-")
    assert token not in made["content"] and made["redacted"] and "secret" in terminal.errors
    terminal.run("context", "add", "too few", code=2)
    assert "between 10 and 1000" in terminal.errors and "hint:" in terminal.errors


def test_search(terminal: Terminal) -> None:
    """CLI-CONTEXT: a picture for people, the tool's payload for programs; nothing recorded is said, with where."""
    assert "Payments must go through" in terminal.run("context", "search", "what must payments go through")
    payload = terminal.json("context", "search", "what must payments go through", "--limit", "1")
    assert payload["results"][0]["freshness"] == "fresh" and len(payload["results"]) == 1
    said = terminal.run("context", "search", "kubernetes gpu nodes", "--type", "decision")
    assert "Nothing recorded." in said and "searched" in said
    terminal.run("context", "search", "ab", code=2)
    assert "at least 3" in terminal.errors or "shorter" in terminal.errors


def test_supersede(terminal: Terminal) -> None:
    """CLI-CONTEXT: the old one says by what it was replaced; nonsense is refused."""
    old = terminal.json("context", "add", "Mails are sent at once.")["id"]
    new = terminal.json("context", "add", "Mails are sent in batches.", "--supersedes", old)["id"]
    assert terminal.json("context", "show", old)["supersededBy"] == new
    third = terminal.json("context", "add", "Mails are sent by the queue.")["id"]
    assert new in terminal.run("context", "supersede", new, third)
    terminal.run("context", "supersede", old, "disc_none", code=5)
    terminal.run("context", "supersede", old, old, code=2)


def test_an_export_is_read_back(
    terminal: Terminal, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CLI-EXPORT: Markdown in the repository, the same when nothing changed, and complete in another clone."""
    name = terminal.json("context", "add", "Prices are stored in cents, because floats lose them.")["id"]
    assert terminal.run("context", "export") == "Wrote docs/context/discoveries.md\n"
    file = terminal.repo / "docs/context/discoveries.md"
    text = file.read_text()
    assert "Prices are stored in cents" in text and name in text
    terminal.run("context", "export")
    assert file.read_text() == text == terminal.run("context", "export", "--out", "-")
    assert not [path.name for path in file.parent.iterdir() if path.name != file.name]
    for where in ("../elsewhere", str(tmp_path), ".git/context"):
        terminal.run("context", "export", "--out", where, code=4)
        assert "not a folder of this repository" in terminal.errors
    assert terminal.json("context", "import")["added"] == 0
    git(base, "clone", "-q", str(terminal.repo), str(tmp_path / "clone"))
    monkeypatch.setenv("CODECOMPASS_STORAGE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path / "clone")
    terminal.run("index")
    terminal.run("context", "import", str(file))
    assert terminal.json("context", "show", name)["content"].startswith("Prices are stored in cents")
    terminal.run("context", "import", str(tmp_path / "none.md"), code=5)
    (tmp_path / "other.md").write_text("# Shopping\n\nmilk\n")
    terminal.run("context", "import", str(tmp_path / "other.md"), code=2)
    file.unlink()


@pytest.fixture
def edited(terminal: Terminal) -> Iterator[Callable[[str, str, str], None]]:
    """Replaces a piece of a file without a commit, and takes it back afterwards."""
    before: dict[str, str] = {}

    def edit(path: str, old: str, new: str) -> None:
        before[path] = (terminal.repo / path).read_text()
        assert old in before[path]
        put(terminal.repo, {path: before[path].replace(old, new)})

    yield edit
    put(terminal.repo, before)


def test_check(terminal: Terminal, edited: Callable[[str, str, str], None]) -> None:
    """CLI-CHECK: what the uncommitted change breaks, with an exit code for scripts; the index need not be current."""
    assert "No discovery is at risk" in terminal.run("context", "check")
    edited("src/shop/orders.py", "RETRY_LIMIT = 3", "RETRY_LIMIT = 7")
    said = terminal.run("context", "check", code=AT_RISK)
    assert "broken" in said and "RETRY_LIMIT" in said and "1 changed file" in said


def test_what_is_only_touched(terminal: Terminal, edited: Callable[[str, str, str], None]) -> None:
    """CLI-CHECK: a change that leaves every claim true passes, unless it should be strict."""
    # A comment warns about the function; that it no longer holds cannot be told.
    edited("src/auth/tokens.py", "return bool(token)", "return bool(token.strip())")
    report = terminal.json("context", "check")
    assert report["changedPaths"] == 1 and {row["severity"] for row in report["items"]} == {"touched"}
    assert all(row["why"] for row in report["items"])
    terminal.run("context", "check", "--strict", code=AT_RISK)


def test_stats(terminal: Terminal, base: Path) -> None:
    """READ-ACCESS, CLI-CONTEXT: counts by type and source, and what is read, with its score."""
    with desk_on(base / "repo", base / "data") as desk:
        for _ in range(2):
            desk.engine.note(None, "ses_cli", "read", "AGENTS.md", "robot")
    said = terminal.run("context", "stats")
    assert "AGENTS.md" in said and "2×" in said and "ses_cli" in said and "rule" in said
    report = terminal.json("context", "stats")
    assert report["files"][0]["path"] == "AGENTS.md" and 0 < report["files"][0]["score"] <= 1
    assert report["discoveries"]["rule"]["agent_file"] == 2 and report["sessions"][0]["id"] == "ses_cli"


def test_a_question_to_the_code_still_works(terminal: Terminal) -> None:
    """CLI-CONTEXT: `context QUESTION`, as it was before memory, is the command `bundle`."""
    assert "parse_order" in terminal.run("context", "parse order")
    assert "parse_order" in terminal.run("bundle", "parse order")
    terminal.run("context", code=2)
    terminal.run("context", "list", "--limit", "-1", code=2)


def test_the_index_command_fills_memory(terminal: Terminal) -> None:
    """MEM-FIRST-DAY: what commits and documents say is mined when they are indexed, once for each commit."""

    def mines(*words: str) -> bool:
        terminal.run("index", *words, "--json")
        told = {json.loads(line)["phase"] for line in terminal.errors.splitlines()}
        return not told.isdisjoint(("documents", "commits", "statements"))

    assert [mines("--no-memory"), mines(), mines()] == [False, True, False]


def test_check_reports(terminal: Terminal, edited: Callable[[str, str, str], None]) -> None:
    """CLI-GATE: the same findings as SARIF with places and levels, and as Markdown; ten runs are equal."""
    edited("src/shop/orders.py", "RETRY_LIMIT = 3", "RETRY_LIMIT = 7")
    log = json.loads(terminal.run("context", "check", "--format", "sarif", code=AT_RISK))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    broken = [row for row in run["results"] if row["ruleId"] == "broken"]
    assert broken and all(row["level"] == "error" for row in broken)
    place = broken[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith(".md") and place["region"]["startLine"] > 0
    assert "RETRY_LIMIT" in broken[0]["message"]["text"] and run["invocations"][0]["executionSuccessful"]
    text = terminal.run("context", "check", "--format", "markdown", code=AT_RISK)
    assert text.startswith("### Not true any more") and "RETRY_LIMIT" in text
    again = {terminal.run("context", "check", "--format", "markdown", code=AT_RISK) for _ in range(9)}
    assert again == {text}


PAGE = Path(__file__).parents[3] / "docs/guides/context-check.md"


def extract_sample(heading: str) -> str:
    """Return the first sample below a heading of the guide."""
    return PAGE.read_text().partition(f"## {heading}")[2].partition("```")[2].partition("\n")[2].partition("```")[0]


@pytest.mark.timeout(600)
def test_documented_hook_and_step(
    terminal: Terminal, edited: Callable[[str, str, str], None], base: Path, tmp_path: Path
) -> None:
    """CLI-GATE: the hook and the CI step of the guide, executed: both pass, and fail on a broken statement."""
    commands = tmp_path / "bin"
    commands.mkdir()
    program = commands / "codecompass"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m codecompass "$@"\n')
    program.chmod(0o755)
    inherited = {**os.environ, **environment(base), "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}

    def run(heading: str) -> int:
        script = tmp_path / "script.sh"
        script.write_text(extract_sample(heading))
        return subprocess.run(
            ("sh", script), cwd=terminal.repo, env=inherited, capture_output=True, timeout=300
        ).returncode

    assert run("As a hook before a commit") == 0
    edited("src/shop/orders.py", "RETRY_LIMIT = 3", "RETRY_LIMIT = 7")
    assert run("As a hook before a commit") == AT_RISK
    assert run("As a step of a pipeline") == AT_RISK
    assert "RETRY_LIMIT" in (terminal.repo / "context-check.sarif").read_text()
    (terminal.repo / "context-check.sarif").unlink()
