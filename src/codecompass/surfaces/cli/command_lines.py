"""Command lines for tool calls: the shell command of each tool, as one table. Imports nothing heavy.

Hints of the engine and the tools name tools; on a terminal they are translated to commands here.
"""

import re
import shlex
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from codecompass.surfaces.cli.care_args import CARE_ACTIONS
from codecompass.surfaces.cli.command_table import QUERY_COMMANDS


class CommandLine(NamedTuple):
    """A command: its words, its positional parameters, and flags whose names differ from the parameters."""

    words: str
    positional: tuple[str, ...] = ()
    flags: Mapping[str, str] = {}


COMMAND_LINES: dict[str, CommandLine] = {
    **{row.tool: CommandLine(f"care {row.name}") for row in CARE_ACTIONS},
    **{row.tool: CommandLine(row.command, tuple(word.rstrip("?") for word in row.words), {"path": "file"})
       for row in QUERY_COMMANDS},
    "search_code": CommandLine("search", ("query",)),
    "search": CommandLine("search", ("query",), {"branch": "ref"}),
    "grep_codebase": CommandLine("grep", ("pattern",), {"filePattern": "glob"}),
    "index_repo": CommandLine("index"),
    "sync_repo": CommandLine("sync"),
    "index_status": CommandLine("status"),
    "health_check": CommandLine("doctor"),
    "check_status": CommandLine("doctor"),
    "cancel_job": CommandLine("jobs", (), {"job_id": "cancel"}),
    "context_search": CommandLine("context search", ("query",)),
    "context_record": CommandLine("context add", ("content",)),
    "triage_decision": CommandLine("triage decide", ("finding", "status")),
    "triage_ingest": CommandLine("triage ingest", ("source", "inputPath")),
    "triage_context_pack": CommandLine("triage pack", ("recordId",), {"outPath": "out"}),
}  # fmt: skip
"""Tools that have a command; the others are called with `codecompass tool NAME`."""

_TOOLS_WITHOUT_COMMAND = (
    "read_file", "show_file", "explain_ranking", "workspace_status", "config_status", "index_build",
)  # fmt: skip
TOOL_NAMES = (*COMMAND_LINES, *_TOOLS_WITHOUT_COMMAND)
"""All tool names, so that hints can be translated without loading the tools; a test compares the two lists."""
_MENTION = re.compile(r"(?:\b([Cc])all )?(?<![\w'./-])(" + "|".join(sorted(TOOL_NAMES, key=len, reverse=True)) + r")\b")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DUPLICATE = re.compile(r"('codecompass [^']+'), or run \1")
_SCHEMA_HINT = "Compare the arguments with the tool's input schema."
_COMMON_WORDS = ("search", "bootstrap")
"""Tools whose names are ordinary words: replaced only after the word `call`."""


def to_command(tool: str) -> str:
    """Return the command that calls a tool."""
    known = COMMAND_LINES.get(tool)
    return f"codecompass {known.words}" if known else f"codecompass tool {tool}"


def to_shell_text(text: str, kept: Collection[str] = ()) -> str:
    """Replace tool names in a hint by commands, except the names that are kept."""

    def put(found: re.Match[str]) -> str:
        if found[2] in kept or (found[2] in _COMMON_WORDS and not found[1]):
            return found[0]
        run = {"C": "Run ", "c": "run "}.get(found[1] or "", "")
        return f"{run}'{to_command(found[2])}'"

    shown = text.replace(_SCHEMA_HINT, "The command's --help shows what it takes.")
    return _DUPLICATE.sub(r"\1", _MENTION.sub(put, shown))


def format_command(action: Mapping[str, Any]) -> str:
    """Format a suggested call as a command line."""
    tool = str(action["tool"])
    row = COMMAND_LINES.get(tool, CommandLine(f"tool {tool}"))
    given = {key: value for key, value in action.items() if key not in ("tool", "workspace", "repoPath")}
    words = ["codecompass", *row.words.split()]
    words += [shlex.quote(str(given.pop(name))) for name in row.positional if name in given]
    for key, value in given.items():
        flag = "--" + _CAMEL_BOUNDARY.sub("-", row.flags.get(key, key)).lower().replace("_", "-")
        if isinstance(value, bool):
            words += [flag] if value else []
        else:
            words += [flag, shlex.quote(str(value))]
    return " ".join(words)
