"""Handshake: start the command of an entry as an agent does, and ask for its tools."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from codecompass.errors import Failure
from codecompass.repo.process.child_process import run

TIMEOUT_S = 20.0
PROTOCOL = "2025-06-18"
QUIET = ("--no-auto-index", "--no-prewarm")
"""Arguments that are added for the trial: a check must not start to index."""
_MESSAGES = (
    {"id": 1, "method": "initialize", "params": {
        "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "codecompass doctor", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)  # fmt: skip


def count_tools(command: Sequence[str], environment: Mapping[str, str], directory: Path) -> int:
    """Start a server, send initialize and tools/list, and return the number of its tools."""
    words = [*command, *(QUIET if "serve-mcp" in command else ())]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in _MESSAGES)
    done = run(words, env=environment, cwd=str(directory), input=lines.encode(), timeout=TIMEOUT_S)
    for line in done.stdout.splitlines():
        tools = _read_tools(line)
        if tools is not None:
            return tools
    errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
    reason = errors[0] if errors else f"it ended with exit code {done.returncode}"
    raise Failure("CAPABILITY_MISSING", f"it listed no tools: {reason[:200]}")


def _read_tools(line: bytes) -> int | None:
    try:
        message = json.loads(line)
        return len(message["result"]["tools"]) if message.get("id") == 2 else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
