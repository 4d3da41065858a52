"""Doctor on agents: what is configured where, whether the command exists, whether the server answers."""

import itertools
import json
import sys
from pathlib import Path

import pytest

from tests.surfaces.conftest import Shell, environment, make_repository
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import payload, until


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(make_repository(tmp_path / "repo"), environment(tmp_path))


def check(shell: Shell) -> tuple[int, dict[str, dict[str, str]]]:
    done = shell.run("doctor", "--json")
    return done.returncode, {one["name"]: one for one in json.loads(done.stdout)["checks"]}


def test_what_setup_wrote_works(shell: Shell, tmp_path: Path) -> None:
    """AGENT-CHECKS: none, then two that really answer; an installed one that is not configured is named."""
    code, checks = check(shell)
    assert code == 0 and checks["clients"]["status"] == "warn" and checks["clients"]["remedy"] == "codecompass setup"
    for name in ("codex", "cursor"):
        assert shell.run("setup", name, "--yes").returncode == 0
    assert shell.run("setup", "claude", "--project", "--yes").returncode == 0
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "settings.json").write_text("{}")
    code, checks = check(shell)
    assert code == 0
    for name, file in (("Codex", ".codex/config.toml"), ("Cursor", ".cursor/mcp.json"), ("Claude Code", ".mcp.json")):
        assert checks[name]["status"] == "ok", checks[name]
        assert file in checks[name]["detail"] and "answers with 10 tools" in checks[name]["detail"]
    assert checks["Gemini CLI"]["status"] == "warn" and checks["Gemini CLI"]["remedy"] == "codecompass setup gemini"


def test_what_cannot_work(shell: Shell, tmp_path: Path) -> None:
    """AGENT-CHECKS: a missing command, a server that does not speak, a file that cannot be read."""
    entry = {"command": "/nowhere/codecompass", "args": ["serve-mcp"]}
    (tmp_path / ".claude.json").write_text(json.dumps({"mcpServers": {"codecompass": entry}}))
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('[mcp_servers.codecompass]\ncommand = "false"\n')
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{ not json")
    code, checks = check(shell)
    assert code == 20
    assert checks["Claude Code"]["status"] == "fail" and "is not found" in checks["Claude Code"]["detail"]
    assert checks["Codex"]["status"] == "fail" and "listed no tools" in checks["Codex"]["detail"]
    assert checks["Cursor"]["status"] == "warn" and "line 1, column 3" in checks["Cursor"]["detail"]
    assert checks["Claude Code"]["remedy"] == "codecompass setup claude"


def test_a_repository_names_no_program_to_start(shell: Shell, tmp_path: Path) -> None:
    """DOCTOR-CLIENTS: files are read, never written; a command of the repository is not run, a link not opened."""
    proof = tmp_path / "proof"
    script = shell.cwd / "codecompass"
    script.write_text(f"#!/bin/sh\ntouch {proof}\n")
    script.chmod(0o755)
    servers = json.dumps({"mcpServers": {"codecompass": {"command": str(script), "args": ["serve-mcp"]}}})
    (shell.cwd / ".mcp.json").write_text(servers)
    (shell.cwd / ".cursor").mkdir()
    (tmp_path / "aside.json").write_text(servers)
    (shell.cwd / ".cursor" / "mcp.json").symlink_to(tmp_path / "aside.json")
    _, checks = check(shell)
    assert "not tried" in checks["Claude Code"]["detail"] and not proof.exists()
    assert "configured in" not in checks.get("Cursor", {"detail": ""})["detail"]
    assert (shell.cwd / ".mcp.json").read_text() == servers
    (shell.cwd / ".mcp.json").unlink()
    assert shell.run("setup", "claude", "--project", "--yes").returncode == 0
    text = (shell.cwd / ".mcp.json").read_text().replace('"agent"', '"agent", "--config", "theirs.toml"')
    (shell.cwd / ".mcp.json").write_text(text)
    assert "not tried" in check(shell)[1]["Claude Code"]["detail"]


def test_a_server_serves_its_directory(shell: Shell) -> None:
    """SETUP-CWD: without --workspace the repository around the working directory is served and indexed."""
    env = shell.env | {"CODECOMPASS_INDEX_AUTO_INDEX": "true"}
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp", "--toolset", "agent"], shell.cwd / "src", env)
    try:
        peer.open()
        ids = itertools.count(1)
        found = until(
            lambda: payload(peer.call(next(ids), "locate_symbol", name="rate_limit")),
            lambda answer: answer["metadata"]["indexing_status"] == "ready",
        )
        assert "src/auth.py" in json.dumps(found)
    finally:
        peer.kill()
