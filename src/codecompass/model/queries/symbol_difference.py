"""Symbol difference: symbols that differ between two refs, as `diff_context` returns them."""

from dataclasses import dataclass, field

from codecompass.model.queries.results import ViewState
from codecompass.model.states import FreshnessPolicy, Resolution

CHANGES = ("removed", "modified", "renamed", "added", "moved")
"""Kinds of symbol changes, in the order of the answer: breaking changes first."""

FILE_CHANGES = ("added", "modified", "deleted", "renamed")


@dataclass(frozen=True, slots=True)
class DiffQuery:
    """The two sides to compare, and the limits of the answer."""

    base_ref: str | None = None
    head_ref: str | None = None
    path: str | None = None
    """A file or directory; restricts the answer to changes there, on either side."""
    limit: int = 50
    callers: int = 5
    direct: bool = False
    """Compare the two trees directly, not the head with the merge base."""
    freshness: FreshnessPolicy = "balanced"


@dataclass(frozen=True, slots=True)
class DiffSide:
    """One side: the ref as given and its commit; `live` if the files on disk were read."""

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
    """Number of symbol changes in it; 0 means that it changed outside any symbol."""


@dataclass(frozen=True, slots=True)
class SymbolVersion:
    """A symbol on one side."""

    signature: str
    line_start: int
    line_end: int
    qualified_name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class AffectedCaller:
    """A use of a changed symbol."""

    path: str
    line: int
    name: str
    """The qualified name of the enclosing definition; empty at file level."""
    role: str
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """One changed symbol. It has its name in the head, or in the base if it was removed."""

    change: str
    symbol_id: str
    kind: str
    name: str
    qualified_name: str
    path: str
    before: SymbolVersion | None = None
    after: SymbolVersion | None = None
    signature_changed: bool = False
    body_changed: bool = False
    doc_changed: bool = False
    callers: tuple[AffectedCaller, ...] = ()
    callers_total: int | None = None
    """None if unknown: the head is not indexed."""
    callers_counts: dict[str, int] = field(default_factory=dict)
    """Number of callers by resolution, shown or not."""


@dataclass(frozen=True, slots=True)
class SymbolDiff:
    """All differences between two sides."""

    base: DiffSide
    head: DiffSide
    state: ViewState
    merge_base: str = ""
    """The merge base, if the head was compared with it."""
    files: tuple[FileChange, ...] = ()
    file_totals: dict[str, int] = field(default_factory=dict)
    changes: tuple[SymbolChange, ...] = ()
    totals: dict[str, int] = field(default_factory=dict)
    moved_only: int = 0
    """Symbols that only moved or were reformatted: not a change, but counted."""
    doc_only: int = 0
    """Symbols of which only the documentation differs: not a change either."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Files whose symbols could not be compared, by reason."""
    warnings: tuple[str, ...] = ()
    truncated: bool = False
    callers_from_elsewhere: bool = False
    """The head is not indexed; callers come from a working tree that differs from it."""
