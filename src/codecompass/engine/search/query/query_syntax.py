"""Query syntax: parse a query with operators into a tree; text that is not an operator is words, never an error.

Adjacent words must all match, `"phrases"` match as written, `-word`, `-"phrase"` and `NOT` exclude, `AND` and `OR` in
capitals join, parentheses group, `field:value` is a filter, and so is `field.key:value` for filters that have keys. An
operator without its operands and a parenthesis without its counterpart are read as text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import UnionType

from codecompass.text.tokens import query_words

DEEPEST = 20
"""Maximum nesting of groups; a parenthesis deeper inside is text."""

_WORDY = re.compile(r"\w")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_NAME = r"([A-Za-z]{2,20}(?:\.[A-Za-z][\w.-]{0,80})?)"
"""Name of a filter, optionally followed by a dot and a key."""
_FIELD = re.compile(_NAME + r":(?![:/\\]{2}|:)(?=[^\s\"])")
_QUOTED_FIELD = re.compile(_NAME + r":\"([^\"]*)\"(?=[\s)]|$)")
_PHRASE = re.compile(r"\"([^\"]*)\"(?=[\s)]|$)")
_EXCLUDES = re.compile(r"-(?=\"|\(|\w\w)")
"""A minus before a single letter, or a double minus, is a command-line option and does not exclude."""
_CLUMP = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """One run of letters, digits and underscores."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text as written, except for the amount of whitespace."""

    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """A filter in the query."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    item: "Node"


@dataclass(frozen=True, slots=True)
class All:
    """Conjunction."""

    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Any:
    """Disjunction."""

    items: "tuple[Node, ...]"


Node = Word | Phrase | Field | Not | All | Any

Accept = Callable[[str, str], Field | None]
"""Converts the name before a colon and the value after it to a filter; None if both are text."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed query."""

    text: str
    tree: Node | None
    """None if the query contains no word."""
    plain: bool
    """No operator was used: the query is only the words of its text."""
    strict: bool = False
    """`AND` was used, so all words are required."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """`open`, `close`, `minus`, `AND`, `OR`, `NOT` or `item`."""
    node: Node | None = None


def no_fields(_name: str, _value: str) -> Field | None:
    """Reject every filter, so that each colon is text."""
    return None


def parse(text: str, accept: Accept = no_fields) -> Parsed:
    """Parse a query; every string is valid."""
    tokens = _matched(list(_tokens(text, accept)))
    reader = _Reader(tokens)
    tree = reader.either()
    if tree is not None and not _finds(tree):
        # A query that only excludes is read as plain words.
        return Parsed(text, _joined(All, [Word(_tame(word)) for word in query_words(text)]), plain=True)
    plain = not reader.used and not any(_special(token) for token in tokens)
    return Parsed(text, tree, plain, reader.strict)


def _finds(node: Node) -> bool:
    """Whether the tree requires something, and does not only exclude."""
    match node:
        case Not():
            return False
        case All(items):
            return any(_finds(item) for item in items)
        case Any(items):
            return all(_finds(item) for item in items)
        case _:
            return True


def _special(token: _Token) -> bool:
    return isinstance(token.node, Phrase | Field)


def _tame(word: str) -> str:
    """Lowercase a word that is spelled like an operator but is not one."""
    return word.lower() if word in _OPERATORS else word


# -- tokens ------------------------------------------------------------------------------------------------------------


def _tokens(text: str, accept: Accept) -> Iterator[_Token]:
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
            node, at = _quoted(text, at, accept)
            if node is not None:
                yield _Token("item", node)
                # Parentheses right after the quote close groups.
                while at < end and text[at] == ")":
                    at += 1
                    yield _Token("close")
                continue
            run = _CLUMP.match(text, at)
            assert run is not None
            at = run.end()
            yield from _clump(run[0], accept)


def _quoted(text: str, at: int, accept: Accept) -> tuple[Node | None, int]:
    """Read a phrase or a filter with a quoted value at this position; returns the node and its end."""
    phrase = _PHRASE.match(text, at)
    if phrase is not None and _WORDY.search(phrase[1]):
        return Phrase(" ".join(phrase[1].split())), phrase.end()
    found = _QUOTED_FIELD.match(text, at)
    if found is not None and found[2].strip():
        item = accept(found[1], found[2].strip())
        if item is not None:
            return item, found.end()
    return None, at


def _clump(run: str, accept: Accept) -> Iterator[_Token]:
    """Tokenize text without whitespace: an operator, a filter or words; trailing parentheses may close groups."""
    closing = 0
    while run.endswith(")") and run.count(")") > run.count("("):
        run = run[:-1]
        closing += 1
    if run in _OPERATORS:
        yield _Token(run)
    elif run:
        yield _Token("item", _node_of(run, accept))
    yield from [_Token("close")] * closing


def _node_of(run: str, accept: Accept) -> Node | None:
    found = _FIELD.match(run)
    if found is not None and '"' not in run:
        item = accept(found[1], run[found.end() :])
        if item is not None:
            return item
    return _joined(All, [Word(_tame(word)) for word in query_words(run)])


def _matched(tokens: list[_Token]) -> list[_Token]:
    """Drop unmatched parentheses, empty groups and items without words."""
    open_at: list[int] = []
    pairs: set[int] = set()
    for number, token in enumerate(tokens):
        if token.kind == "open":
            open_at.append(number)
        elif token.kind == "close" and open_at:
            start = open_at.pop()
            if len(open_at) < DEEPEST:
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


class _Reader:
    """Recursive descent parser over tokens with matched parentheses; precedence: `NOT`, `AND`, `OR`."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self.strict = self.used = False
        """Whether an operator was applied. Groups do not count: ordinary text has parentheses too."""

    def either(self) -> Node | None:
        items = [self._every()]
        while self._kind() == "OR":
            self._at += 1
            self.used = True
            items.append(self._every())
        return _joined(Any, [item for item in items if item is not None])

    def _every(self) -> Node | None:
        items: list[Node] = []
        while self._kind() not in ("close", ""):
            if self._kind() == "OR" and items and self._operand(self._at + 1):
                break
            if self._kind() == "AND" and items and self._operand(self._at + 1):
                self._at += 1
                self.used = self.strict = True
            item = self._one()
            if item is not None:
                items.append(item)
        return _joined(All, items)

    def _one(self) -> Node | None:
        negated = False
        while self._kind() in ("NOT", "minus") and self._operand(self._at + 1):
            negated = not negated
            self.used = True
            self._at += 1
        token = self._tokens[self._at]
        self._at += 1
        node = token.node
        if token.kind == "open":
            node = self.either()
            self._at += 1
        elif token.kind in _OPERATORS:
            node = Word(token.kind.lower())
        if node is None or not negated:
            return node
        return node.item if isinstance(node, Not) else Not(node)

    def _operand(self, at: int) -> bool:
        """Whether an operand of a join or a negation begins here."""
        while at < len(self._tokens) and self._tokens[at].kind in ("NOT", "minus"):
            at += 1
        return at < len(self._tokens) and self._tokens[at].kind in ("item", "open")

    def _kind(self) -> str:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""


def _joined(kind: type[All] | type[Any], items: list[Node]) -> Node | None:
    """Join items and flatten nested groups of the same kind; a single item is returned as it is."""
    found: list[Node] = []
    for item in items:
        found += item.items if isinstance(item, kind) else [item]
    flat = list(dict.fromkeys(found))
    return (kind(tuple(flat)) if len(flat) > 1 else flat[0]) if flat else None


# -- printing ----------------------------------------------------------------------------------------------------------


def show(node: Node) -> str:
    """Format a tree as an equivalent query."""
    match node:
        case Word(text):
            return text
        case Phrase(text):
            return f'"{text}"'
        case Field(name, value):
            return f'{name}:"{value}"'
        case Not(All(items)) if all(isinstance(item, Word) for item in items):
            # Keep the form of `-std::io`, which has no group.
            return "NOT " + ".".join(show(item) for item in items)
        case Not(item):
            return f"NOT {_grouped(item, All | Any)}"
        case All(items):
            return " ".join(_grouped(item, Any) for item in items)
        case Any(items):
            return " OR ".join(show(item) for item in items)


def _grouped(node: Node, kinds: type | UnionType) -> str:
    return f"({show(node)})" if isinstance(node, kinds) else show(node)
