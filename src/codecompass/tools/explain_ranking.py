"""Tool `explain_ranking`: the rank of one result for a query, and the factors of its score."""

from typing import Any

from codecompass.contract.codec import rejected, violation
from codecompass.contract.fields import UNSET, FilePath, Language, Line, Query, Ref, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import Target
from codecompass.model.queries.results import Factor, Standing
from codecompass.model.queries.search_query import SearchQuery
from codecompass.tools.shapes.hit_shapes import completeness, shape_hit
from codecompass.tools.shapes.retrieval_params import ERRORS
from codecompass.tools.shapes.selection import HandleParams, handles_of, only_one


class ExplainRankingParams(HandleParams, frozen=True, kw_only=True):
    query: Query
    path: FilePath | UnsetType = UNSET
    line: Line | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ExplainRankingParams) -> Answer:
    path, line = given(params.path), given(params.line)
    chosen, value = only_one({**handles_of(params), "path": path})
    if (path is None) != (line is None):
        raise rejected([violation("/line", "dependentRequired", "path and line belong together")])
    target = Target(path=path, line=line) if chosen == "path" else Target(handle=value)
    query = SearchQuery(
        params.query.strip(),
        ref=given(params.ref),
        language=given(params.language),
        freshness=host.defaults.freshness_policy,
    )
    found = host.engine.explain(given(params.workspace), query, target, call)
    payload: dict[str, Any] = {
        **_shape(found.standing),
        "rank": found.rank,
        "total_candidates": found.total,
        "query_intent": found.intent,
        "formula": found.formula,
    }
    if found.above is not None:
        payload["beaten_by"] = _shape(found.above)
    return Answer(payload, found.state, completeness(found.state, cut=False))


def _shape(standing: Standing) -> dict[str, Any]:
    factors = {factor.name: _factor(factor) for factor in standing.factors}
    total = round(standing.hit.reasons.final_score, 4)
    result = shape_hit(standing.hit, "signature", compact=False, typed=True)
    return {"result": result, "scoring": {**factors, "total": total}}


def _factor(factor: Factor) -> dict[str, Any]:
    shaped: dict[str, Any] = {
        "value": round(factor.value, 4),
        "weight": round(factor.weight, 4),
        "contribution": round(factor.contribution, 4),
    }
    if factor.parts:
        shaped["parts"] = {part.name: _factor(part) for part in factor.parts}
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
