"""Query tree: convert a tree to an index query, and match it against the text of a candidate.

The index has no word order, so the index query returns a superset of the matches, never less; each result is then
checked against the text. In both, a word matches itself or an identifier of which it is a part.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.search.query.query_syntax import (
    AndNode,
    FieldNode,
    NotNode,
    OrNode,
    PhraseNode,
    SyntaxNode,
    WordNode,
)
from codecompass.engine.search.query.query_terms import STOPWORDS
from codecompass.store.text_query import QueryNode
from codecompass.text.tokens import split_identifier, split_preserving_case, split_query_words

_WORD = re.compile(r"\w+")
_COMMENT_PREFIX = re.compile(r"^[ \t]*(?:#+|//+!?|/\*+|\*+(?!/)|--+|;+|%+|>+)[ \t]*", re.MULTILINE)
"""Characters that begin a line of a comment or a quotation; phrases match across them."""

FieldTest = Callable[[FieldNode], bool]


# -- index queries -----------------------------------------------------------------------------------------------------


def to_index_query(tree: SyntaxNode, *, case_sensitive: bool) -> QueryNode | None:
    """Build an index query for a superset of the tree's matches; None if words do not limit it.

    `case_sensitive`: the index ignores case, so a negated word does not exclude anything.
    """
    return _superset_query(tree, case_sensitive)


def to_relaxed_index_query(tree: SyntaxNode, *, case_sensitive: bool) -> QueryNode | None:
    """Build an index query for any of the positive words without the excluded ones; None without positive words."""
    words = [_word_clause(word) for word in positive_terms(tree)]
    if not words:
        return None
    top = tree.items if isinstance(tree, AndNode) else (tree,)
    excluded = [_superset_query(item, case_sensitive) for item in top if isinstance(item, NotNode)]
    either = QueryNode("any", items=tuple(words))
    return QueryNode("all", items=(either, *(item for item in excluded if item is not None)))


def drop_stopwords(tree: SyntaxNode) -> SyntaxNode:
    """Drop stop words next to other words; negated stop words and operands of OR stay."""
    if not isinstance(tree, AndNode):
        return tree
    items = tuple(map(drop_stopwords, tree.items))
    content_items = tuple(item for item in items if not (isinstance(item, WordNode) and item.text.lower() in STOPWORDS))
    kept = content_items if any(_collect_positive_terms(item) for item in content_items) else items
    return AndNode(kept) if len(kept) > 1 else kept[0]


def positive_terms(tree: SyntaxNode) -> tuple[str, ...]:
    """Return the words that are not negated, each once."""
    return tuple(dict.fromkeys(_collect_positive_terms(tree)))


def _collect_positive_terms(node: SyntaxNode) -> list[str]:
    match node:
        case WordNode(text):
            return [text]
        case PhraseNode(text):
            return split_query_words(text)
        case AndNode(items) | OrNode(items):
            return [word for item in items for word in _collect_positive_terms(item)]
        case _:
            return []


def _word_clause(word: str) -> QueryNode:
    parts = tuple(split_identifier(word))
    return QueryNode("word", (word.lower(), parts if len(parts) > 1 else ()))


def _superset_query(node: SyntaxNode, exact: bool) -> QueryNode | None:
    """Build a query for a superset of a node's matches; None: everything."""
    match node:
        case WordNode(text):
            return _word_clause(text)
        case PhraseNode(text):
            return _all_of([_word_clause(word) for word in split_query_words(text)])
        case AndNode(items):
            clauses = [clause for item in items if (clause := _superset_query(item, exact)) is not None]
            return _all_of(clauses) if any(clause.kind != "not" for clause in clauses) else None
        case OrNode(items):
            choices = [_superset_query(item, exact) for item in items]
            known = tuple(choice for choice in choices if choice is not None and choice.kind != "not")
            return QueryNode("any", items=known) if len(known) == len(choices) else None
        case NotNode(item):
            inner = None if exact else _subset_query(item)
            return None if inner is None else QueryNode("not", items=(inner,))
        case FieldNode():
            return None


def _subset_query(node: SyntaxNode) -> QueryNode | None:
    """Build a query for a subset of a node's matches; None: the empty set."""
    match node:
        case WordNode(text):
            return _word_clause(text)
        case AndNode(items):
            parts = [_subset_query(item) for item in items]
            known = [part for part in parts if part is not None]
            return _all_of(known) if len(known) == len(parts) else None
        case OrNode(items):
            known = [part for part in map(_subset_query, items) if part is not None]
            return QueryNode("any", items=tuple(known)) if known else None
        case _:
            return None


def _all_of(items: list[QueryNode]) -> QueryNode | None:
    return QueryNode("all", items=tuple(items)) if items else None


def needs_text(tree: SyntaxNode) -> bool:
    """Whether the tree contains phrases or filters, which words alone cannot decide."""
    match tree:
        case WordNode():
            return False
        case NotNode(item):
            return needs_text(item)
        case AndNode(items) | OrNode(items):
            return any(needs_text(item) for item in items)
        case _:
            return True


