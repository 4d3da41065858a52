"""JSON shapes of ranked results: detail levels, compact form, ranking reasons and byte budgets."""

from typing import Any

from codecompass.contract.encoding import encode
from codecompass.contract.tool import Answer
from codecompass.model.code.coverage import CoverageGap, describe_gaps
from codecompass.model.queries.results import Hit, Hits, Reasons, SymbolLocation, ViewState
from codecompass.model.states import Completeness, DetailLevel
from codecompass.tools.shapes.code_shapes import shape_code_hits
from codecompass.tools.shapes.paging import AnswerPage
from codecompass.tools.shapes.retrieval_params import ShownDetail
from codecompass.tools.shapes.token_budget import (
    MAX_TOKENS,
    cut_left,
    cut_lines,
    cut_text,
    drop_empty_fields,
    estimate_cost,
)

COMPACT_DROPS = (
    "body_preview", "snippet", "related_symbols", "parent", "qualified_name", "language", "visibility", "result_type",
)  # fmt: skip
"""Fields that `compact` removes: bodies, neighbours, and facts that path and signature repeat. Handles, location, kind,
name, signature and score stay."""

METADATA_BYTES = 700
"""Bytes reserved for the metadata block without its ranking reasons."""
MIN_PREVIEW_TOKENS = 150
"""Tokens reserved for a body preview; neighbours that would leave less are dropped."""

COLUMN_BASE = 1
"""Columns in answers count UTF-8 bytes from 1, as lines do; the engine counts them from 0."""

WHOLE_SIGNATURE_TOKENS = {"signature": 110, "context": 300}
"""Tokens up to which a signature is shown whole, although its result then exceeds the limit of its level:
few signatures are so long, and half a parameter list misleads."""

RELAXED_WARNING = "No result holds all the words of the query, so any of them counted."


def shape_hit(hit: Hit, detail: DetailLevel, *, compact: bool, typed: bool) -> dict[str, Any]:
    """Shape one result at a level of detail, within the tokens of that level. Empty fields are left out.

    `typed` is for answers that mix symbols, snippets and files. Paths and names are never cut, because the
    caller uses them in the next call.
    """
    shaped = _shape_location(hit, detail, typed=typed)
    if detail != "location":
        shaped = _add_description(hit, shaped, detail)
    if detail == "context":
        _add_context(hit, shaped)
    if hit.reached_by:
        shaped["reached_by"] = [{"path": path, "line": line} for path, line in hit.reached_by]
    dropped = COMPACT_DROPS if compact else ()
    return {key: value for key, value in shaped.items() if key not in dropped}


def shape_source(hit: Hit) -> dict[str, Any]:
    """Shape the numbered source lines of a hit; empty unless the caller in this process wants them."""
    facts = hit.facts
    if facts is None or not facts.lines:
        return {}
    first = hit.line_start + facts.lines_skipped
    own = facts.lines[bool(facts.lines_skipped) :][: max(0, hit.line_end - first + 1)]
    rows = [*enumerate(facts.before, hit.line_start - len(facts.before)), *enumerate(own, first)]
    if first + len(own) > hit.line_end:
        rows += enumerate(facts.after, hit.line_end + 1)
    elif own and own[-1].startswith("… "):
        rows.pop()
    # The name is not cut to a number of tokens here.
    return {"qualified_name": hit.qualified_name, "source": [{"line": line, "text": text} for line, text in rows]}


def _shape_location(hit: Hit, detail: DetailLevel, *, typed: bool) -> dict[str, Any]:
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
    return drop_empty_fields({**handles, **place, "kind": hit.kind, "name": hit.name})


