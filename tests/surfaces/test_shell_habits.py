"""What somebody expects who knows shells: paths from here, exit codes of grep, shared flags, hints to paste."""

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.errors import CODES
from codecompass.surfaces.cli.command_lines import COMMAND_LINES, TOOL_NAMES, format_command, to_shell_text
from codecompass.surfaces.cli.parser import build_parser
from codecompass.surfaces.cli.path_args import PATH_TOOLS, list_candidate_paths
from codecompass.tools import TOOLS
from tests.surfaces.conftest import Shell, environment, git


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A project with the same name at its root and below, indexed."""
    home = tmp_path_factory.mktemp("habits")
    root = home / "repo"
    (root / "shop" / "deep").mkdir(parents=True)
    (root / "part.py").write_text("def at_the_root():\n    return 1\n")
    (root / "shop" / "part.py").write_text("def in_the_shop():\n    return 2\n\n\nSTOCK = in_the_shop()\n")
    (root / "shop" / "gone.py").write_text("def gone_later():\n    return 3\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    git(root, "branch", "old")
    (root / "shop" / "gone.py").unlink()
    git(root, "commit", "-qam", "second")
    shell = Shell(root, environment(home))
    for words in (("index",), ("index", "--ref", "old")):
        assert shell.run(*words).returncode == 0
    return shell


def at(shell: Shell, below: str, *words: str) -> subprocess.CompletedProcess[str]:
    return Shell(shell.cwd / below, shell.env).run(*words)


PATHS = [
    ("outline", "part.py", "shop/part.py"), ("outline", "./part.py", "shop/part.py"),
    ("outline", "../part.py", "part.py"), ("outline", "shop/part.py", "shop/part.py"),
    ("outline", "@/shop/part.py", "shop/part.py"), ("history", "part.py", "shop/part.py"),
    ("history", "part.py:1-2", "shop/part.py"), ("lint", "part.py", ""), ("risks", "part.py", ""),
    ("inspect in_the_shop --file", "part.py", "shop/part.py"),
    ("references in_the_shop --file", "part.py", "shop/part.py"),
    ("calls in_the_shop --file", "part.py", "shop/part.py"), ("types in_the_shop --file", "part.py", "shop/part.py"),
    ("tool read_file", "part.py", "shop/part.py"), ("tool get_file_outline --path", "part.py", "shop/part.py"),
    ("outline --ref old", "gone.py", "shop/gone.py"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "path", "meant"), PATHS, ids=[f"{a} {b}" for a, b, _ in PATHS])
def test_a_path_is_understood_from_here(shop: Shell, command: str, path: str, meant: str) -> None:
    """CLI-PATHS: in every command that takes one; the answer shows the path from the root."""
    named = path.replace("@", str(shop.cwd))
    done = at(shop, "shop", *command.split(), named, *([] if command.startswith("tool") else ["--json"]))
    assert done.returncode == 0, done.stderr
    assert f'"{meant}"' in done.stdout or not meant
    assert '"part.py"' not in done.stdout or meant == "part.py"


def test_what_exists_nowhere_is_said_to_be_that(shop: Shell) -> None:
    """CLI-PATHS: the error names what was typed, and what lies outside is never taken for the project's."""
    done = at(shop, "shop", "outline", "none.py")
    assert done.returncode == 5 and "'none.py'" in done.stderr
    assert at(shop, "shop/deep", "outline", "../../../outside.py").returncode != 0
    assert list_candidate_paths(str(shop.cwd), "/etc/passwd") == ["/etc/passwd"]
    assert {tool.name for tool in TOOLS if "path" in tool.fields} - PATH_TOOLS == {"search", "verify_extensions"}


def test_grep_ends_as_grep_does(shop: Shell) -> None:
    """CLI-GREP-EXIT: 0, 1, or 2 and more; the same for JSON."""
    for flags in ((), ("--json",)):
        assert shop.run("grep", "at_the_root", *flags).returncode == 0
        assert shop.run("grep", "zzz_nothing_zzz", *flags).returncode == 1
        assert shop.run("grep", "[", *flags).returncode == 2
        assert shop.run("grep", "x", "--ref", "nowhere", *flags).returncode >= 2
    assert shop.run("grep").returncode == 2


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Every command of the grammar, with those below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield below
                yield from parsers(below)


