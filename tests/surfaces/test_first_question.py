"""The first question in a directory never indexed: said, offered, indexed, answered."""

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from codecompass.surfaces.cli.readiness.question_flags import QUESTION_COMMANDS, format_with_index
from tests.surfaces.conftest import Shell, environment, git
from tests.surfaces.terminals import Screen

QUESTIONS = (
    "search rate", "locate rate_limit", "outline src/auth.py", "references Auth", "calls rate_limit", "types Auth",
    "inspect rate_limit", "bundle rate", "grep rate_limit", "context search tokens", "diff main", "refs",
    "history src/auth.py", "risks", "lint",
)  # fmt: skip


def test_every_question_has_a_row() -> None:
    """CLI-FIRST-INDEX: the rows below are the commands that have the flags."""
    asked = {" ".join(row.split()[:2]) if row.startswith("context") else row.split()[0] for row in QUESTIONS}
    assert asked == QUESTION_COMMANDS


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_script_is_told_how_to_go_on(fresh: Shell, question: str) -> None:
    """CLI-FIRST-INDEX: without a terminal nothing is indexed; the hint ends with a command that can be pasted."""
    done = fresh.run(*question.split())
    assert done.returncode == 5 and not done.stdout
    error, hint = done.stderr.splitlines()
    assert error == f"error: {fresh.cwd} was never indexed."
    assert hint.endswith(f"codecompass {question} --index") and "'codecompass index'" in hint
    assert "error" in json.loads(fresh.run("search", "rate", "--json").stdout), "JSON stays the payload of the tool"


@pytest.mark.parametrize("question", ["search rate", "grep rate_limit", "context search tokens", "outline src/auth.py"])
def test_a_flag_indexes_and_answers(fresh: Shell, question: str) -> None:
    """CLI-FIRST-INDEX: with --index the answer stands alone on stdout, and the project is registered and indexed."""
    done = fresh.run(*question.split(), "--index")
    assert done.returncode == 0, done.stderr
    assert f"{fresh.cwd} was never indexed. Indexing it now." in done.stderr and "Indexed main: 1 files" in done.stderr
    assert "Indexed" not in done.stdout
    again = fresh.run(*question.split(), "--index")
    assert again.returncode == 0 and again.stderr == "", "an indexed project is not indexed again"
    assert "ready" in fresh.run("status").stdout


def test_registered_and_never_indexed_is_the_same(fresh: Shell) -> None:
    """CLI-FIRST-INDEX: `init` alone is no index; the exit code is the one of an empty answer."""
    assert fresh.run("init").returncode == 0
    done = fresh.run("search", "rate")
    assert done.returncode == 1 and "codecompass search rate --index" in done.stderr
    assert fresh.run("search", "rate", "--index").returncode == 0


@pytest.mark.parametrize(("typed", "indexes"), [("\n", True), ("y\n", True), ("YES\n", True), ("n\n", False),
                                                ("what\n", False), ("\x04", False)])  # fmt: skip
def test_a_person_is_asked(fresh: Shell, typed: str, indexes: bool) -> None:
    """CLI-FIRST-INDEX: on a terminal; Enter means yes, anything but yes means no."""
    screen = Screen(fresh, ["search", "rate limit"])
    screen.wait_for("was never indexed. Index it now? [Y/n] ")
    screen.type(typed)
    code, shown = screen.end()
    assert "Traceback" not in shown
    assert code == (0 if indexes else 5), shown
    assert ("rate_limit" in shown) == indexes
    assert indexes or "Run 'codecompass index'" in shown


def test_ctrl_c_at_the_question(fresh: Shell) -> None:
    """CLI-FIRST-INDEX: 130, nothing registered, no traceback."""
    screen = Screen(fresh, ["search", "rate limit"])
    screen.wait_for("[Y/n] ")
    screen.type("\x03")
    code, shown = screen.end()
    assert code == 130 and "Traceback" not in shown and shown.endswith("\n")
    assert fresh.run("status").returncode == 5


def make_large(shell: Shell) -> None:
    rows = range(60)
    for n in range(400):
        body = "\n".join(f"def f{n}_{i}(value):\n    return value + {i}\n" for i in rows)
        (shell.cwd / "src" / f"m{n}.py").write_text(body)


def test_ctrl_c_at_the_bar_keeps_the_work(fresh: Shell) -> None:
    """CLI-FIRST-INDEX, CLI-INTERRUPTED: 130; what was parsed is not parsed again, and the next run says so."""
    make_large(fresh)
    screen = Screen(fresh, ["search", "f7_3", "--index"])
    screen.wait_for("Reading code")
    while not re.search(r"\b[1-9]\d*/401 files", screen.shown):
        screen.read()
    screen.send(signal.SIGINT)
    code, shown = screen.end()
    assert code == 130 and "Traceback" not in shown and "Interrupted after" in shown
    (database,) = Path(fresh.env["CODECOMPASS_STORAGE_DATA_DIR"]).glob("projects/*/index.db")
    kept = apsw.Connection(str(database)).execute("SELECT count(*) FROM blobs").fetchone()
    assert kept is not None and kept[0] > 0
    again = fresh.run("search", "f7_3", "--index")
    assert again.returncode == 0 and "f7_3" in again.stdout
    assert "goes on with what it finished" in again.stderr


@pytest.mark.parametrize("kind", ["empty", "home"])
def test_what_is_no_project_is_never_offered(tmp_path: Path, kind: str) -> None:
    """CLI-FIRST-INDEX: neither a directory without git and manifest, nor a home directory, even with --index."""
    home = tmp_path / "home"
    root = home if kind == "home" else tmp_path / "plain"
    root.mkdir()
    home.mkdir(exist_ok=True)
    (root / "a.py").write_text("def first(): ...\n")
    if kind == "home":
        git(root, "init", "-q")
    shell = Shell(root, environment(home))
    done = shell.run("search", "first", "--index")
    assert done.returncode == 2 and "is not a project" in done.stderr
    screen = Screen(shell, ["search", "first"])
    code, shown = screen.end()
    assert code == 5 and "[Y/n]" not in shown and "--project DIR" in shown


def test_the_pasted_line_is_the_same_question() -> None:
    """CLI-FIRST-INDEX: quoting and `--` are kept."""
    for argv in (["search", "a b"], ["grep", "-e", "x'y"], ["grep", "--", "-v"]):
        line = shlex.split(format_with_index(argv))
        assert line[0] == "codecompass" and [word for word in line[1:] if word != "--index"] == argv
        assert "--" not in line or line.index("--index") < line.index("--")


def test_index_registers(fresh: Shell) -> None:
    """CLI-WAY-OUT: `index` without `init`."""
    assert fresh.run("index").returncode == 0
    assert fresh.run("search", "rate").returncode == 0
    assert subprocess.run([sys.executable, "-m", "codecompass", "sync"], cwd=fresh.cwd, env=fresh.env, check=False,
                          capture_output=True).returncode == 0  # fmt: skip
