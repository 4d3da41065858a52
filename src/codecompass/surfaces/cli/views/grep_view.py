"""Output of `grep`: `path:line:text` for programs, matching lines grouped by file for people."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from codecompass.model.queries.grep_query import GrepAnswer, GrepMatch
from codecompass.surfaces.cli.views.render import FRESHNESS_STYLE
from codecompass.surfaces.cli.views.terminal import format_path
from codecompass.surfaces.cli.views.terminal_text import escape

MATCH_STYLE = "bold red"


class ShownLine(NamedTuple):
    """One line of the output: a match or a line of its context; None stands for a gap between groups."""

    path: str
    line: int
    text: str
    match: GrepMatch | None


def arrange_lines(matches: Iterable[GrepMatch]) -> Iterator[ShownLine | None]:
    """Yield matches with their context in order, every line once, with None between lines that are not neighbours."""
    lines: dict[tuple[str, int], ShownLine] = {}
    has_context = False
    for match in matches:
        context = [*enumerate(match.before, match.line - len(match.before)), *enumerate(match.after, match.line + 1)]
        has_context = has_context or bool(context)
        for line, text in context:
            lines.setdefault((match.path, line), ShownLine(match.path, line, text, None))
        lines[match.path, match.line] = ShownLine(match.path, match.line, match.text, match)
    order = {path: at for at, path in enumerate(dict.fromkeys(path for path, _ in lines))}
    last: ShownLine | None = None
    for one in sorted(lines.values(), key=lambda row: (order[row.path], row.line)):
        if has_context and last is not None and (last.path != one.path or last.line + 1 != one.line):
            yield None
        yield one
        last = one


class MatchPrinter:
    """Prints matches as they are found: `path:line:text` for programs, lines below the name of their file for people.

    Lines of the context have hyphens instead of colons.
    """

    def __init__(self, out: Console, show_path: Callable[[str], str], *, skip: int, only_matching: bool) -> None:
        self.out = out
        self.shown = 0
        self._show_path = show_path
        self._skip = skip
        self._only_matching = only_matching
        self._has_context = False
        self._is_first = True

    def add(self, matches: Sequence[GrepMatch]) -> None:
        """Print the matches of one file."""
        matches, self._skip = matches[self._skip :], max(0, self._skip - len(matches))
        if not matches:
            return
        self.shown += len(matches)
        path = self._show_path(matches[0].path)
        if self.out.is_terminal:
            self._show_file(path, matches)
        else:
            self._write_file(path, matches)
        self._is_first = False

    def _write_file(self, path: str, matches: Sequence[GrepMatch]) -> None:
        write = sys.stdout.write
        if self._only_matching:
            for match in matches:
                for part in list_parts(match):
                    write(f"{path}:{match.line}:{part}\n")
            return
        if not any(match.before or match.after for match in matches) and not self._has_context:
            write("".join([f"{path}:{match.line}:{match.text}\n" for match in matches]))
            return
        if not self._is_first:
            write("--\n")
        self._has_context = True
        for one in arrange_lines(matches):
            sign = ":" if one and one.match else "-"
            write(f"{path}{sign}{one.line}{sign}{one.text}\n" if one else "--\n")

    def _show_file(self, path: str, matches: Sequence[GrepMatch]) -> None:
        if not self._is_first:
            self.out.print()
        self.out.print(format_path(self.out, path, matches[0].line))
        for one in arrange_lines(matches):
            if one is None:
                self.out.print(Text("--", style="dim"))
                continue
            for text in _format_texts(one, only_matching=self._only_matching):
                line = Text(f"{one.line:>6}{':' if one.match else '-'} ", style="green" if one.match else "dim")
                self.out.print(line.append_text(text))


def list_parts(match: GrepMatch) -> list[str]:
    """Return the matching parts of a line."""
    return [match.text[start:end] for start, end in match.spans]


def show_file_counts(out: Console, counts: list[tuple[str, int]], *, with_numbers: bool) -> None:
    """Print the files with a match, one on a line."""
    for path, count in counts:
        line = Text(escape(path) if out.is_terminal else path, style="bold")
        if with_numbers:
            line.append(":", style="")
            line.append(str(count), style="green")
        out.print(line)


def show_totals(printer: MatchPrinter, found: GrepAnswer, milliseconds: float) -> None:
    """Print the number of matching lines, the files searched, the time and the freshness."""
    least, shown = "" if found.complete else "at least ", printer.shown
    total = f"{shown:,} of {least}{found.total:,}" if found.total > shown else f"{found.total:,}"
    foot = Text(f"{total} line{'' if found.total == 1 else 's'} in {found.searched:,} files searched · ", style="dim")
    foot.append(f"{milliseconds:.0f} ms · {escape(found.state.ref)} · ")
    foot.append(found.state.freshness, style=FRESHNESS_STYLE.get(found.state.freshness, "red"))
    printer.out.print(foot)


def _format_texts(one: ShownLine, *, only_matching: bool) -> list[Text]:
    if one.match is None:
        return [] if only_matching else [Text(escape(one.text), style="dim")]
    if only_matching:
        return [Text(escape(part), style=MATCH_STYLE) for part in list_parts(one.match)]
    text, at = Text(), 0
    for start, end in one.match.spans:
        text.append(escape(one.text[at:start]), style="not bold")
        text.append(escape(one.text[start:end]), style=MATCH_STYLE)
        at = end
    text.append(escape(one.text[at:]))
    return [text]
