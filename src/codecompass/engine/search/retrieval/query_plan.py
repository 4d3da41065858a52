"""Query plan: the words, operators, filters and intent of a query, before the index is read."""

from dataclasses import dataclass

from codecompass.engine.search.filters.predicates import Setting, ready
from codecompass.engine.search.query.intent import classify
from codecompass.engine.search.query.query_syntax import All, Field, Node, Not, Parsed, Phrase, Word, parse, show
from codecompass.engine.search.query.query_terms import Question, take_apart
from codecompass.engine.search.query.query_tree import (
    asked,
    asked_loosely,
    fields_in,
    settled,
    sought,
    trimmed,
    wanted_fields,
    without_fields,
)
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.queries.filters import BY_FIELD, LONGEST, Filters, Value
from codecompass.model.queries.search_query import SearchQuery
from codecompass.store.text_query import Clause
from codecompass.text.dictionary import Dictionary

NO_WORDS = "The query has no word to search for."
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})


@dataclass(frozen=True, slots=True)
class Plan:
    """A parsed query, ready for retrieval."""

    question: Question
    """The terms to search for."""
    intent: str
    filters: Filters
    """Filters of the request and of the query text."""
    without: Filters
    tree: Node | None = None
    """Boolean condition on candidates; None if the query is only words."""
    exact: bool = False
    """Whether words match case-sensitively."""
    notes: tuple[str, ...] = ()
    """Notes for the caller on how the query was parsed."""

    @property
    def asks_records(self) -> bool:
        """Whether a filter that only records can pass may select results."""
        fields = wanted_fields(self.tree) if self.tree is not None else []
        return any(_of_records(item) for item in fields) or any(row.scope == "record" for row, _ in self.filters)

    @property
    def asks_definitions(self) -> bool:
        """Whether a filter inside the boolean condition applies to definitions."""
        fields = fields_in(self.tree) if self.tree is not None else []
        return any(BY_FIELD[item.name].scope == "definition" for item in fields)

    @property
    def clause(self) -> Clause | None:
        """Index query of the condition; None: search for the words, or list everything if there are none."""
        return asked(self.tree, exact=self.exact) if self.tree is not None else None

    @property
    def loose_clause(self) -> Clause | None:
        """Index query that requires any of the words."""
        return asked_loosely(self.tree, exact=self.exact) if self.tree is not None else None


def plan(
    query: SearchQuery, registry: Registry, dictionary: Dictionary | None = None, *, of_files: bool = False
) -> Plan:
    """Parse a query into a plan. Text that is not an operator is words; a filter with an invalid value is a note.

    `files_only`: only files are searched, which have no record fields, so these are evaluated here.
    """
    notes: list[str] = []

    def accept(name: str, value: str) -> Field | None:
        return _accepted(name, value, registry, notes)

    parsed = parse(query.text, accept)
    if parsed.plain or parsed.tree is None:
        question = take_apart(query.text, dictionary)
        tree = _cased(parsed, question) if query.case_tokens else None
        if not (question.words or query.filters or query.without):
            notes.append(NO_WORDS)
        return Plan(question, classify(query.text), query.filters, query.without, tree, query.case_tokens, tuple(notes))
    tree = trimmed(parsed.tree)
    taken = frozenset(name for name, _ in query.filters.given)
    chosen, rest = without_fields(tree, taken)
    negated, rest = _barred(rest, frozenset(name for name, _ in query.without.given))
    if of_files and rest is not None:
        rest, unmatchable = _of_files(rest, taken.union(item.name for item in chosen))
        chosen += unmatchable
    filters = Filters(query.filters.given + _given(chosen))
    without = Filters(query.without.given + _given(negated))
    words = sought(rest) if rest is not None else ()
    if rest is not None and _only_words(rest) and not parsed.strict and not query.case_tokens:
        # With filters and plain words only, the words are searched as if there were no filters.
        question = take_apart(" ".join(words), dictionary)
        return Plan(question, classify(question.text), filters, without, notes=tuple(dict.fromkeys(notes)))
    text = parsed.text if rest == parsed.tree and _only_found(rest) else show(_found_part(rest)) if words else ""
    question = take_apart(" ".join(words), dictionary)
    return Plan(question, classify(text), filters, without, rest, query.case_tokens, tuple(dict.fromkeys(notes)))


