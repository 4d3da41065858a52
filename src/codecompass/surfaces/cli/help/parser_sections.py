"""Sections of a parser: its arguments and options as rows of text, for help, man page and completions."""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

GLOBAL = "global options"
"""Title of the group of options that every command has; it comes last."""


class Row(NamedTuple):
    """One argument, option or command with its explanation."""

    invocation: str
    text: str


class Section(NamedTuple):
    """A heading and its rows."""

    title: str
    note: str
    rows: tuple[Row, ...]


def list_subcommands(parser: argparse.ArgumentParser) -> list[tuple[str, str, argparse.ArgumentParser]]:
    """List the commands below a parser that have a help text: name, help, parser."""
    return [
        (choice.dest, choice.help or "", action.choices[choice.dest])
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for choice in action._choices_actions
    ]


def list_all_commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command with a help text, however deep, as its words and its parser."""
    for name, _, below in list_subcommands(parser):
        yield name, below
        for words, deeper in list_all_commands(below):
            yield f"{name} {words}", deeper


def list_sections(parser: argparse.ArgumentParser) -> list[Section]:
    """List arguments, options and groups of options in the order of the help: common ones first, global ones last."""
    actions = tuple(Row(*row) for row in getattr(parser, "action_rows", ()))
    words = [one for one in parser._positionals._group_actions if not _is_command(one)]
    arguments = () if actions else _make_rows(parser, words)
    commands = tuple(Row(name, text) for name, text, _ in list_subcommands(parser))
    options = [one for one in parser._optionals._group_actions if "--help" not in one.option_strings]
    helps = [one for one in parser._optionals._group_actions if "--help" in one.option_strings]
    found = [
        Section("Arguments", "", arguments),
        Section("Commands", "", commands),
        Section("Actions", "", actions),
        Section("Options", "", _make_rows(parser, options)),
    ]
    shared: list[argparse.Action] = []
    for group in parser._action_groups:
        if group.title == GLOBAL:
            shared = group._group_actions
        elif group not in (parser._positionals, parser._optionals):
            title = str(group.title)
            rows = _make_rows(parser, group._group_actions)
            found.append(Section(title[:1].upper() + title[1:], group.description or "", rows))
    found.append(Section("Global options", "", _make_rows(parser, [*helps, *shared])))
    return [section for section in found if section.rows]


def format_usage(parser: argparse.ArgumentParser) -> str:
    """Format the one line of usage: the arguments by name, the options as one word."""
    words = [parser.prog]
    for action in parser._positionals._group_actions:
        if action.help == argparse.SUPPRESS:
            continue
        name = name_value(action)
        optional = action.nargs in ("?", "*") and not name.endswith("...]")
        words.append(f"[{name}]" if optional and action.nargs == "?" else name)
        if _is_command(action):
            words.append("...")
        elif action.nargs == "*" and not name.endswith("...]"):
            words[-1] = f"[{name} ...]"
    return " ".join([*words, "[options]"])


def name_value(action: argparse.Action) -> str:
    """Return the word that stands for the value of an argument."""
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    word = action.option_strings[-1].lstrip("-") if action.option_strings else action.dest
    return word.replace("-", "_").upper()


def takes_value(action: argparse.Action) -> bool:
    """Whether an option is followed by a value."""
    return action.nargs != 0


def _is_command(action: argparse.Action) -> bool:
    return isinstance(action, argparse._SubParsersAction)


def _make_rows(parser: argparse.ArgumentParser, actions: list[argparse.Action]) -> tuple[Row, ...]:
    return tuple(_make_row(parser, action) for action in actions if action.help != argparse.SUPPRESS)


def _make_row(parser: argparse.ArgumentParser, action: argparse.Action) -> Row:
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    choices = [str(choice) for choice in action.choices or ()]
    if choices and not all(choice in text for choice in choices):
        text = f"{text}: {', '.join(choices)}" if text else ", ".join(choices)
    if not action.option_strings:
        return Row(name_value(action), text)
    # A tool's parameter may also be spelled in camel case, which nobody needs to read.
    names = ", ".join(name for name in action.option_strings if len(name) == 2 or name == name.lower())
    return Row(f"{names} {_format_value(action)}" if takes_value(action) else names, text)


def _format_value(action: argparse.Action) -> str:
    return f"[{name_value(action)}]" if action.nargs == "?" else name_value(action)
