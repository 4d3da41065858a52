"""Clients: whether programs that speak MCP are told of this one, from their own files, which are only read."""

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
    """A file in which a client keeps its servers."""

    client: str
    path: str
    """From the repository's root, or with `~/` from the home of whoever asks."""
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
    """One mention of us in a client's file."""

    client: str
    file: str
    trouble: str = ""
    """Why it cannot work; empty when it can."""


def entries(root: Path, home: Path) -> tuple[Entry, ...]:
    """Every mention of this program, and every file that cannot be read."""
    found: list[Entry] = []
    for place in PLACES:
        path = home / place.path[2:] if place.path.startswith("~/") else root / place.path
        try:
            tree = _read(path)
        except Failure as failure:
            found.append(Entry(place.client, place.path, failure.message))
            continue
        for name, server in _servers(tree, place.key, root):
            if _is_ours(name, server):
                found.append(Entry(place.client, place.path, _trouble(server)))
    return tuple(found)


def _read(path: Path) -> dict[str, Any]:
    """The file as a table; empty where there is none. A link or a pipe in a hostile repository is not opened."""
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
        raise Failure("INVALID_REQUEST", "it is too large to be read")
    try:
        tree = tomllib.loads(data.decode()) if path.suffix == ".toml" else json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise Failure("INVALID_REQUEST", f"it is no valid {'TOML' if path.suffix == '.toml' else 'JSON'}") from None
    return tree if isinstance(tree, dict) else {}


def _servers(tree: dict[str, Any], key: str, root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Servers of everybody, and those that a client keeps for this one directory."""
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
