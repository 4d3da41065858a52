"""Library: the queries of one directory for Python programs; `codecompass` exports these names."""

from codecompass.errors import Failure
from codecompass.library.code_workspace import CodeWorkspace, open_workspace
from codecompass.model.call import Progress
from codecompass.model.job import Job
from codecompass.model.memory_values import (
    Claim,
    ClaimCheck,
    Conflict,
    Discovery,
    DiscoverySource,
    MemoryAnswer,
    MemoryHit,
    SearchCoverage,
)
from codecompass.model.queries.context_bundle import ContextBundle, ContextSnippet, OmittedSnippet
from codecompass.model.queries.grep_query import GrepAnswer, GrepMatch
from codecompass.model.queries.navigation_queries import ExcludedMention, ReferenceReport, SymbolNode, SymbolUse
from codecompass.model.queries.results import (
    Hit,
    Hits,
    Outline,
    OutlineNode,
    ProjectStatus,
    Reasons,
    SymbolLocation,
    ViewState,
)

__all__ = (
    "Claim", "ClaimCheck", "CodeWorkspace", "Conflict", "ContextBundle", "ContextSnippet", "Discovery",
    "DiscoverySource", "ExcludedMention", "Failure", "GrepAnswer", "GrepMatch", "Hit", "Hits", "Job", "MemoryAnswer",
    "MemoryHit", "OmittedSnippet", "Outline", "OutlineNode", "Progress", "ProjectStatus", "Reasons", "ReferenceReport",
    "SearchCoverage", "SymbolLocation", "SymbolNode", "SymbolUse", "ViewState", "open_workspace",
)  # fmt: skip
