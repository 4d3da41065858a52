"""Query syntax: parse a query with operators into a tree; text that is not an operator is words, never an error.

Adjacent words must all match, `"phrases"` match as written, `-word`, `-"phrase"` and `NOT` exclude, `AND` and `OR` in
capitals join, parentheses group, `field:value` is a filter, and so is `field.key:value` for filters that have keys. An
operator without its operands and a parenthesis without its counterpart are read as text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import UnionType

from codecompass.text.tokens import split_query_words

MAX_DEPTH = 20
"""Maximum nesting of groups; a parenthesis deeper inside is text."""

_WORD_CHAR = re.compile(r"\w")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_NAME = r"([A-Za-z]{2,20}(?:\.[A-Za-z][\w.-]{0,80})?)"
"""Name of a filter, optionally followed by a dot and a key."""
_FIELD = re.compile(_NAME + r":(?![:/\\]{2}|:)(?=[^\s\"])")
_QUOTED_FIELD = re.compile(_NAME + r":\"([^\"]*)\"(?=[\s)]|$)")
_PHRASE = re.compile(r"\"([^\"]*)\"(?=[\s)]|$)")
_EXCLUDES = re.compile(r"-(?=\"|\(|\w\w)")
"""A minus before a single letter, or a double minus, is a command-line option and does not exclude."""
_NON_BLANK_RUN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class WordNode:
    """One run of letters, digits and underscores."""

    text: str


@dataclass(frozen=True, slots=True)
class PhraseNode:
    """Text as written, except for the amount of whitespace."""

    text: str


@dataclass(frozen=True, slots=True)
class FieldNode:
    """A filter in the query."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class NotNode:
    """Negation."""

    item: "SyntaxNode"


@dataclass(frozen=True, slots=True)
class AndNode:
    """Conjunction."""

    items: "tuple[SyntaxNode, ...]"


@dataclass(frozen=True, slots=True)
class OrNode:
    """Disjunction."""

    items: "tuple[SyntaxNode, ...]"


SyntaxNode = WordNode | PhraseNode | FieldNode | NotNode | AndNode | OrNode

