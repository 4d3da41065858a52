"""JSON shapes of ranked results: detail levels, compact form, ranking reasons and byte budgets."""

from typing import Any

from codecompass.contract.encoding import encode
from codecompass.contract.tool import Answer
from codecompass.model.code.coverage import Gap, describe_gaps
from codecompass.model.queries.results import Hit, Hits, Reasons, SymbolPlace, ViewState
from codecompass.tools.shapes.token_budget import MOST, cost, cut, cut_left, cut_lines, shown_fields

BULKY = (
    "body_preview", "snippet", "related_symbols", "parent", "qualified_name", "language", "visibility", "result_type",
)  # fmt: skip
"""Fields that `compact` removes: bodies, neighbours, and facts that path and signature repeat. Handles, location, kind,
name, signature and score stay."""

METADATA_BYTES = 700
"""Bytes reserved for the metadata block without its ranking reasons."""
PREVIEW = 150
"""Tokens reserved for a body preview; neighbours that would leave less are dropped."""

COLUMN_BASE = 1
"""Columns in answers count UTF-8 bytes from 1, as lines do; the engine counts them from 0."""

WHOLE = {"signature": 110, "context": 300}
"""Tokens up to which a signature is shown whole, although its result then exceeds the limit of its level:
few signatures are so long, and half a parameter list misleads."""

RELAXED = "No result holds all the words of the query, so any of them counted."


def shape_hit(hit: Hit, detail: str, *, compact: bool, typed: bool) -> dict[str, Any]:
    """Shape one result at a level of detail, within the tokens of that level. Empty fields are left out.

    `typed` is for answers that mix symbols, snippets and files. Paths and names are never cut, because the
    caller uses them in the next call.
    """
    shaped = _place_fields(hit, detail, typed=typed)
    if detail != "location":
        shaped = _described(hit, shaped, detail)
    if detail == "context":
        _add_context(hit, shaped)
    if hit.reached_by:
        shaped["reached_by"] = [{"path": path, "line": line} for path, line in hit.reached_by]
    dropped = BULKY if compact else ()
    return {key: value for key, value in shaped.items() if key not in dropped}


def _place_fields(hit: Hit, detail: str, *, typed: bool) -> dict[str, Any]:
    """Shape handles and location. A symbol's result_id is its symbol_id, so it is not repeated.

    At `location` a snippet has only its result_id, which also identifies the definition around it.
    """
    symbolic = hit.result_type == "symbol"
    handles = {"result_id": "" if symbolic else hit.result_id}
    if symbolic or detail != "location":
        handles |= {"symbol_id": hit.symbol_id, "symbol_stable_id": hit.symbol_stable_id}
    if typed and detail != "location":
        handles["result_type"] = hit.result_type
    place = {"path": hit.path, "line_start": hit.line_start, "line_end": hit.line_end}
    return shown_fields({**handles, **place, "kind": hit.kind, "name": hit.name})


