"""MCP clients: find entries for this program in the configuration files of MCP clients, which are only read."""

import json
import os
import shutil
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from codecompass.errors import Failure

PROGRAM = "codecompass"
MAX_CONFIG_BYTES = 4 * 2**20


class ClientConfig(NamedTuple):
    """A configuration file of an MCP client."""

    client: str
    path: str
    """Relative to the repository root, or with `~/` to the user's home."""
    key: str


CLIENT_CONFIGS = (
    ClientConfig("Claude Code", ".mcp.json", "mcpServers"),
    ClientConfig("Claude Code", "~/.claude.json", "mcpServers"),
    ClientConfig("Claude Desktop", "~/.config/Claude/claude_desktop_config.json", "mcpServers"),
    ClientConfig("Claude Desktop", "~/Library/Application Support/Claude/claude_desktop_config.json", "mcpServers"),
    ClientConfig("Cursor", ".cursor/mcp.json", "mcpServers"),
    ClientConfig("Cursor", "~/.cursor/mcp.json", "mcpServers"),
    ClientConfig("VS Code", ".vscode/mcp.json", "servers"),
    ClientConfig("VS Code", "~/.config/Code/User/mcp.json", "servers"),
    ClientConfig("Codex", ".codex/config.toml", "mcp_servers"),
    ClientConfig("Codex", "~/.codex/config.toml", "mcp_servers"),
    ClientConfig("Gemini CLI", ".gemini/settings.json", "mcpServers"),
    ClientConfig("Gemini CLI", "~/.gemini/settings.json", "mcpServers"),
    ClientConfig("Windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
)


class ClientEntry(NamedTuple):
    """One entry for this program in a client's file."""

    client: str
    file: str
    problem: str = ""
    """Why it cannot work; empty when it can."""


def find_entries(root: Path, home: Path) -> tuple[ClientEntry, ...]:
    """Return every entry for this program, and every unreadable file."""
    found: list[ClientEntry] = []
    for config in CLIENT_CONFIGS:
        path = home / config.path[2:] if config.path.startswith("~/") else root / config.path
        try:
            tree = _read(path)
        except Failure as failure:
            found.append(ClientEntry(config.client, config.path, failure.message))
            continue
        for name, server in _iter_servers(tree, config.key, root):
            if _is_ours(name, server):
                found.append(ClientEntry(config.client, config.path, _find_problem(server)))
    return tuple(found)


def _read(path: Path) -> dict[str, Any]:
    """Parse the file; empty if it does not exist. A link or pipe in a hostile repository is not opened."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return {}
        with path.open("rb") as file:
            data = file.read(MAX_CONFIG_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"it cannot be read ({error.strerror})") from None
    if len(data) > MAX_CONFIG_BYTES:
        raise Failure("INVALID_REQUEST", "it is too large")
    try:
        tree = tomllib.loads(data.decode()) if path.suffix == ".toml" else json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise Failure("INVALID_REQUEST", f"it is not valid {'TOML' if path.suffix == '.toml' else 'JSON'}") from None
    return tree if isinstance(tree, dict) else {}


def _iter_servers(tree: dict[str, Any], key: str, root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the global servers, and those that a client has for this directory."""
    projects = tree.get("projects")
    own = projects.get(str(root)) if isinstance(projects, dict) else None
    for table in (tree, own if isinstance(own, dict) else {}):
        servers = table.get(key)
        for name, server in servers.items() if isinstance(servers, dict) else ():
            if isinstance(server, dict):
                yield str(name), server


def _split_command(server: dict[str, Any]) -> list[str]:
    command, arguments = server.get("command", ""), server.get("args", [])
    return [str(word) for word in ([command] + (arguments if isinstance(arguments, list) else []))]


def _is_ours(name: str, server: dict[str, Any]) -> bool:
    words = (os.path.basename(word).removesuffix(".exe") for word in _split_command(server))
    return PROGRAM in name.lower() or PROGRAM in words


def _find_problem(server: dict[str, Any]) -> str:
    command = str(server.get("command", ""))
    if not command:
        return "" if server.get("url") or server.get("serverUrl") or server.get("httpUrl") else "it names no command"
    if shutil.which(os.path.expanduser(command)) is None:
        return f"its command {ascii(command[:200])} is not found"
    return ""
