"""Hits: ranked candidates become results, with as much of the source as the detail level asks for."""

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
"""From here on its name counts as asked for."""
PREVIEW_LINES = 60
PREVIEW_CHARS = 2_400
"""More than a result may cost: whoever shapes the answer cuts to its budget and knows what else stands there."""


def search_hit(
    view: PinnedView, reader: ContentReader, question: Question, item: Ranked, detail: str, resolver: Resolver | None
) -> Hit:
    """A search result: a symbol when its name was asked for, else the lines that matched, or the file."""
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
    """A definition; the resolver finds its neighbours where the detail asks for them."""
    item = symbol.definition
    told = _told(view, symbol, detail, resolver)
    return Hit(
        result_type="symbol",
        result_id=told["symbol_id"],
        path=shown(symbol.path),
        line_start=item.line_start,
        line_end=item.line_end,
        language=symbol.language,
        score=reasons.final_score,
        reasons=reasons,
        tier=tier,
        body_preview=opening(_body(view, reader, symbol)) if detail == "context" else "",
        **told,
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
    """What a place says of the definition it stands in."""
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
    """The line that says most of the question, on one line and cut."""
    best, most = "", 0
    for line in lines:
        folded = line.lower()
        # Most lines have none of the words; taking those apart would be most of the work of a search.
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
    """The head of a body: as many whole lines as can be of use."""
    kept: list[str] = []
    used = 0
    for line in lines[:PREVIEW_LINES]:
        used += len(line) + 1
        if used > PREVIEW_CHARS and kept:
            break
        kept.append(line[:PREVIEW_CHARS])
    return "\n".join(kept)
