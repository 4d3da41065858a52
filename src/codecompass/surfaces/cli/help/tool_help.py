"""Help of `tool` and `care`, whose flags are derived from the parameters of tools."""

import argparse
from collections.abc import Sequence

from codecompass.contract.tool import Tool
from codecompass.errors import Failure
from codecompass.model.near_words import describe_typo
from codecompass.surfaces.cli.care_args import CARE_ACTIONS
from codecompass.surfaces.cli.help.parser_sections import list_subcommands
from codecompass.surfaces.cli.output import print_line
from codecompass.surfaces.cli.tool_args import build_tool_parser


def show_tool_help(args: argparse.Namespace, parser: argparse.ArgumentParser, tools: Sequence[Tool]) -> int:
    """Print the flags of a tool or of an action of `care`; without either, the page of the command."""
    if args.command == "care" and args.action is not None:
        action = next(row for row in CARE_ACTIONS if row.name == args.action)
        page = build_tool_parser(find_tool(tools, action.tool), f"codecompass care {action.name}")
    elif args.command == "tool" and args.name is not None:
        page = build_tool_parser(find_tool(tools, args.name))
    else:
        page = next(below for name, _, below in list_subcommands(parser) if name == args.command)
    print_line(page.format_help().rstrip())
    return 0


def find_tool(tools: Sequence[Tool], name: str) -> Tool:
    """Return the tool of this name; otherwise fail with the nearest name."""
    for one in tools:
        if one.name == name:
            return one
    typo = describe_typo(name, [one.name for one in tools])
    raise Failure("NOT_FOUND", f"Unknown tool: {name[:100]}.", typo, hint="'codecompass tool' lists them.")
