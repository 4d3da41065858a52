"""Help: groups, examples that run, words for values, pages that fit every terminal, and the manual page."""

import argparse
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from codecompass import __version__
from codecompass.surfaces.cli.help.command_groups import GROUPS, MORE, group_commands
from codecompass.surfaces.cli.help.examples import EXAMPLES
from codecompass.surfaces.cli.help.help_page import render_command_help, render_program_help, render_start_page
from codecompass.surfaces.cli.help.man_page import render_man_page
from codecompass.surfaces.cli.help.parser_sections import list_all_commands, list_subcommands, name_value, takes_value
from codecompass.surfaces.cli.parser import build_parser
from tests.surfaces.conftest import Shell
from tests.surfaces.helprepo import make_example_repository

DRIVER = """
import json, os, sys
from codecompass.app import main
target = sys.argv[1]
lines = json.load(sys.stdin)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
answers = []
for words in lines:
    sys.argv = ["codecompass", *words]
    streams = [os.open(f"{target}.{name}", os.O_RDWR | os.O_CREAT | os.O_TRUNC) for name in ("out", "err")]
    for stream, number in zip(streams, (1, 2)):
        os.dup2(stream, number)
        os.close(stream)
    code = main(words)
    sys.stdout.flush(), sys.stderr.flush()
    answers.append([code, *(open(f"{target}.{name}", errors="replace").read() for name in ("out", "err"))])
with open(target, "w") as file:
    json.dump(answers, file)
os._exit(0)
"""
"""Runs every line in one process, because starting a hundred of them takes minutes."""
SERVERS = ("serve-mcp", "serve-http", "watch")
EXPECTED = {
    "forget": 2,  # it asks, and this is no terminal
    "jobs --cancel active": 5,  # none is at work here
}
"""Exit codes that are not 0, with the reason."""
PARSERS = dict(list_all_commands(build_parser()))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return make_example_repository(tmp_path_factory.mktemp("examples"))


def list_ids(shell: Shell, *words: str) -> list[str]:
    answer = json.loads(shell.run(*words, "--json").stdout)
    rows = next(value for value in answer.values() if isinstance(value, list))
    return [str(row.get("id") or row.get("recordId") or row.get("record_id")) for row in rows]


def prepare(shell: Shell) -> dict[str, list[str]]:
    """Record what the examples name by id."""
    for number in range(2):
        added = shell.run("context", "add", f"Sessions close after {number + 20} seconds.", "--type", "decision")
        assert added.returncode == 0, added.stderr
    assert shell.run("context", "export").returncode == 0
    taken = shell.run("triage", "ingest", "generic", "findings.json")
    assert taken.returncode == 0, taken.stderr
    sources = {"context": ("context", "list", "--contains", "seconds"), "triage": ("triage", "list")}
    return {command: list_ids(shell, *words) for command, words in sources.items()}


@pytest.mark.timeout(600)
def test_every_example_runs(shop: Shell, tmp_path: Path) -> None:
    """CLI-EXAMPLES: each line of the help, as it is printed, with real ids for the word ID."""
    ids = prepare(shop)
    lines = []
    for command, examples in EXAMPLES.items():
        for example in examples:
            known = ids.get(command.split()[0], ["", ""])
            named = {"ID": known[0], "NEW_ID": known[-1]}
            if command not in SERVERS:
                lines.append((example.line, [named.get(word, word) for word in shlex.split(example.line)]))
    # What removes the project comes last.
    lines.sort(key=lambda line: line[0].startswith("forget"))
    target = tmp_path / "answers.json"
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(target)], cwd=shop.cwd, env=shop.env, timeout=500, check=False,
        input=json.dumps([words for _, words in lines]), text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for (line, _), (code, out, err) in zip(lines, json.loads(target.read_text()), strict=True):
        assert code == EXPECTED.get(line, 0), f"{line}\n{out}\n{err}"
        assert out or code or line.startswith(("context check", "care gc")), line
        assert "Traceback" not in err, line


