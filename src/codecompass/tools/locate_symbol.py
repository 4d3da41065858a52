"""Tool `locate_symbol`: definitions by exact or near name."""

from typing import Any

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.fields import UNSET, Kind, Name, UnsetType, unset_to_none
from codecompass.contract.tool import Answer, Host, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.code.kinds import KINDS, normalize_kind
from codecompass.model.near_words import find_near_words
from codecompass.model.queries.search_query import LocateQuery
from codecompass.tools.shapes.followup import repeat_locate, suggest_after_locate
from codecompass.tools.shapes.hit_shapes import build_hits_answer
from codecompass.tools.shapes.paging import open_page
from codecompass.tools.shapes.retrieval_params import ERRORS, RetrievalParams, to_engine_detail

INEXACT_NOTES = {
    "case_insensitive": "{} is named '{}'; these names differ from it in upper and lower case.",
    "prefix": "{} is named '{}'; these are names that begin with it.",
}
"""Notes for results whose names only resemble the requested one, by match tier."""
_MAX_NAME = 100


class LocateSymbolParams(RetrievalParams, frozen=True, kw_only=True):
    name: Name
    kind: Kind | UnsetType = UNSET


def parse_kind(spelling: str | None) -> str | None:
    """Return the canonical kind; an unknown one is a violation that lists every kind."""
    if spelling is None:
        return None
    kind = normalize_kind(spelling)
    if kind is None:
        near = find_near_words(spelling, KINDS, 1)
        meant = f"did you mean {near[0]}; " if near else ""
        message = f"unknown kind '{spelling[:40]}'; {meant}one of {', '.join(KINDS)}"
        raise to_invalid_request([make_violation("/kind", "enum", message, allowedValues=list(KINDS))])
    return kind


def run(host: Host, call: Call, params: LocateSymbolParams) -> Answer:
    page = open_page(host, call, params, params.limit)
    query = LocateQuery(
        name=params.name.strip(),
        kind=parse_kind(unset_to_none(params.kind)),
        language=unset_to_none(params.language),
        ref=unset_to_none(params.ref),
        limit=page.end,
        detail=to_engine_detail(params.detail_level),
        freshness=unset_to_none(params.freshness_policy) or host.defaults.freshness_policy,
    )
    found = host.engine.locate(unset_to_none(params.workspace), query, call)
    ref = found.state.ref
    head: dict[str, Any] = {"total_candidates": found.total}
    tier = found.hits[0].tier if found.hits else ""
    if tier not in ("", "exact"):
        # All code hits have one tier, and code comes first. An inexact answer is marked: the caller asked for a name
        # and gets a similar one.
        head["match"] = tier
    if tier in INEXACT_NOTES:
        what = "No symbol" if not any(hit.tier == "exact" for hit in found.hits) else "No symbol in code"
        head["note"] = INEXACT_NOTES[tier].format(what, query.name[:_MAX_NAME])
    if found.near:
        # The engine suggests only names that cannot be read as a sentence.
        head["note"] = f"No symbol is named '{query.name[:_MAX_NAME]}'. Did you mean {', '.join(found.near[:3])}?"
        head["note"] += " The names below begin with it." if found.hits else ""
    return build_hits_answer(
        found,
        page,
        detail=params.detail_level,
        limit=params.limit,
        compact=params.compact,
        explain_level=unset_to_none(params.ranking_explain_level) or host.defaults.ranking_explain_level,
        typed=False,
        head=head,
        narrower=[repeat_locate(query, ref, limit=max(1, params.limit // 2), detail_level="location")],
        actions=suggest_after_locate(query, found),
    )


TOOL = Tool(
    name="locate_symbol",
    quick=True,
    family="compass",
    summary="For a name you know: where it is defined.",
    params=LocateSymbolParams,
    run=run,
    toolsets=("agent",),
    errors=ERRORS,
    positional="name",
    noted=SessionNoteRule("query", argument="name"),
    preloaded=True,
)
