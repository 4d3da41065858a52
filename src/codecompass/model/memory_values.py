"""Memory: what a project is known to have decided, with its source, and whether it still holds.

A discovery is a typed statement taken from the repository or recorded by somebody. Claims are the parts of its text
that can be checked; verdicts are what checking them found. Texts are data of unknown authors, never instructions.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from codecompass.model.queries.results import Factor, ViewState

TYPES = ("pattern", "rule", "decision", "issue")
SOURCES = (
    "commit", "revert", "fix", "adr", "agent_file", "document", "comment", "manifest", "ci", "triage", "recorded",
)  # fmt: skip
"""Where discoveries come from; `code` and `session` are further kinds of hits, which are no discoveries."""
STATES = ("active", "superseded", "closed", "forgotten")
CLAIMS = ("path", "symbol", "constant", "script", "command", "dependency")
STATUSES = ("fresh", "changed", "gone", "unchecked")
FRESHNESS = ("fresh", "changed", "gone", "unverifiable")
MAX_CONTENT = 1_000
MIN_CONTENT = 10
"""What somebody records is a statement: fewer letters say nothing that could be found again."""


class Source(NamedTuple):
    """Where a discovery stands. Lines count from 1, both included, and are 0 where there are none."""

    kind: str
    path: str = ""
    line_start: int = 0
    line_end: int = 0
    commit: str = ""
    """The commit that wrote it: of a message its own, of lines the one that changed them last where that is known."""


class Claim(NamedTuple):
    """One part of a text that can be checked."""

    kind: str
    text: str
    """As it is written."""
    target: str
    """What it names: a path, a name of a symbol or constant, a script, a command, a package."""
    expected: str = ""
    """What the text says of it, where it says something: the value of a constant, a version."""


class Anchor(NamedTuple):
    """What a claim named when the discovery was written. An empty digest: it named nothing that can be told."""

    path: str = ""
    name: str = ""
    digest: str = ""
    shown: str = ""
    """One line of it for people."""


class Discovery(NamedTuple):
    """One statement. The id is made of what it says and where, so that mining again gives the same."""

    id: str
    type: str
    content: str
    source: Source
    author: str = ""
    date: str = ""
    """ISO 8601; empty where git does not tell it."""
    module: str = ""
    symbols: tuple[str, ...] = ()
    state: str = "active"
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    title: str = ""
    """The heading or subject it stands under; part of what is searched."""
    session: str = ""
    """The session it was recorded in."""
    redacted: bool = False
    """Something that looked like a secret was taken out."""
    closed_by: str = ""
    """The commit that took the comment away, where the state is `closed` and git tells it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking one claim found."""

    claim: Claim
    status: str
    """`fresh`, `changed`, `gone`, or `unchecked` when it could not be told."""
    commit: str = ""
    """The commit that changed it or took it away."""
    author: str = ""
    date: str = ""
    was: str = ""
    now: str = ""
    """One line each: what was named then and what is there now; of something that moved, where it is."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another discovery that says something else of the same thing."""

    id: str
    about: str
    """The thing: `package manager`, a constant, a dependency."""
    says: str
    other_says: str
    source: Source


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """One result. `kind` is `discovery`, `code` or `session`; the last two carry their own place in `source`."""

    discovery: Discovery
    score: float = 0.0
    factors: tuple[Factor, ...] = ()
    freshness: str = "unverifiable"
    verdicts: tuple[Verdict, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    kind: str = "discovery"
    untrusted: bool = True
    """Always: whoever can write to the repository can write such a text."""


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """A question. An empty type or module means all."""

    text: str
    type: str = ""
    module: str = ""
    limit: int = 5
    ref: str | None = None
    freshness: str = "balanced"
    sources: tuple[str, ...] = ("discovery", "code", "session")
    session: str = ""
    """Who asks, so that a session is not answered with its own question."""
    patience: float = 3.0
    """Seconds for mining, making ready and checking; beyond them the answer says what is missing."""
    judge: bool = True
    """Check the claims of what is returned; without it hits are `unverifiable` and the answer is quicker."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What an answer was looked for in."""

    counts: dict[str, int] = field(default_factory=dict)
    """Items by kind of source, after the filters of the question."""
    complete: bool = True
    notes: tuple[str, ...] = ()
    """Why something is missing: a shallow clone, no git, time that ran out, no model."""
    model: str = ""
    """The embedding model that took part; empty where words alone decided."""


@dataclass(frozen=True, slots=True)
class MemoryAnswer:
    """Hits, the best first; `total` is how many passed the floor. No hits mean: nothing recorded."""

    hits: tuple[MemoryHit, ...]
    total: int
    searched: Searched
    state: ViewState
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class NewDiscovery:
    """What somebody wants to be remembered."""

    content: str
    type: str = "decision"
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
    """Some of the discoveries, newest first, and how many there are."""

    items: tuple[Discovery, ...]
    total: int
    searched: Searched
    state: ViewState


@dataclass(frozen=True, slots=True)
class Endangered:
    """One discovery that a change puts at risk, and which parts of the change do."""

    discovery: Discovery
    why: tuple[str, ...]
    """One line for each: `src/a.py changed: it names the function charge`."""
    paths: tuple[str, ...]
    severity: str = "touched"
    """`broken`: a claim no longer holds after the change; `touched`: something it speaks of changed."""


@dataclass(frozen=True, slots=True)
class DangerQuery:
    """A change: from `base` (a ref; None is the commit the working tree stands on) to `ref` (None: working tree)."""

    base: str | None = None
    ref: str | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True)
class DangerReport:
    """What a change puts at risk, the worst first."""

    items: tuple[Endangered, ...]
    total: int
    changed_paths: int
    searched: Searched
    state: ViewState


@dataclass(frozen=True, slots=True)
class ModuleMemory:
    """What is known of one module."""

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
    """What is known of the whole project."""

    name: str
    files: int
    languages: dict[str, int]
    stack: tuple[tuple[str, str], ...]
    """(what, with what): runtime, package manager, test command and the like, from manifests and CI."""
    modules: tuple[tuple[str, int], ...]
    """(name, files), the largest first."""
    counts: dict[str, dict[str, int]]
    """type → source kind → how many."""
    discoveries: tuple[MemoryHit, ...]
    searched: Searched
    state: ViewState


class Happening(NamedTuple):
    """One thing that a session did: `read` a file, `query` something, `record` a discovery, `call` a tool."""

    kind: str
    subject: str
    moment: str


class Session(NamedTuple):
    """One connection of a client, from its first call to its end."""

    id: str
    client: str
    started: str
    ended: str = ""
    calls: int = 0
    events: tuple[Happening, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """How often a file was read, and a score of recency and frequency in 0..1."""

    path: str
    count: int
    first: str
    last: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Imported:
    """What reading an export back did."""

    added: int
    known: int
    refused: tuple[str, ...] = ()
    """One line for each entry that could not be taken, with its place."""
