"""Source lines of a hit: which of them show best why it was found, numbered, highlighted and cut to the width."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.terminal import cut_to_width
from codecompass.surfaces.cli.views.terminal_text import escape

DEFAULT_LINES = 3
"""Source lines of one hit, unless more are asked for."""
MATCH_STYLE = "bold underline"
LEXERS = {"c++": "cpp", "c#": "csharp"}
"""Names of lexers that differ from ours."""
_WORD = re.compile(r"\w{2,}")
_OPERATORS = frozenset({"and", "or", "not"})
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class SourceLine(NamedTuple):
    """One numbered line."""

    number: int
    text: str


def split_query(query: str) -> list[str]:
    """Return the words of a query that a line may contain, whole and by parts, in lower case."""
    whole = [word for word in _WORD.findall(query) if word.lower() not in _OPERATORS]
    parts = [part for word in whole for part in _PART.findall(word) if len(part) > 2]
    return list(dict.fromkeys(word.lower() for word in (*whole, *parts)))


def choose_lines(lines: Sequence[SourceLine], first: int, words: list[str], context: int | None) -> list[SourceLine]:
    """Return the lines that show the hit: its first line, those with most words of the query, and their context."""
    scored = [(sum(word in line.text.lower() for word in words), line) for line in lines]
    best = sorted((row for row in scored if row[0]), key=lambda row: (-row[0], row[1].number))
    chosen = {line.number for line in lines if line.number == first} | {
        line.number for _, line in best[: DEFAULT_LINES - 1]
    }
    if not best and len(chosen) < DEFAULT_LINES:
        chosen |= {line.number for line in lines if first <= line.number < first + DEFAULT_LINES}
    if context:
        around = {number + step for number in chosen for step in range(-context, context + 1)}
        return [line for line in lines if line.number in around]
    return [line for line in lines if line.number in chosen and line.text.strip()]


def show_source(out: Console, lines: Iterable[SourceLine], words: list[str], language: str, *, indent: int = 2) -> None:
    """Print numbered lines, each cut to the width; a gap between them is marked."""
    shown = list(lines)
    digits = len(str(shown[-1].number)) if shown else 0
    margin = min((len(line.text) - len(line.text.lstrip()) for line in shown if line.text.strip()), default=0)
    texts = highlight(out, [line.text[margin:] for line in shown], language)
    last = shown[0].number if shown else 0
    for line, text in zip(shown, texts, strict=True):
        if line.number > last + 1:
            out.print(Text(f"{' ' * (indent + digits)} ⋮", style="dim"))
        last = line.number
        row = Text(" " * indent)
        row.append(f"{line.number:>{digits}}", style="green")
        row.append(" │ ", style="dim")
        if words and out.is_terminal:
            text.highlight_words(words, style=MATCH_STYLE, case_sensitive=False)
        row.append_text(text)
        out.print(cut_to_width(out, row))


def guess_language(path: str) -> str:
    """Return the ending of a file name, which names a lexer as well as its language does."""
    return path.rpartition("/")[2].rpartition(".")[2] if "." in path else ""


def highlight(out: Console, texts: Sequence[str], language: str) -> list[Text]:
    """Return lines with the colours of their language, where the terminal has colours."""
    plain = [escape(text) for text in texts]
    if not language or not out.is_terminal or out.color_system is None or out.no_color:
        return [Text(text) for text in plain]
    from rich.syntax import Syntax  # noqa: PLC0415 - loads pygments; only where colours are shown

    source = "\n".join(plain)
    found = Syntax(source, LEXERS.get(language, language), theme="ansi_dark").highlight(source)
    lines = list(found.split("\n", allow_blank=True))[: len(plain)]
    # A lexer may drop blank lines at the ends; the numbers beside the lines must stay right.
    if [line.plain for line in lines] != plain:
        return [Text(text) for text in plain]
    return lines
