"""Shapes of retrieval results: detail levels, compact, ranking reasons, and the byte budget every answer keeps."""

from dataclasses import replace
from typing import Any

from codecompass.contract.encoding import encode
from codecompass.contract.tool import Answer
from codecompass.model.result import Hit, Hits, Reasons, SymbolPlace, ViewState

BULKY = ("body_preview", "snippet", "related_symbols", "parent")
"""What `compact` removes; identity, place, signature and score stay."""

METADATA_BYTES = 700
"""Room kept for the metadata block without its ranking reasons."""

RELAXED = "No result holds all the words of the query, so any of them counted."


def shape_hit(hit: Hit, detail: str, *, compact: bool, handles: bool) -> dict[str, Any]:
    """One result at one level of detail. Fields that do not apply are left out, never null."""
    shaped: dict[str, Any] = {"result_id": hit.result_id, "result_type": hit.result_type} if handles else {}
    shaped |= {
        "symbol_id": hit.symbol_id,
        "symbol_stable_id": hit.symbol_stable_id,
        "path": hit.path,
        "line_start": hit.line_start,
        "line_end": hit.line_end,
        "kind": hit.kind,
        "name": hit.name,
    }
    if detail != "location":
        shaped |= {
            "qualified_name": hit.qualified_name,
            "signature": hit.signature,
            "language": hit.language,
            "visibility": hit.visibility,
            "snippet": hit.snippet if hit.result_type == "snippet" else "",
        }
    if detail == "context":
        shaped |= {
            "body_preview": hit.body_preview,
            "parent": _place(hit.parent) if hit.parent else None,
            "related_symbols": [_place(place) for place in hit.related],
        }
    # An inexact answer says so: the caller asked for a name and got one that only resembles it.
    shaped |= {"match": hit.tier if hit.tier != "exact" else "", "score": _rounded(hit.score)}
    dropped = BULKY if compact else ()
    return {key: value for key, value in shaped.items() if key not in dropped and value not in ("", None, [])}


def _place(place: SymbolPlace) -> dict[str, Any]:
    return {"kind": place.kind, "name": place.name, "path": place.path, "line": place.line}


def _rounded(value: float) -> float:
    return round(value, 4)


def explain(hits: tuple[Hit, ...], level: str) -> list[dict[str, Any]]:
    """Ranking reasons. `full`: the eight documented numbers; `basic`: five factors, each scaled to 0..1."""
    if level == "off":
        return []
    best = max((hit.reasons.bm25_score for hit in hits), default=0.0)
    make = _full if level == "full" else _basic
    return [{"result_index": index, **make(hit.reasons, best)} for index, hit in enumerate(hits)]


def _full(reasons: Reasons, _best: float) -> dict[str, float]:
    return {
        "exact_match_boost": _rounded(reasons.exact_match_boost),
        "qualified_name_boost": _rounded(reasons.qualified_name_boost),
        "path_affinity": _rounded(reasons.path_affinity),
        "definition_boost": _rounded(reasons.definition_boost),
        "kind_match": _rounded(reasons.kind_match),
        "bm25_score": _rounded(reasons.bm25_score),
        "final_score": _rounded(reasons.final_score),
    }


def _basic(reasons: Reasons, best: float) -> dict[str, float]:
    factors = {
        "exact_match": max(reasons.exact_match_boost, reasons.qualified_name_boost),
        "path_boost": reasons.path_affinity,
        "definition_boost": reasons.definition_boost,
        # BM25 has no upper bound, so it is given relative to the best text match of this answer.
        "text_match": reasons.bm25_score / best if best > 0 else 0.0,
        "final_score": reasons.final_score,
    }
    return {name: round(min(1.0, max(0.0, value)), 3) for name, value in factors.items()}


def completeness(state: ViewState, *, cut: bool) -> str:
    """`truncated`: found but left out, by limit or for size; `partial`: nothing published yet to answer from."""
    if cut:
        return "truncated"
    return "partial" if state.indexing in ("not_indexed", "indexing") and state.generation == 0 else "complete"


def fit(items: list[dict[str, Any]], companions: list[dict[str, Any]], budget: int) -> int:
    """How many items (with their companions) fit the budget in bytes, counted from the front."""
    used = 0
    for index, item in enumerate(items):
        used += len(encode(item)) + 1
        if index < len(companions):
            used += len(encode(companions[index])) + 1
        if used > budget:
            return index
    return len(items)


def hits_answer(
    found: Hits,
    *,
    detail: str,
    compact: bool,
    explain_level: str,
    max_bytes: int,
    handles: bool,
    head: dict[str, Any],
    narrower: list[dict[str, Any]],
    when_empty: list[dict[str, Any]],
) -> Answer:
    """A ranked answer within its byte budget; `head` is what stands beside the results."""
    results = [shape_hit(hit, detail, compact=compact, handles=handles) for hit in found.hits]
    reasons = explain(found.hits, explain_level)
    actions = [dict(action) for action in found.next_actions] or (when_empty if not results else [])
    room = max_bytes - METADATA_BYTES - len(encode({**head, "suggested_next_actions": actions + narrower}))
    kept = fit(results, reasons, room)
    if results and kept == 0:
        # One result larger than the whole budget: its place alone is worth more than nothing.
        results[0] = shape_hit(replace(found.hits[0]), "location", compact=True, handles=handles)
        kept = 1
    too_large = kept < len(results)
    if too_large:
        actions = narrower + actions
    payload: dict[str, Any] = {"results": results[:kept], **head}
    if actions or handles:
        payload["suggested_next_actions"] = actions
    extra = {"ranking_reasons": reasons[:kept]} if reasons else {}
    warnings = (RELAXED,) if found.relaxed and found.hits else ()
    return Answer(payload, found.state, completeness(found.state, cut=too_large or found.truncated), extra, warnings)
