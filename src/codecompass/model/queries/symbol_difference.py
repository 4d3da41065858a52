"""What `diff_context` is asked and what it answers: symbols that differ between two refs."""

from dataclasses import dataclass, field

from codecompass.model.queries.results import ViewState

CHANGES = ("removed", "modified", "renamed", "added", "moved")
"""What may become of a symbol, in the order in which answers list them: what can break somebody comes first."""

FILE_CHANGES = ("added", "modified", "deleted", "renamed")


@dataclass(frozen=True, slots=True)
class DiffQuery:
    """Which two sides to compare, and how much to tell."""

    base_ref: str | None = None
    head_ref: str | None = None
    path: str | None = None
    """A file or directory; only what lies there on either side is told."""
    limit: int = 50
    callers: int = 5
    direct: bool = False
    """Compare the two trees themselves, not the head with the commit where the two parted."""
    freshness: str = "balanced"


@dataclass(frozen=True, slots=True)
class DiffSide:
    """One side: the ref as it was named and the commit it stands for; `live` when the files on disk were read."""

    ref: str
    commit: str = ""
    live: bool = False


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that differs."""

    path: str
    change: str
    old_path: str = ""
    symbols: int = 0
    """How many symbol changes lie in it; none means that it changed outside any symbol."""


@dataclass(frozen=True, slots=True)
class Version:
    """A symbol as one side has it."""

    signature: str
    line_start: int
    line_end: int
    qualified_name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """A place that uses a changed symbol."""

    path: str
    line: int
    name: str
    """The qualified name of the definition around the place; empty at file level."""
    role: str
    resolution: str


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """One symbol that differs. It is named as the head has it, or as the base had it when it is gone."""

    change: str
    symbol_id: str
    kind: str
    name: str
    qualified_name: str
    path: str
    before: Version | None = None
    after: Version | None = None
    signature_changed: bool = False
    body_changed: bool = False
    doc_changed: bool = False
    callers: tuple[Caller, ...] = ()
    callers_total: int | None = None
    """None when nobody could be asked: the head is not indexed."""
    callers_counts: dict[str, int] = field(default_factory=dict)
    """How many callers there are by resolution, shown or not."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The whole answer."""

    base: DiffSide
    head: DiffSide
    state: ViewState
    merge_base: str = ""
    """The commit the head was compared with, when that is where the two parted."""
    files: tuple[FileChange, ...] = ()
    file_totals: dict[str, int] = field(default_factory=dict)
    changes: tuple[SymbolChange, ...] = ()
    totals: dict[str, int] = field(default_factory=dict)
    moved_only: int = 0
    """Symbols that only shifted or were laid out anew: no change, but counted."""
    doc_only: int = 0
    """Symbols of which only the documentation differs: no change either."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Files whose symbols could not be compared, by reason."""
    warnings: tuple[str, ...] = ()
    truncated: bool = False
    callers_from_elsewhere: bool = False
    """The head itself is not indexed; callers come from a working tree that differs from it."""
