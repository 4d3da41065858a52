"""Triage values: scanner findings, decisions about them, and the requests and reports for both.

Empty strings, empty tuples and None mean that the source gives no value.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Literal, get_args

from codecompass.model.states import (
    DecisionKind,
    EvidenceKind,
    FindingSeverity,
    FindingSource,
    FindingStatus,
    FreshnessState,
    RecordType,
    StoreOutcome,
)

_SNAKE_SEPARATOR = re.compile(r"_([a-z])")
SOURCES: tuple[FindingSource, ...] = get_args(FindingSource)
STATUSES: tuple[DecisionKind, ...] = get_args(DecisionKind)
OPEN: Literal["open"] = "open"
"""The status of a finding without a decision in force."""
SEVERITIES: tuple[FindingSeverity, ...] = get_args(FindingSeverity)
"""Most severe first."""
RECORDS_FOLDER = "triage/records"
"""Folder of records in answers: `triage/records/<recordId>.md`."""
ROUTING = ("service", "env", "team", "owner", "repo")
EXPOSURE = (
    "internetExposed", "publicEndpoint", "dataSensitivity", "businessCriticality", "compensatingControls",
)  # fmt: skip
"""Keys of `meta` besides the routing; each may have the prefix `exposure.`."""


@dataclass(frozen=True, slots=True)
class Cvss:
    """A CVSS score and its vector."""

    score: float | None = None
    vector: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Vuln:
    """The vulnerability of a finding."""

    vuln_id: str = ""
    cve: str = ""
    aliases: tuple[str, ...] = ()
    title: str = ""
    description: str = ""
    severity: FindingSeverity = "unknown"
    cvss: Cvss | None = None
    cwe: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    """Functions and types of the package that the advisory lists as vulnerable."""


@dataclass(frozen=True, slots=True)
class Package:
    """The affected package."""

    name: str = ""
    ecosystem: str = ""
    installed_version: str = ""
    affected_range: str = ""
    fixed_version: str = ""
    manifest_path: str = ""
    purl: str = ""
    modules: tuple[str, ...] = ()
    """Import names of the package, if the source provides them."""
    others: tuple[str, ...] = ()
    """Other packages of the same finding, as name@version."""


@dataclass(frozen=True, slots=True)
class Asset:
    """The affected asset."""

    asset_id: str = ""
    asset_type: str = ""
    account: str = ""
    region: str = ""
    tags: tuple[str, ...] = ()
    """key=value."""


@dataclass(frozen=True, slots=True)
class AssetExposure:
    """Reachability of the asset, and the impact of a compromise."""

    internet_exposed: bool | None = None
    public_endpoint: str = ""
    data_sensitivity: str = ""
    business_criticality: str = ""
    compensating_controls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingLocation:
    """A line range that a scanner reports; 0 for the whole file."""

    path: str
    line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """One evidence reference of a decision, as resolved when the decision was made."""

    ref: str
    kind: EvidenceKind
    path: str = ""
    line: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about one finding."""

    finding_record_id: str
    status: DecisionKind
    justification: str = ""
    justification_codes: tuple[str, ...] = ()
    reviewer: str = ""
    expires_at: str = ""
    """ISO, UTC; empty if it never expires."""
    evidence_refs: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class TriageRecord:
    """One record: a finding, or a decision about a finding."""

    record_id: str
    record_type: RecordType
    source: str
    created_at: str
    updated_at: str
    service: str = ""
    env: str = ""
    team: str = ""
    owner: str = ""
    repo: str = ""
    source_state: str = ""
    """The state at the source: open, fixed, dismissed, …"""
    vuln: Vuln = Vuln()
    package: Package = Package()
    asset: Asset = Asset()
    exposure: AssetExposure = AssetExposure()
    places: tuple[FindingLocation, ...] = ()
    decision: Decision | None = None
    parse_warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.vuln.vuln_id or self.vuln.cve or self.record_id


@dataclass(frozen=True, slots=True)
class DecisionSummary:
    """Summary of a decision and its finding, and whether it is in force; used as precedent."""

    record_id: str
    finding_id: str
    status: DecisionKind
    in_force: bool
    decided_at: str
    expires_at: str
    reviewer: str
    justification: str
    vuln_id: str
    title: str
    package: str
    evidence: tuple[Evidence, ...] = ()

    @property
    def sentence(self) -> str:
        """Return one line with the decision and its reason."""
        about = " in ".join(word for word in (self.vuln_id, self.package) if word) or self.finding_id
        why = f": {self.justification}" if self.justification else ""
        until = f" (until {self.expires_at[:10]})" if self.expires_at else ""
        return f"{self.status.replace('_', ' ')} {about}{until}{why}"


