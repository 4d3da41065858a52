"""Definitions: find definitions by name in tiers; a lower tier answers only if no higher one does.

Each hit names its tier. Headings and configuration keys never hide code: they do not decide the tier while code matches
in one.
"""

import re
from collections.abc import Iterable, Iterator

from codecompass.engine.navigation.symbols.overloads import is_overload_stub
from codecompass.engine.search.paths.path_roles import get_role_weight
from codecompass.engine.search.ranking.scorer import KIND_PRIOR, SECONDARY_SHARE, Features, score, to_reasons
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.call import Call
from codecompass.model.code.kinds import SECONDARY, expand_kind
from codecompass.model.queries.results import Reasons
from codecompass.model.queries.search_query import LocateQuery
from codecompass.store.ports import SymbolRow

_SEPARATORS = re.compile(r"::|->|[.#/\\]")
_MAX_ROWS = 20_000
"""Maximum symbol rows read for one name; a name with more definitions is truncated."""
_TIERS = ("exact", "qualified_suffix", "case_insensitive", "prefix")
REEXPORTED = "reexported"
"""The tier of definitions found through re-exports."""
TIER_EXACT = {"exact": 1.0, "case_insensitive": 0.7, "qualified_suffix": 0.9, "prefix": 0.4, REEXPORTED: 0.9}

RankedDefinitions = list[tuple[Symbol, str, Reasons]]


def locate(view: PinnedView, query: LocateQuery, within: str = "", call: Call | None = None) -> RankedDefinitions:
    """Return all definitions of the best non-empty tier, ranked; the caller applies the limit.

    `within` restricts the search to a file or directory.
    """
    segments = [part for part in _SEPARATORS.split(query.name.strip().removesuffix("()")) if part]
    if not segments:
        return []
    rows = _expand_paths(view, view.snapshot.find_symbols(segments[-1].casefold(), prefix=False, limit=_MAX_ROWS))
    found = [(symbol, _classify_tier(symbol, segments)) for symbol in _filter_rows(view, rows, query, within, call)]
    hits = [(symbol, tier) for symbol, tier in found if tier]
    if not hits and len(segments) == 1 and len(segments[0]) >= 2:
        rows = _expand_paths(view, view.snapshot.find_symbols(segments[0].casefold(), prefix=True, limit=_MAX_ROWS))
        hits = [(symbol, "prefix") for symbol in _filter_rows(view, rows, query, within, call)]
    code = [(symbol, tier) for symbol, tier in hits if symbol.definition.kind not in SECONDARY]
    best = min((_TIERS.index(tier) for _, tier in code or hits), default=0)
    # No code has a better tier than the best; keep prose and configuration with better tiers beside it.
    kept = [(symbol, tier) for symbol, tier in hits if _TIERS.index(tier) <= best]
    ranked = [(symbol, tier, _score(symbol, tier, stub=_is_stub(view, symbol))) for symbol, tier in kept]
    return sorted(ranked, key=_get_sort_key)


def _expand_paths(view: PinnedView, rows: list[SymbolRow]) -> Iterator[tuple[str, SymbolRow]]:
    for row in rows:
        for path in view.paths.get(row.blob, ()):
            yield path, row


def _filter_rows(
    view: PinnedView, rows: Iterator[tuple[str, SymbolRow]], query: LocateQuery, within: str, call: Call | None
) -> Iterator[Symbol]:
    kinds = expand_kind(query.kind) if query.kind else None
    for number, (path, row) in enumerate(rows):
        if call is not None:
            call.step("symbols", number)
        if kinds is not None and row.kind not in kinds:
            continue
        if within and path != within and not path.startswith(within + "/"):
            continue
        symbol = view.symbol(path, row.position)
        if query.language is None or symbol.language == query.language:
            yield symbol


def _classify_tier(symbol: Symbol, segments: list[str]) -> str:
    """Return how the name matched; empty if a qualified name does not match."""
    same = symbol.definition.name == segments[-1]
    if len(segments) == 1:
        return "exact" if same else "case_insensitive"
    own = [part for part in _SEPARATORS.split(symbol.qualified_name) if part]
    if own == segments:
        return "exact"
    if own[-len(segments) :] == segments:
        return "qualified_suffix"
    folded = [part.casefold() for part in segments]
    return "case_insensitive" if [part.casefold() for part in own][-len(segments) :] == folded else ""


def _is_stub(view: PinnedView, symbol: Symbol) -> bool:
    return is_overload_stub(view, symbol.path, symbol.position)


def rank_reexported(view: PinnedView, symbols: Iterable[Symbol], query: LocateQuery) -> RankedDefinitions:
    """Rank re-exported definitions as a tier of their own, filtered by the query."""
    kinds = expand_kind(query.kind) if query.kind else None
    return [
        (symbol, REEXPORTED, _score(symbol, REEXPORTED, stub=_is_stub(view, symbol)))
        for symbol in symbols
        if (kinds is None or symbol.definition.kind in kinds) and query.language in (None, symbol.language)
    ]


def _score(symbol: Symbol, tier: str, *, stub: bool = False) -> Reasons:
    item = symbol.definition
    share = SECONDARY_SHARE if item.kind in SECONDARY else 1.0
    # A signature without a body (a prototype, an overload) is a declaration; rank the definition first.
    body = 1.0 if item.line_end > item.line_start and not stub else 0.6
    features = Features(
        exact=TIER_EXACT[tier] * share,
        qualified=(1.0 if tier in ("exact", "qualified_suffix") else 0.5) * share,
        path=get_role_weight(symbol.path),
        definition=0.0 if item.kind in SECONDARY else body,
        kind=KIND_PRIOR.get(item.kind, 0.3),
        bm25=0.0,
    )
    return to_reasons(features, score(features, "symbol"))


def get_preference(symbol: Symbol) -> tuple[float, int, str, int]:
    """Return the sort key for definitions with one identity: ordinary source first, then shorter paths."""
    return -_score(symbol, "exact").final_score, len(symbol.path), symbol.path, symbol.definition.line_start


def _get_sort_key(hit: tuple[Symbol, str, Reasons]) -> tuple[float, int, str, int]:
    symbol, _, reasons = hit
    return -reasons.final_score, len(symbol.path), symbol.path, symbol.definition.line_start
