"""Query plan: the words, operators, filters and intent of a query, before the index is read."""

from dataclasses import dataclass

from codecompass.engine.search.filters.predicates import FilterValueContext, prepare_value
from codecompass.engine.search.issue.issue_reader import is_issue, read_issue
from codecompass.engine.search.issue.parts import Issue
from codecompass.engine.search.query.intent import classify
from codecompass.engine.search.query.issue_terms import plan_terms
from codecompass.engine.search.query.query_syntax import (
    AndNode,
    FieldNode,
    NotNode,
    ParsedQuery,
    PhraseNode,
    SyntaxNode,
    WordNode,
    format_query,
    parse,
)
from codecompass.engine.search.query.query_terms import QueryTerms, tokenize_query
from codecompass.engine.search.query.query_tree import (
    collect_fields,
    collect_positive_fields,
    drop_stopwords,
    partially_evaluate,
    positive_terms,
    split_off_fields,
    to_index_query,
    to_relaxed_index_query,
)
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.queries.filters import FILTERS_BY_FIELD, MAX_VALUE_LENGTH, Filters, FilterValue
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import Intent, RankingTable
from codecompass.store.text_query import QueryNode
from codecompass.text.dictionary import Dictionary

NO_WORDS = "The query has no word to search for."
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A parsed query, ready for retrieval."""

    question: QueryTerms
    """The terms to search for."""
    intent: Intent
    filters: Filters
    """Filters of the request and of the query text."""
    without: Filters
    tree: SyntaxNode | None = None
    """Boolean condition on candidates; None if the query is only words."""
    case_sensitive: bool = False
    """Whether words match case-sensitively."""
    notes: tuple[str, ...] = ()
    """Notes for the caller on how the query was parsed."""
    issue: Issue | None = None
    """The parts of a pasted text; None for questions and words."""

    @property
    def table(self) -> RankingTable:
        """Which table of weights ranks the candidates."""
        return "issue" if self.issue is not None else self.intent

    @property
    def wants_records(self) -> bool:
        """Whether a filter that only records can pass may select results."""
        fields = collect_positive_fields(self.tree) if self.tree is not None else []
        return any(_is_record_field(item) for item in fields) or any(row.scope == "record" for row, _ in self.filters)

    @property
    def wants_definitions(self) -> bool:
        """Whether a filter inside the boolean condition applies to definitions."""
        fields = collect_fields(self.tree) if self.tree is not None else []
        return any(FILTERS_BY_FIELD[item.name].scope == "definition" for item in fields)

    @property
    def index_query(self) -> QueryNode | None:
        """Index query of the condition; None: search for the words, or list everything if there are none."""
        return to_index_query(self.tree, case_sensitive=self.case_sensitive) if self.tree is not None else None

    @property
    def relaxed_index_query(self) -> QueryNode | None:
        """Index query that requires any of the words."""
        return to_relaxed_index_query(self.tree, case_sensitive=self.case_sensitive) if self.tree is not None else None


def plan_query(
    query: SearchQuery, registry: Registry, dictionary: Dictionary | None = None, *, files_only: bool = False
) -> QueryPlan:
    """Parse a query into a plan. Text that is not an operator is words; a filter with an invalid value is a note.

    `files_only`: only files are searched, which have no record fields, so these are evaluated here.
    """
    if is_issue(query.text) and not query.case_tokens:
        issue = read_issue(query.text)
        question = plan_terms(issue, query.text, dictionary)
        intent: Intent = "error" if issue.is_trace else "natural_language"
        return QueryPlan(question, intent, query.filters, query.without, notes=issue.notes, issue=issue)
    notes: list[str] = []

    def accept(name: str, value: str) -> FieldNode | None:
        return _accept_field(name, value, registry, notes)

    parsed = parse(query.text, accept)
    if parsed.plain or parsed.tree is None:
        question = tokenize_query(query.text, dictionary)
        tree = _case_sensitive_tree(parsed, question) if query.case_tokens else None
        if not (question.words or query.filters or query.without):
            notes.append(NO_WORDS)
        return QueryPlan(
            question, classify(query.text), query.filters, query.without, tree, query.case_tokens, tuple(notes)
        )
    tree = drop_stopwords(parsed.tree)
    taken = frozenset(name for name, _ in query.filters.given)
    chosen, rest = split_off_fields(tree, taken)
    negated, rest = _negated_filters(rest, frozenset(name for name, _ in query.without.given))
    if files_only and rest is not None:
        rest, unmatchable = _restrict_to_files(rest, taken.union(item.name for item in chosen))
        chosen += unmatchable
    filters = Filters(query.filters.given + _to_filter_values(chosen))
    without = Filters(query.without.given + _to_filter_values(negated))
    words = positive_terms(rest) if rest is not None else ()
    if rest is not None and _has_only_words(rest) and not parsed.strict and not query.case_tokens:
        # With filters and plain words only, the words are searched as if there were no filters.
        question = tokenize_query(" ".join(words), dictionary)
        return QueryPlan(question, classify(question.text), filters, without, notes=tuple(dict.fromkeys(notes)))
    text = (
        parsed.text
        if rest == parsed.tree and _has_only_text(rest)
        else format_query(_positive_part(rest))
        if words
        else ""
    )
    question = tokenize_query(" ".join(words), dictionary)
    return QueryPlan(question, classify(text), filters, without, rest, query.case_tokens, tuple(dict.fromkeys(notes)))


def _restrict_to_files(tree: SyntaxNode, given: frozenset[str]) -> tuple[SyntaxNode | None, tuple[FieldNode, ...]]:
    """Evaluate record fields as false; if no file can match, also return a filter that no file passes."""
    left = partially_evaluate(tree, lambda item: False if _is_record_field(item) else None)
    if not isinstance(left, bool):
        return left, ()
    fields = [item for item in collect_fields(tree) if _is_record_field(item) and item.name not in given]
    return None, () if left else tuple(fields[:1])


def _is_record_field(item: FieldNode) -> bool:
    return FILTERS_BY_FIELD[item.name].scope == "record"


def _case_sensitive_tree(parsed: ParsedQuery, question: QueryTerms) -> SyntaxNode | None:
    """Turn the words into a condition: the index ignores case, so candidates are tested on their text."""
    found = tuple(WordNode(word) for word in question.words)
    return AndNode(found) if len(found) > 1 else found[0] if found else parsed.tree


def _has_only_words(node: SyntaxNode) -> bool:
    items = node.items if isinstance(node, AndNode) else (node,)
    return all(isinstance(item, WordNode) for item in items)


def _has_only_text(node: SyntaxNode) -> bool:
    """Whether the tree is a conjunction of words and phrases only."""
    items = node.items if isinstance(node, AndNode) else (node,)
    return all(isinstance(item, WordNode | PhraseNode) for item in items)


def _positive_part(node: SyntaxNode | None) -> SyntaxNode:
    """Return the tree without negations and filters."""
    if not isinstance(node, AndNode):
        assert node is not None
        return node
    kept = tuple(item for item in node.items if not isinstance(item, NotNode | FieldNode))
    return AndNode(kept) if len(kept) > 1 else kept[0]


def _negated_filters(tree: SyntaxNode | None, taken: frozenset[str]) -> tuple[tuple[FieldNode, ...], SyntaxNode | None]:
    """Split negated filters off the tree, each field once; returns them and the rest of the tree."""
    top = tree.items if isinstance(tree, AndNode) else (tree,) if tree is not None else ()
    chosen: dict[str, FieldNode] = {}
    rest: list[SyntaxNode] = []
    for item in top:
        if isinstance(item, NotNode) and isinstance(item.item, FieldNode) and item.item.name not in {*chosen, *taken}:
            chosen[item.item.name] = item.item
        else:
            rest.append(item)
    left = AndNode(tuple(rest)) if len(rest) > 1 else rest[0] if rest else None
    return tuple(chosen.values()), left


# -- filters in the query text -----------------------------------------------------------------------------------------


def field_filter(item: FieldNode) -> Filters:
    """Convert a filter in the query text to filters like those of the request."""
    return Filters.parse({item.name: _parse_value(item.name, item.value)})


def _to_filter_values(fields: tuple[FieldNode, ...]) -> tuple[tuple[str, FilterValue], ...]:
    return tuple(pair for item in fields for pair in field_filter(item).given)


def _accept_field(name: str, value: str, registry: Registry, notes: list[str]) -> FieldNode | None:
    field, _, key = name.partition(".")
    row = FILTERS_BY_FIELD.get(field)
    if row is None or (key and row.kind != "meta"):
        return None
    item = FieldNode(field, f"{key}={value}" if key else value)
    try:
        for _, checked in field_filter(item):
            prepare_value(field, checked, FilterValueContext(registry, now=0.0))
    except Failure as failure:
        text = str(failure.message).removeprefix("Invalid arguments: ").rstrip(".")
        notes.append(f"'{name}:{value[:60]}' was read as text ({text}).")
        return None
    return item


def _parse_value(name: str, text: str) -> object:
    """Convert a filter value from text to the type that a request argument has."""
    kind = FILTERS_BY_FIELD[name].kind
    if kind == "flag" and text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    if kind == "count" and text.isdigit() and text.isascii():
        return int(text[:MAX_VALUE_LENGTH])
    if kind == "days":
        try:
            return float(text)
        except ValueError:
            return text
    return text