FieldParser = Callable[[str, str], FieldNode | None]
"""Converts the name before a colon and the value after it to a filter; None if both are text."""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query."""

    text: str
    tree: SyntaxNode | None
    """None if the query contains no word."""
    plain: bool
    """No operator was used: the query is only the words of its text."""
    strict: bool = False
    """`AND` was used, so all words are required."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """`open`, `close`, `minus`, `AND`, `OR`, `NOT` or `item`."""
    node: SyntaxNode | None = None


def reject_fields(_name: str, _value: str) -> FieldNode | None:
    """Reject every filter, so that each colon is text."""
    return None


def parse(text: str, accept: FieldParser = reject_fields) -> ParsedQuery:
    """Parse a query; every string is valid."""
    tokens = _match_parentheses(list(_tokenize(text, accept)))
    reader = _Parser(tokens)
    tree = reader.parse_or()
    if tree is not None and not _has_positive_term(tree):
        # A query that only excludes is read as plain words.
        return ParsedQuery(
            text,
            _join_nodes(AndNode, [WordNode(_lowercase_operator(word)) for word in split_query_words(text)]),
            plain=True,
        )
    plain = not reader.used and not any(_is_phrase_or_field(token) for token in tokens)
    return ParsedQuery(text, tree, plain, reader.strict)


def _has_positive_term(node: SyntaxNode) -> bool:
    """Whether the tree requires something, and does not only exclude."""
    match node:
        case NotNode():
            return False
        case AndNode(items):
            return any(_has_positive_term(item) for item in items)
        case OrNode(items):
            return all(_has_positive_term(item) for item in items)
        case _:
            return True


def _is_phrase_or_field(token: _Token) -> bool:
    return isinstance(token.node, PhraseNode | FieldNode)


def _lowercase_operator(word: str) -> str:
    """Lowercase a word that is spelled like an operator but is not one."""
    return word.lower() if word in _OPERATORS else word


# -- tokens ------------------------------------------------------------------------------------------------------------


def _tokenize(text: str, accept: FieldParser) -> Iterator[_Token]:
    at, end = 0, len(text)
    while at < end:
        if text[at].isspace():
            at += 1
        elif text[at] == "(":
            at += 1
            yield _Token("open")
        elif _EXCLUDES.match(text, at):
            at += 1
            yield _Token("minus")
        else:
            node, at = _read_quoted(text, at, accept)
            if node is not None:
                yield _Token("item", node)
                # Parentheses right after the quote close groups.
                while at < end and text[at] == ")":
                    at += 1
                    yield _Token("close")
                continue
            run = _NON_BLANK_RUN.match(text, at)
            assert run is not None
            at = run.end()
            yield from _tokenize_run(run[0], accept)


def _read_quoted(text: str, at: int, accept: FieldParser) -> tuple[SyntaxNode | None, int]:
    """Read a phrase or a filter with a quoted value at this position; returns the node and its end."""
    phrase = _PHRASE.match(text, at)
    if phrase is not None and _WORD_CHAR.search(phrase[1]):
        return PhraseNode(" ".join(phrase[1].split())), phrase.end()
    found = _QUOTED_FIELD.match(text, at)
    if found is not None and found[2].strip():
        item = accept(found[1], found[2].strip())
        if item is not None:
            return item, found.end()
    return None, at


def _tokenize_run(run: str, accept: FieldParser) -> Iterator[_Token]:
    """Tokenize text without whitespace: an operator, a filter or words; trailing parentheses may close groups."""
    closing = 0
    while run.endswith(")") and run.count(")") > run.count("("):
        run = run[:-1]
        closing += 1
    if run in _OPERATORS:
        yield _Token(run)
    elif run:
        yield _Token("item", _to_node(run, accept))
    yield from [_Token("close")] * closing


def _to_node(run: str, accept: FieldParser) -> SyntaxNode | None:
    found = _FIELD.match(run)
    if found is not None and '"' not in run:
        item = accept(found[1], run[found.end() :])
        if item is not None:
            return item
    return _join_nodes(AndNode, [WordNode(_lowercase_operator(word)) for word in split_query_words(run)])


def _match_parentheses(tokens: list[_Token]) -> list[_Token]:
    """Drop unmatched parentheses, empty groups and items without words."""
    open_at: list[int] = []
    pairs: set[int] = set()
    for number, token in enumerate(tokens):
        if token.kind == "open":
            open_at.append(number)
        elif token.kind == "close" and open_at:
            start = open_at.pop()
            if len(open_at) < MAX_DEPTH:
                pairs |= {start, number}
    kept: list[_Token] = []
    for number, token in enumerate(tokens):
        if token.kind == "item" and token.node is None:
            continue
        if token.kind in ("open", "close") and number not in pairs:
            _drop_minus(kept)
        elif token.kind == "close" and kept and kept[-1].kind == "open":
            # Drop an empty group.
            kept.pop()
            _drop_minus(kept)
        else:
            kept.append(token)
    return kept


def _drop_minus(kept: list[_Token]) -> None:
    """Drop a minus whose operand was dropped, so that it does not negate the next item."""
    if kept and kept[-1].kind == "minus":
        kept.pop()


# -- tree --------------------------------------------------------------------------------------------------------------


class _Parser:
    """Recursive descent parser over tokens with matched parentheses; precedence: `NOT`, `AND`, `OR`."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self.strict = self.used = False
        """Whether an operator was applied. Groups do not count: ordinary text has parentheses too."""

    def parse_or(self) -> SyntaxNode | None:
        items = [self._parse_and()]
        while self._peek_kind() == "OR":
            self._at += 1
            self.used = True
            items.append(self._parse_and())
        return _join_nodes(OrNode, [item for item in items if item is not None])

    def _parse_and(self) -> SyntaxNode | None:
        items: list[SyntaxNode] = []
        while self._peek_kind() not in ("close", ""):
            if self._peek_kind() == "OR" and items and self._starts_operand(self._at + 1):
                break
            if self._peek_kind() == "AND" and items and self._starts_operand(self._at + 1):
                self._at += 1
                self.used = self.strict = True
            item = self._parse_unary()
            if item is not None:
                items.append(item)
        return _join_nodes(AndNode, items)

    def _parse_unary(self) -> SyntaxNode | None:
        negated = False
        while self._peek_kind() in ("NOT", "minus") and self._starts_operand(self._at + 1):
            negated = not negated
            self.used = True
            self._at += 1
        token = self._tokens[self._at]
        self._at += 1
        node = token.node
        if token.kind == "open":
            node = self.parse_or()
            self._at += 1
        elif token.kind in _OPERATORS:
            node = WordNode(token.kind.lower())
        if node is None or not negated:
            return node
        return node.item if isinstance(node, NotNode) else NotNode(node)

    def _starts_operand(self, at: int) -> bool:
        """Whether an operand of a join or a negation begins here."""
        while at < len(self._tokens) and self._tokens[at].kind in ("NOT", "minus"):
            at += 1
        return at < len(self._tokens) and self._tokens[at].kind in ("item", "open")

    def _peek_kind(self) -> str:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""


def _join_nodes(kind: type[AndNode] | type[OrNode], items: list[SyntaxNode]) -> SyntaxNode | None:
    """Join items and flatten nested groups of the same kind; a single item is returned as it is."""
    found: list[SyntaxNode] = []
    for item in items:
        found += item.items if isinstance(item, kind) else [item]
    flat = list(dict.fromkeys(found))
    return (kind(tuple(flat)) if len(flat) > 1 else flat[0]) if flat else None


# -- printing ----------------------------------------------------------------------------------------------------------


def format_query(node: SyntaxNode) -> str:
    """Format a tree as an equivalent query."""
    match node:
        case WordNode(text):
            return text
        case PhraseNode(text):
            return f'"{text}"'
        case FieldNode(name, value):
            return f'{name}:"{value}"'
        case NotNode(AndNode(items)) if all(isinstance(item, WordNode) for item in items):
            # Keep the form of `-std::io`, which has no group.
            return "NOT " + ".".join(format_query(item) for item in items)
        case NotNode(item):
            return f"NOT {_parenthesize(item, AndNode | OrNode)}"
        case AndNode(items):
            return " ".join(_parenthesize(item, OrNode) for item in items)
        case OrNode(items):
            return " OR ".join(format_query(item) for item in items)


def _parenthesize(node: SyntaxNode, kinds: type | UnionType) -> str:
    return f"({format_query(node)})" if isinstance(node, kinds) else format_query(node)