def test_shared_flags_stand_in_every_command() -> None:
    """CLI-SHARED-FLAGS: whatever the command, and however deep; JSON by either spelling."""
    found = list(parsers(build_parser()))
    assert len(found) > 40
    for parser in found:
        assert {"-v", "--verbose", "--config"} <= set(parser._option_string_actions), parser.prog
        if "--json" in parser._option_string_actions and not parser.prog.endswith(" tool"):
            assert "json" in (parser._option_string_actions["--output"].choices or ()), parser.prog


JSON_COMMANDS = (
    "init", "index", "sync", "status", "search part", "locate at_the_root", "outline part.py", "grep return", "refs",
    "references at_the_root", "calls at_the_root", "types at_the_root", "inspect at_the_root", "lint", "risks",
    "bundle part", "diff old main", "jobs", "doctor", "languages", "history part.py", "context list", "context stats",
    "triage list", "care report", "care", "state export x.zst",
)  # fmt: skip


@pytest.mark.parametrize("command", JSON_COMMANDS)
def test_output_json_is_json(shop: Shell, command: str) -> None:
    """CLI-SHARED-FLAGS: stdout is one JSON value, with the shared flags before or after the words."""
    words = command.replace("x.zst", str(shop.cwd.parent / "x.zst")).split()
    config = shop.cwd.parent / "empty.toml"
    config.touch()
    done = shop.run(*words, "--output", "json", "-v", "--config", str(config))
    json.loads(done.stdout)


def test_a_tool_takes_the_shared_flags(shop: Shell) -> None:
    """CLI-SHARED-FLAGS: they are ours wherever they stand; everything else is the tool's."""
    done = shop.run("tool", "index_status", "-v")
    assert done.returncode == 0 and "index_status" in done.stderr
    assert "No such" not in done.stderr
    wrong = shop.run("tool", "index_status", "--config", "/does/not/exist.toml")
    assert wrong.returncode == 2
    assert "usage: codecompass tool search_code" in shop.run("tool", "search_code", "--help").stdout
    assert json.loads(shop.run("tool", "search", "-n", "x", "--output", "full").stdout or "null") is None
    assert json.loads(shop.run("tool", "search", "--query", "part", "--output", "full").stdout)["backend"] == "tantivy"


def test_the_table_knows_every_tool() -> None:
    """CLI-HINTS: a tool that is added is either a command or called through `tool`; each line can be parsed."""
    assert set(TOOL_NAMES) == {tool.name for tool in TOOLS}
    for tool in TOOLS:
        row = COMMAND_LINES.get(tool.name)
        words = (row.words if row else f"tool {tool.name}").split()
        needed = [name for name in row.positional if name in tool.fields] if row else []
        values = {"status": "accept", "source": "osv", "path": "a.py"}
        line = format_command({"tool": tool.name} | {name: values.get(name, "x y") for name in needed})
        typed = shlex.split(line)[1:]
        assert typed[: len(words)] == words
        build_parser().parse_args(typed)


def test_hints_name_commands(shop: Shell) -> None:
    """CLI-HINTS: no stock hint shows a tool's name to a person, and what fails at a terminal does not either."""
    for code in CODES:
        shown = to_shell_text(code.hint)
        for name in set(TOOL_NAMES) - {"search", "bootstrap"}:
            assert name not in shown.replace("codecompass tool ", ""), code.name
    assert to_shell_text("Call index_repo, or run 'codecompass index'.") == "Run 'codecompass index'."
    done = shop.run("outline", "none.py")
    assert "'codecompass search'" in done.stderr and "search_code" not in done.stderr
    empty = shop.run("search", "zzzz_no_such_word")
    assert "try: codecompass " in empty.stdout
    line = next(row.split("try: ")[1] for row in empty.stdout.splitlines() if "try: " in row)
    again = subprocess.run([sys.executable, "-m", *shlex.split(line)], cwd=shop.cwd, env=shop.env, capture_output=True,
                           timeout=60, check=False)  # fmt: skip
    assert again.returncode in (0, 1), again.stderr


def test_paths_keep_the_name_of_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-PATHS: a link inside the project is asked for by its own name."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "real.py").touch()
    (tmp_path / "sub" / "link.py").symlink_to("real.py")
    monkeypatch.chdir(tmp_path / "sub")
    assert list_candidate_paths(str(tmp_path), "link.py") == ["sub/link.py"]


SHOWN = ("outline part.py", "locate in_the_shop", "search in_the_shop", "references in_the_shop", "grep in_the_shop",
         "calls in_the_shop", "types in_the_shop", "inspect in_the_shop", "history part.py")  # fmt: skip


