"""Flags of the commands that answer questions from the index. Imports nothing heavy: the parser is built from it."""

import argparse
import shlex

from codecompass.surfaces.cli.command_table import QUERY_COMMANDS
from codecompass.surfaces.cli.search_args import select_tool

QUESTION_COMMANDS = frozenset({"search", "grep", "history", "context search", *(row.command for row in QUERY_COMMANDS)})
"""Commands that need an index; each brings it up to date first."""


def add_question_flags(parser: argparse.ArgumentParser) -> None:
    """Add `--index` and `--no-sync` to every command that answers questions, at any depth."""
    for action in parser._actions:
        for below in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
            if below.prog.partition(" ")[2] in QUESTION_COMMANDS:
                below.add_argument("--index", action="store_true", help="index the project first if it never was")
                below.add_argument("--no-sync", action="store_true", help="answer from the index as it is")
            add_question_flags(below)


def is_question(args: argparse.Namespace) -> bool:
    """Whether a command answers a question from the index."""
    name = f"context {args.memory}" if args.command == "context" else args.command
    return name in QUESTION_COMMANDS


def get_ref(args: argparse.Namespace) -> str | None:
    """Return the ref that a question is about; None for the current branch."""
    found: str | None = getattr(args, "ref", None) or getattr(args, "ask:ref", None)
    return found


def format_with_index(argv: list[str]) -> str:
    """Format a command line with `--index`, as it can be pasted."""
    at = argv.index("--") if "--" in argv else len(argv)
    return shlex.join(["codecompass", *argv[:at], "--index", *argv[at:]])


def list_question_tools(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the tools that a question calls; some commands ask the engine directly."""
    if args.command == "search":
        return (select_tool(args)[0],)
    if args.command == "context":
        return ("context_search",)
    return tuple(row.tool for row in QUERY_COMMANDS if row.command == args.command)
