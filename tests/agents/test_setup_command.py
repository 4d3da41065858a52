"""The command `setup` as a stranger uses it: a home of its own, a process, a terminal."""

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from codecompass.agents.agent_places import Machine, find_config, list_places
from codecompass.agents.agent_table import AGENTS, AGENTS_BY_NAME
from codecompass.agents.instructions import BLOCK
from codecompass.tools import TOOLS
from tests.surfaces.conftest import Shell, environment, make_repository

PROGRAM = str(Path(sys.executable).with_name("codecompass"))
SERVE = ["serve-mcp", "--toolset", "agent"]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A repository and an empty home without any agent in PATH."""
    env = environment(tmp_path) | {"PATH": os.path.dirname(shutil.which("git") or "") + ":/bin"}
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "APPDATA"):
        env.pop(name, None)
    return Shell(make_repository(tmp_path / "repo"), env)


def home_of(shell: Shell) -> Path:
    return Path(shell.env["HOME"])


USER_FILES: list[tuple[str, str, list[str]]] = [
    ("claude", ".claude.json", ["mcpServers"]), ("cursor", ".cursor/mcp.json", ["mcpServers"]),
    ("codex", ".codex/config.toml", ["mcp_servers"]), ("vscode", ".config/Code/User/mcp.json", ["servers"]),
    ("copilot", ".copilot/mcp-config.json", ["mcpServers"]), ("gemini", ".gemini/settings.json", ["mcpServers"]),
    ("windsurf", ".codeium/windsurf/mcp_config.json", ["mcpServers"]),
    ("zed", ".config/zed/settings.json", ["context_servers"]),
    ("opencode", ".config/opencode/opencode.jsonc", ["mcp", "servers"]),
    ("cline", ".cline/mcp.json", ["mcpServers"]),
    ("jetbrains", ".config/github-copilot/intellij/mcp.json", ["servers"]),
    ("antigravity", ".gemini/antigravity/mcp_config.json", ["mcpServers"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "keys"), USER_FILES, ids=[row[0] for row in USER_FILES])
def test_each_agent_gets_its_entry(shell: Shell, name: str, file: str, keys: list[str]) -> None:
    """SETUP-PLACES: file, key and shape of every agent; undo leaves an empty home."""
    path = home_of(shell) / file
    if name == "cline":  # versions differ: only a file that exists is edited
        assert "no configuration file yet" in shell.run("setup", name, "--print").stderr
        path.parent.mkdir()
        path.write_text("{}")
    done = shell.run("setup", name, "--yes")
    assert done.returncode == 0, done.stderr
    assert "+++ " in done.stdout and f"{PROGRAM} serve-mcp" in done.stderr
    found = tomllib.loads(path.read_text()) if path.suffix == ".toml" else json.loads(path.read_text())
    for key in [*keys, "codecompass"]:
        found = found[key]
    command = found["command"] if isinstance(found["command"], list) else [found["command"], *found["args"]]
    more = ["--workspace", "${workspaceFolder}"] if name == "cursor" else []
    assert command == [PROGRAM, *SERVE, *more]
    assert found.get("type") == {"claude": "stdio", "vscode": "stdio", "jetbrains": "stdio", "copilot": "local",
                                 "opencode": "local"}.get(name)  # fmt: skip
    if name == "copilot":
        assert found["tools"] == ["*"]
    if name == "opencode":
        assert found["disabled"] is False and found["codemode"] is False and "enabled" not in found
    assert "Nothing to change." in shell.run("setup", name, "--yes").stderr
    assert shell.run("setup", name, "--yes", "--undo").returncode == 0
    assert path.exists() == (name == "cline")


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if agent.project], ids=lambda agent: agent.name)
def test_files_of_a_project(shell: Shell, agent: object) -> None:
    """SETUP-PLACES: `--project` writes below the repository's root, also from a directory below, and undo cleans up."""
    row = AGENTS_BY_NAME[agent.name]  # type: ignore[attr-defined]
    below = Shell(shell.cwd / "src", shell.env)
    assert below.run("setup", row.name, "--project", "--yes", "--instructions").returncode == 0
    text = (shell.cwd / row.project).read_text()
    assert PROGRAM in text and (str(shell.cwd) in text) == (row.name == "cursor")
    assert BLOCK in (shell.cwd / row.project_instructions).read_text()
    assert (shell.cwd / row.project_skills / "codecompass" / "SKILL.md").is_file()
    assert below.run("setup", row.name, "--project", "--yes", "--undo").returncode == 0
    status = subprocess.run(["git", "status", "--short"], cwd=shell.cwd, capture_output=True, text=True, check=True)
    assert status.stdout == ""


