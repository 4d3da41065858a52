"""Matching: a query's tree, as the text index can be asked for it and as a place's own text answers it.

The index knows words and no order, so it is asked for a little more than the tree means, never for less; what it gives
is then held against the text. A word means here what it means there: itself, or an identifier it is a part of.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.search.query.query_syntax import All, Any, Field, Node, Not, Phrase, Word
from codecompass.engine.search.query.query_terms import STOPWORDS
from codecompass.store.text_query import Clause
from codecompass.text.tokens import named_parts, query_words, split_identifier

_WORD = re.compile(r"\w+")
_MARGIN = re.compile(r"^[ \t]*(?:#+|//+!?|/\*+|\*+(?!/)|--+|;+|%+|>+)[ \t]*", re.MULTILINE)
"""Signs that begin a line of a comment or a quotation: text wraps around them."""

Test = Callable[[Field], bool]


# -- what the index is asked -------------------------------------------------------------------------------------------


def asked(tree: Node, *, exact: bool) -> Clause | None:
    """All that could satisfy the tree, as words; None when words say nothing about it.

    `exact`: upper and lower case differ, which the index does not know, so nothing is left out by its word.
    """
    return _over(tree, exact)


def asked_loosely(tree: Node, *, exact: bool) -> Clause | None:
    """Any of the words that are looked for, and none of what is excluded; None when no word is looked for."""
    words = [_clause(word) for word in sought(tree)]
    if not words:
        return None
    top = tree.items if isinstance(tree, All) else (tree,)
    barred = [_over(item, exact) for item in top if isinstance(item, Not)]
    either = Clause("any", items=tuple(words))
    return Clause("all", items=(either, *(item for item in barred if item is not None)))


def trimmed(tree: Node) -> Node:
    """Without the stop words that stand beside other words; who excludes one or joins it with OR means it."""
    if not isinstance(tree, All):
        return tree
    items = tuple(map(trimmed, tree.items))
    telling = tuple(item for item in items if not (isinstance(item, Word) and item.text.lower() in STOPWORDS))
    kept = telling if any(_sought(item) for item in telling) else items
    return All(kept) if len(kept) > 1 else kept[0]


def sought(tree: Node) -> tuple[str, ...]:
    """The words that are looked for, each once."""
    return tuple(dict.fromkeys(_sought(tree)))


def _sought(node: Node) -> list[str]:
    match node:
        case Word(text):
            return [text]
        case Phrase(text):
            return query_words(text)
        case All(items) | Any(items):
            return [word for item in items for word in _sought(item)]
        case _:
            return []


def _clause(word: str) -> Clause:
    parts = tuple(split_identifier(word))
    return Clause("word", (word.lower(), parts if len(parts) > 1 else ()))


def _over(node: Node, exact: bool) -> Clause | None:
    """Everything that satisfies a node and perhaps more; None: everything there is."""
    match node:
        case Word(text):
            return _clause(text)
        case Phrase(text):
            return _every([_clause(word) for word in query_words(text)])
        case All(items):
            asked_for = [clause for item in items if (clause := _over(item, exact)) is not None]
            return _every(asked_for) if any(clause.kind != "not" for clause in asked_for) else None
        case Any(items):
            choices = [_over(item, exact) for item in items]
            known = tuple(choice for choice in choices if choice is not None and choice.kind != "not")
            return Clause("any", items=known) if len(known) == len(choices) else None
        case Not(item):
            inner = None if exact else _under(item)
            return None if inner is None else Clause("not", items=(inner,))
        case Field():
            return None


def _under(node: Node) -> Clause | None:
    """Only what satisfies a node, perhaps not all of it; None: nothing that is certain."""
    match node:
        case Word(text):
            return _clause(text)
        case All(items):
            parts = [_under(item) for item in items]
            known = [part for part in parts if part is not None]
            return _every(known) if len(known) == len(parts) else None
        case Any(items):
            known = [part for part in map(_under, items) if part is not None]
            return Clause("any", items=tuple(known)) if known else None
        case _:
            return None


def _every(items: list[Clause]) -> Clause | None:
    return Clause("all", items=tuple(items)) if items else None


def needs_text(tree: Node) -> bool:
    """Whether words alone cannot answer: phrases and filters stand somewhere in it."""
    match tree:
        case Word():
            return False
        case Not(item):
            return needs_text(item)
        case All(items) | Any(items):
            return any(needs_text(item) for item in items)
        case _:
            return True


def settled(node: Node, known: Callable[[Field], bool | None]) -> Node | bool:
    """A tree without the filters whose answer is known beforehand; True or False when nothing else is left of it."""
    match node:
        case Field():
            said = known(node)
            return node if said is None else said
        case Not(item):
            inner = settled(item, known)
            return not inner if isinstance(inner, bool) else Not(inner)
        case All(items) | Any(items):
            decides = isinstance(node, Any)
            parts = [settled(item, known) for item in items]
            if decides in parts:
                return decides
            left = tuple(part for part in parts if not isinstance(part, bool))
            return type(node)(left) if len(left) > 1 else left[0] if left else not decides
        case _:
            return node


def fields_in(node: Node) -> list[Field]:
    """Every filter of a tree."""
    match node:
        case Field():
            return [node]
        case Not(item):
            return fields_in(item)
        case All(items) | Any(items):
            return [found for item in items for found in fields_in(item)]
        case _:
            return []


# -- filters in a query ------------------------------------------------------------------------------------------------


def wanted_fields(node: Node) -> list[Field]:
    """The filters of a tree that something may pass by, and none that is excluded."""
    match node:
        case Field():
            return [node]
        case All(items) | Any(items):
            return [found for item in items for found in wanted_fields(item)]
        case _:
            return []


def without_fields(tree: Node | None, taken: frozenset[str]) -> tuple[tuple[Field, ...], Node | None]:
    """Filters that hold for the whole query, each field once and none that is taken, and what is left of the tree."""
    top = tree.items if isinstance(tree, All) else (tree,) if tree is not None else ()
    chosen: dict[str, Field] = {}
    rest: list[Node] = []
    for item in top:
        if isinstance(item, Field) and item.name not in {*chosen, *taken}:
            chosen[item.name] = item
        else:
            rest.append(item)
    left = All(tuple(rest)) if len(rest) > 1 else rest[0] if rest else None
    return tuple(chosen.values()), left


# -- what a text answers -----------------------------------------------------------------------------------------------


@dataclass
class PlaceText:
    """The text of one place, cut into words when first asked for them."""

    text: str
    extra: str = ""
    """Names it goes by that do not stand in it."""
    exact: bool = False
    """Upper and lower case differ."""

    @cached_property
    def words(self) -> frozenset[str]:
        found: set[str] = set()
        for word in dict.fromkeys(_WORD.findall(f"{self.text}\n{self.extra}")):
            found.add(word)
            found.update(named_parts(word))
            if "_" in word:
                found.update(word.split("_"))
        return frozenset(found) if self.exact else frozenset(word.lower() for word in found)

    @cached_property
    def flows(self) -> tuple[str, ...]:
        """The text on one line: as it is, and without what begins the lines of its comments."""
        texts = dict.fromkeys((self.text, _MARGIN.sub("", self.text)))
        joined = (" ".join(text.split()) for text in texts)
        return tuple(text if self.exact else text.lower() for text in joined)

    def has_word(self, word: str) -> bool:
        if self.exact:
            return word in self.words or all(part in self.words for part in named_parts(word) or [word])
        parts = split_identifier(word)
        return word.lower() in self.words or (len(parts) > 1 and all(part in self.words for part in parts))

    def has_phrase(self, phrase: str) -> bool:
        """As written, but for blanks and line ends, and not in the middle of a word."""
        pattern = re.escape(phrase if self.exact else phrase.lower())
        before = r"(?<!\w)" if phrase[:1].isalnum() or phrase[:1] == "_" else ""
        after = r"(?!\w)" if phrase[-1:].isalnum() or phrase[-1:] == "_" else ""
        found = re.compile(before + pattern + after)
        return any(found.search(text) for text in self.flows)


def holds(node: Node, place: PlaceText, test: Test) -> bool:
    """Whether a place satisfies a tree; `test` answers for filters."""
    match node:
        case Word(text):
            return place.has_word(text)
        case Phrase(text):
            return place.has_phrase(text)
        case Field():
            return test(node)
        case Not(item):
            return not holds(item, place, test)
        case All(items):
            return all(holds(item, place, test) for item in items)
        case Any(items):
            return any(holds(item, place, test) for item in items)


def holds_loosely(tree: Node, place: PlaceText, test: Test) -> bool:
    """Whether a place has any of the words and nothing that is excluded; filters of the whole query stay filters."""
    top = tree.items if isinstance(tree, All) else (tree,)
    firm = [item for item in top if isinstance(item, Not | Field)]
    return any(place.has_word(word) for word in sought(tree)) and all(holds(item, place, test) for item in firm)
