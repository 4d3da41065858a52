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
MOST_BYTES = 4 * 2**20


class Place(NamedTuple):
    """A configuration file of an MCP client."""

    client: str
    path: str
    """Relative to the repository root, or with `~/` to the user's home."""
    key: str


PLACES = (
    Place("Claude Code", ".mcp.json", "mcpServers"),
    Place("Claude Code", "~/.claude.json", "mcpServers"),
    Place("Claude Desktop", "~/.config/Claude/claude_desktop_config.json", "mcpServers"),
    Place("Claude Desktop", "~/Library/Application Support/Claude/claude_desktop_config.json", "mcpServers"),
    Place("Cursor", ".cursor/mcp.json", "mcpServers"),
    Place("Cursor", "~/.cursor/mcp.json", "mcpServers"),
    Place("VS Code", ".vscode/mcp.json", "servers"),
    Place("VS Code", "~/.config/Code/User/mcp.json", "servers"),
    Place("Codex", ".codex/config.toml", "mcp_servers"),
    Place("Codex", "~/.codex/config.toml", "mcp_servers"),
    Place("Gemini CLI", ".gemini/settings.json", "mcpServers"),
    Place("Gemini CLI", "~/.gemini/settings.json", "mcpServers"),
    Place("Windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
)


class Entry(NamedTuple):
    """One entry for this program in a client's file."""

    client: str
    file: str
    trouble: str = ""
    """Why it cannot work; empty when it can."""


def entries(root: Path, home: Path) -> tuple[Entry, ...]:
    """Return every entry for this program, and every unreadable file."""
    found: list[Entry] = []
    for config in PLACES:
        path = home / config.path[2:] if config.path.startswith("~/") else root / config.path
        try:
            tree = _read(path)
        except Failure as failure:
            found.append(Entry(config.client, config.path, failure.message))
            continue
        for name, server in _servers(tree, config.key, root):
            if _is_ours(name, server):
                found.append(Entry(config.client, config.path, _trouble(server)))
    return tuple(found)


def _read(path: Path) -> dict[str, Any]:
    """Parse the file; empty if it does not exist. A link or pipe in a hostile repository is not opened."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return {}
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"it cannot be read ({error.strerror})") from None
    if len(data) > MOST_BYTES:
        raise Failure("INVALID_REQUEST", "it is too large")
    try:
        tree = tomllib.loads(data.decode()) if path.suffix == ".toml" else json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise Failure("INVALID_REQUEST", f"it is not valid {'TOML' if path.suffix == '.toml' else 'JSON'}") from None
    return tree if isinstance(tree, dict) else {}


def _servers(tree: dict[str, Any], key: str, root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the global servers, and those that a client has for this directory."""
    projects = tree.get("projects")
    own = projects.get(str(root)) if isinstance(projects, dict) else None
    for table in (tree, own if isinstance(own, dict) else {}):
        servers = table.get(key)
        for name, server in servers.items() if isinstance(servers, dict) else ():
            if isinstance(server, dict):
                yield str(name), server


def _words(server: dict[str, Any]) -> list[str]:
    command, arguments = server.get("command", ""), server.get("args", [])
    return [str(word) for word in ([command] + (arguments if isinstance(arguments, list) else []))]


def _is_ours(name: str, server: dict[str, Any]) -> bool:
    words = (os.path.basename(word).removesuffix(".exe") for word in _words(server))
    return PROGRAM in name.lower() or PROGRAM in words


def _trouble(server: dict[str, Any]) -> str:
    command = str(server.get("command", ""))
    if not command:
        return "" if server.get("url") or server.get("serverUrl") or server.get("httpUrl") else "it names no command"
    if shutil.which(os.path.expanduser(command)) is None:
        return f"its command {ascii(command[:200])} is not found"
    return ""