def test_older_opencode(shell: Shell) -> None:
    """SETUP-PLACES: a file of version 1 gets an entry of version 1."""
    path = home_of(shell) / ".config/opencode/opencode.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"mcp": {"x": {"type": "local", "command": ["x"], "enabled": true}}}')
    shell.run("setup", "opencode", "--yes")
    entry = json.loads(path.read_text())["mcp"]["codecompass"]
    assert entry == {"type": "local", "command": [PROGRAM, *SERVE], "enabled": True}


def test_variables_and_systems(tmp_path: Path) -> None:
    """SETUP-PLACES: variables move files, and each system has its own."""
    env = {
        "CLAUDE_CONFIG_DIR": "/c",
        "CODEX_HOME": "/x",
        "COPILOT_HOME": "/p",
        "XDG_CONFIG_HOME": "/g",
        "APPDATA": "/a",
    }
    machine = Machine(tmp_path, env, tmp_path)
    found = {agent.name: find_config(agent, machine, "user") for agent in AGENTS}
    assert found["claude"] == Path("/c/.claude.json") and found["codex"] == Path("/x/config.toml")
    assert found["copilot"] == Path("/p/mcp-config.json") and found["zed"] == Path("/g/zed/settings.json")
    for platform, start in (("darwin", tmp_path / "Library"), ("win32", Path("/a")), ("linux", Path("/g"))):
        (path,) = list_places(AGENTS_BY_NAME["vscode"], Machine(tmp_path, env, tmp_path, platform))
        assert start in path.parents
    (tmp_path / ".gemini/config").mkdir(parents=True)
    (tmp_path / ".gemini/config/.migrated").touch()
    assert find_config(AGENTS_BY_NAME["antigravity"], machine, "user") == tmp_path / ".gemini/config/mcp_config.json"


def test_detection(shell: Shell) -> None:
    """SETUP-DETECTS: a directory is no sign; a program and a file are, and the reason is said."""
    home = home_of(shell)
    for name in (".claude", ".cursor", ".gemini", ".codex"):
        (home / name).mkdir()
    done = shell.run("setup")
    assert done.returncode != 0 and "No coding agent was found" in done.stderr and "antigravity" in done.stderr
    (home / ".gemini/settings.json").write_text("{}")
    (home / "bin").mkdir()
    (home / "bin/codex").write_text("#!/bin/sh\n")
    (home / "bin/codex").chmod(0o755)
    done = shell.run("setup", "--print", env={"PATH": f"{home / 'bin'}:{shell.env['PATH']}"})
    assert done.returncode == 0
    assert f"Codex: program {home / 'bin/codex'}" in done.stderr
    assert f"Gemini CLI: file {home / '.gemini/settings.json'}" in done.stderr
    assert "Cursor" not in done.stderr and not (home / ".codex/config.toml").exists()
    assert "Unknown agent: emacs" in shell.run("setup", "emacs").stderr


