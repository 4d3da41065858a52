"""The library as a stranger uses it: the documented example, its types, its errors and its place in a process."""

import os
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import codecompass
from codecompass import CodeWorkspace, Failure, library, open_workspace
from codecompass.tools import TOOLS
from tests.architecture.source import ROOT
from tests.surfaces.conftest import environment, make_repository

PAGE = ROOT / "docs" / "library.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
ROW = re.compile(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)
IMPORT_SHARE = 0.5
"""Most of the time that the interpreter takes for its own modules."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    make_repository(home / "repo")
    return home


@pytest.fixture(scope="module")
def ws(home: Path) -> Iterator[CodeWorkspace]:
    with open_workspace(home / "repo", data_dir=home / "data") as opened:
        opened.index()
        yield opened


def run_python(code: str, home: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(
        command, cwd=home / "repo", env=environment(home), capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("number", range(2))
def test_examples_of_the_page_run(home: Path, number: int) -> None:
    """LIB-EXAMPLE: a reader copies the code of the page and it works."""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 2
    done = run_python(blocks[number], home, "-W", "error")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    if number == 0:
        assert "src/auth.py:4 method auth.Auth.validate_token" in done.stdout
        assert "published 1 files" in done.stdout and "SYMBOL_NOT_FOUND" in done.stdout


def test_import_is_light(home: Path) -> None:
    """LIB-LIGHT: `import codecompass` loads one module, and costs little beside the start of the interpreter."""

    def read_times(code: str) -> dict[str, int]:
        """Module → microseconds of its own import."""
        rows = ROW.findall(run_python(code, home, "-X", "importtime").stderr)
        return {name: int(own) for own, name in rows}

    base = set(read_times("pass"))
    runs = [read_times("import codecompass") for _ in range(3)]
    ratios = [sum(run[name] for name in run if name not in base) / sum(run[name] for name in base) for run in runs]
    assert 0 < min(ratios) < IMPORT_SHARE
    code = "import sys, codecompass; print(*sorted(n for n in sys.modules if n.startswith('codecompass')))"
    assert run_python(code, home).stdout.split() == ["codecompass"]
    code = (
        "import sys\nfrom codecompass import Failure, Hit, open_workspace\n"
        "print('codecompass.engine.engine' in sys.modules)"
    )
    assert run_python(code, home).stdout.strip() == "False"


def test_names_are_exported() -> None:
    """LIB-TYPES: both lists of names are the same, each name can be imported, and an unknown one cannot."""
    assert set(codecompass.__all__) == {*library.__all__, "__version__"}
    assert all(hasattr(codecompass, name) for name in codecompass.__all__)
    assert set(codecompass.__all__) <= set(dir(codecompass))
    assert not hasattr(codecompass, "nothing")


def test_types_are_visible(tmp_path: Path) -> None:
    """LIB-TYPES: mypy sees the types of results and refuses unknown names."""
    assert Path(codecompass.__file__).with_name("py.typed").is_file()
    program = tmp_path / "program.py"
    program.write_text(
        "from codecompass import Hits, nothing, open_workspace\n"
        "with open_workspace('.') as ws:\n    found: Hits = ws.search('x')\n    reveal_type(found.hits[0].path)\n"
        "    ws.search('x', detail='all')\n"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--cache-dir",
        os.devnull,
        "--config-file=",
    ]
    done = subprocess.run([*command, str(program)], cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert 'Revealed type is "str"' in done.stdout or 'Revealed type is "builtins.str"' in done.stdout, done.stdout
    assert '"codecompass" has no attribute "nothing"' in done.stdout
    assert "program.py:5" in done.stdout and "Found 2 errors" in done.stdout, done.stdout


def test_methods_answer(ws: CodeWorkspace) -> None:
    """LIB-METHODS: each method gives the engine's values."""
    hit = ws.locate("validate_token", kind="function").hits[0]
    assert hit.qualified_name == "auth.Auth.validate_token"
    assert ws.search("rate_limit", filters={"lang": "python"}).hits[0].name == "rate_limit"
    assert not ws.search("rate_limit", without={"lang": "python"}).hits
    assert ws.references(path="src/auth.py", line=4).symbol.symbol_id == hit.symbol_id
    assert ws.references("Auth", path=Path(ws.root, "src", "auth.py")).symbol.name == "Auth"
    assert [node.name for node in ws.outline(Path(ws.root, "src/auth.py")).nodes] == ["Auth", "rate_limit"]
    assert ws.outline(handle=hit.symbol_id).nodes[0].name == "validate_token"
    assert ws.grep("CLASS").total == 1 and ws.grep("CLASS", case_sensitive=True).total == 0
    assert ws.context("validate token", sections=["definitions"]).pieces[0].path == "src/auth.py"
    assert ws.memory("validate token").state.freshness == "fresh"
    assert ws.status().state.freshness == "fresh" and ws.status().file_count == 1


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("INVALID_REQUEST", {"query": " "}),
        ("INVALID_REQUEST", {"query": "x", "limit": 0}),
        ("INVALID_REQUEST", {"query": "x", "detail": "all"}),
        ("INVALID_REQUEST", {"query": "x", "mode": "all"}),
        ("INVALID_REQUEST", {"query": "x", "freshness": "never"}),
        ("INVALID_REQUEST", {"query": "x", "filters": {"bogus": 1}}),
        ("INVALID_REQUEST", {"query": "x", "language": "klingon"}),
        ("REF_NOT_INDEXED", {"query": "x", "ref": "bogus"}),
    ],
)
def test_wrong_arguments_fail(ws: CodeWorkspace, code: str, arguments: dict[str, object]) -> None:
    """LIB-ERRORS: one exception, with a code, a message and a hint."""
    with pytest.raises(Failure) as caught:
        ws.search(**arguments)  # type: ignore[arg-type]
    assert caught.value.code == code and caught.value.message and caught.value.hint