def _described(hit: Hit, shaped: dict[str, Any], detail: str) -> dict[str, Any]:
    """Add qualified name, signature or snippet, language, visibility and score.

    A signature is whole if it costs no more than the limit of its level: the qualified name is cut first. A longer
    one, and a snippet, is cut to the remaining tokens of the level.
    """
    symbolic = hit.result_type == "symbol"
    main, text = ("signature", hit.signature) if symbolic else ("snippet", hit.snippet)
    rest = {"language": hit.language, "visibility": hit.visibility if symbolic else "", "score": _rounded(hit.score)}
    room = MOST["signature"] - cost({**shaped, **rest, "qualified_name": "", main: ""})
    needed = cost(text)
    if symbolic and room < needed <= WHOLE[detail]:
        name = cut_left(hit.qualified_name, room - needed)
        return shown_fields({**shaped, "qualified_name": name, main: text, **rest})
    name = cut_left(hit.qualified_name, max(room - needed, room // 3))
    return shown_fields({**shaped, "qualified_name": name, main: cut(text, room - cost(name)), **rest})


def _add_context(hit: Hit, shaped: dict[str, Any]) -> None:
    """Add neighbours, and as much of the body as then fits."""
    if hit.parent:
        shaped["parent"] = _place(hit.parent)
    near = [_place(place) for place in hit.related]
    room = MOST["context"] - cost(shaped) - cost({"body_preview": "", "related_symbols": []})
    while near and hit.body_preview and room - cost(near) < PREVIEW:
        near.pop()
    lines = hit.line_end - hit.line_start + 1
    preview = cut_lines(hit.body_preview, lines, room - (cost(near) if near else 0))
    shaped |= shown_fields({"body_preview": preview, "related_symbols": near})


def _place(place: SymbolPlace) -> dict[str, Any]:
    return {"kind": place.kind, "name": place.name, "path": place.path, "line": place.line}


def _rounded(value: float) -> float:
    return round(value, 4)


def explain(hits: tuple[Hit, ...], level: str) -> list[dict[str, Any]]:
    """Shape ranking reasons. `full`: the documented feature values; `basic`: five factors, each scaled to 0..1."""
    if level == "off":
        return []
    best = max((hit.reasons.bm25_score for hit in hits), default=0.0)
    make = _full if level == "full" else _basic
    return [{"result_index": index, **make(hit.reasons, best), **_most(hit, level)} for index, hit in enumerate(hits)]


def _most(hit: Hit, level: str) -> dict[str, float]:
    """Shape the maximum BM25 of a record; its score is the ratio to that."""
    shown = level == "full" and hit.reasons.bm25_score > 0
    return {"bm25_best": _rounded(1 / hit.factors[0].weight)} if shown and hit.factors else {}


def _full(reasons: Reasons, _best: float) -> dict[str, float]:
    # Without a vector match these are exactly the documented numbers.
    meaning = {"semantic_score": _rounded(reasons.semantic_score)} if reasons.semantic_score else {}
    return meaning | {
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


def completeness(state: ViewState, *, cut: bool, gaps: tuple[Gap, ...] = (), partial: bool = False) -> str:
    """Return `truncated` when results were left out by limit or size; `partial` when something could not be searched or
    the answer may miss something in files that are indexed only in part; else `complete`.
    """
    if cut:
        return "truncated"
    empty = state.indexing in ("not_indexed", "indexing") and state.generation == 0
    return "partial" if partial or state.partial or gaps or empty else "complete"


def text_gaps(state: ViewState) -> tuple[Gap, ...]:
    """Return the files whose text is not indexed: a search by words may miss them."""
    return tuple(gap for gap in state.gaps if gap.hides_text)


def gap_warnings(gaps: tuple[Gap, ...]) -> tuple[str, ...]:
    return (describe_gaps(gaps),) if gaps else ()


def fit(items: list[dict[str, Any]], companions: list[dict[str, Any]], budget: int) -> int:
    """Count the first items that fit the byte budget together with their companions."""
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
    typed: bool,
    head: dict[str, Any],
    narrower: list[dict[str, Any]],
    actions: list[dict[str, Any]],
) -> Answer:
    """Build a ranked answer within its byte budget; `head` has the fields beside the results."""
    results = [shape_hit(hit, detail, compact=compact, typed=typed) for hit in found.hits]
    reasons = explain(found.hits, explain_level)
    room = max_bytes - METADATA_BYTES - len(encode({**head, "suggested_next_actions": actions + narrower}))
    kept = fit(results, reasons, room)
    if results and kept == 0:
        # One result is larger than the whole budget: show only its location.
        results[0] = shape_hit(found.hits[0], "location", compact=True, typed=typed)
        kept = 1
    too_large = kept < len(results)
    if too_large:
        actions = narrower + actions
    payload: dict[str, Any] = {"results": results[:kept], **head}
    if actions or typed:
        payload["suggested_next_actions"] = actions
    extra = {"ranking_reasons": reasons[:kept]} if reasons else {}
    gaps = text_gaps(found.state) if typed else found.state.gaps
    warnings = (*((RELAXED,) if found.relaxed and found.hits else ()), *found.warnings, *gap_warnings(gaps))
    whole = completeness(found.state, cut=too_large or found.truncated, gaps=gaps)
    return Answer(payload, found.state, whole, extra, warnings)
