"""A committed file name that is not UTF-8: every command and tool answers, and takes the name as it showed it."""

import json
import os
from pathlib import Path

import pytest

from tests.repo.gitrepo import git
from tests.surfaces.conftest import Shell, environment

RAW = os.fsdecode(b"caf\xe9.py")
SHOWN = "caf\\xe9.py"
FOLDER = os.fsdecode(b"d\xe9p")

COMMANDS = {
    "search": ("search", "cafe_price"),
    "search in paths": ("search", "cafe_price", "--path", "*.py"),
    "search in a regex of paths": ("search", "cafe_price", "--file", "/caf.*py$/"),
    "search in the file": ("search", "cafe_price", "--path", RAW),
    "search in a module of this name": ("search", "cafe_price", "--file", RAW, "--path", "*.py"),
    "grep with a glob of bytes": ("grep", "cafe_price", "-g", RAW),
    "grep with a glob": ("grep", "cafe_price", "-g", "*.py"),
    "grep in the file": ("grep", "cafe_price", RAW),
    "grep in the file as shown": ("grep", "cafe_price", SHOWN),
    "outline": ("outline", RAW),
    "outline as shown": ("outline", SHOWN),
    "history": ("history", RAW),
    "references": ("references", "cafe_price"),
    "calls": ("calls", "cafe_price"),
    "bundle": ("bundle", "cafe price"),
    "diff": ("diff", "HEAD~1", "HEAD"),
}
TOOLS = {
    "read_file": {"path": SHOWN},
    "show_file": {"path": SHOWN, "startLine": 1, "endLine": 2},
    "get_diagnostics": {"path": SHOWN},
    "find_risks": {"path": SHOWN},
    "get_file_outline": {"path": SHOWN},
    "grep_codebase": {"pattern": "cafe_price", "filePattern": "caf*.py"},
    "search": {"query": "cafe_price", "path": SHOWN},
    "context_search": {"query": "why is the price doubled"},
    "diff_context": {"base_ref": "HEAD~1", "head_ref": "HEAD"},
}
BELOW = {"get_diagnostics": {"path": "d\\xe9p"}, "find_risks": {"path": "d\\xe9p"}}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    home = tmp_path_factory.mktemp("home")
    repo = home / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    (repo / "AGENTS.md").write_text("- Decision: the price is doubled because of the tax.\n")
    (repo / "plain.py").write_text("def plain_price():\n    return cafe_price(1)\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "Begin")
    (repo / RAW).write_text("def cafe_price(amount):\n    return amount * 2\n")
    (repo / FOLDER).mkdir()
    (repo / FOLDER / "part.py").write_text("def part():\n    return 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "Add a price, because the tax doubles it")
    shell = Shell(repo, environment(home))
    done = shell.run("index")
    assert done.returncode == 0, done.stderr
    return shell


@pytest.mark.parametrize("case", COMMANDS)
def test_every_command_answers(shell: Shell, case: str) -> None:
    """BAD-NAMES: a name that is not UTF-8 is taken as bytes or as it is shown, and shown escaped."""
    done = shell.run(*COMMANDS[case])
    assert done.returncode == 0, done.stdout + done.stderr
    assert SHOWN in done.stdout


@pytest.mark.parametrize("command", (("search",), ("context", "search"), ("bundle",), ("locate",)))
def test_a_question_may_hold_other_bytes(shell: Shell, command: tuple[str, ...]) -> None:
    """BAD-NAMES: a question typed in another encoding is a question, not a fault."""
    done = shell.run(*command, os.fsdecode(b"price of a caf\xe9"))
    assert done.returncode in (0, 1) and not done.stderr.startswith("error"), done.stderr


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_answers(shell: Shell, tool: str) -> None:
    """BAD-NAMES: tools take the name that answers show, in paths and patterns."""
    done = shell.run("tool", tool, "--args-json", json.dumps(TOOLS[tool]))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("tool", BELOW)
def test_a_directory_may_have_such_a_name(shell: Shell, tool: str) -> None:
    """BAD-NAMES: the files below a directory are found by its name as shown."""
    done = shell.run("tool", tool, "--args-json", json.dumps(BELOW[tool]))
    assert done.returncode == 0, done.stdout + done.stderr


def test_memory_keeps_what_was_recorded(shell: Shell) -> None:
    """BAD-NAMES: a record about such a file is listed, found and checked."""
    added = shell.run(
        "context", "add", "We double the price for the tax", "--type", "decision", "--symbol", "cafe_price"
    )
    assert added.returncode == 0, added.stdout + added.stderr
    for words in (("context", "list"), ("context", "search", "why is the price doubled"), ("context", "check")):
        done = shell.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "double the price" in shell.run("context", "list").stdout


def test_the_data_has_no_lone_surrogate(shell: Shell) -> None:
    """BAD-NAMES: an export of the index can be written and read."""
    done = shell.run("state", "export", str(Path(shell.env["HOME"]) / "state.tar.zst"))
    assert done.returncode == 0, done.stdout + done.stderr
