"""Hits: convert ranked candidates to results, with as much source as the detail level asks for."""

from typing import Any

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.related import find_parent, find_related
from codecompass.engine.search.pipeline import RankedCandidate
from codecompass.engine.search.query.query_terms import QueryTerms
from codecompass.engine.view.pinned_view import ContentReader, PinnedView, Symbol
from codecompass.model.ids import make_file_id, make_snippet_id
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import Hit, Reasons
from codecompass.model.states import DetailLevel
from codecompass.text.tokens import split_identifier

SNIPPET_CHARS = 160
MIN_NAME_SCORE = 0.2
"""Minimum name feature for a candidate to be shown as a symbol."""
PREVIEW_LINES = 60
PREVIEW_CHARS = 2_400
"""More than a result may use: the response builder cuts the preview to its budget and reports the rest."""


def to_search_hit(
    view: PinnedView,
    reader: ContentReader,
    question: QueryTerms,
    item: RankedCandidate,
    detail: DetailLevel,
    resolver: Resolver | None,
) -> Hit:
    """Convert a candidate to a hit: a symbol if its name matched, else the matching lines or the file."""
    candidate = item.candidate
    if candidate.whole_file:
        return _to_file_hit(view, candidate.path, item.reasons)
    if item.symbol is not None and (
        candidate.name_matched or candidate.definition_requested or item.candidate_features.name >= MIN_NAME_SCORE
    ):
        return to_symbol_hit(view, reader, item.symbol, item.reasons, detail, "", resolver)
    return _to_snippet_hit(view, reader, question, item, detail, resolver)


def to_symbol_hit(
    view: PinnedView,
    reader: ContentReader,
    symbol: Symbol,
    reasons: Reasons,
    detail: DetailLevel,
    tier: str,
    resolver: Resolver | None,
) -> Hit:
    """Convert a definition to a hit; the resolver finds related symbols if the detail level asks for them."""
    item = symbol.definition
    fields = _symbol_fields(view, symbol, detail, resolver)
    return Hit(
        result_type="symbol",
        result_id=fields["symbol_id"],
        path=display_path(symbol.path),
        line_start=item.line_start,
        line_end=item.line_end,
        language=symbol.language,
        score=reasons.final_score,
        reasons=reasons,
        tier=tier,
        body_preview=make_preview(_read_body(view, reader, symbol)) if detail == "context" else "",
        **fields,
    )


def _to_file_hit(view: PinnedView, path: str, reasons: Reasons) -> Hit:
    entry = view.entries[path]
    language, lines = "", 0
    if entry.blob:
        heads = view.heads(entry.blob)
        language, lines = heads.language, heads.line_count
    name = display_path(path.rsplit("/", 1)[-1])
    return Hit(
        "file",
        make_file_id(path),
        display_path(path),
        min(lines, 1),
        lines,
        language or "text",
        reasons.final_score,
        reasons,
        name=name,
    )


def _to_snippet_hit(
    view: PinnedView,
    reader: ContentReader,
    question: QueryTerms,
    item: RankedCandidate,
    detail: DetailLevel,
    resolver: Resolver | None,
) -> Hit:
    path, reasons = item.candidate.path, item.reasons
    heads = view.heads(view.entries[path].blob)
    chunk = heads.get_chunk(item.candidate.ordinal)
    symbol = item.symbol or (view.symbol(path, chunk.owner) if chunk.owner >= 0 else None)
    lines = reader.read_span(view, path, chunk.line_start, chunk.line_end)
    digest, _ = view.snapshot.identity(view.entries[path].blob)
    return Hit(
        result_type="snippet",
        result_id=make_snippet_id(path, chunk.line_start, chunk.line_end, digest.hex()),
        path=display_path(path),
        line_start=chunk.line_start,
        line_end=chunk.line_end,
        language=heads.language or "text",
        score=reasons.final_score,
        reasons=reasons,
        snippet=_find_best_line(lines, question),
        body_preview=make_preview(lines) if detail == "context" else "",
        **(_symbol_fields(view, symbol, detail, resolver) if symbol is not None else {}),
    )


def _symbol_fields(view: PinnedView, symbol: Symbol, detail: DetailLevel, resolver: Resolver | None) -> dict[str, Any]:
    """Return the fields of a hit that describe its definition."""
    definition, handles = symbol.definition, view.handles(symbol)
    return {
        "kind": definition.kind,
        "name": definition.name,
        "qualified_name": symbol.qualified_name,
        "signature": definition.signature,
        "visibility": definition.visibility,
        "symbol_id": handles.symbol_id,
        "symbol_stable_id": handles.stable_id,
        "parent": find_parent(view, symbol) if detail == "context" else None,
        "related": find_related(resolver, symbol) if resolver else (),
    }


def _find_best_line(lines: list[str], question: QueryTerms) -> str:
    """Return the line with most query terms, whitespace collapsed and truncated."""
    best, most = "", 0
    for line in lines:
        folded = line.lower()
        # Most lines contain no query term; tokenizing all of them would dominate the cost of a search.
        if sum(part in folded for part in question.parts) <= most:
            continue
        count = len(question.parts & frozenset(split_identifier(line)))
        if count > most:
            best, most = line, count
    text = " ".join(best.split())
    return text if len(text) <= SNIPPET_CHARS else text[: SNIPPET_CHARS - 1] + "…"


def _read_body(view: PinnedView, reader: ContentReader, symbol: Symbol) -> list[str]:
    return reader.read_span(view, symbol.path, symbol.definition.line_start, symbol.definition.line_end)


def make_preview(lines: list[str]) -> str:
    """Return the first lines of a body as a preview."""
    kept: list[str] = []
    used = 0
    for line in lines[:PREVIEW_LINES]:
        used += len(line) + 1
        if used > PREVIEW_CHARS and kept:
            break
        kept.append(line[:PREVIEW_CHARS])
    return "\n".join(kept)