def test_targets_are_single(ws: CodeWorkspace) -> None:
    """LIB-ERRORS: a symbol is named in exactly one way."""
    for wrong in ({}, {"name": "a", "handle": "b"}, {"line": 3}, {"name": "a", "path": "src/auth.py", "line": 1}):
        with pytest.raises(Failure, match=r"Exactly one|needs its path"):
            ws.references(**wrong)


def test_hints_name_methods(home: Path) -> None:
    """LIB-ERRORS: before the first index every query says what to call; no hint names a tool."""
    names = re.compile(rf"\b({'|'.join(tool.name for tool in TOOLS if '_' in tool.name)})\b")
    with open_workspace(home / "repo", data_dir=home / "empty") as ws:
        for call in (ws.search, ws.locate, ws.references, ws.context, ws.memory, ws.outline):
            with pytest.raises(Failure) as caught:
                call("rate")
            assert caught.value.code == "NO_INDEX" and "index()" in caught.value.hint
            assert not names.search(caught.value.hint + caught.value.message)
        assert ws.grep("rate_limit").total == 1
        assert ws.status().state.indexing == "not_indexed"


def test_failures_can_be_pickled() -> None:
    """LIB-ERRORS: a pool of processes hands the exception over whole."""
    failure = Failure("NO_INDEX", "None.", {"a": 1}, "Do it.")
    assert pickle.loads(pickle.dumps(failure)) == failure  # noqa: S301 - our own bytes


def test_closed_workspaces_refuse(home: Path) -> None:
    """LIB-CLOSE: closing twice is fine; a call afterwards is an error that says so."""
    ws = open_workspace(home / "repo", data_dir=home / "data")
    ws.close()
    ws.close()
    with pytest.raises(Failure, match="closed"):
        ws.status()
    with pytest.raises(Failure, match="Not a directory"):
        open_workspace(home / "bogus")


def test_watching_keeps_the_index_current(tmp_path: Path) -> None:
    """LIB-WATCH: a new file is found without a sync."""
    root = make_repository(tmp_path / "repo")
    with open_workspace(root, data_dir=tmp_path / "data", watch=True) as ws:
        ws.index()
        (root / "src" / "later.py").write_text("def added_later() -> None: ...\n")
        until = time.monotonic() + 60
        while not ws.locate("added_later").hits and time.monotonic() < until:
            time.sleep(0.1)
        assert ws.locate("added_later").hits[0].path == "src/later.py"


def test_the_process_stays_as_it_was(home: Path) -> None:
    """LIB-GUEST: umask, signals, switch interval and children of the caller are its own; the data directory is safe."""
    code = (
        "import os, signal, subprocess, sys\n"
        "os.umask(0)\n"
        "child = subprocess.Popen(['sleep', '30'], start_new_session=True)\n"
        "def read():\n"
        "    return sys.getswitchinterval(), signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)\n"
        "before = read()\n"
        "from codecompass import open_workspace\n"
        "for _ in range(2):\n"
        "    with open_workspace('.', data_dir='../guest') as ws:\n"
        "        ws.index()\n"
        "        assert ws.search('rate').hits\n"
        "assert before == read()\n"
        "assert os.umask(0) == 0 and child.poll() is None\n"
        "assert os.stat('../guest').st_mode & 0o077 == 0\n"
        "child.kill(); child.wait()\n"
    )
    done = run_python(code, home)
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == ""


def test_the_command_line_uses_the_same_index(home: Path) -> None:
    """LIB-SAME: what the library indexed the command line finds, and the other way round."""
    assert run_python("from codecompass import *; open_workspace('.').index()", home).returncode == 0
    command = [sys.executable, "-m", "codecompass", "locate", "rate_limit"]
    done = subprocess.run(
        command, cwd=home / "repo", env=environment(home), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and "src/auth.py:8" in done.stdout