@pytest.mark.parametrize("command", SHOWN)
def test_paths_are_shown_from_here(shop: Shell, command: str) -> None:
    """CLI-PATHS: relative to the current directory in text, absolute from outside, from the root in JSON."""
    below = at(shop, "shop", *command.split())
    assert below.returncode == 0, below.stderr
    assert "part.py" in below.stdout and "shop/part.py" not in below.stdout
    deeper = at(shop, "shop/deep", *command.replace("part.py", "../part.py").split())
    assert "../part.py" in deeper.stdout and "shop/part.py" not in deeper.stdout
    words = command.replace("part.py", str(shop.cwd / "shop" / "part.py")).split()
    outside = at(shop, "..", *words, "--project", str(shop.cwd))
    assert str(shop.cwd / "shop" / "part.py") in outside.stdout, outside.stderr


def test_every_command_takes_the_project(shop: Shell) -> None:
    """CLI-PROJECT: by one flag before or after the command; the former names still work and are in no help."""
    for parser in parsers(build_parser()):
        assert "--project" in parser._option_string_actions, parser.prog
        if "serve" not in parser.prog and not parser.prog.endswith("search"):
            assert "--workspace" not in parser.format_help() and "--path" not in parser.format_help(), parser.prog
    root = str(shop.cwd)
    for words in (["--project", root, "status"], ["status", "--project", root], ["status", "--workspace", root],
                  ["status", "--path", root], ["tool", "index_status", "--project", root]):  # fmt: skip
        done = at(shop, "..", *words)
        assert done.returncode == 0 and root in done.stdout, (words, done.stderr)
    wrong = at(shop, "..", "status", "--project", "nowhere")
    assert wrong.returncode != 0 and "Not a directory: nowhere" in wrong.stderr and len(wrong.stderr.splitlines()) == 2


EXITS = (
    ("search in_the_shop", 0), ("search zzzz_no_such_word", 1), ("search zzzz_no_such_word --json", 1),
    ("search zzzz_no_such_word --mode code", 1), ("locate in_the_shop", 0), ("locate zzzz_no_such_word", 1),
    ("references in_the_shop", 0), ("references at_the_root", 1), ("tool search_code --query zzzz_no_such_word", 0),
)  # fmt: skip


@pytest.mark.parametrize(("command", "code"), EXITS)
def test_nothing_found_is_exit_code_one(shop: Shell, command: str, code: int) -> None:
    """CLI-EMPTY-EXIT: for scripts; a call of a tool exits as the call went."""
    assert shop.run(*command.split()).returncode == code


TYPOS = (
    ("serch x", "Unknown command: serch. Did you mean 'codecompass search'?"),
    ("triage lst", "Unknown command: lst. Did you mean 'codecompass triage list'?"),
    ("care gcc", "Unknown command: gcc. Did you mean 'codecompass care gc'?"),
    ("locate x --limt 3", "Unknown flag: --limt. Did you mean '--limit'?"),
    ("search x --lmit=3", "Unknown flag: --lmit=3. Did you mean '--limit'?"),
    ("search x y", "Unknown argument: y."),
    ("outline x --depth al", "--depth is one of top, all; not 'al'. Did you mean '--depth all'?"),
    ("grep x --glod y", "Unknown flag: --glod. Did you mean '--glob'?"),
    ("grep", "A pattern is missing."),
    ("references", "NAME is missing."),
    ("locate x --limit many", "--limit takes a whole number, not 'many'."),
    ("zzzzzz", "Unknown command: zzzzzz."),
)


@pytest.mark.parametrize(("command", "said"), TYPOS)
def test_wrong_usage_is_one_line_with_a_way_out(shop: Shell, command: str, said: str) -> None:
    """CLI-TYPOS: what is wrong, what was probably meant, and where to read on; exit code 2."""
    done = shop.run(*command.split())
    lines = done.stderr.splitlines()
    assert done.returncode == 2 and lines[0] == f"error: {said}" and len(lines) == 2 and lines[1].startswith("hint: ")


def test_help_names_values(shop: Shell) -> None:
    """CLI-TYPOS: no internal name stands in a help text."""
    for parser in parsers(build_parser()):
        shown = parser.format_help()
        assert "ASK:" not in shown and "SEARCH:" not in shown and "FILTER:" not in shown, parser.prog
