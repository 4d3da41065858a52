"""Highlighted code: source text to lines of HTML with class names, matches and links. Nothing here is trusted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from codecompass.cache import LRU

MAX_HIGHLIGHTED = 600_000
"""Longest text that is highlighted; a longer one is shown plain."""
MAX_HIGHLIGHTED_LINE = 5_000
MAX_LINE = 1_000
"""Characters of a line that are shown."""
CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Token.Comment.Preproc, "k"), (Token.Comment, "c"), (Token.Literal.String.Doc, "c"), (Token.Literal.String, "s"),
    (Token.Literal.Number, "u"), (Token.Keyword.Type, "t"), (Token.Keyword, "k"), (Token.Operator.Word, "k"),
    (Token.Name.Function, "f"), (Token.Name.Class, "t"), (Token.Name.Decorator, "d"), (Token.Name.Builtin, "b"),
    (Token.Name.Tag, "k"), (Token.Name.Attribute, "t"), (Token.Name.Constant, "u"), (Token.Name.Namespace, "m"),
    (Token.Name.Exception, "t"), (Token.Generic.Heading, "f"), (Token.Generic.Subheading, "f"),
    (Token.Generic.Strong, "k"), (Token.Generic.Deleted, "x"), (Token.Generic.Inserted, "i"), (Token.Name, "m"),
)  # fmt: skip
"""Token types and their class names; the first that fits counts."""
LINKED = frozenset("mftdu")
"""Classes of names that may be defined somewhere."""
_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x61C)
_INVISIBLE = (0x200B, 0x200C, 0x200D, 0xFEFF, *range(9), *range(11, 32), 0x7F)
HIDDEN = {code: f"U+{code:04X}" for code in (*_DIRECTIONS, *_INVISIBLE)}
"""Characters that make code read differently from what it is; they are shown by number."""

Span = tuple[str, str]
"""The class of a piece of a line, or an empty string, and its text."""
Linker = Callable[[str], str]
"""From a name to the address that explains it, or an empty string."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of code as HTML."""

    number: int
    html: Markup


class Highlighter:
    """Splits source into classified spans; remembers the latest texts."""

    def __init__(self, capacity: int = 24_000_000) -> None:
        self._cache: LRU[tuple[str, str, int], list[list[Span]]] = LRU(capacity)

    def split(self, text: str, language: str, path: str, digest: str = "") -> list[list[Span]]:
        """Return the spans of each line. With a digest the result is remembered."""
        key = (digest, language, len(text))
        found = self._cache.get(key) if digest else None
        if found is None:
            found = split_lines(text, language, path)
            if digest:
                self._cache.put(key, found, 4 * len(text) + 1_000)
        return found


def split_lines(text: str, language: str, path: str) -> list[list[Span]]:
    """Split a text into lines of spans; a text that is too long or of no known language is one span a line."""
    lines = text.split("\n")
    lexer = _find_lexer(language, path)
    if lexer is None or len(text) > MAX_HIGHLIGHTED or max(map(len, lines)) > MAX_HIGHLIGHTED_LINE:
        return [[("", line)] if line else [] for line in lines]
    # A lone carriage return ends a line for lexers, but not for the numbering of the tools.
    spans = _classify(lexer, text.replace("\r\n", " \n").replace("\r", " "))
    split = list(_break_lines(spans))
    return (split + [[] for _ in lines])[: len(lines)]


def _find_lexer(language: str, path: str) -> Lexer | None:
    for look, name in ((get_lexer_for_filename, path), (get_lexer_by_name, language)):
        try:
            return look(name) if name else None
        except ClassNotFound:
            continue
    return None


def _classify(lexer: Lexer, text: str) -> Iterator[Span]:
    known: dict[_TokenType, str] = {}
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        name = known.get(kind)
        if name is None:
            name = known[kind] = next((mark for one, mark in CLASSES if kind in one), "")
        yield name, value


def _break_lines(spans: Iterator[Span]) -> Iterator[list[Span]]:
    line: list[Span] = []
    for name, value in spans:
        first, *rest = value.split("\n")
        if first:
            line.append((name, first))
        for piece in rest:
            yield line
            line = [(name, piece)] if piece else []
    yield line


def render_line(
    spans: Sequence[Span], marks: Sequence[tuple[int, int]] = (), link: Linker | None = None, most: int = MAX_LINE
) -> Markup:
    """Render the spans of a line; `marks` are ranges of characters to emphasize, in order."""
    parts: list[str] = []
    position = 0
    total = sum(len(text) for _, text in spans)
    for name, text in spans:
        if position >= most:
            break
        shown = text[: most - position]
        inner = _render_marked(shown, position, marks)
        position += len(text)
        target = link(text) if link is not None and name in LINKED and shown == text else ""
        if target:
            parts.append(f'<a class="{name}" href="{escape(target)}">{inner}</a>')
        else:
            parts.append(f'<span class="{name}">{inner}</span>' if name and name != "m" else inner)
    if total > most:
        parts.append(f'<i class="cut">… {total - most:,} more characters</i>')
    return Markup("".join(parts))  # every piece was escaped above


def _render_marked(text: str, start: int, marks: Sequence[tuple[int, int]]) -> str:
    pieces = []
    position = 0
    for first, last in marks:
        low, high = max(first - start, position), min(last - start, len(text))
        if low < high:
            pieces += [_show_hidden(text[position:low]), f"<mark>{_show_hidden(text[low:high])}</mark>"]
            position = high
    return "".join([*pieces, _show_hidden(text[position:])])


def _show_hidden(text: str) -> str:
    """Escape a text; characters that nobody would see are replaced by their numbers."""
    if text.isascii() and text.isprintable():
        return str(escape(text))
    return "".join(
        f'<i class="hid">{HIDDEN[ord(char)]}</i>' if ord(char) in HIDDEN and char != "\t" else str(escape(char))
        for char in text
    )


def render_text(text: str, language: str, path: str) -> Markup:
    """Render a short piece of code without links, line by line."""
    lines = [render_line(spans) for spans in split_lines(text, language, path)]
    return Markup("\n").join(lines)