def answer_on_terminal(shell: Shell, words: list[str], answer: str) -> str:
    """Run the command on a terminal, answer its question, and return what it showed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(shell.cwd)
        os.execve(sys.executable, [sys.executable, "-m", "codecompass", *words], shell.env)
    shown, answered, until = b"", False, time.monotonic() + 40
    while time.monotonic() < until:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            data = os.read(fd, 65_536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
        if not answered and b"[y/N]" in shown:
            os.write(fd, answer.encode() + b"\n")
            answered = True
    os.close(fd)
    os.waitpid(pid, 0)
    return shown.decode()


def test_a_terminal_is_asked(shell: Shell) -> None:
    """SETUP-ASKS: the diff, then the question; no is the default; a pipe must say what it wants."""
    path = home_of(shell) / ".claude.json"
    for answer, exists in (("n", False), ("", False), ("y", True)):
        shown = answer_on_terminal(shell, ["setup", "claude"], answer)
        assert "+++ " in shown and "Write 1 file? [y/N]" in shown
        assert shown.index("+++ ") < shown.index("[y/N]")
        assert path.exists() == exists and ("Nothing was written" in shown) != exists
    path.unlink()
    refused = shell.run("setup", "claude")
    assert refused.returncode == 2 and "--yes" in refused.stderr and not path.exists()
    assert shell.run("setup", "claude", "--print").returncode == 0 and not path.exists()
    report = json.loads(shell.run("setup", "claude", "--yes", "--json").stdout)
    assert report["written"] and report["changes"][0]["path"] == str(path)


def test_a_project_cannot_lead_out(shell: Shell) -> None:
    """SETUP-REFUSES: a link in a repository does not choose what is written elsewhere."""
    outside = home_of(shell) / "notes.md"
    outside.write_text("mine\n")
    (shell.cwd / "CLAUDE.md").symlink_to(outside)
    done = shell.run("setup", "claude", "--project", "--instructions", "--yes")
    assert done.returncode == 2 and "leads out of the project" in done.stderr
    assert outside.read_text() == "mine\n" and not (shell.cwd / ".mcp.json").exists()


@pytest.mark.parametrize("name", ["claude", "codex", "cursor", "gemini"])
def test_hooks(shell: Shell, name: str) -> None:
    """SETUP-HOOKS: ours are appended, run, are harmless without the program, and go alone."""
    row = AGENTS_BY_NAME[name].hooks
    assert row is not None
    path = home_of(shell) / row.user.replace("${CLAUDE_CONFIG_DIR:-~/.claude}", ".claude").replace(
        "${CODEX_HOME:-~/.codex}", ".codex"
    ).removeprefix("~/")
    path.parent.mkdir(parents=True, exist_ok=True)
    mine = {"command": "mine"} if not row.nested else {"hooks": [{"type": "command", "command": "mine"}]}
    path.write_text(json.dumps({"hooks": {row.guide: [mine]}}, indent=2))
    shell.run("setup", name, "--hooks", "sync", "--hooks", "guide", "--yes")
    hooks = json.loads(path.read_text())["hooks"]
    assert hooks[row.guide][0] == mine and len(hooks[row.guide]) == 2
    for event in (row.sync[0], row.guide):
        item = hooks[event][-1]
        command = (item["hooks"][0] if row.nested else item)["command"]
        done = subprocess.run(["sh", "-c", command], cwd=shell.cwd, env=shell.env, capture_output=True, text=True)
        assert done.returncode == 0
        assert ("search_code" in done.stdout and json.loads(done.stdout)) if event == row.guide else done.stdout == ""
        gone = subprocess.run(["sh", "-c", command.replace(PROGRAM, "/gone/codecompass")], capture_output=True)
        assert gone.returncode == 0
    path.write_text(json.dumps(json.loads(path.read_text()) | {"new": 1}))
    shell.run("setup", name, "--undo", "--yes")
    assert json.loads(path.read_text()) == {"hooks": {row.guide: [mine]}, "new": 1} | (
        {} if row.nested else {"version": 1}
    )


def test_sync_hook_updates_the_index(shell: Shell) -> None:
    """SETUP-HOOKS: after an edit the hook brings an indexed project up to date, and prints nothing."""
    assert shell.run("index").returncode == 0
    (shell.cwd / "src" / "later.py").write_text("def written_later():\n    return 1\n")
    done = shell.run("hook", "sync", "--for", "claude")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "later.py" in shell.run("locate", "written_later").stdout


def test_instructions(shell: Shell) -> None:
    """SETUP-INSTRUCTIONS: own words stay, the block is replaced and not repeated, and it names existing tools."""
    path = shell.cwd / "AGENTS.md"
    path.write_bytes(b"# Mine\r\n\r\nText without an end")
    for _ in range(2):
        assert shell.run("setup", "codex", "--project", "--instructions", "--yes").returncode == 0
    text = path.read_bytes().decode()
    assert text.count("codecompass:begin") == 1 and text.startswith("# Mine\r\n")
    assert "\n" not in text.replace("\r\n", "")
    names = {tool.name for tool in TOOLS if "agent" in tool.toolsets}
    assert names >= {word.strip("`") for word in BLOCK.split() if "_" in word and word.startswith("`")}
    path.write_bytes(path.read_bytes() + b"More\r\n")
    shell.run("setup", "codex", "--project", "--undo", "--yes")
    assert path.read_bytes() == b"# Mine\r\n\r\nText without an end\r\nMore\r\n"


def test_a_shared_file_stays_for_the_others(shell: Shell) -> None:
    """SETUP-INSTRUCTIONS: AGENTS.md keeps its block while another agent uses it."""
    for name in ("codex", "opencode"):
        shell.run("setup", name, "--project", "--instructions", "--yes")
    done = shell.run("setup", "codex", "--project", "--undo", "--yes")
    assert "AGENTS.md stays: opencode uses it too" in done.stderr and (shell.cwd / "AGENTS.md").exists()
    shell.run("setup", "opencode", "--project", "--undo", "--yes")
    assert not (shell.cwd / "AGENTS.md").exists()
