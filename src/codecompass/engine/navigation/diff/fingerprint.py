"""Definition tokens: reduce a definition to tokens that moving or reformatting does not change.

The tokens of a definition are those of its own text without comments and nested definitions, which are compared
separately. White space counts only where it has a meaning: inside strings, and as the indentation of a block after a
colon.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.code.facts import Comment, Definition

GROUPS = {
    "fn": "callable", "method": "callable", "macro": "callable",
    "class": "type", "struct": "type", "enum": "type", "trait": "type", "interface": "type", "type": "type",
    "const": "value", "var": "value", "field": "value", "property": "value",
}  # fmt: skip
"""Groups of kinds; a definition that changes its kind within a group is still the same definition."""

# String lengths are bounded: an unclosed quote must not make each later one scan to the end.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\]){0,4000}?"""'
    r"|'''(?:\\.|[^\\]){0,4000}?'''"
    r'|"(?:\\.|[^"\\\n]){0,500}+"'
    r"|'(?:\\.|[^'\\\n]){0,500}+'"
    r"|`(?:\\.|[^`\\]){0,2000}+`"
    r"|\w+|\n[ \t]*|[^\w\s]",
    re.DOTALL,
)
_OPEN, _CLOSE = BLOCKS = ("\x01", "\x02")
"""Tokens for the begin and end of an indented block after a colon."""
OWN_NAME = "\x03"

Tokens = tuple[str, ...]


def tokenize(text: str) -> Tokens:
    """Split text into words, strings and punctuation, with marks at the begin and end of indented blocks."""
    found: list[str] = []
    depth = 0
    blocks: list[int] = []
    indent: int | None = None
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] == "\n":
            # Inside brackets a line break is layout.
            indent = len(token.expandtabs()) - 1 if depth == 0 else None
            continue
        if indent is not None:
            if found and found[-1] == ":":
                blocks.append(indent)
                found.append(_OPEN)
            else:
                while blocks and indent < blocks[-1]:
                    blocks.pop()
                    found.append(_CLOSE)
            indent = None
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth = max(0, depth - 1)
        found.append(token)
    return tuple(found)


@dataclass
class FileDefinitions:
    """The definitions of one file of one side, with its facts and source bytes."""

    view: PinnedView
    path: str
    source: bytes
    comments: tuple[Comment, ...]

    @cached_property
    def definitions(self) -> tuple["DefinitionTokens", ...]:
        """All definitions of the file in source order."""
        children: dict[int, list[Definition]] = {}
        symbols = self.view.symbols(self.path)
        for symbol in symbols:
            children.setdefault(symbol.definition.parent, []).append(symbol.definition)
        return tuple(
            DefinitionTokens(
                self, symbol, self.get_text(symbol, [(child.byte_start, child.byte_end) for child in nested])
            )
            for symbol in symbols
            for nested in (children.get(symbol.position, ()),)
        )

    @cached_property
    def _comment_starts(self) -> list[int]:
        return [comment.byte_start for comment in self.comments]

    def get_text(self, symbol: Symbol, cuts: list[tuple[int, int]]) -> str:
        """Return the text of a definition without comments and without the given byte ranges."""
        item = symbol.definition
        first = bisect_left(self._comment_starts, item.byte_start)
        last = bisect_left(self._comment_starts, item.byte_end)
        prose = [(comment.byte_start, comment.byte_end) for comment in self.comments[first:last]]
        kept: list[bytes] = []
        at = item.byte_start
        for start, end in sorted([*cuts, *prose]):
            if start > at:
                kept.append(self.source[at:start])
            at = max(at, end)
        kept.append(self.source[at : item.byte_end])
        return b" ".join(kept).decode("utf-8", "replace")


@dataclass
class DefinitionTokens:
    """One definition and its tokens, computed lazily because comparing texts settles most definitions."""

    file: FileDefinitions
    symbol: Symbol
    text: str

    @property
    def definition(self) -> Definition:
        return self.symbol.definition

    @property
    def group(self) -> str:
        return GROUPS.get(self.definition.kind, self.definition.kind)

    @property
    def key(self) -> tuple[str, str, str]:
        """The key that distinguishes definitions of one file, except overloads."""
        return self.group, self.definition.scope, self.definition.name

    @cached_property
    def tokens(self) -> Tokens:
        return tokenize(self.text)

    @cached_property
    def head(self) -> Tokens:
        return tokenize(self.definition.signature)

    @cached_property
    def body_tokens(self) -> Tokens:
        """The tokens without those of the signature."""
        whole, part = self.tokens, self.head
        for at in range(len(whole) - len(part) + 1):
            if whole[at : at + len(part)] == part:
                return whole[:at] + whole[at + len(part) :]
        return whole

    @cached_property
    def tokens_without_name(self) -> Tokens:
        """The tokens with the definition's own name blanked, so that a rename leaves them equal."""
        name = self.definition.name
        return tuple(OWN_NAME if token == name else token for token in self.tokens)

    @cached_property
    def tokens_with_members(self) -> Tokens:
        """The same including nested definitions, which make up the content of a type."""
        name = self.definition.name
        return tuple(OWN_NAME if token == name else token for token in tokenize(self.file.get_text(self.symbol, [])))

    @cached_property
    def doc(self) -> str:
        return " ".join(self.definition.doc.split())
