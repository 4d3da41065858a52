"""Command page: the reference of the command line, rendered from its parser."""

import argparse
from collections.abc import Iterator

from codecompass.contract.export import GENERATED
from codecompass.surfaces.cli.care_args import CARE_ACTIONS
from codecompass.surfaces.cli.parser import build_parser

HEAD = """\
`codecompass COMMAND --help` prints the same in a terminal.

- Paths may be written from the current directory or from the root of the project; a path that exists in the current
  directory wins. Text shows paths from the current directory, JSON from the root.
- `grep`, `search`, `locate` and `references` exit 0 when something matches, 1 when nothing does, and 2 or more on
  errors. The other codes stand in [Troubleshooting](troubleshooting.md).
- Every command that has `--json` takes `--output json` as well.

## Options of every command

"""
CARE_HEAD = """\
Actions, each with the parameters of its tool as flags (`codecompass care ACTION --help`; see [care](care.md)):
"""


def render_command_page() -> str:
    """Render the whole page."""
    parser = build_parser()
    shared = {_describe_option(action): action for action in parser._actions if _is_option(action)}
    lines = ["# Command line\n", GENERATED + HEAD.rstrip("\n") + "\n", *_render_table(list(shared.values()))]
    for name, command, summary in _list_commands(parser):
        lines += _render_command(name, command, summary, frozenset(shared), level=2)
    return "\n".join(lines).rstrip("\n") + "\n"


def _list_commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """Yield the commands of a parser that have a help text: name, parser, help."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for row in action._choices_actions:
                if row.help != argparse.SUPPRESS:
                    yield row.dest, action.choices[row.dest], row.help or ""


def _render_command(
    name: str, parser: argparse.ArgumentParser, summary: str, shared: frozenset[str], level: int
) -> list[str]:
    own = [action for action in parser._actions if _is_shown(action) and _describe_option(action) not in shared]
    words = [_format_positional(action) for action in own if not action.option_strings]
    below = list(_list_commands(parser))
    title = f"codecompass {name}"
    usage = " ".join([title, *(["ACTION"] if below else []), *words])
    lines = [f"{'#' * level} {name}\n", f"{_end_sentence(summary)}\n", f"`{usage}`\n"]
    if name == "care":
        lines += [CARE_HEAD, "| action | does |", "|---|---|"]
        lines += [f"| `{row.name}` | {row.help} |" for row in CARE_ACTIONS] + [""]
    lines += _render_table(own)
    for inner, command, text in below:
        lines += _render_command(f"{name} {inner}", command, text, shared, level + 1)
    return lines


def _render_table(actions: list[argparse.Action]) -> list[str]:
    """Render arguments and options, or nothing where there are none."""
    rows = [f"| {_describe_option(action)} | {_escape(_format_help(action))} |" for action in actions]
    return ["| option | meaning |", "|---|---|", *rows, ""] if rows else []


def _describe_option(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{_format_positional(action)}`"
    names = [name for name in action.option_strings if name == name.lower()] or list(action.option_strings)
    value = "" if action.nargs == 0 else f" {_format_value(action)}"
    return ", ".join(f"`{name}{value}`" for name in names)


def _format_positional(action: argparse.Action) -> str:
    value = _format_value(action)
    return {"?": f"[{value}]", "*": f"[{value}…]", "+": f"{value}…"}.get(str(action.nargs), value)


def _format_value(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.rpartition(":")[2].upper()


def _format_help(action: argparse.Action) -> str:
    text = action.help or ""
    return text % {"default": action.default} if "%(default)s" in text else text.replace("%%", "%")


def _is_shown(action: argparse.Action) -> bool:
    return action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)


def _is_option(action: argparse.Action) -> bool:
    return bool(action.option_strings) and _is_shown(action)


def _end_sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
