"""What is kept for workspaces: which there are, what stands on disk for them, and what this installation can do."""

from dataclasses import dataclass, field

from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.queries.results import ProjectStatus


@dataclass(frozen=True, slots=True)
class IndexedRef:
    """One published view."""

    ref: str
    commit: str
    generation: int
    indexed_at: str
    files: int
    symbols: int
    freshness: str
    """`fresh`, `stale` or `syncing`."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """One registered workspace."""

    status: ProjectStatus
    is_default: bool
    is_open: bool
    refs: tuple[IndexedRef, ...] = ()
    bytes: int = 0
    portable: PortableReport | None = None


@dataclass(frozen=True, slots=True)
class Holding:
    """What is kept for one project of the data directory."""

    id: str
    bytes: int
    """Derived data, which can be made again."""
    owned: int
    """Bytes that nothing but the project itself has."""
    used_at: str
    root: str = ""
    """The repository, where whoever asks may know it."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What stands on disk for one project."""

    status: ProjectStatus
    directory: str
    parts: dict[str, int]
    """Bytes of each part."""
    portable: PortableReport
    data_directory: str
    data_bytes: int
    """Everything in the data directory, other projects included."""
    issues: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    shelves: dict[str, int] = field(default_factory=dict)
    """Bytes of what all projects share: models, dictionaries, extensions."""
    projects: tuple[Holding, ...] = ()
    """All projects of the data directory, where they were asked for."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What this installation can do, from real checks."""

    documents: dict[str, bool]
    """Kinds of documents whose text can be read."""
    linter: bool
    git: bool
    backends: tuple[str, ...] = ()
    languages: int = 0
    vectors: bool = False
    """Whether a portable file can be given an index of vectors."""
    model: str = ""
    """The embedding model; empty where there is none."""
    extra: dict[str, str] = field(default_factory=dict)
    """How to get what is missing."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it stands."""

    name: str
    value: object
    origin: str
    """A file or a variable of the environment; empty for the default."""
    secret: bool = False
    """Its value is never shown."""