# -- requests ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """Findings to ingest; without a path they come from a stream."""

    source: FindingSource
    path: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)
    """Routing and exposure of all findings, as given by the caller."""
    warm: bool = False
    """Index and count the records now, instead of at the next search."""


@dataclass(frozen=True, slots=True)
class IngestItemError:
    """One item that could not be ingested."""

    index: int
    """0-based, over all items."""
    position: str
    """`line 3`, `runs[0].results[2]`, …"""
    message: str


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """The files of one record, and the outcome of storing it."""

    record_id: str
    outcome: StoreOutcome
    json_path: str
    md_path: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The result of an ingest; lists are truncated, counts are complete."""

    source: str
    repo_root: str
    records_dir: str
    total: int
    """Findings read, valid and invalid."""
    counts: dict[str, int]
    """Number of records by outcome."""
    errors: int
    stored: tuple[StoredRecord, ...]
    problems: tuple[IngestItemError, ...]
    warnings: tuple[str, ...] = ()
    searchable: int | None = None
    """Searchable records, if `warm` was requested."""

    @property
    def written(self) -> int:
        return self.counts.get("added", 0) + self.counts.get("updated", 0)


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """A decision to record."""

    finding: str
    status: DecisionKind
    justification: str = ""
    reviewer: str = ""
    expires: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """A recorded decision."""

    record: TriageRecord
    stored: StoredRecord
    records_dir: str
    replaces: str = ""
    """The decision that was in force before, if any."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionStatus:
    """The status of a finding: that of its newest decision until it expires."""

    status: FindingStatus = OPEN
    decision_id: str = ""
    expires_at: str = ""
    expired: bool = False
    """The newest decision has expired; the finding is open again."""


@dataclass(frozen=True, slots=True)
class RecordDetails:
    """One record with its status and, for a finding, all decisions about it, newest first."""

    record: TriageRecord
    standing: DecisionStatus
    decisions: tuple[DecisionSummary, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordList:
    """A list of findings, most urgent first."""

    entries: tuple[RecordDetails, ...]
    total: int
    damaged: tuple[str, ...] = ()
    """Files in the folder that are not valid records."""


# -- context packs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContextPackRequest:
    """A context pack to write."""

    record_id: str
    out: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A line of the repository that is relevant to a finding."""

    path: str
    line: int
    text: str
    why: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceHit:
    """A search result that is relevant to a finding."""

    file: str
    line: int
    kind: str
    name: str
    headline: str
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """One search query, and its best hits."""

    query: str
    mode: str
    hits: tuple[EvidenceHit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RepositoryEvidence:
    """Repository evidence about a finding; lists are truncated, `left_out` counts the omitted items."""

    manifests: tuple[EvidenceLine, ...] = ()
    imports: tuple[EvidenceLine, ...] = ()
    calls: tuple[EvidenceLine, ...] = ()
    places: tuple[EvidenceLine, ...] = ()
    queries: tuple[EvidenceQuery, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextPackReport:
    """The location and contents of a context pack."""

    record_id: str
    out_path: str
    md_path: str
    size: int
    history: int
    surroundings: RepositoryEvidence
    standing: DecisionStatus
    ref: str = ""
    freshness: FreshnessState | Literal[""] = ""


def to_json_object(value: object) -> object:
    """Convert a value of this module to JSON: camel-case keys, empty values omitted."""
    if is_dataclass(value):
        pairs = ((_to_camel_case(item.name), to_json_object(getattr(value, item.name))) for item in fields(value))
        return {name: one for name, one in pairs if one not in ("", None, [], {})}
    if isinstance(value, tuple | list):
        return [to_json_object(one) for one in value]
    if isinstance(value, Mapping):
        return {str(name): to_json_object(one) for name, one in value.items()}
    return value


@cache
def _to_camel_case(name: str) -> str:
    return _SNAKE_SEPARATOR.sub(lambda found: found[1].upper(), name)
