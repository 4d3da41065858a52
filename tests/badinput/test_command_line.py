"""Bad command lines: every command says in one line what is wrong, with the right exit code and without a traceback."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from codecompass.surfaces.cli.help.examples import EXAMPLES
from codecompass.surfaces.cli.help.parser_sections import list_all_commands, takes_value
from codecompass.surfaces.cli.parser import build_parser
from tests.surfaces.conftest import Shell
from tests.surfaces.helprepo import make_example_repository
from tests.surfaces.test_help import DRIVER

UNSAFE = ("serve-mcp", "serve-http", "watch", "hook", "state import", "care", "setup", "forget")
"""Commands that would not end, or would change what the other cases need; they have tests of their own."""
WORDS = ("", "a\0b", "x" * 100_000, "nowhere/none.py", "dead-link", "src", "..", "\udcff")
NUMBERS = ("", "many", "-1", "99999999999999999999")
VALUES = ("", "a\0b", "x" * 100_000)
MAX_OPTIONS = 4
MAX_LINE = 1_000


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    shell = make_example_repository(tmp_path_factory.mktemp("badinput"))
    (shell.cwd / "dead-link").symlink_to("nowhere-at-all")
    return shell


def list_bad_lines(command: str, parser: argparse.ArgumentParser) -> list[list[str]]:
    """List wrong uses of one command: words missing, too many, unknown flags, and every argument with bad values."""
    words = command.split()
    example = shlex.split(EXAMPLES[command][0].line)
    lines = [words, [*example, "--no-such-flag"], [*example, *["surplus"] * 4], [*words, "--project", "nowhere"]]
    places = [action for action in parser._positionals._group_actions if action.dest != "shell"]
    for at, _ in enumerate(places[:2]):
        first = len(words) + at
        lines += [[*example[:first], bad, *example[first + 1 :]] for bad in WORDS]
    shared = ("--config", "--project")
    options = [one for one in parser._actions if one.option_strings and takes_value(one) and one.help]
    if command != "status":
        # The same code reads them in every command.
        options = [one for one in options if one.option_strings[-1] not in shared]
    for action in [one for one in options if one.help != argparse.SUPPRESS][:MAX_OPTIONS]:
        flag = action.option_strings[-1]
        lines += [[*example, f"{flag}={bad}"] for bad in (NUMBERS if action.metavar == "N" else VALUES)]
        lines.append([*words, flag])
    return lines


LINES = {
    command: list_bad_lines(command, parser)
    for command, parser in list_all_commands(build_parser())
    if not command.startswith(UNSAFE)
}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("half", [0, 1])
def test_every_command_refuses_bad_arguments(shop: Shell, tmp_path: Path, half: int) -> None:
    """CLI-BAD-INPUT: no crash, no traceback, one clear line that does not repeat what was too long."""
    lines = [line for at, command in enumerate(LINES) if at % 2 == half for line in LINES[command]]
    target = tmp_path / "answers.json"
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(target)], cwd=shop.cwd, env=shop.env, timeout=800, check=False,
        input=json.dumps(lines), text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    wrong = []
    for line, (code, out, err) in zip(lines, json.loads(target.read_text()), strict=True):
        shown = [word[:40] for word in line]
        said = err.splitlines()
        # Exit code 1 alone is no crash: search and grep end so when they find nothing.
        if "Traceback" in err or "command_crashed" in err:
            wrong.append(f"{shown}: {code} {err[:300]}")
        elif code >= 2 and (not any(text.startswith("error: ") for text in said) or not err.endswith("\n")):
            wrong.append(f"{shown}: {code} says nothing clear: {err[:200]!r}")
        elif code >= 2 and max(map(len, said)) > MAX_LINE:
            wrong.append(f"{shown}: {code} a line of {max(map(len, said))} characters")
        elif code == 0 and not out and line[0] not in ("care", "context", "init"):
            wrong.append(f"{shown}: 0 without a word")
    assert not wrong, "\n".join(wrong)


def run_raw(shell: Shell, words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a command line through a shell, which can close streams and open pipes."""
    command = f"{shlex.quote(sys.executable)} -m codecompass {words}"
    return subprocess.run(["sh", "-c", command], env=shell.env | (env or {}), cwd=shell.cwd, capture_output=True,
                          timeout=60, check=False)  # fmt: skip


