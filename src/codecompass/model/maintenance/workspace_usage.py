"""Workspace usage: registered workspaces, their disk usage, and the capabilities of this installation."""

from dataclasses import dataclass, field
from typing import Literal

from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.queries.results import ProjectStatus
from codecompass.model.states import FreshnessState


@dataclass(frozen=True, slots=True)
class IndexedRef:
    """One published view."""

    ref: str
    commit: str
    generation: int
    indexed_at: str
    files: int
    symbols: int
    freshness: FreshnessState | Literal[""]
    """`fresh`, `stale` or `syncing`."""


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """One registered workspace."""

    status: ProjectStatus
    is_default: bool
    is_open: bool
    refs: tuple[IndexedRef, ...] = ()
    bytes: int = 0
    portable: PortableReport | None = None


@dataclass(frozen=True, slots=True)
class ProjectUsage:
    """Disk usage of one project in the data directory."""

    id: str
    bytes: int
    """Derived data, which can be rebuilt."""
    owned: int
    """Bytes of data that exists only here and cannot be rebuilt."""
    used_at: str
    root: str = ""
    """The repository, if the caller may see it."""


@dataclass(frozen=True, slots=True)
class ProjectInventory:
    """Files on disk for one project."""

    status: ProjectStatus
    directory: str
    parts: dict[str, int]
    """Bytes of each part."""
    portable: PortableReport
    data_directory: str
    data_bytes: int
    """Size of the whole data directory, all projects included."""
    issues: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    shelves: dict[str, int] = field(default_factory=dict)
    """Bytes of shared downloads: models, dictionaries, extensions."""
    projects: tuple[ProjectUsage, ...] = ()
    """All projects of the data directory, if requested."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of this installation, from actual checks."""

    documents: dict[str, bool]
    """Document format → whether its text can be extracted."""
    linter: bool
    git: bool
    backends: tuple[str, ...] = ()
    languages: int = 0
    vectors: bool = False
    """Whether a portable file can contain a vector index."""
    model: str = ""
    """The embedding model; empty if there is none."""
    extra: dict[str, str] = field(default_factory=dict)
    """Missing feature → how to install it."""


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """One setting with its current value."""

    name: str
    value: object
    origin: str
    """A file or an environment variable; empty for the default."""
    secret: bool = False
    """Its value is never shown."""
