"""Tool `explain_ranking`: the rank of one result for a query, and the factors of its score."""

from typing import Any

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.fields import UNSET, FilePath, Language, Line, Query, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import RankedHit, ScoreFactor
from codecompass.model.queries.search_query import SearchQuery
from codecompass.tools.shapes.hit_shapes import assess_completeness, shape_hit
from codecompass.tools.shapes.retrieval_params import ERRORS
from codecompass.tools.shapes.selection import HandleParams, read_handles, require_one


class ExplainRankingParams(HandleParams, frozen=True, kw_only=True):
    query: Query
    path: FilePath | UnsetType = UNSET
    line: Line | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ExplainRankingParams) -> Answer:
    path, line = unset_to_none(params.path), unset_to_none(params.line)
    chosen, value = require_one({**read_handles(params), "path": path})
    if (path is None) != (line is None):
        raise to_invalid_request([make_violation("/line", "dependentRequired", "path and line belong together")])
    target = SymbolTarget(path=path, line=line) if chosen == "path" else SymbolTarget(handle=value)
    query = SearchQuery(
        params.query.strip(),
        ref=unset_to_none(params.ref),
        language=unset_to_none(params.language),
        freshness=host.defaults.freshness_policy,
    )
    found = host.engine.explain(unset_to_none(params.workspace), query, target, call)
    payload: dict[str, Any] = {
        **_shape_ranked_hit(found.standing),
        "rank": found.rank,
        "total_candidates": found.total,
        "query_intent": found.intent,
        "formula": found.formula,
    }
    if found.above is not None:
        payload["beaten_by"] = _shape_ranked_hit(found.above)
    return Answer(payload, found.state, assess_completeness(found.state, cut=False))


def _shape_ranked_hit(standing: RankedHit) -> dict[str, Any]:
    factors = {factor.name: _shape_factor(factor) for factor in standing.factors}
    total = round(standing.hit.reasons.final_score, 4)
    result = shape_hit(standing.hit, "signature", compact=False, typed=True)
    return {"result": result, "scoring": {**factors, "total": total}}


def _shape_factor(factor: ScoreFactor) -> dict[str, Any]:
    shaped: dict[str, Any] = {
        "value": round(factor.value, 4),
        "weight": round(factor.weight, 4),
        "contribution": round(factor.contribution, 4),
    }
    if factor.parts:
        shaped["parts"] = {part.name: _shape_factor(part) for part in factor.parts}
    return shaped


TOOL = Tool(
    name="explain_ranking",
    family="compass",
    summary="Why one result (a handle, or `path` and `line`) ranks where it does in search_code for `query`.",
    params=ExplainRankingParams,
    run=run,
    errors=(*ERRORS, "RESULT_NOT_FOUND"),
    positional="query",
)
