"""Shapes of retrieval results: detail levels, compact, ranking reasons, and the budgets every answer keeps."""

from typing import Any

from codecompass.contract.encoding import encode
from codecompass.contract.tool import Answer
from codecompass.model.code.coverage import Gap, describe_gaps
from codecompass.model.queries.results import Hit, Hits, Reasons, SymbolPlace, ViewState
from codecompass.tools.shapes.token_budget import MOST, cost, cut, cut_left, cut_lines, shown_fields

BULKY = (
    "body_preview", "snippet", "related_symbols", "parent", "qualified_name", "language", "visibility", "result_type",
)  # fmt: skip
"""What `compact` removes: bodies and neighbours, and what path, signature and handle say as well. Handles, place, kind,
name, signature and score stay."""

METADATA_BYTES = 700
"""Room kept for the metadata block without its ranking reasons."""
PREVIEW = 150
"""Tokens a preview is worth: neighbours beyond what leaves so many are left out."""

COLUMN_BASE = 1
"""Every column that an answer shows counts UTF-8 bytes from 1, as lines do; the engine counts them from 0."""

WHOLE = {"signature": 110, "context": 300}
"""Tokens up to which a signature is shown whole, although its result then costs more than the level promises for most:
few are so long, and half a list of parameters misleads."""

RELAXED = "No result holds all the words of the query, so any of them counted."


def shape_hit(hit: Hit, detail: str, *, compact: bool, typed: bool) -> dict[str, Any]:
    """One result at one level of detail, within the tokens of that level. Fields that do not apply are left out.

    `typed` is for answers that mix symbols, snippets and files. A path and a name are never cut: they are what the
    caller asks with next.
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
    """Handles and place. A symbol's result_id is its symbol_id, so it is not said twice.

    At `location` a snippet goes by its result_id alone, which leads to the definition around it as well.
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
    """With the texts that say what it is.

    A signature is whole where that costs no more than `WHOLE`: the qualified name gives way to it. A longer one, and a
    line, is cut to the room of the level.
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
    """Neighbours, and as much of the body as then has room."""
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
    """Ranking reasons. `full`: the numbers that ranked, as documented; `basic`: five factors, each scaled to 0..1."""
    if level == "off":
        return []
    best = max((hit.reasons.bm25_score for hit in hits), default=0.0)
    make = _full if level == "full" else _basic
    return [{"result_index": index, **make(hit.reasons, best), **_most(hit, level)} for index, hit in enumerate(hits)]


def _most(hit: Hit, level: str) -> dict[str, float]:
    """Of a record, what its BM25 could be at most: the score is the share it has of that."""
    told = level == "full" and hit.reasons.bm25_score > 0
    return {"bm25_best": _rounded(1 / hit.factors[0].weight)} if told and hit.factors else {}


def _full(reasons: Reasons, _best: float) -> dict[str, float]:
    # Where no vector took part the numbers are exactly the eight that are documented.
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
    """`truncated`: found but left out, by limit or for size; `partial`: some or all of it could not be searched, or
    the answer may miss something in files that are indexed only in part.
    """
    if cut:
        return "truncated"
    empty = state.indexing in ("not_indexed", "indexing") and state.generation == 0
    return "partial" if partial or state.partial or gaps or empty else "complete"


def text_gaps(state: ViewState) -> tuple[Gap, ...]:
    """Files whose text is missing: what a search by words may miss."""
    return tuple(gap for gap in state.gaps if gap.hides_text)


def gap_warnings(gaps: tuple[Gap, ...]) -> tuple[str, ...]:
    return (describe_gaps(gaps),) if gaps else ()


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
    typed: bool,
    head: dict[str, Any],
    narrower: list[dict[str, Any]],
    actions: list[dict[str, Any]],
) -> Answer:
    """A ranked answer within its byte budget; `head` is what stands beside the results."""
    results = [shape_hit(hit, detail, compact=compact, typed=typed) for hit in found.hits]
    reasons = explain(found.hits, explain_level)
    room = max_bytes - METADATA_BYTES - len(encode({**head, "suggested_next_actions": actions + narrower}))
    kept = fit(results, reasons, room)
    if results and kept == 0:
        # One result larger than the whole budget: its place alone is worth more than nothing.
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
