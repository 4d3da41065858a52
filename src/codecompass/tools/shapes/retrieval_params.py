"""Parameters and errors shared by the tools that return ranked results."""

from codecompass.contract.fields import (
    UNSET,
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


class RetrievalParams(Params, frozen=True, kw_only=True):
    """Parameters of every tool that returns a ranked list."""

    language: Language | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    limit: Limit = 10
    detail_level: DetailLevel = "signature"
    compact: bool = False
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    ranking_explain_level: ExplainLevel | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET
