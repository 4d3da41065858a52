"""An independent client of the frames: vscode-jsonrpc, the library of the editors that brought them up."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surfaces.conftest import Shell
from tests.surfaces.downloaded_suites import NODE, node_client

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(300)  # the first run installs the package
def test_vscode_jsonrpc_works(indexed: Shell) -> None:
    """LEGACY-CLIENT: initialize, list, call, errors, cancel, progress, fifty calls at once, goodbye."""
    node, home = node_client()
    server = [sys.executable, "-m", "tests.surfaces.workbench", "serve-mcp", "--mcp-mode", "legacy", "--no-prewarm",
              "--workspace", str(indexed.cwd)]  # fmt: skip
    done = subprocess.run(
        [node, str(home / "frames.mjs"), *server],
        cwd=ROOT, env=indexed.env, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["errors"] == [] and seen["unhandled"] == []
    assert seen["initialize"]["protocolVersion"] == "2024-11-05"
    assert "search_code" in seen["tools"] and "cleats_work" in seen["tools"]
    assert json.loads(seen["call"]["content"][0]["text"])["echo"] == "grüße 🚀" and seen["call"]["isError"] is False
    assert seen["unknownTool"]["code"] == -32602 and seen["unknownTool"]["data"]["code"] == "NOT_FOUND"
    assert seen["unknownMethod"]["code"] == -32601
    assert seen["badArguments"]["code"] == -32602 and seen["badArguments"]["data"]["details"]
    answer = seen["cancelled"]["result"]
    assert answer["isError"] and json.loads(answer["content"][0]["text"])["code"] == "CANCELLED"
    assert len(seen["progress"]) == seen["progressAtCancel"], "none after the cancelled answer"
    assert all(set(item) == {"id", "tool", "message", "stream", "phase", "ts"} for item in seen["progress"])
    assert seen["ping"] == {} and seen["many"] == [f"call {n}" for n in range(50)]
    assert seen["shutdown"] is None and seen["exitCode"] == 0


def test_the_lock_file_names_no_place() -> None:
    """LEGACY-CLIENT: packages come from wherever npm is told to look, and are checked by their hash."""
    lock = json.loads((NODE / "package-lock.json").read_text())
    packages = [value for key, value in lock["packages"].items() if key]
    assert packages and all("resolved" not in package and package["integrity"] for package in packages)
