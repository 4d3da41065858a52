"""Closed sets of strings: states, levels, modes and kinds, each defined once as a type.

The tuples of values are derived from the types, so that they cannot differ.
"""

from typing import Literal, get_args

FreshnessPolicy = Literal["strict", "balanced", "best_effort"]
"""What a query does about changed sources: refuse or sync, sync in the background, or only answer."""
FRESHNESS_POLICIES: tuple[FreshnessPolicy, ...] = get_args(FreshnessPolicy)

FreshnessState = Literal["fresh", "stale", "syncing", "unknown"]
"""Whether a view has the current sources."""

IndexingState = Literal["not_indexed", "indexing", "ready", "failed", "unknown"]
"""How far the index of a view is."""

SchemaState = Literal["compatible", "not_indexed", "reindex_required", "corrupt_manifest", "unknown"]
"""Whether this version can read the index."""
SCHEMA_STATES: tuple[SchemaState, ...] = get_args(SchemaState)

Completeness = Literal["complete", "partial", "truncated"]
"""Whether an answer holds everything: `partial` if something was not searched, `truncated` if it was cut."""

DetailLevel = Literal["location", "signature", "context"]
DETAIL_LEVELS: tuple[DetailLevel, ...] = get_args(DetailLevel)

ExplainLevel = Literal["off", "basic", "full"]
EXPLAIN_LEVELS: tuple[ExplainLevel, ...] = get_args(ExplainLevel)

Intent = Literal["symbol", "path", "error", "natural_language"]
"""What the text of a query looks for."""
INTENTS: tuple[Intent, ...] = get_args(Intent)

RankingTable = Literal["symbol", "path", "error", "natural_language", "issue"]
"""The tables of weights: one for each intent, and one for pasted texts, whatever their intent."""
RANKING_TABLES: tuple[RankingTable, ...] = get_args(RankingTable)

TextMode = Literal["code", "prose", "extracted-prose", "records"]
MODES: tuple[TextMode, ...] = get_args(TextMode)
"""Kinds of text; every file has one mode, and comments and documentation in code are also in `extracted-prose`."""

SearchMode = TextMode | Literal[""]
"""Kind of text that a search is limited to; empty for every file in one list."""

BuildMode = Literal["all", "code", "prose", "extracted-prose", "records"]
"""Kinds of text that a build reports and writes to the SQLite file."""

SearchBackend = Literal["auto", "tantivy", "sqlite"]
"""What finds the candidates of a search."""

UseKind = Literal["call", "read", "write", "import", "type", "inherit"]
USE_KINDS: tuple[UseKind, ...] = get_args(UseKind)
"""Kinds of uses of a symbol."""

Resolution = Literal["resolved", "ambiguous", "unresolved"]
RESOLUTIONS: tuple[Resolution, ...] = get_args(Resolution)
"""Certainty of a use. `resolved`: the rules of the language lead to this definition only. `ambiguous`: they lead to
several, including this one. `unresolved`: the name matches, but the receiver is unknown."""

NameStatus = Literal["resolved", "ambiguous", "unresolved", "external", "own_member"]
"""Result of resolving a name: also `external` if it is known to be outside the repository, `own_member` if the type of
the receiver assigns a member of that name without a definition."""

ResolutionFilter = Literal["resolved", "ambiguous", "all"]
"""The least certainty of the uses to list."""

CallDirection = Literal["callers", "callees", "both"]
HierarchyDirection = Literal["up", "down", "both"]

Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Severities of risks, in ascending order."""

RuleKind = Literal["source", "sink", "sanitizer"]
"""What a taint rule marks."""
FlowScope = Literal["local", "call", "cross-file"]
"""Reach of a flow: in one function, through a call in one file, through a call into another file."""

BundleSection = Literal["definitions", "callers", "tests", "docs"]
"""Parts of a context bundle."""

DiscoveryType = Literal["pattern", "rule", "decision", "issue"]
"""What a discovery of the memory is."""

SourceKind = Literal[
    "commit", "revert", "fix", "adr", "agent_file", "document", "comment", "manifest", "ci", "triage", "recorded"
]
"""Kinds of sources of discoveries."""
ProseKind = Literal["agent_file", "adr", "document"]
CommentedKind = Literal["ci", "manifest", "code"]
"""Kinds of files whose comments are mined."""
FileTreatment = ProseKind | CommentedKind
"""How a file is mined."""
HitSourceKind = SourceKind | Literal["code", "session"]
"""Kinds of sources of memory hits, which may also be code or an earlier session."""
MemoryHitKind = Literal["discovery", "code", "session"]
DiscoveryState = Literal["active", "superseded", "closed", "forgotten"]
ClaimKind = Literal[
    "path", "symbol", "constant", "script", "command", "dependency", "setting", "flag", "default", "version"
]
ClaimStatus = Literal["fresh", "changed", "gone", "pending", "unchecked"]
"""Result of checking one claim: `pending` if there was no time yet, `unchecked` if it cannot be determined."""
DiscoveryFreshness = Literal["fresh", "changed", "gone", "pending", "unverifiable"]
"""Whether the claims of a discovery hold: the worst result of its claims."""
ImpactSeverity = Literal["broken", "touched"]
"""`broken`: a claim no longer holds after a change; `touched`: something it mentions changed."""

FindingSeverity = Literal["critical", "high", "medium", "low", "info", "unknown"]
"""Severities of scanner findings, most severe first."""
FindingSource = Literal["dependabot", "aws_inspector", "generic", "manual", "sarif", "osv"]
"""Formats of findings that can be ingested."""
DecisionKind = Literal["fix", "accept", "defer", "false_positive", "not_affected"]
"""What was decided about a finding."""
FindingStatus = DecisionKind | Literal["open"]
"""Status of a finding: that of the decision in force, or `open`."""
RecordType = Literal["finding", "decision"]
EvidenceKind = Literal["file", "lines", "symbol", "record", "url"]
StoreOutcome = Literal["added", "updated", "unchanged"]
"""What storing a record did."""

JobMode = Literal["full", "incremental"]
ActiveJobState = Literal["queued", "running", "validating"]
EndedJobState = Literal["published", "failed", "interrupted", "cancelled"]
JobState = ActiveJobState | EndedJobState
ACTIVE: tuple[ActiveJobState, ...] = get_args(ActiveJobState)

HealthState = Literal["ready", "warming", "indexing", "not_indexed", "error"]
CheckStatus = Literal["ok", "warn", "fail"]
"""Result of one check of `doctor`."""
SemanticSwitch = Literal["on", "building", "off"]
"""State of semantic search for a view."""
TextIndexCondition = Literal["on", "unverified", "damaged", "off"]
"""State of the text index relative to the catalog."""


def parse_schema_state(value: object, default: SchemaState) -> SchemaState:
    """Narrow a value from the details of a failure; the default if it is no schema state."""
    return next((state for state in SCHEMA_STATES if state == value), default)
