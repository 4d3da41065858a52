"""Query tree: convert a tree to an index query, and match it against the text of a candidate.

The index has no word order, so the index query returns a superset of the matches, never less; each result is then
checked against the text. In both, a word matches itself or an identifier of which it is a part.
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
"""Characters that begin a line of a comment or a quotation; phrases match across them."""

Test = Callable[[Field], bool]


# -- index queries -----------------------------------------------------------------------------------------------------


def asked(tree: Node, *, exact: bool) -> Clause | None:
    """Build an index query for a superset of the tree's matches; None if words do not limit it.

    `case_sensitive`: the index ignores case, so a negated word does not exclude anything.
    """
    return _over(tree, exact)


def asked_loosely(tree: Node, *, exact: bool) -> Clause | None:
    """Build an index query for any of the positive words without the excluded ones; None without positive words."""
    words = [_clause(word) for word in sought(tree)]
    if not words:
        return None
    top = tree.items if isinstance(tree, All) else (tree,)
    excluded = [_over(item, exact) for item in top if isinstance(item, Not)]
    either = Clause("any", items=tuple(words))
    return Clause("all", items=(either, *(item for item in excluded if item is not None)))


def trimmed(tree: Node) -> Node:
    """Drop stop words next to other words; negated stop words and operands of OR stay."""
    if not isinstance(tree, All):
        return tree
    items = tuple(map(trimmed, tree.items))
    content_items = tuple(item for item in items if not (isinstance(item, Word) and item.text.lower() in STOPWORDS))
    kept = content_items if any(_sought(item) for item in content_items) else items
    return All(kept) if len(kept) > 1 else kept[0]


def sought(tree: Node) -> tuple[str, ...]:
    """Return the words that are not negated, each once."""
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
    """Build a query for a superset of a node's matches; None: everything."""
    match node:
        case Word(text):
            return _clause(text)
        case Phrase(text):
            return _every([_clause(word) for word in query_words(text)])
        case All(items):
            clauses = [clause for item in items if (clause := _over(item, exact)) is not None]
            return _every(clauses) if any(clause.kind != "not" for clause in clauses) else None
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
    """Build a query for a subset of a node's matches; None: the empty set."""
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
    """Whether the tree contains phrases or filters, which words alone cannot decide."""
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
    """Evaluate the filters whose result is known; returns the rest of the tree, or True or False."""
    match node:
        case Field():
            result = known(node)
            return node if result is None else result
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
    """Return every filter of a tree."""
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
    """Return the filters of a tree that are not negated."""
    match node:
        case Field():
            return [node]
        case All(items) | Any(items):
            return [found for item in items for found in wanted_fields(item)]
        case _:
            return []


def without_fields(tree: Node | None, taken: frozenset[str]) -> tuple[tuple[Field, ...], Node | None]:
    """Split top-level filters off a tree, each field once and none in `taken`; returns them and the rest."""
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


# -- matching text -----------------------------------------------------------------------------------------------------


@dataclass
class PlaceText:
    """The text of one candidate, tokenized on first use."""

    text: str
    extra: str = ""
    """Names of the candidate that do not occur in its text."""
    exact: bool = False
    """Whether words match case-sensitively."""

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
        """The text joined into one line: as it is, and without comment prefixes."""
        texts = dict.fromkeys((self.text, _MARGIN.sub("", self.text)))
        joined = (" ".join(text.split()) for text in texts)
        return tuple(text if self.exact else text.lower() for text in joined)

    def has_word(self, word: str) -> bool:
        if self.exact:
            return word in self.words or all(part in self.words for part in named_parts(word) or [word])
        parts = split_identifier(word)
        return word.lower() in self.words or (len(parts) > 1 and all(part in self.words for part in parts))

    def has_phrase(self, phrase: str) -> bool:
        """Whether the phrase occurs as written, except for whitespace, and not inside a word."""
        pattern = re.escape(phrase if self.exact else phrase.lower())
        before = r"(?<!\w)" if phrase[:1].isalnum() or phrase[:1] == "_" else ""
        after = r"(?!\w)" if phrase[-1:].isalnum() or phrase[-1:] == "_" else ""
        found = re.compile(before + pattern + after)
        return any(found.search(text) for text in self.flows)


def holds(node: Node, candidate: PlaceText, test: Test) -> bool:
    """Whether a candidate matches a tree; `test` evaluates filters."""
    match node:
        case Word(text):
            return candidate.has_word(text)
        case Phrase(text):
            return candidate.has_phrase(text)
        case Field():
            return test(node)
        case Not(item):
            return not holds(item, candidate, test)
        case All(items):
            return all(holds(item, candidate, test) for item in items)
        case Any(items):
            return any(holds(item, candidate, test) for item in items)


def holds_loosely(tree: Node, candidate: PlaceText, test: Test) -> bool:
    """Whether a candidate has any of the words and nothing excluded; top-level filters still apply."""
    top = tree.items if isinstance(tree, All) else (tree,)
    required = [item for item in top if isinstance(item, Not | Field)]
    return any(candidate.has_word(word) for word in sought(tree)) and all(
        holds(item, candidate, test) for item in required
    )
