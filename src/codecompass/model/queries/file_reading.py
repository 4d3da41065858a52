"""File reading: the content of one file with its dependencies."""

from dataclasses import dataclass

from codecompass.model.queries.results import ViewState
from codecompass.model.states import FreshnessPolicy


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """The file to read, and whether to include its dependencies."""

    path: str
    """Path relative to the root, or a handle of an earlier result."""
    dependencies: bool = False
    ref: str | None = None
    freshness: FreshnessPolicy = "balanced"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A file of the repository that another file depends on."""

    path: str
    type: str
    """`import`: an import resolves to it; `reference`: it defines a name that the file uses without an import."""
    line: int
    """The line of the first import or reference."""
    content: str | None = None
    """Its text, if requested and readable."""
    size: int = 0


@dataclass(frozen=True, slots=True)
class FileReadResult:
    """The content of a file in the working tree or at a ref."""

    path: str
    content: str
    size: int
    """File size in bytes."""
    language: str
    module: str
    role: str
    modified: str
    """ISO 8601 in UTC: the last write on disk, or the last commit that changed it; empty if unknown."""
    state: ViewState
    focus: tuple[int, int] | None = None
    """First and last line of the handle's target."""
    dependencies: tuple[Dependency, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes for the reader: invalid UTF-8, dependencies of an older content."""
