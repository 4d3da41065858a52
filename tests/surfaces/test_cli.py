"""The command line as a person and as a script see it."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codecompass.surfaces.cli.views.terminal_text import escape
from tests.surfaces.conftest import Shell, git


def test_version_is_fast_and_light() -> None:
    """CLI-FAST: nothing heavy is imported for --version and --help."""
    code = (
        "import sys\nfrom codecompass.app import main\nmain(['--version'])\nmain(['--help'])\n"
        "heavy = {'mcp', 'mcp_types', 'rich', 'tantivy', 'apsw', 'pydantic', 'tree_sitter', 'msgspec', 'jsonschema_rs',"
        " 'platformdirs', 'asyncio', 'watchfiles'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("codecompass ")


@pytest.mark.parametrize("words", [["--version"], ["search", "--version"], ["-v", "--version"], ["tool", "--version"]])
def test_version_stands_before_and_after_the_command(indexed: Shell, words: list[str]) -> None:
    """CLI-GLOBALS: the same answer in both places."""
    done = indexed.run(*words)
    assert done.returncode == 0 and done.stdout.startswith("codecompass ")


@pytest.mark.parametrize("before", [True, False])
def test_config_stands_before_and_after_the_command(indexed: Shell, tmp_path: Path, before: bool) -> None:
    """CLI-GLOBALS: --config and -v in both places."""
    config = tmp_path / "c.toml"
    config.write_text('[query]\nranking_explain_level = "full"\n')
    given = ["-v", "--config", str(config)]
    words = [*given, "search", "rate", "--json"] if before else ["search", "rate", "--json", *given]
    done = indexed.run(*words)
    assert "ranking_reasons" in json.loads(done.stdout)["metadata"]
    assert json.loads(done.stderr.splitlines()[-1])["event"] == "call", "-v logs the call"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["bogus"], 2),
        ([], 2),
        (["search"], 2),
        (["search", "x", "--limit", "-1"], 2),
        (["search", "x", "--limit", "many"], 2),
        (["search", " "], 2),
        (["search", "x", "--bogus"], 2),
        (["tool", "nope"], 5),
        (["tool", "get_file_outline", "--path", "no.py"], 5),
        (["tool", "locate_symbol", "--args-json", "{"], 2),
        (["tool", "locate_symbol", "--arg", "bogus=1"], 2),
        (["--config", "missing.toml", "status"], 2),
        (["search", "rate"], 0),
    ],
)
def test_exit_codes(indexed: Shell, words: list[str], code: int) -> None:
    """CLI-EXIT-CODES: from the error table; `error:` and `hint:` on stderr, never a traceback."""
    done = indexed.run(*words)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if code and words:
        assert done.stderr.startswith("error: ")


def test_the_way_out_of_an_unknown_directory(fresh: Shell) -> None:
    """CLI-WAY-OUT, CLI-EXIT-CODES: search and sync say how to go on; index registers by itself."""
    for words, way in ((["search", "x"], "index"), (["sync"], "init"), (["status"], "init")):
        done = fresh.run(*words)
        assert done.returncode == 5, words
        assert f"codecompass {way}" in done.stderr
    asked = json.loads(fresh.run("search", "x", "--json").stdout)
    assert asked["error"]["code"] == "project_not_found" and len(asked["metadata"]) == 6
    assert fresh.run("index").returncode == 0
    assert "rate_limit" in fresh.run("search", "rate limit").stdout


def test_init_then_search_explains_itself(fresh: Shell) -> None:
    """CLI-WAY-OUT: registered and not indexed is said in words."""
    assert fresh.run("init").returncode == 0
    assert "codecompass index" in fresh.run("search", "x").stderr
    assert fresh.run("init").returncode == 0, "registering again changes nothing"


def test_a_subdirectory_belongs_to_its_repository(indexed: Shell) -> None:
    """CLI-WAY-OUT: commands work from anywhere inside."""
    assert "rate_limit" in Shell(indexed.cwd / "src", indexed.env).run("search", "rate limit").stdout


def test_json_is_the_payload_of_the_tool(indexed: Shell) -> None:
    """CLI-PARITY: search --json and status --json equal the tools, byte for byte."""
    searched = indexed.run("search", "rate limit", "--json").stdout
    assert searched == indexed.run("tool", "search_code", "rate limit").stdout
    assert indexed.run("status", "--json").stdout == indexed.run("tool", "index_status").stdout


@pytest.mark.parametrize(
    "words",
    [
        ["--name", "validate_token", "--limit", "1", "--compact"],
        ["validate_token", "--limit=1", "--compact", "true"],
        ["--arg", "name=validate_token", "--arg", "limit=1", "--arg", "compact=true"],
        ["--args-json", '{"name": "validate_token", "limit": 1, "compact": true}'],
    ],
)
def test_every_way_to_give_arguments(indexed: Shell, words: list[str]) -> None:
    """CLI-TOOL-FLAGS: flags, pairs, JSON and the positional mean the same."""
    payload = json.loads(indexed.run("tool", "locate_symbol", *words).stdout)
    assert [item["name"] for item in payload["results"]] == ["validate_token"]


def test_tools_are_listed_and_documented(indexed: Shell) -> None:
    """CLI-TOOL-FLAGS: without a name all tools; with --help the flags of one."""
    assert "locate_symbol" in indexed.run("tool").stdout
    helped = indexed.run("tool", "search_code", "--help")
    assert helped.returncode == 0 and "--freshness-policy" in helped.stdout


def test_results_for_people(indexed: Shell) -> None:
    """CLI-PARITY: place, kind, name, signature and a footer, without colour in a pipe."""
    shown = indexed.run("search", "validate_token").stdout
    first, second, *_, footer = shown.splitlines()
    assert first.startswith("src/auth.py:4") and "method" in first and "validate_token" in first
    assert "4 │ def validate_token" in second
    assert "result" in footer and " ms · " in footer and "fresh" in footer
    assert "\x1b" not in shown


def test_index_reports_progress_as_json(fresh: Shell) -> None:
    """CLI-PROGRESS: events on stderr, the finished job on stdout."""
    done = fresh.run("index", "--json")
    job = json.loads(done.stdout)
    assert job["status"] == "published" and job["file_count"] == 1 and "pid" not in job
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert events and all(event["event"] == "progress" for event in events)


def test_index_shows_a_bar_on_a_terminal(fresh: Shell) -> None:
    """CLI-PROGRESS: a terminal gets a live bar and then one line."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "codecompass", "index"]
    env = fresh.env | {"TERM": "xterm"}
    with subprocess.Popen(command, cwd=fresh.cwd, env=env, stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # the other end is closed
            os.close(ours)
        assert process.stdout is not None and b"Indexed" in process.stdout.read()
    assert b"\x1b[" in shown


def test_index_stops_at_ctrl_c(fresh: Shell) -> None:
    """CLI-EXIT-CODES: 130, no traceback, and the next index works."""
    for n in range(400):
        (fresh.cwd / "src" / f"m{n}.py").write_text("\n".join(f"def f{n}_{i}():\n    return {i}\n" for i in range(60)))
    command = [sys.executable, "-m", "codecompass", "index", "--json"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=fresh.cwd, env=fresh.env, stderr=pipe, stdout=pipe, text=True)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in errors
    assert fresh.run("index").returncode == 0


@pytest.mark.parametrize("words", [["outline", "src/auth.py"], ["search", "token"], ["status"]])
def test_a_reader_that_is_gone(indexed: Shell, words: list[str]) -> None:
    """CLI-PIPE: every command ends with the code that a shell gives a program whose reader is gone."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "codecompass", *words]
    done = subprocess.run(
        command, cwd=indexed.cwd, env=indexed.env, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.returncode == 141 and not done.stderr


def test_ctrl_c_while_modules_load() -> None:
    """CLI-EXIT-CODES: the first module of the program is quiet already; there is no traceback."""
    script = (
        "import os, sys; sys.modules.pop('signal', None)\n"
        "class Hook:\n"
        "    def find_spec(self, name, *rest): name == 'signal' and os.kill(os.getpid(), 2)\n"
        "sys.meta_path.insert(0, Hook())\n"
        "import codecompass.__main__\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -signal.SIGINT and not done.stderr, done.stderr


def test_a_closed_pipe_is_quiet(indexed: Shell) -> None:
    """CLI-PIPE: `| head` must not produce an error."""
    command = f"'{sys.executable}' -m codecompass search 'rate limit' --json | head -c 1 >/dev/null; echo done"
    loop = f"for i in 1 2 3; do {command}; done"
    shell = ["sh", "-c", loop]
    done = subprocess.run(shell, cwd=indexed.cwd, env=indexed.env, capture_output=True, text=True, check=False)
    assert done.stderr == "" and done.stdout == "done\n" * 3
    full = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m codecompass tool >/dev/full"], cwd=indexed.cwd, env=indexed.env,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in full.stderr and full.returncode != 0


def test_closed_standard_streams(indexed: Shell) -> None:
    """CLI-PIPE: I06: starting without stdin, stdout or stderr."""
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        command = f"'{sys.executable}' -m codecompass search rate {closed}"
        done = subprocess.run(["sh", "-c", command], cwd=indexed.cwd, env=indexed.env, capture_output=True, check=False)
        assert done.returncode == 0 and b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode 漢字", "plain ünïcode 漢字"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\rb\nc", "a\\x0db\\x0ac"),
        ("a\udcffb", "a\\xffb"),
        ("\u2066\U000e0001", "\\u2066\\U000e0001"),
        ("a\tb", "a    b"),
    ],
)
def test_control_characters_are_spelled_out(text: str, shown: str) -> None:
    """CLI-VISIBLE: escapes, overrides and stray bytes; letters stay."""
    assert escape(text) == shown


def test_a_hostile_file_name_stays_on_its_line(fresh: Shell) -> None:
    """CLI-VISIBLE: I13: names with escape sequences, overrides, newlines and stray bytes."""
    names = [b"esc\x1b[2J.py", b"rtl\xe2\x80\xae.py", b"new\nline.py", b"stray\xff.py"]
    for name in names:
        (fresh.cwd / os.fsdecode(name)).write_text("def hostile_function():\n    return 1\n")
    git(fresh.cwd, "add", ".")
    assert fresh.run("index").returncode == 0
    done = fresh.run("search", "hostile_function", "--limit", "20")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    assert json.loads(fresh.run("search", "hostile_function", "--json").stdout)["results"]


def test_a_bad_project_config_is_named(fresh: Shell) -> None:
    """S-HOSTILE, S-STRICT: a repository that tries to move the data directory stops the command, with the key named."""
    (fresh.cwd / ".codecompass").mkdir()
    (fresh.cwd / ".codecompass" / "config.toml").write_text('[storage]\ndata_dir = "/tmp/evil"\n')
    done = fresh.run("index")
    assert done.returncode == 2 and "storage.data_dir" in done.stderr


def test_doctor_and_status(indexed: Shell) -> None:
    """CLI-EXIT-CODES: a sound installation is reported as such."""
    done = indexed.run("doctor")
    assert done.returncode == 0 and "✓" in done.stdout
    assert "fresh" in indexed.run("status").stdout


def test_a_running_job_is_reported(fresh: Shell) -> None:
    """CLI-TOOL-FLAGS: index_repo from the command line waits for the job it started."""
    assert fresh.run("init").returncode == 0
    began = time.monotonic()
    job = json.loads(fresh.run("tool", "index_repo").stdout)
    status = json.loads(fresh.run("tool", "index_status").stdout)
    assert status["recent_jobs"][0]["job_id"] == job["job_id"] and status["recent_jobs"][0]["status"] == "published"
    assert time.monotonic() - began < 30


SERVER_PACKAGES = {"mcp", "starlette", "httpx2", "tomlkit", "watchfiles"}
QUESTION_IMPORTS = {
    "search rate": SERVER_PACKAGES,
    "locate rate_limit": SERVER_PACKAGES,
    "grep rate_limit": SERVER_PACKAGES | {"jsonschema_rs"},
    "outline src/auth.py": SERVER_PACKAGES,
}
"""Packages that a question must not import: it would take longer to load them than to answer."""


@pytest.mark.parametrize("question", QUESTION_IMPORTS)
def test_a_question_imports_what_it_needs(indexed: Shell, question: str) -> None:
    """CLI-FAST: by name, of other packages and of our own: no jobs, downloads, agents and servers."""
    code = (
        "import sys\nfrom codecompass.app import main\n"
        f"assert main({question.split()!r}) == 0\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=indexed.cwd, env=indexed.env, capture_output=True,
                          text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert not QUESTION_IMPORTS[question] & loaded
    ours = ("codecompass.engine.jobs", "codecompass.engine.maintenance.downloads", "codecompass.agents",
            "codecompass.surfaces.mcp", "codecompass.surfaces.http")  # fmt: skip
    assert not [name for name in loaded if name.startswith(ours)]
    assert len([name for name in loaded if name.startswith("codecompass.tools.") and "shapes" not in name]) <= 4
