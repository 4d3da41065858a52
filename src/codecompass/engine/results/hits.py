"""Hits: convert ranked candidates to results, with as much source as the detail level asks for."""

from typing import Any

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.related import parent_of, related
from codecompass.engine.search.pipeline import Ranked
from codecompass.engine.search.query.query_terms import Question
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.pinned_view import PinnedView, Symbol, shown
from codecompass.model.ids import file_id, snippet_id
from codecompass.model.queries.results import Hit, Reasons
from codecompass.text.tokens import split_identifier

SNIPPET_CHARS = 160
NAMED = 0.2
"""Minimum name feature for a candidate to be shown as a symbol."""
PREVIEW_LINES = 60
PREVIEW_CHARS = 2_400
"""More than a result may use: the response builder cuts the preview to its budget and reports the rest."""


def search_hit(
    view: PinnedView, reader: ContentReader, question: Question, item: Ranked, detail: str, resolver: Resolver | None
) -> Hit:
    """Convert a candidate to a hit: a symbol if its name matched, else the matching lines or the file."""
    candidate = item.candidate
    if candidate.whole_file:
        return _file_hit(view, candidate.path, item.reasons)
    if item.symbol is not None and (candidate.named or candidate.defined or item.spot.name >= NAMED):
        return symbol_hit(view, reader, item.symbol, item.reasons, detail, "", resolver)
    return _snippet_hit(view, reader, question, item, detail, resolver)


def symbol_hit(
    view: PinnedView,
    reader: ContentReader,
    symbol: Symbol,
    reasons: Reasons,
    detail: str,
    tier: str,
    resolver: Resolver | None,
) -> Hit:
    """Convert a definition to a hit; the resolver finds related symbols if the detail level asks for them."""
    item = symbol.definition
    fields = _told(view, symbol, detail, resolver)
    return Hit(
        result_type="symbol",
        result_id=fields["symbol_id"],
        path=shown(symbol.path),
        line_start=item.line_start,
        line_end=item.line_end,
        language=symbol.language,
        score=reasons.final_score,
        reasons=reasons,
        tier=tier,
        body_preview=opening(_body(view, reader, symbol)) if detail == "context" else "",
        **fields,
    )


def _file_hit(view: PinnedView, path: str, reasons: Reasons) -> Hit:
    entry = view.entries[path]
    language, lines = "", 0
    if entry.blob:
        heads = view.heads(entry.blob)
        language, lines = heads.language, heads.line_count
    name = shown(path.rsplit("/", 1)[-1])
    return Hit(
        "file",
        file_id(path),
        shown(path),
        min(lines, 1),
        lines,
        language or "text",
        reasons.final_score,
        reasons,
        name=name,
    )


def _snippet_hit(
    view: PinnedView, reader: ContentReader, question: Question, item: Ranked, detail: str, resolver: Resolver | None
) -> Hit:
    path, reasons = item.candidate.path, item.reasons
    heads = view.heads(view.entries[path].blob)
    chunk = heads.chunk(item.candidate.ordinal)
    symbol = item.symbol or (view.symbol(path, chunk.owner) if chunk.owner >= 0 else None)
    lines = reader.span(view, path, chunk.line_start, chunk.line_end)
    digest, _ = view.snapshot.identity(view.entries[path].blob)
    return Hit(
        result_type="snippet",
        result_id=snippet_id(path, chunk.line_start, chunk.line_end, digest.hex()),
        path=shown(path),
        line_start=chunk.line_start,
        line_end=chunk.line_end,
        language=heads.language or "text",
        score=reasons.final_score,
        reasons=reasons,
        snippet=_best_line(lines, question),
        body_preview=opening(lines) if detail == "context" else "",
        **(_told(view, symbol, detail, resolver) if symbol is not None else {}),
    )


def _told(view: PinnedView, symbol: Symbol, detail: str, resolver: Resolver | None) -> dict[str, Any]:
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
        "parent": parent_of(view, symbol) if detail == "context" else None,
        "related": related(resolver, symbol) if resolver else (),
    }


def _best_line(lines: list[str], question: Question) -> str:
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


def _body(view: PinnedView, reader: ContentReader, symbol: Symbol) -> list[str]:
    return reader.span(view, symbol.path, symbol.definition.line_start, symbol.definition.line_end)


def opening(lines: list[str]) -> str:
    """Return the first lines of a body as a preview."""
    kept: list[str] = []
    used = 0
    for line in lines[:PREVIEW_LINES]:
        used += len(line) + 1
        if used > PREVIEW_CHARS and kept:
            break
        kept.append(line[:PREVIEW_CHARS])
    return "\n".join(kept)
