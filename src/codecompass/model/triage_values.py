"""Triage: findings of scanners, decisions about them, and what is asked and answered of both. Plain values.

Empty strings, empty tuples and None mean: not said by the source.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache

_HUMP = re.compile(r"_([a-z])")
SOURCES = ("dependabot", "aws_inspector", "generic", "manual", "sarif", "osv")
STATUSES = ("fix", "accept", "defer", "false_positive", "not_affected")
OPEN = "open"
"""The status of a finding about which no decision is in force."""
SEVERITIES = ("critical", "high", "medium", "low", "info", "unknown")
"""The worst first."""
RECORDS_FOLDER = "triage/records"
"""Where records stand in answers: `triage/records/<recordId>.md`."""
ROUTING = ("service", "env", "team", "owner", "repo")
EXPOSURE = (
    "internetExposed", "publicEndpoint", "dataSensitivity", "businessCriticality", "compensatingControls",
)  # fmt: skip
"""Keys of `meta` beside the routing; each may also have the prefix `exposure.`."""


@dataclass(frozen=True, slots=True)
class Cvss:
    """A score with the vector it comes from."""

    score: float | None = None
    vector: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Vuln:
    """What is wrong."""

    vuln_id: str = ""
    cve: str = ""
    aliases: tuple[str, ...] = ()
    title: str = ""
    description: str = ""
    severity: str = "unknown"
    cvss: Cvss | None = None
    cwe: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    """Functions and types of the package that the advisory calls vulnerable."""


@dataclass(frozen=True, slots=True)
class Package:
    """In which package."""

    name: str = ""
    ecosystem: str = ""
    installed_version: str = ""
    affected_range: str = ""
    fixed_version: str = ""
    manifest_path: str = ""
    purl: str = ""
    modules: tuple[str, ...] = ()
    """Names under which sources import it, where the source knows them."""
    others: tuple[str, ...] = ()
    """Further packages of the same finding, as name@version."""


@dataclass(frozen=True, slots=True)
class Asset:
    """Where it runs."""

    asset_id: str = ""
    asset_type: str = ""
    account: str = ""
    region: str = ""
    tags: tuple[str, ...] = ()
    """key=value."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Who can reach it, and what that would cost."""

    internet_exposed: bool | None = None
    public_endpoint: str = ""
    data_sensitivity: str = ""
    business_criticality: str = ""
    compensating_controls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file that a scanner points at; 0 for the whole file."""

    path: str
    line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reference of a decision, and what it was when the decision was made."""

    ref: str
    kind: str
    """`file`, `lines`, `symbol`, `record` or `url`."""
    path: str = ""
    line: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one finding."""

    finding_record_id: str
    status: str
    justification: str = ""
    justification_codes: tuple[str, ...] = ()
    reviewer: str = ""
    expires_at: str = ""
    """ISO, UTC; empty: never."""
    evidence_refs: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One finding, or one decision about one."""

    record_id: str
    record_type: str
    """`finding` or `decision`."""
    source: str
    created_at: str
    updated_at: str
    service: str = ""
    env: str = ""
    team: str = ""
    owner: str = ""
    repo: str = ""
    source_state: str = ""
    """What the source says of it: open, fixed, dismissed, …"""
    vuln: Vuln = Vuln()
    package: Package = Package()
    asset: Asset = Asset()
    exposure: Exposure = Exposure()
    places: tuple[Place, ...] = ()
    decision: Decision | None = None
    parse_warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.vuln.vuln_id or self.vuln.cve or self.record_id


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision with its finding in a few words, and whether it is in force: what others may learn from."""

    record_id: str
    finding_id: str
    status: str
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
        """One line that says what was decided and why."""
        about = " in ".join(word for word in (self.vuln_id, self.package) if word) or self.finding_id
        why = f": {self.justification}" if self.justification else ""
        until = f" (until {self.expires_at[:10]})" if self.expires_at else ""
        return f"{self.status.replace('_', ' ')} {about}{until}{why}"


# -- asking ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IngestOrder:
    """Findings to take in; without a path they come from a stream."""

    source: str
    path: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)
    """Routing and exposure that hold for all of them, as the caller gave them."""
    warm: bool = False
    """Make the records searchable now and count them, instead of when somebody searches."""


@dataclass(frozen=True, slots=True)
class ItemError:
    """One item that could not be taken in."""

    index: int
    """Counted from 0 over all items."""
    position: str
    """`line 3`, `runs[0].results[2]`, …"""
    message: str


@dataclass(frozen=True, slots=True)
class Stored:
    """Where one record lies, and what became of it."""

    record_id: str
    outcome: str
    """`added`, `updated` or `unchanged`."""
    json_path: str
    md_path: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What came of taking findings in; lists are cut, counts are whole."""

    source: str
    repo_root: str
    records_dir: str
    total: int
    """Findings that were seen, good and bad."""
    counts: dict[str, int]
    """Of each outcome."""
    errors: int
    stored: tuple[Stored, ...]
    problems: tuple[ItemError, ...]
    warnings: tuple[str, ...] = ()
    searchable: int | None = None
    """Records that a search can find, where that was asked for."""

    @property
    def written(self) -> int:
        return self.counts.get("added", 0) + self.counts.get("updated", 0)


