"""Parameters and errors shared by the tools that return ranked results."""

from typing import Literal

from codecompass.contract.fields import (
    UNSET,
    Cursor,
    DetailLevel,
    ExplainLevel,
    FreshnessPolicy,
    Language,
    Limit,
    Ref,
    UnsetType,
    Workspace,
)
from codecompass.contract.tool import Params
from codecompass.errors import ErrorCode

ERRORS: tuple[ErrorCode, ...] = (
    "INVALID_REQUEST",
    "PROJECT_NOT_FOUND",
    "INDEX_INCOMPATIBLE",
    "INDEX_STALE",
    "NO_INDEX",
    "REF_NOT_INDEXED",
    "INTERNAL",
)


ShownDetail = Literal["location", "signature", "context", "code"]
"""The documented levels, and `code`: a location, one handle and the code, within a budget of tokens."""


def to_engine_detail(shown: ShownDetail) -> DetailLevel:
    """Return the level of detail that the engine provides for a level of an answer."""
    return "context" if shown == "code" else shown


class RetrievalParams(Params, frozen=True, kw_only=True):
    """Parameters of every tool that returns a ranked list."""

    language: Language | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    limit: Limit = 10
    cursor: Cursor | UnsetType = UNSET
    detail_level: ShownDetail = "signature"
    compact: bool = False
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    ranking_explain_level: ExplainLevel | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET
