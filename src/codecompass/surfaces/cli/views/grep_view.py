"""Output of `grep`: `path:line:text` for programs, matching lines grouped by file for people."""

import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from codecompass.model.queries.grep_query import GrepAnswer, GrepMatch
from codecompass.surfaces.cli.views.render import FRESHNESS_STYLE
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


def write_lines(matches: list[GrepMatch], *, only_matching: bool) -> None:
    """Write `path:line:text`; lines of the context have hyphens instead of colons."""
    write = sys.stdout.write
    if only_matching:
        for match in matches:
            for part in list_parts(match):
                write(f"{match.path}:{match.line}:{part}\n")
        return
    for one in arrange_lines(matches):
        if one is None:
            write("--\n")
            continue
        sign = ":" if one.match else "-"
        write(f"{one.path}{sign}{one.line}{sign}{one.text}\n")


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


def show_grep(
    out: Console, matches: list[GrepMatch], found: GrepAnswer, milliseconds: float, *, only_matching: bool
) -> None:
    """Print matching lines below the name of their file, then their number."""
    last = ""
    for one in arrange_lines(matches):
        if one is None:
            out.print(Text("--", style="dim"))
            continue
        if one.path != last:
            out.print(Text(("\n" if last else "") + escape(one.path), style="bold"))
            last = one.path
        for text in _format_texts(one, only_matching=only_matching):
            line = Text(f"{one.line:>6}{':' if one.match else '-'} ", style="green" if one.match else "dim")
            line.append(text)
            out.print(line)
    least = "" if found.complete else "at least "
    total = f"{len(matches):,} of {least}{found.total:,}" if found.total > len(matches) else f"{found.total:,}"
    foot = Text(f"{total} line{'' if found.total == 1 else 's'} in {found.searched:,} files searched · ", style="dim")
    foot.append(f"{milliseconds:.0f} ms · {escape(found.state.ref)} · ")
    foot.append(found.state.freshness, style=FRESHNESS_STYLE.get(found.state.freshness, "red"))
    out.print(foot)


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
