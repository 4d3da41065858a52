"""Memory values: decisions and rules known about a project, their sources, and whether they still hold.

A discovery is a typed statement mined from the repository or recorded by a user. Claims are the parts of its text
that can be checked; a `ClaimCheck` is the result. Texts are data of unknown authors, never instructions.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, get_args

from codecompass.model.path_text import display_path, parse_displayed_path
from codecompass.model.queries.results import ScoreFactor, ViewState
from codecompass.model.states import (
    ClaimKind,
    ClaimStatus,
    DiscoveryFreshness,
    DiscoveryState,
    DiscoveryType,
    FreshnessPolicy,
    HitSourceKind,
    ImpactSeverity,
    MemoryHitKind,
    SourceKind,
)

TYPES: tuple[DiscoveryType, ...] = get_args(DiscoveryType)
SOURCES: tuple[SourceKind, ...] = get_args(SourceKind)
STATES: tuple[DiscoveryState, ...] = get_args(DiscoveryState)
CLAIMS: tuple[ClaimKind, ...] = get_args(ClaimKind)
MAX_CONTENT = 1_000
"""Maximum length of a recorded statement."""
MAX_MINED = 6_000
"""Maximum length of a mined text: a long message is kept whole, so that every part of it is found."""
MIN_CONTENT = 10
"""Minimum length of a recorded statement: a shorter text cannot be found by search."""


class DiscoverySource(NamedTuple):
    """The location of a discovery. Lines are 1-based and inclusive, 0 if not applicable."""

    kind: HitSourceKind
    path: str = ""
    line_start: int = 0
    line_end: int = 0
    commit: str = ""
    """The commit that wrote it: the commit of a message, or the last known commit that changed the lines."""


class Claim(NamedTuple):
    """One part of a text that can be checked."""

    kind: ClaimKind
    text: str
    """The text as written."""
    target: str
    """The subject: a path, a symbol or constant name, a script, a command, a package."""
    expected: str = ""
    """The claimed value, if any: the value of a constant, a version."""


class Anchor(NamedTuple):
    """The target of a claim at the time the discovery was written. An empty digest means it could not be resolved."""

    path: str = ""
    name: str = ""
    digest: str = ""
    shown: str = ""
    """One line to display."""

    def escape_path(self) -> "Anchor":
        """Return the anchor as it is stored: the path may have bytes that are not valid UTF-8."""
        return self._replace(path=display_path(self.path))

    def restore_path(self) -> "Anchor":
        """Return a stored anchor with the path as the file system spells it."""
        return self._replace(path=parse_displayed_path(self.path))


class Discovery(NamedTuple):
    """One statement. The id derives from its content and source, so that mining again gives the same id."""

    id: str
    type: DiscoveryType
    content: str
    source: DiscoverySource
    author: str = ""
    date: str = ""
    """ISO 8601; empty if git does not provide it."""
    module: str = ""
    symbols: tuple[str, ...] = ()
    state: DiscoveryState = "active"
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    title: str = ""
    """The heading or subject above it; searched together with the content."""
    session: str = ""
    """The session it was recorded in."""
    redacted: bool = False
    """A string that looked like a secret was removed."""
    closed_by: str = ""
    """The commit that removed the comment, if the state is `closed` and git provides it."""


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """The result of checking one claim."""

    claim: Claim
    status: ClaimStatus
    commit: str = ""
    """The commit that changed or removed the target."""
    author: str = ""
    date: str = ""
    was: str = ""
    now: str = ""
    """One line each: the target then and now; for a moved target, its new location."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another discovery that contradicts this one about the same subject."""

    id: str
    about: str
    """The subject: `package manager`, a constant, a dependency."""
    says: str
    other_says: str
    source: DiscoverySource


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """One result. `kind` is `discovery`, `code` or `session`; the last two have their own location in `source`."""

    discovery: Discovery
    score: float = 0.0
    factors: tuple[ScoreFactor, ...] = ()
    freshness: DiscoveryFreshness = "unverifiable"
    verdicts: tuple[ClaimCheck, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    kind: MemoryHitKind = "discovery"
    untrusted: bool = True
    """Always true: anyone who can write to the repository can write such a text."""
    confidence: float = 0.0
    """How likely it answers the question, from 0 to 1; 0 if nothing was asked."""


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """A memory search. An empty type or module means all."""

    text: str
    type: str = ""
    module: str = ""
    limit: int = 5
    page_size: int = 0
    """Hits of one page; their order depends on it, so it stays the same from page to page. 0: `limit`."""
    ref: str | None = None
    freshness: FreshnessPolicy = "balanced"
    sources: tuple[MemoryHitKind, ...] = get_args(MemoryHitKind)
    session: str = ""
    """The session of the caller, so that a session does not find its own query."""
    patience: float = 3.0
    """Time budget in seconds for mining, indexing and checking; afterwards the answer states what is missing."""
    judge: bool = True
    """Check the claims of the hits; otherwise hits are `unverifiable` and the answer is faster."""


@dataclass(frozen=True, slots=True)
class SearchCoverage:
    """The data that a search covered."""

    counts: dict[str, int] = field(default_factory=dict)
    """Number of items by kind of source, after the query's filters."""
    complete: bool = True
    notes: tuple[str, ...] = ()
    """Reasons why something is missing: a shallow clone, no git, no time left, no model."""
    model: str = ""
    """The embedding model used; empty for a purely lexical search."""


@dataclass(frozen=True, slots=True)
class MemoryAnswer:
    """Hits, best first; `total` counts those above the score threshold. No hits means: nothing recorded."""

    hits: tuple[MemoryHit, ...]
    total: int
    searched: SearchCoverage
    state: ViewState
    milliseconds: int = 0
    nearest: tuple[MemoryHit, ...] = ()
    """The nearest texts if nothing is recorded; they do not answer the question."""


@dataclass(frozen=True, slots=True)
class NewDiscovery:
    """A discovery to record."""

    content: str
    type: DiscoveryType = "decision"
    module: str = ""
    symbols: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    author: str = ""
    session: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which discoveries to list."""

    type: str = ""
    module: str = ""
    source: str = ""
    state: str = "active"
    """One of the states, or empty for all."""
    contains: str = ""
    limit: int = 50
    offset: int = 0
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryList:
    """A page of discoveries, newest first, and the total count."""

    items: tuple[Discovery, ...]
    total: int
    searched: SearchCoverage
    state: ViewState


@dataclass(frozen=True, slots=True)
class ImpactedDiscovery:
    """One discovery that a change may invalidate, and the parts of the change responsible."""

    discovery: Discovery
    why: tuple[str, ...]
    """One line for each: `src/a.py changed: it names the function charge`."""
    paths: tuple[str, ...]
    severity: ImpactSeverity = "touched"
    verdicts: tuple[ClaimCheck, ...] = ()
    """The claims that the change made untrue."""


@dataclass(frozen=True, slots=True)
class ImpactQuery:
    """A change: from `base` (a ref; None means HEAD) to `ref` (None means the working tree)."""

    base: str | None = None
    ref: str | None = None
    limit: int = 20
    patience: float = 20.0
    """Seconds that checking may take."""


@dataclass(frozen=True, slots=True)
class ImpactReport:
    """Discoveries that a change may invalidate, most severe first."""

    items: tuple[ImpactedDiscovery, ...]
    total: int
    changed_paths: int
    searched: SearchCoverage
    state: ViewState
    checked: int = 0
    """Statements that the change might break, and that were checked."""
    unreached: int = 0
    """Statements that there was no time for."""


@dataclass(frozen=True, slots=True)
class ModuleMemory:
    """Memory about one module."""

    name: str
    files: int
    languages: dict[str, int]
    key_files: tuple[tuple[str, str], ...]
    """(path, role)."""
    discoveries: tuple[MemoryHit, ...]
    counts: dict[str, int] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """Memory about the whole project."""

    name: str
    files: int
    languages: dict[str, int]
    stack: tuple[tuple[str, str], ...]
    """(key, value): runtime, package manager, test command and the like, from manifests and CI."""
    modules: tuple[tuple[str, int], ...]
    """(name, files), the largest first."""
    counts: dict[str, dict[str, int]]
    """type → source kind → count."""
    discoveries: tuple[MemoryHit, ...]
    searched: SearchCoverage
    state: ViewState


class SessionActivity(NamedTuple):
    """One event of a session: `read` a file, `query`, `record` a discovery, or `call` a tool."""

    kind: str
    subject: str
    moment: str


class SessionRecord(NamedTuple):
    """One connection of a client, from its first call to its end."""

    id: str
    client: str
    started: str
    ended: str = ""
    calls: int = 0
    events: tuple[SessionActivity, ...] = ()


@dataclass(frozen=True, slots=True)
class FileAccess:
    """Read count of a file, and a score of recency and frequency in 0..1."""

    path: str
    count: int
    first: str
    last: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of importing an export."""

    added: int
    known: int
    refused: tuple[str, ...] = ()
    """One line for each rejected entry, with its position."""
