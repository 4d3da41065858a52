"""Arguments of `context`: its subcommands as rows. Imports nothing heavy, because the parser is built from it."""

import argparse
from typing import Any, NamedTuple, get_args

from codecompass.model.states import DiscoveryState, DiscoveryType, SourceKind

TYPES, SOURCES, STATES = get_args(DiscoveryType), get_args(SourceKind), get_args(DiscoveryState)
FOLDER, FILE = "docs/context", "discoveries.md"
"""Default location of an export in the repository."""
MAX_NUMBER = 1_000_000


def parse_number(text: str) -> int:
    """Parse a count that every store can hold."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= MAX_NUMBER:
        raise argparse.ArgumentTypeError(f"a whole number from 0 to {MAX_NUMBER:,} is needed, not {text[:40]!r}")
    return number


class ContextOption(NamedTuple):
    """One flag and its argparse options."""

    flag: str
    help: str
    more: dict[str, Any] = {}


class ContextCommand(NamedTuple):
    """One subcommand of `context`."""

    name: str
    help: str
    words: tuple[tuple[str, str], ...] = ()
    """(name, help) of positional arguments; a name that ends in `?` is optional."""
    options: tuple[ContextOption, ...] = ()
    uses_ref: bool = False


_NAMES: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
_IDS: dict[str, Any] = {"action": "append", "default": [], "metavar": "ID"}
_TYPE = ContextOption("--type", "only this type", {"choices": TYPES})
_MODULE = ContextOption("--module", "only this module")
_PAGING = (
    ContextOption("--limit", "results at most (0: all)", {"type": parse_number, "metavar": "N"}),
    ContextOption("--all", "show all results, as --limit 0", {"action": "store_const", "const": 0, "dest": "limit"}),
    ContextOption("--offset", "skip so many results first", {"type": parse_number, "metavar": "N"}),
)

CONTEXT_COMMANDS = (
    ContextCommand(
        "search",
        "Search what is recorded, with whether it still holds.",
        (("query", "a question or words; '-' reads stdin"),),
        (_TYPE, _MODULE, *_PAGING),
        uses_ref=True,
    ),
    ContextCommand(
        "add",
        "Record a decision, rule, pattern or issue.",
        (("content", "the statement; '-' reads stdin"),),
        (
            ContextOption("--type", "what it is (default: decision)", {"choices": TYPES, "default": "decision"}),
            ContextOption("--module", "the module it speaks of"),
            ContextOption("--title", "a heading"),
            ContextOption("--author", "who says so", {"metavar": "NAME"}),
            ContextOption("--symbol", "a name it speaks of (repeatable)", _NAMES),
            ContextOption("--supersedes", "id of what it replaces (repeatable)", _IDS),
        ),
    ),
    ContextCommand(
        "list",
        "List discoveries, newest first.",
        (),
        (
            _TYPE,
            _MODULE,
            ContextOption("--source", "only from there", {"choices": SOURCES}),
            ContextOption("--state", "default: active", {"choices": (*STATES, "all"), "default": "active"}),
            ContextOption("--contains", "only texts that hold this", {"metavar": "PART"}),
            *_PAGING,
        ),
        uses_ref=True,
    ),
    ContextCommand("show", "Show one discovery and check its claims.", (("id", "disc_…"),), (), uses_ref=True),
    ContextCommand(
        "supersede", "Mark a discovery as replaced by another.", (("id", "the old one"), ("by", "the new one"))
    ),
    ContextCommand("forget", "Show a discovery no more, also after it is found again.", (("id", "disc_…"),)),
    ContextCommand(
        "export",
        "Write what was recorded as Markdown into the repository.",
        (),
        (
            ContextOption(
                "--out",
                f"folder in the repository (default: {FOLDER}); '-' prints it",
                {"default": FOLDER, "metavar": "DIR"},
            ),
        ),
    ),
    ContextCommand("import", "Read an export back.", (("file?", f"default: {FOLDER}/{FILE}; '-' reads stdin"),)),
    ContextCommand(
        "check",
        "Show which discoveries the uncommitted changes put at risk; fails when one no longer holds.",
        (),
        (
            ContextOption("--base", "compare with this ref (default: the last commit)", {"metavar": "REF"}),
            ContextOption("--head", "compare this ref instead of the working tree", {"metavar": "REF"}),
            ContextOption(
                "--strict", "fail also when something they speak of merely changed", {"action": "store_true"}
            ),
            ContextOption(
                "--format",
                "for people, for programs, for a code host's annotations, or for a comment",
                {"choices": ("text", "json", "sarif", "markdown"), "default": "text"},
            ),
            ContextOption(
                "--patience",
                "seconds that checking may take (default: 600)",
                {"type": parse_number, "default": 600, "metavar": "S"},
            ),
            ContextOption("--limit", "default: 20", {"type": parse_number, "default": 20, "metavar": "N"}),
        ),
    ),
    ContextCommand(
        "stats",
        "Show what is recorded, which files are read most, and the last sessions.",
        (),
        (
            ContextOption(
                "--limit", "files and sessions at most", {"type": parse_number, "default": 10, "metavar": "N"}
            ),
        ),
    ),
)
CONTEXT_NAMES = frozenset(row.name for row in CONTEXT_COMMANDS)


def add_context_commands(parser: argparse.ArgumentParser, below: argparse.ArgumentParser) -> None:
    """Add the subcommands of `context`."""
    commands = parser.add_subparsers(dest="memory", metavar="COMMAND", required=True)
    for row in CONTEXT_COMMANDS:
        made = commands.add_parser(row.name, help=row.help, description=row.help, parents=[below], allow_abbrev=False)
        for name, text in row.words:
            count = "?" if name.endswith("?") else None
            made.add_argument(name.rstrip("?"), nargs=count, default=None, help=text, metavar=name.rstrip("?").upper())
        for option in row.options:
            made.add_argument(option.flag, help=option.help, **option.more)
        if row.uses_ref:
            made.add_argument("--ref", help="branch or 'live' (default: the current branch)")
        made.add_argument("--json", action="store_true", help="the answer as JSON")


def is_memory_command(words: list[str]) -> bool:
    """Whether the arguments of `context` name a subcommand; otherwise they are a question about code."""
    return not words or words[0] in CONTEXT_NAMES or words[0] in ("-h", "--help")
