"""Reading: one file whole, with what it stands on."""

from dataclasses import dataclass

from codecompass.model.queries.results import ViewState

ROLES = ("entry", "config", "core", "test")
"""What a file is for in its project."""


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """Which file, and whether its dependencies are wanted."""

    path: str
    """Relative to the root; or a handle of an earlier answer, which stands for its file."""
    dependencies: bool = False
    ref: str | None = None
    freshness: str = "balanced"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A file of the repository that another one needs."""

    path: str
    type: str
    """`import`: an import names it; `reference`: it defines what the file uses without an import."""
    line: int
    """Where it is named first."""
    content: str | None = None
    """Its text, where it was asked for and could be read."""
    size: int = 0


@dataclass(frozen=True, slots=True)
class FileReading:
    """A file as it is in the working tree now, or at the ref."""

    path: str
    content: str
    size: int
    """Bytes of the file, whatever its encoding."""
    language: str
    module: str
    role: str
    modified: str
    """ISO 8601 in UTC: the last write on disk, or the last commit that changed it; empty where neither is known."""
    state: ViewState
    focus: tuple[int, int] | None = None
    """First and last line of what a handle named."""
    dependencies: tuple[Dependency, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader should know: bytes that are no UTF-8, dependencies as of an older content."""