def _add_description(hit: Hit, shaped: dict[str, Any], detail: DetailLevel) -> dict[str, Any]:
    """Add qualified name, signature or snippet, language, visibility and score.

    A signature is whole if it costs no more than the limit of its level: the qualified name is cut first. A longer
    one, and a snippet, is cut to the remaining tokens of the level.
    """
    symbolic = hit.result_type == "symbol"
    main, text = ("signature", hit.signature) if symbolic else ("snippet", hit.snippet)
    rest = {
        "language": hit.language,
        "visibility": hit.visibility if symbolic else "",
        "score": _round_score(hit.score),
    }
    room = MAX_TOKENS["signature"] - estimate_cost({**shaped, **rest, "qualified_name": "", main: ""})
    needed = estimate_cost(text)
    if symbolic and room < needed <= WHOLE_SIGNATURE_TOKENS[detail]:
        name = cut_left(hit.qualified_name, room - needed)
        return drop_empty_fields({**shaped, "qualified_name": name, main: text, **rest})
    name = cut_left(hit.qualified_name, max(room - needed, room // 3))
    return drop_empty_fields(
        {**shaped, "qualified_name": name, main: cut_text(text, room - estimate_cost(name)), **rest}
    )


def _add_context(hit: Hit, shaped: dict[str, Any]) -> None:
    """Add neighbours, and as much of the body as then fits."""
    if hit.parent:
        shaped["parent"] = _shape_place(hit.parent)
    near = [_shape_place(place) for place in hit.related]
    room = MAX_TOKENS["context"] - estimate_cost(shaped) - estimate_cost({"body_preview": "", "related_symbols": []})
    while near and hit.body_preview and room - estimate_cost(near) < MIN_PREVIEW_TOKENS:
        near.pop()
    lines = hit.line_end - hit.line_start + 1
    preview = cut_lines(hit.body_preview, lines, room - (estimate_cost(near) if near else 0))
    shaped |= drop_empty_fields({"body_preview": preview, "related_symbols": near})


def _shape_place(place: SymbolLocation) -> dict[str, Any]:
    return {"kind": place.kind, "name": place.name, "path": place.path, "line": place.line}


def _round_score(value: float) -> float:
    return round(value, 4)


def shape_ranking_reasons(hits: tuple[Hit, ...], level: str) -> list[dict[str, Any]]:
    """Shape ranking reasons. `full`: the documented feature values; `basic`: five factors, each scaled to 0..1."""
    if level == "off":
        return []
    best = max((hit.reasons.bm25_score for hit in hits), default=0.0)
    make = _shape_full if level == "full" else _shape_basic
    return [
        {"result_index": index, **make(hit.reasons, best), **_shape_best_bm25(hit, level)}
        for index, hit in enumerate(hits)
    ]


def _shape_best_bm25(hit: Hit, level: str) -> dict[str, float]:
    """Shape the maximum BM25 of a record; its score is the ratio to that."""
    shown = level == "full" and hit.reasons.bm25_score > 0
    return {"bm25_best": _round_score(1 / hit.factors[0].weight)} if shown and hit.factors else {}


def _shape_full(reasons: Reasons, _best: float) -> dict[str, float]:
    # Without a vector match these are exactly the documented numbers.
    meaning = {"semantic_score": _round_score(reasons.semantic_score)} if reasons.semantic_score else {}
    return meaning | {
        "exact_match_boost": _round_score(reasons.exact_match_boost),
        "qualified_name_boost": _round_score(reasons.qualified_name_boost),
        "path_affinity": _round_score(reasons.path_affinity),
        "definition_boost": _round_score(reasons.definition_boost),
        "kind_match": _round_score(reasons.kind_match),
        "bm25_score": _round_score(reasons.bm25_score),
        "final_score": _round_score(reasons.final_score),
    }


def _shape_basic(reasons: Reasons, best: float) -> dict[str, float]:
    factors = {
        "exact_match": max(reasons.exact_match_boost, reasons.qualified_name_boost),
        "path_boost": reasons.path_affinity,
        "definition_boost": reasons.definition_boost,
        # BM25 has no upper bound, so it is given relative to the best text match of this answer.
        "text_match": reasons.bm25_score / best if best > 0 else 0.0,
        "final_score": reasons.final_score,
    }
    return {name: round(min(1.0, max(0.0, value)), 3) for name, value in factors.items()}


def assess_completeness(
    state: ViewState, *, cut: bool, gaps: tuple[CoverageGap, ...] = (), partial: bool = False
) -> Completeness:
    """Return `truncated` when results were left out by limit or size; `partial` when something could not be searched or
    the answer may miss something in files that are indexed only in part; else `complete`.
    """
    if cut:
        return "truncated"
    empty = state.indexing in ("not_indexed", "indexing") and state.generation == 0
    return "partial" if partial or state.partial or gaps or empty else "complete"


def filter_text_gaps(state: ViewState) -> tuple[CoverageGap, ...]:
    """Return the files whose text is not indexed: a search by words may miss them."""
    return tuple(gap for gap in state.gaps if gap.hides_text)


def list_gap_warnings(gaps: tuple[CoverageGap, ...]) -> tuple[str, ...]:
    return (describe_gaps(gaps),) if gaps else ()


def count_fitting(items: list[dict[str, Any]], companions: list[dict[str, Any]], budget: int) -> int:
    """Count the first items that fit the byte budget together with their companions."""
    used = 0
    for index, item in enumerate(items):
        used += len(encode(item)) + 1
        if index < len(companions):
            used += len(encode(companions[index])) + 1
        if used > budget:
            return index
    return len(items)


def build_hits_answer(
    found: Hits,
    page: AnswerPage,
    *,
    detail: ShownDetail,
    limit: int,
    compact: bool,
    explain_level: str,
    typed: bool,
    head: dict[str, Any],
    narrower: list[dict[str, Any]],
    actions: list[dict[str, Any]],
) -> Answer:
    """Build a ranked answer within its byte budget; `head` has the fields beside the results."""
    items = page.select(found.state.generation, (found.hits, lambda hit: hit.result_id))
    hits = tuple(items.get_items())
    if detail == "code":
        results = shape_code_hits(hits, limit, compact=compact)
        # Every result has its handle and its code: what to do next is clear unless there is none.
        actions = [] if hits else actions
    else:
        results = [shape_hit(hit, detail, compact=compact, typed=typed) | shape_source(hit) for hit in hits]
    reasons = shape_ranking_reasons(hits, explain_level)
    room = page.max_bytes - METADATA_BYTES - len(encode({**head, "suggested_next_actions": actions + narrower}))
    kept = count_fitting(results, reasons, room)
    if results and kept == 0:
        # One result is larger than the whole budget: show only its location.
        results[0] = shape_hit(hits[0], "location", compact=True, typed=typed)
        kept = 1
    too_large = kept < len(results)
    if too_large:
        actions = narrower + actions
    payload: dict[str, Any] = {"results": results[:kept], **head}
    payload |= items.make_cursor((kept,), truncated=found.truncated)
    if actions or (typed and detail != "code"):
        payload["suggested_next_actions"] = actions
    extra = {"ranking_reasons": reasons[:kept]} if reasons else {}
    gaps = filter_text_gaps(found.state) if typed else found.state.gaps
    warnings = (
        *((RELAXED_WARNING,) if found.relaxed and found.hits else ()),
        *found.warnings,
        *list_gap_warnings(gaps),
    )
    whole = assess_completeness(found.state, cut=too_large or found.truncated, gaps=gaps)
    return Answer(payload, found.state, whole, extra, warnings)
