"""Arguments of `context`: its subcommands as rows. Imports nothing heavy, because the parser is built from it."""

import argparse
from typing import Any, NamedTuple

from codecompass.model.memory_values import SOURCES, STATES, TYPES

FOLDER, FILE = "docs/context", "discoveries.md"
"""Default location of an export in the repository."""


class Option(NamedTuple):
    """One flag and its argparse options."""

    flag: str
    help: str
    more: dict[str, Any] = {}


class Command(NamedTuple):
    """One subcommand of `context`."""

    name: str
    help: str
    words: tuple[tuple[str, str], ...] = ()
    """(name, help) of positional arguments; a name that ends in `?` is optional."""
    options: tuple[Option, ...] = ()
    uses_ref: bool = False


_TYPE = Option("--type", "only this type", {"choices": TYPES})
_MODULE = Option("--module", "only this module")
_LIMIT = Option("--limit", "results at most", {"type": int})

COMMANDS = (
    Command("search", "Search what is recorded, with whether it still holds.", (("query", "a question or words"),),
            (_TYPE, _MODULE, _LIMIT), uses_ref=True),
    Command("add", "Record a decision, rule, pattern or issue.", (("content", "the statement; '-' reads stdin"),),
            (Option("--type", "what it is (default: decision)", {"choices": TYPES, "default": "decision"}),
             Option("--module", "the module it speaks of"), Option("--title", "a heading"),
             Option("--author", "who says so"),
             Option("--symbol", "a name it speaks of (repeatable)", {"action": "append", "default": []}),
             Option("--supersedes", "id of what it replaces (repeatable)", {"action": "append", "default": []}))),
    Command("list", "List discoveries, newest first.", (),
            (_TYPE, _MODULE, Option("--source", "only from there", {"choices": SOURCES}),
             Option("--state", "default: active", {"choices": (*STATES, "all"), "default": "active"}),
             Option("--contains", "only texts that hold this"),
             Option("--limit", "default: 50", {"type": int, "default": 50}),
             Option("--offset", "skip so many", {"type": int, "default": 0})), uses_ref=True),
    Command("show", "Show one discovery and check its claims.", (("id", "disc_…"),), (), uses_ref=True),
    Command("supersede", "Mark a discovery as replaced by another.", (("id", "the old one"), ("by", "the new one"))),
    Command("forget", "Show a discovery no more, also after it is found again.", (("id", "disc_…"),)),
    Command("export", "Write what was recorded as Markdown into the repository.", (),
            (Option("--out", f"folder in the repository (default: {FOLDER}); '-' prints it", {"default": FOLDER}),)),
    Command("import", "Read an export back.", (("file?", f"default: {FOLDER}/{FILE}; '-' reads stdin"),)),
    Command("check", "Show which discoveries the uncommitted changes put at risk; fails when one no longer holds.", (),
            (Option("--base", "compare with this ref (default: the last commit)"),
             Option("--head", "compare this ref instead of the working tree"),
             Option("--strict", "fail also when something they speak of merely changed", {"action": "store_true"}),
             Option("--limit", "default: 20", {"type": int, "default": 20}))),
    Command("stats", "Show what is recorded, which files are read most, and the last sessions.", (),
            (Option("--limit", "files and sessions at most", {"type": int, "default": 10}),)),
)  # fmt: skip
NAMES = frozenset(row.name for row in COMMANDS)


def add_commands(parser: argparse.ArgumentParser, below: argparse.ArgumentParser) -> None:
    """Add the subcommands of `context`."""
    commands = parser.add_subparsers(dest="memory", metavar="COMMAND", required=True)
    for row in COMMANDS:
        made = commands.add_parser(row.name, help=row.help, description=row.help, parents=[below], allow_abbrev=False)
        for name, text in row.words:
            count = "?" if name.endswith("?") else None
            made.add_argument(name.rstrip("?"), nargs=count, default=None, help=text, metavar=name.rstrip("?").upper())
        for option in row.options:
            made.add_argument(option.flag, help=option.help, **option.more)
        if row.uses_ref:
            made.add_argument("--ref", help="branch or 'live' (default: the current branch)")
        made.add_argument("--json", action="store_true", help="the answer as JSON")
        made.add_argument("--path", "--workspace", dest="path", metavar="DIR", help="the project (default: here)")


def speaks_of_memory(words: list[str]) -> bool:
    """Whether the arguments of `context` name a subcommand; otherwise they are a question about code."""
    return not words or words[0] in NAMES or words[0] in ("-h", "--help")