def _of_files(tree: Node, given: frozenset[str]) -> tuple[Node | None, tuple[Field, ...]]:
    """Evaluate record fields as false; if no file can match, also return a filter that no file passes."""
    left = settled(tree, lambda item: False if _of_records(item) else None)
    if not isinstance(left, bool):
        return left, ()
    fields = [item for item in fields_in(tree) if _of_records(item) and item.name not in given]
    return None, () if left else tuple(fields[:1])


def _of_records(item: Field) -> bool:
    return BY_FIELD[item.name].scope == "record"


def _cased(parsed: Parsed, question: Question) -> Node | None:
    """Turn the words into a condition: the index ignores case, so candidates are tested on their text."""
    found = tuple(Word(word) for word in question.words)
    return All(found) if len(found) > 1 else found[0] if found else parsed.tree


def _only_words(node: Node) -> bool:
    items = node.items if isinstance(node, All) else (node,)
    return all(isinstance(item, Word) for item in items)


def _only_found(node: Node) -> bool:
    """Whether the tree is a conjunction of words and phrases only."""
    items = node.items if isinstance(node, All) else (node,)
    return all(isinstance(item, Word | Phrase) for item in items)


def _found_part(node: Node | None) -> Node:
    """Return the tree without negations and filters."""
    if not isinstance(node, All):
        assert node is not None
        return node
    kept = tuple(item for item in node.items if not isinstance(item, Not | Field))
    return All(kept) if len(kept) > 1 else kept[0]


def _barred(tree: Node | None, taken: frozenset[str]) -> tuple[tuple[Field, ...], Node | None]:
    """Split negated filters off the tree, each field once; returns them and the rest of the tree."""
    top = tree.items if isinstance(tree, All) else (tree,) if tree is not None else ()
    chosen: dict[str, Field] = {}
    rest: list[Node] = []
    for item in top:
        if isinstance(item, Not) and isinstance(item.item, Field) and item.item.name not in {*chosen, *taken}:
            chosen[item.item.name] = item.item
        else:
            rest.append(item)
    left = All(tuple(rest)) if len(rest) > 1 else rest[0] if rest else None
    return tuple(chosen.values()), left


# -- filters in the query text -----------------------------------------------------------------------------------------


def field_filter(item: Field) -> Filters:
    """Convert a filter in the query text to filters like those of the request."""
    return Filters.of({item.name: _raw(item.name, item.value)})


def _given(fields: tuple[Field, ...]) -> tuple[tuple[str, Value], ...]:
    return tuple(pair for item in fields for pair in field_filter(item).given)


def _accepted(name: str, value: str, registry: Registry, notes: list[str]) -> Field | None:
    field, _, key = name.partition(".")
    row = BY_FIELD.get(field)
    if row is None or (key and row.kind != "meta"):
        return None
    item = Field(field, f"{key}={value}" if key else value)
    try:
        for _, checked in field_filter(item):
            ready(field, checked, Setting(registry, now=0.0))
    except Failure as failure:
        text = str(failure.message).removeprefix("Invalid arguments: ").rstrip(".")
        notes.append(f"'{name}:{value[:60]}' was read as text ({text}).")
        return None
    return item


def _raw(name: str, text: str) -> object:
    """Convert a filter value from text to the type that a request argument has."""
    kind = BY_FIELD[name].kind
    if kind == "flag" and text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    if kind == "count" and text.isdigit() and text.isascii():
        return int(text[:LONGEST])
    if kind == "days":
        try:
            return float(text)
        except ValueError:
            return text
    return text