ASKED = ("search config", "locate load_config", "references Session", "outline src/session.py", "grep config", "status")


@pytest.mark.parametrize("words", ASKED)
def test_odd_terminals(shop: Shell, words: str) -> None:
    """CLI-BAD-INPUT: any width, a dumb terminal, ASCII only: the same answer, never a crash."""
    settings = ({"COLUMNS": "20"}, {"COLUMNS": "400"}, {"COLUMNS": "wide"}, {"TERM": "dumb"}, {"TERM": ""},
                {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})  # fmt: skip
    for env in settings:
        done = run_raw(shop, words, env=env)
        assert done.returncode == 0 and done.stdout and not done.stderr, (env, done.stderr)


@pytest.mark.parametrize("words", (*ASKED, "help", "--version"))
def test_closed_streams(shop: Shell, words: str) -> None:
    """CLI-BAD-INPUT: without stdin, stdout or stderr a command ends as it would with them."""
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = run_raw(shop, f"{words} {closed}")
        assert done.returncode == 0 and b"Traceback" not in done.stderr, (closed, done.stderr)
    piped = run_raw(shop, f"{words} | true")
    assert b"Traceback" not in piped.stderr and b"Exception ignored" not in piped.stderr


def test_no_home_and_a_home_that_cannot_be_written(shop: Shell, tmp_path: Path) -> None:
    """CLI-BAD-INPUT: help needs no home; a command that cannot store anything says so in one line."""
    bare = {key: value for key, value in shop.env.items() if not key.startswith(("HOME", "CODECOMPASS", "XDG"))}
    home = tmp_path / "file"
    home.touch()
    for env in (bare, bare | {"HOME": str(home)}, bare | {"HOME": "/nonexistent"}):
        # Without a home the one of the user's account counts: nothing may be written there.
        for words in ("--help", "status", "projects", "complete -- locate x", *(("index",) if "HOME" in env else ())):
            done = run_raw(Shell(shop.cwd, env), words)
            assert b"Traceback" not in done.stderr and b"command_crashed" not in done.stderr, done.stderr
            assert done.returncode == 0 or done.stderr.startswith(b"error: "), (env.get("HOME"), words, done.stderr)


def test_the_current_directory_is_gone(shop: Shell, tmp_path: Path) -> None:
    """CLI-BAD-INPUT: one line says so; what needs no directory works."""
    gone = tmp_path / "gone"
    for words, code in (("status", 5), ("search x", 5), ("index", 5), ("--version", 0), ("help search", 0)):
        gone.mkdir()
        name = shlex.quote(str(gone))
        command = f"cd {name} && rmdir {name} && exec {sys.executable} -m codecompass"
        done = subprocess.run(["sh", "-c", f"{command} {words}"], env=shop.env, capture_output=True, text=True,
                              timeout=60, check=False)  # fmt: skip
        assert done.returncode == code and "Traceback" not in done.stderr, (words, done.stderr)
        assert code == 0 or done.stderr.startswith("error: The current directory no longer exists.")


def test_a_project_that_is_no_directory(shop: Shell) -> None:
    """CLI-BAD-INPUT: a file, a dead link, nothing, an empty word."""
    (shop.cwd / "lost").symlink_to("nowhere-at-all")
    for name in ("src/config.py", "lost", "nowhere", "''"):
        done = run_raw(shop, f"status --project {name}")
        assert done.returncode == 2 and done.stderr.startswith(b"error: Not a directory: "), done.stderr
