"""Help pages for a terminal: of the program, of one command, and the short page that names the first steps."""

import argparse
import shutil
import textwrap

from codecompass.surfaces.cli.help.command_groups import FIRST_STEPS, GROUPS, group_commands
from codecompass.surfaces.cli.help.examples import EXAMPLES
from codecompass.surfaces.cli.help.parser_sections import Row, Section, format_usage, list_sections, list_subcommands

MIN_WIDTH, MAX_WIDTH = 20, 400
NARROW = 60
"""Below this width an explanation stands under its option, not beside it."""
MAX_COLUMN, MAX_STEP_COLUMN = 30, 46


def get_width() -> int:
    """Return the width of the terminal, or 80 where there is none, within sensible limits."""
    return max(MIN_WIDTH, min(MAX_WIDTH, shutil.get_terminal_size().columns))


def render_program_help(parser: argparse.ArgumentParser, width: int) -> str:
    """Render the page of `codecompass --help`: commands in groups, then the options of all of them."""
    texts = {name: text for name, text, _ in list_subcommands(parser)}
    groups = [
        Section(group.title, "", tuple(Row(name, texts[name]) for name in group.commands))
        for group in group_commands(list(texts))
    ]
    shared = [section for section in list_sections(parser) if section.title not in ("Arguments", "Commands")]
    blocks = [_wrap("usage: codecompass COMMAND [options]", width), _wrap(parser.description or "", width)]
    blocks += _render_sections([*groups, *shared], width)
    blocks.append(_wrap("'codecompass help COMMAND' explains a command and shows examples.", width))
    return "\n\n".join(blocks) + "\n"


def render_command_help(parser: argparse.ArgumentParser, width: int) -> str:
    """Render the page of one command: usage, what it does, examples, arguments, options, global options last."""
    command = parser.prog.removeprefix("codecompass ")
    blocks = [_wrap(f"usage: {format_usage(parser)}", width, indent=7), _wrap(parser.description or "", width)]
    if command in EXAMPLES:
        blocks.append(_render_examples(command, width))
    blocks += _render_sections(list_sections(parser), width)
    return "\n\n".join(block for block in blocks if block) + "\n"


def render_start_page(version: str, width: int) -> str:
    """Render the page of `codecompass` alone: what to do first, and where to read on."""
    steps = Section("Start here, in a repository", "", tuple(Row(*step) for step in FIRST_STEPS))
    ask = next(group for group in GROUPS if group.title == "Ask")
    blocks = [
        _wrap(f"codecompass {version}: exact, fresh answers about the code of a repository", width),
        *_render_sections([steps], width, MAX_STEP_COLUMN),
        _wrap(f"Then ask: {', '.join(ask.commands)}, diff, context.", width),
        _wrap("'codecompass help' lists every command; 'codecompass help COMMAND' explains one.", width),
    ]
    return "\n\n".join(blocks) + "\n"


def _render_examples(command: str, width: int) -> str:
    lines = ["Examples:"]
    for example in EXAMPLES[command]:
        lines += [*_wrap(f"codecompass {example.line}", width, before=2, indent=6).splitlines()]
        lines += _wrap(example.meaning, width, before=6, indent=6).splitlines()
    return "\n".join(lines)


def _render_sections(sections: list[Section], width: int, max_column: int = MAX_COLUMN) -> list[str]:
    longest = max((len(row.invocation) for section in sections for row in section.rows), default=0)
    column = min(longest, max_column) + 4
    return [_render_section(section, width, column) for section in sections]


def _render_section(section: Section, width: int, column: int) -> str:
    note = f" ({section.note[:1].lower()}{section.note[1:].rstrip('.')})" if section.note else ""
    lines = _wrap(f"{section.title}{note}:", width).splitlines()
    for row in section.rows:
        lines += _render_row(row, width, column)
    return "\n".join(lines)


def _render_row(row: Row, width: int, column: int) -> list[str]:
    if width < NARROW or len(row.invocation) + 4 > column:
        indent = 6 if width < NARROW else column
        lines = _wrap(row.invocation, width, before=2, indent=4).splitlines()
        return lines + (_wrap(row.text, width, before=indent, indent=indent).splitlines() if row.text else [])
    text = _wrap(row.text, width, before=column, indent=column).splitlines()
    head = f"  {row.invocation}".ljust(column)
    return [(head + (text[0][column:] if text else "")).rstrip(), *text[1:]]


def _wrap(text: str, width: int, *, before: int = 0, indent: int = 0) -> str:
    """Wrap text to a width; a word longer than a line is left whole, because it may be copied."""
    return textwrap.fill(
        text, width, initial_indent=" " * before, subsequent_indent=" " * indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