@pytest.mark.parametrize("command", SERVERS)
def test_every_example_of_a_server_runs(fresh: Shell, command: str) -> None:
    """CLI-EXAMPLES: a server starts, and ends with its input or with Ctrl-C."""
    assert fresh.run("index", "--no-embed").returncode == 0
    for example in EXAMPLES[command]:
        child = subprocess.Popen(
            [sys.executable, "-m", "codecompass", *shlex.split(example.line)], cwd=fresh.cwd, env=fresh.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert child.stdin is not None and child.stdout is not None
        if command != "serve-mcp":
            assert child.stdout.readline(), example.line
            child.send_signal(signal.SIGINT)
        child.stdin.close()
        assert child.wait(60) in (0, 130), example.line
        child.stdout.close()


def test_every_command_is_in_a_group_and_has_examples() -> None:
    """CLI-HELP-GROUPS, CLI-EXAMPLES: three for a command, at least one below a command; none for what is not there."""
    names = [name for name, _, _ in list_subcommands(build_parser())]
    assert not [group for group in group_commands(names) if group.title == MORE]
    assert sorted(name for group in GROUPS for name in group.commands) == sorted(names)
    assert set(EXAMPLES) == set(PARSERS)
    for command, examples in EXAMPLES.items():
        assert len(examples) >= (3 if " " not in command else 1), command
        assert all(example.line.split()[0] == command.split()[0] or command == "man" for example in examples), command


def list_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.help != argparse.SUPPRESS]


@pytest.mark.parametrize("command", PARSERS)
def test_values_have_names(command: str) -> None:
    """CLI-HELP-WORDS: a value is called what it is, and every argument is explained."""
    for action in list_actions(PARSERS[command]):
        if takes_value(action) and not isinstance(action, argparse._SubParsersAction):
            assert not re.search(r":|^TEXT$|^STRING$|^VALUE$", name_value(action).removeprefix("PATH[:")), action
            assert action.help, f"{command} {action.option_strings or action.dest}"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 132, 400])
def test_pages_fit_the_terminal(width: int) -> None:
    """CLI-HELP-WIDTH: no line is longer than the terminal is wide, except a single word."""
    pages = [render_program_help(build_parser(), width), render_start_page("1.0", width)]
    pages += [render_command_help(parser, width) for parser in PARSERS.values()]
    for page in pages:
        for line in page.splitlines():
            assert len(line) <= width or len(line.split()) == 1, line


def test_usage_is_one_line_and_global_options_come_last() -> None:
    """CLI-HELP-GROUPS: usage names the arguments; options of the command stand before those of all commands."""
    page = render_command_help(PARSERS["search"], 80)
    assert page.splitlines()[0] == "usage: codecompass search [QUERY] [options]"
    places = [page.index(title) for title in ("Examples:", "Arguments:", "Options:", "Filters (", "Global options:")]
    assert places == sorted(places)


def test_help_is_found_in_every_way(indexed: Shell) -> None:
    """CLI-HELP-GROUPS: alone, as a command, as a flag, for commands below commands and for tools."""
    alone = indexed.run()
    assert alone.returncode == 2 and "Start here" in alone.stdout and len(alone.stdout.splitlines()) < 20
    for words in (("help",), ("--help",), ("-h",)):
        assert "Understand a change:" in indexed.run(*words).stdout
    assert indexed.run("help", "context", "add").stdout == indexed.run("context", "add", "--help").stdout
    assert "--max-age-days N" in indexed.run("help", "care", "gc").stdout
    assert "usage: codecompass tool search_code" in indexed.run("help", "tool", "search_code").stdout
    wrong = indexed.run("help", "serch")
    assert wrong.returncode == 2 and "Did you mean 'codecompass search'?" in wrong.stderr


def test_the_manual_page_is_current_and_installed() -> None:
    """CLI-MAN: the committed page is the generated one, and the wheel puts it where man looks."""
    root = Path(__file__).parents[2]
    assert (root / "docs/man/codecompass.1").read_text() == render_man_page(build_parser(), __version__), (
        "run: make snapshots (codecompass snapshots)"
    )
    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["shared-data"] == {"docs/man/codecompass.1": "share/man/man1/codecompass.1"}


def test_the_manual_page_has_every_command(tmp_path: Path) -> None:
    """CLI-MAN: made from the same tables; mandoc and man find nothing wrong with it."""
    page = render_man_page(build_parser(), "1.0")
    for command, parser in PARSERS.items():
        assert f".SS {parser.prog}".replace("-", "\\-") in page, command
    path = tmp_path / "codecompass.1"
    path.write_text(page)
    if shutil.which("mandoc"):
        found = subprocess.run(
            ["mandoc", "-Tlint", "-Wwarning", str(path)], capture_output=True, text=True, check=False
        )
        assert not [line for line in found.stdout.splitlines() if "missing date" not in line]
    if shutil.which("man"):
        shown = subprocess.run(["man", "--warnings", "-l", str(path)], capture_output=True, text=True, check=False)
        assert shown.returncode == 0 and not shown.stderr, shown.stderr
    elif not shutil.which("mandoc"):
        pytest.skip("neither mandoc nor man is installed")