@dataclass(frozen=True, slots=True)
class DecisionOrder:
    """A decision to be recorded."""

    finding: str
    status: str
    justification: str = ""
    reviewer: str = ""
    expires: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """A decision as it was recorded."""

    record: Record
    stored: Stored
    records_dir: str
    replaces: str = ""
    """The decision that was in force before."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a finding stands: the newest decision counts, and only until it expires."""

    status: str = OPEN
    decision_id: str = ""
    expires_at: str = ""
    expired: bool = False
    """The newest decision has expired, so the finding is open again."""


@dataclass(frozen=True, slots=True)
class Dossier:
    """One record with where it stands and, for a finding, every decision about it, the newest first."""

    record: Record
    standing: Standing
    decisions: tuple[Ruling, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordList:
    """Findings as a list shows them, the most urgent first."""

    entries: tuple[Dossier, ...]
    total: int
    damaged: tuple[str, ...] = ()
    """Files in the folder that are no records."""


# -- context packs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PackOrder:
    """A context pack to be written."""

    record_id: str
    out: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """A line of the repository that bears on a finding."""

    path: str
    line: int
    text: str
    why: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceHit:
    """A search result that bears on a finding."""

    file: str
    line: int
    kind: str
    name: str
    headline: str
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """One question put to the index, and its best answers."""

    query: str
    mode: str
    hits: tuple[EvidenceHit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the repository says about a finding; every list is cut, `left_out` says by how much."""

    manifests: tuple[Trace, ...] = ()
    imports: tuple[Trace, ...] = ()
    calls: tuple[Trace, ...] = ()
    places: tuple[Trace, ...] = ()
    queries: tuple[EvidenceQuery, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackReport:
    """Where a pack was written and what is in it."""

    record_id: str
    out_path: str
    md_path: str
    size: int
    history: int
    surroundings: Surroundings
    standing: Standing
    ref: str = ""
    freshness: str = ""


def as_object(value: object) -> object:
    """A value of this module as JSON has it: names with humps, and nothing where nothing was said."""
    if is_dataclass(value):
        pairs = ((_humped(item.name), as_object(getattr(value, item.name))) for item in fields(value))
        return {name: one for name, one in pairs if one not in ("", None, [], {})}
    if isinstance(value, tuple | list):
        return [as_object(one) for one in value]
    if isinstance(value, Mapping):
        return {str(name): as_object(one) for name, one in value.items()}
    return value


@cache
def _humped(name: str) -> str:
    return _HUMP.sub(lambda found: found[1].upper(), name)