def partially_evaluate(node: SyntaxNode, known: Callable[[FieldNode], bool | None]) -> SyntaxNode | bool:
    """Evaluate the filters whose result is known; returns the rest of the tree, or True or False."""
    match node:
        case FieldNode():
            result = known(node)
            return node if result is None else result
        case NotNode(item):
            inner = partially_evaluate(item, known)
            return not inner if isinstance(inner, bool) else NotNode(inner)
        case AndNode(items) | OrNode(items):
            decides = isinstance(node, OrNode)
            parts = [partially_evaluate(item, known) for item in items]
            if decides in parts:
                return decides
            left = tuple(part for part in parts if not isinstance(part, bool))
            return type(node)(left) if len(left) > 1 else left[0] if left else not decides
        case _:
            return node


def collect_fields(node: SyntaxNode) -> list[FieldNode]:
    """Return every filter of a tree."""
    match node:
        case FieldNode():
            return [node]
        case NotNode(item):
            return collect_fields(item)
        case AndNode(items) | OrNode(items):
            return [found for item in items for found in collect_fields(item)]
        case _:
            return []


# -- filters in a query ------------------------------------------------------------------------------------------------


def collect_positive_fields(node: SyntaxNode) -> list[FieldNode]:
    """Return the filters of a tree that are not negated."""
    match node:
        case FieldNode():
            return [node]
        case AndNode(items) | OrNode(items):
            return [found for item in items for found in collect_positive_fields(item)]
        case _:
            return []


def split_off_fields(tree: SyntaxNode | None, taken: frozenset[str]) -> tuple[tuple[FieldNode, ...], SyntaxNode | None]:
    """Split top-level filters off a tree, each field once and none in `taken`; returns them and the rest."""
    top = tree.items if isinstance(tree, AndNode) else (tree,) if tree is not None else ()
    chosen: dict[str, FieldNode] = {}
    rest: list[SyntaxNode] = []
    for item in top:
        if isinstance(item, FieldNode) and item.name not in {*chosen, *taken}:
            chosen[item.name] = item
        else:
            rest.append(item)
    left = AndNode(tuple(rest)) if len(rest) > 1 else rest[0] if rest else None
    return tuple(chosen.values()), left


# -- matching text -----------------------------------------------------------------------------------------------------


@dataclass
class CandidateText:
    """The text of one candidate, tokenized on first use."""

    text: str
    extra_names: str = ""
    """Names of the candidate that do not occur in its text."""
    case_sensitive: bool = False
    """Whether words match case-sensitively."""

    @cached_property
    def words(self) -> frozenset[str]:
        found: set[str] = set()
        for word in dict.fromkeys(_WORD.findall(f"{self.text}\n{self.extra_names}")):
            found.add(word)
            found.update(split_preserving_case(word))
            if "_" in word:
                found.update(word.split("_"))
        return frozenset(found) if self.case_sensitive else frozenset(word.lower() for word in found)

    @cached_property
    def joined_lines(self) -> tuple[str, ...]:
        """The text joined into one line: as it is, and without comment prefixes."""
        texts = dict.fromkeys((self.text, _COMMENT_PREFIX.sub("", self.text)))
        joined = (" ".join(text.split()) for text in texts)
        return tuple(text if self.case_sensitive else text.lower() for text in joined)

    def has_word(self, word: str) -> bool:
        if self.case_sensitive:
            return word in self.words or all(part in self.words for part in split_preserving_case(word) or [word])
        parts = split_identifier(word)
        return word.lower() in self.words or (len(parts) > 1 and all(part in self.words for part in parts))

    def has_phrase(self, phrase: str) -> bool:
        """Whether the phrase occurs as written, except for whitespace, and not inside a word."""
        pattern = re.escape(phrase if self.case_sensitive else phrase.lower())
        before = r"(?<!\w)" if phrase[:1].isalnum() or phrase[:1] == "_" else ""
        after = r"(?!\w)" if phrase[-1:].isalnum() or phrase[-1:] == "_" else ""
        found = re.compile(before + pattern + after)
        return any(found.search(text) for text in self.joined_lines)


def matches_tree(node: SyntaxNode, candidate: CandidateText, test: FieldTest) -> bool:
    """Whether a candidate matches a tree; `test` evaluates filters."""
    match node:
        case WordNode(text):
            return candidate.has_word(text)
        case PhraseNode(text):
            return candidate.has_phrase(text)
        case FieldNode():
            return test(node)
        case NotNode(item):
            return not matches_tree(item, candidate, test)
        case AndNode(items):
            return all(matches_tree(item, candidate, test) for item in items)
        case OrNode(items):
            return any(matches_tree(item, candidate, test) for item in items)


def matches_relaxed(tree: SyntaxNode, candidate: CandidateText, test: FieldTest) -> bool:
    """Whether a candidate has any of the words and nothing excluded; top-level filters still apply."""
    top = tree.items if isinstance(tree, AndNode) else (tree,)
    required = [item for item in top if isinstance(item, NotNode | FieldNode)]
    return any(candidate.has_word(word) for word in positive_terms(tree)) and all(
        matches_tree(item, candidate, test) for item in required
    )
