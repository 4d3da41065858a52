"""No tool call loads native code that came from an argument, a workspace, or a place that others can write."""

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.tool import EFFECTS
from codecompass.tools import TOOLS
from tests.security.hostile import COMPILER, HostileWorkspace, make_hostile_workspace, make_library, program
from tests.security.hostile_arguments import READS, temptations
from tests.surfaces.stdio_client import Peer

ROUNDS = 3
NAMES = [tool.name for tool in TOOLS]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> HostileWorkspace:
    made = make_hostile_workspace(tmp_path_factory.mktemp("hostile"))
    (made.root.parent / "bin").mkdir()
    (made.root.parent / ".config").mkdir()
    assert made.shell.run("index").returncode == 0
    return made


@pytest.fixture(scope="module")
def agent(hostile: HostileWorkspace) -> Iterator[Peer]:
    """An agent's server, as widely opened as a user could open it: the home directory is an allowed root."""
    words = ("serve-mcp", "--no-prewarm", "--allowed-root", str(hostile.root.parent))
    made = Peer(program(*words), hostile.root, hostile.shell.env)
    try:
        made.open()
        yield made
    finally:
        made.kill()


@pytest.fixture(autouse=True)
def _nothing_ran(hostile: HostileWorkspace) -> Iterator[None]:
    yield
    assert not hostile.has_run(), "code of the workspace was run"


def test_the_marker_works(tmp_path: Path) -> None:
    """SEC-NO-NATIVE-CODE: the trap does go off where somebody loads it, so that its silence proves something."""
    if COMPILER is None:
        pytest.skip("no compiler: the library is bytes only")
    make_library(tmp_path / "lib.so", tmp_path / "mark")
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "lib.so")], check=True)
    assert (tmp_path / "mark").exists()


def test_a_library_of_the_workspace_is_never_loaded(hostile: HostileWorkspace, agent: Peer) -> None:
    """SEC-NO-NATIVE-CODE: download_extensions from a file of the workspace, then verify_extensions."""
    refused = answer_of(agent.call(1, "download_extensions", url=hostile.source))
    assert refused["code"] == "FORBIDDEN" and "file:" in refused["message"], refused
    found = answer_of(agent.call(2, "verify_extensions"))
    assert found["origin"] == "package" and found["load"]["ok"] and found["smoke"]["ok"]
    loaded = Path(f"/proc/{agent.process.pid}/maps")
    if loaded.exists():
        assert "vec0" not in loaded.read_text(), "the server itself has the extension in its memory"


def test_no_module_of_the_workspace_is_imported(hostile: HostileWorkspace) -> None:
    """SEC-IMPORTS: commands that load much, started as `python -m` in the workspace itself."""
    for words in (("doctor",), ("search", "token"), ("care", "verify-extensions"), ("status",)):
        done = hostile.shell.run(*words)
        assert done.returncode in (0, 1, 7, 8) and "Traceback" not in done.stderr, (words, done.stderr)
        assert not hostile.has_run(), words


def test_every_tool_is_tempted(hostile: HostileWorkspace) -> None:
    """SEC-EFFECTS, SEC-INJECTED: a new tool has to say what it may do, and how it was tempted."""
    assert set(temptations(hostile)) == set(NAMES)
    assert set(READS) == {tool.name for tool in TOOLS if tool.reads_only}
    assert {effect for tool in TOOLS for effect in tool.effects} == set(EFFECTS)


@pytest.mark.parametrize("name", NAMES)
def test_a_tempted_tool_runs_nothing(hostile: HostileWorkspace, agent: Peer, name: str) -> None:
    """SEC-INJECTED, SEC-NO-NATIVE-CODE, SEC-DESTINATIONS: each tool with each argument that a trap suggests."""
    before = outside(hostile)
    for number, raw in enumerate(temptations(hostile)[name]):
        agent.call(f"{name}-{number}", name, **raw)
        assert not hostile.has_run(), raw
    assert outside(hostile) == before, "something was written where programs look"
    assert no_trace_of_the_library(hostile)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_tempted_sequence_runs_nothing(hostile: HostileWorkspace, agent: Peer, seed: int) -> None:
    """SEC-INJECTED: the same calls one after the other in any order, always with a load at the end."""
    steps = [(name, raw) for name, calls in temptations(hostile).items() for raw in calls
             if name in ("download_models", "download_dictionaries", "download_extensions", "verify_extensions",
                         "build_sqlite_index", "triage_ingest", "context_record", "config_status")]  # fmt: skip
    random.Random(seed).shuffle(steps)
    for number, (name, raw) in enumerate(steps):
        agent.call(f"{seed}-{number}", name, **raw)
    for name in ("verify_extensions", "bootstrap", "config_status"):
        agent.call(f"{seed}-{name}", name)
    assert not hostile.has_run() and no_trace_of_the_library(hostile)
    assert answer_of(agent.call(f"{seed}-last", "verify_extensions"))["origin"] == "package"


def test_the_linter_sees_nothing_of_the_repository(hostile: HostileWorkspace, agent: Peer) -> None:
    """SEC-LINTER: a ruff.toml that selects everything and extends other files changes no message."""
    found = answer_of(agent.call("lint", "get_diagnostics", path="src/auth.py"))
    assert not [row for row in found.get("diagnostics", ()) if row.get("source") == "ruff"], found


def answer_of(message: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(message["result"]["content"][0]["text"]))


def outside(place: HostileWorkspace) -> set[str]:
    """Every file near the workspace in which programs would find instructions."""
    base = place.root.parent
    places = [base / "bin", base / ".config", place.root / ".git" / "hooks", place.root / ".codecompass"]
    found = {str(path) for one in places for path in one.rglob("*")}
    return found | {str(path) for path in (base, place.root) for path in path.glob("*") if path.suffix != ".log"}


def no_trace_of_the_library(place: HostileWorkspace) -> bool:
    """Whether its bytes have been brought anywhere into the data directory."""
    files = (path for path in place.data.rglob("*") if path.is_file() and not path.is_symlink())
    size = place.library.stat().st_size
    same = (path for path in files if path.stat().st_size == size)
    return all(hashlib.sha256(path.read_bytes()).hexdigest() != place.sha256 for path in same)
