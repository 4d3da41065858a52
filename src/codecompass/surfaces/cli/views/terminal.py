"""The terminal that views print on: its width, its colours, and links from paths to an editor."""

import os
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.style import Style
from rich.text import Text

from codecompass.model.editor_links import LINK_SCHEMES
from codecompass.surfaces.cli.views.terminal_text import escape

MIN_WIDTH, MAX_WIDTH = 20, 400


class TerminalConsole(Console):
    """A console without markup, highlighting and emoji. A terminal wraps lines at its width; a pipe gets them whole."""

    link_scheme: str = ""
    """The row of `LINK_SCHEMES` for paths; empty for none."""

    def print(self, *objects: Any, **options: Any) -> None:  # noqa: ANN401 - as in the library
        """Print; on a terminal a text is wrapped without blanks at the ends of its lines."""
        if not (self.is_terminal and len(objects) == 1 and isinstance(objects[0], Text)):
            super().print(*objects, **options)
            return
        for line in objects[0].wrap(self, self.width):
            line.rstrip()
            super().print(line, **options)

    def on_broken_pipe(self) -> None:
        """Let the program end as all programs do whose reader is gone; the library would exit with 1."""
        raise BrokenPipeError


def console(*, stderr: bool = False, link_scheme: str = "") -> TerminalConsole:
    """Create a console for stdout or stderr."""
    out = TerminalConsole(stderr=stderr, markup=False, highlight=False, emoji=False)
    out.soft_wrap = not out.is_terminal
    if out.is_terminal:
        out.width = min(MAX_WIDTH, max(MIN_WIDTH, out.width))
        out.link_scheme = "" if out.is_dumb_terminal else link_scheme
    return out


def make_link(scheme: str, path: str, line: int) -> str:
    """Return the address of a line of a file, which is relative to the current directory or absolute."""
    whole = quote(os.path.abspath(path).replace(os.sep, "/"), safe="/", errors="surrogateescape")
    return LINK_SCHEMES[scheme].format(path=whole if whole.startswith("/") else f"/{whole}", line=line)


def format_location(out: Console, path: str, line: int, *, style: str = "bold") -> Text:
    """Format `path:line`, on a terminal with a link to it."""
    scheme = getattr(out, "link_scheme", "")
    link = make_link(scheme, path, line) if scheme else None
    text = Text(escape(path), style=Style.parse(style) + Style(link=link))
    text.append(f":{line}", style=Style(color="green", bold=False, link=link))
    return text


def format_path(out: Console, path: str, line: int = 1) -> Text:
    """Format the path of a file as a heading, on a terminal with a link to it."""
    scheme = getattr(out, "link_scheme", "")
    return Text(escape(path), style=Style(bold=True, link=make_link(scheme, path, line) if scheme else None))


def cut_to_width(out: Console, line: Text) -> Text:
    """Cut a line to the width of the terminal; a pipe or file gets the whole line."""
    if out.is_terminal:
        line.truncate(out.width, overflow="ellipsis")
    return line


def print_hanging(out: Console, line: Text, indent: int) -> None:
    """Print a line; on a terminal its further lines are indented."""
    if not out.is_terminal or line.cell_len <= out.width:
        out.print(line)
        return
    indent = min(indent, out.width // 2)
    first = line.wrap(out, out.width)[0]
    first.rstrip()
    out.print(first)
    rest = line[len(first) :]
    for other in rest[len(rest) - len(rest.plain.lstrip()) :].wrap(out, out.width - indent):
        out.print(Text(" " * indent).append_text(other))


def print_pair(out: Console, line: Text, place: Text, indent: int) -> None:
    """Print a line and a place after it; if both do not fit the terminal, the place stands on the next line."""
    if out.is_terminal and line.cell_len + 2 + place.cell_len > out.width:
        print_hanging(out, line, indent)
        print_hanging(out, Text(" " * min(indent, out.width // 2)).append_text(place), indent)
        return
    out.print(line.append("  ").append_text(place))
