"""Manual page codecompass(1) in roff, from the parser, the groups and the examples."""

import argparse

from codecompass.surfaces.cli.help.command_groups import FIRST_STEPS, group_commands
from codecompass.surfaces.cli.help.examples import EXAMPLES
from codecompass.surfaces.cli.help.parser_sections import Section, format_usage, list_sections, list_subcommands

PAGE_NAME = "codecompass.1"
EXIT_CODES = (
    ("0", "The command succeeded."),
    ("1", "Nothing was found, or a check failed."),
    ("2", "The command line is wrong."),
    ("5", "A project, file, symbol or ref does not exist."),
    ("130", "The command was interrupted."),
)
_GLOBAL = "Global options"


def render_man_page(parser: argparse.ArgumentParser, version: str) -> str:
    """Render the whole manual: what it is, every command with its options and examples, exit codes."""
    lines = [
        # No date: the page is generated and must not differ from day to day.
        f'.TH CODECOMPASS 1 "" "codecompass {version}" "User Commands"',
        ".SH NAME",
        "codecompass \\- exact, fresh answers about the code of a repository",
        ".SH SYNOPSIS",
        ".B codecompass",
        "COMMAND [options]",
        ".SH DESCRIPTION",
        _escape(parser.description or ""),
        ".SH FIRST STEPS",
        *(line for step in FIRST_STEPS for line in (".TP", f".B {_escape(step.line)}", _escape(step.meaning))),
    ]
    below = {name: one for name, _, one in list_subcommands(parser)}
    for group in group_commands(list(below)):
        lines.append(f".SH {_escape(group.title.upper())}")
        for name in group.commands:
            lines += _render_command(below[name])
    lines.append(".SH GLOBAL OPTIONS")
    lines += [line for section in list_sections(parser) if section.title == _GLOBAL for line in _render_rows(section)]
    lines.append(".SH EXIT STATUS")
    lines += [line for code, meaning in EXIT_CODES for line in (".TP", f".B {code}", _escape(meaning))]
    return "\n".join(lines) + "\n"


def _render_command(parser: argparse.ArgumentParser) -> list[str]:
    lines = [f".SS {_escape(format_usage(parser))}", _escape(parser.description or "")]
    for section in list_sections(parser):
        if section.title not in (_GLOBAL, "Commands"):
            # The common options need no heading; a group of options is named.
            named = [".PP", f"{_escape(section.title)}:"] if section.title not in ("Arguments", "Options") else []
            lines += [*named, *_render_rows(section)]
    command = parser.prog.removeprefix("codecompass ")
    if command in EXAMPLES:
        lines += [".PP", "Examples:"]
        for example in EXAMPLES[command]:
            lines += [".TP", f".B codecompass {_escape(example.line)}", _escape(example.meaning)]
    for _, _, below in list_subcommands(parser):
        lines += _render_command(below)
    return lines


def _render_rows(section: Section) -> list[str]:
    return [line for row in section.rows
            for line in (".TP", f".B {_escape(row.invocation)}", _escape(row.text) or "\\&")]  # fmt: skip


def _escape(text: str) -> str:
    """Escape text for roff: backslashes, hyphens that are typed, accents, and a control character at the start."""
    quoted = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    quoted = quoted.replace('"', "\\(dq").replace("^", "\\(ha").replace("~", "\\(ti").replace("…", "...")
    return f"\\&{quoted}" if quoted.startswith(".") else quoted
