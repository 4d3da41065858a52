"""Known projects: what the data directory holds of each repository, and the removal of one."""

from dataclasses import dataclass, field
from typing import Literal

ProjectState = Literal["indexed", "not_indexed", "incompatible", "unreadable"]


@dataclass(frozen=True, slots=True)
class KnownProject:
    """One project of the data directory."""

    id: str
    root: str
    """The directory that was registered; empty if it cannot be read."""
    is_missing: bool
    """Whether that directory and every other working tree of the project is gone."""
    state: ProjectState
    derived_bytes: int = 0
    """Bytes that can be built again."""
    owned_bytes: int = 0
    """Bytes of records, which exist only here."""
    files: int = 0
    symbols: int = 0
    indexed_at: str = ""
    used_at: str = ""


@dataclass(frozen=True, slots=True)
class ForgottenProject:
    """What was removed of a project, or would be."""

    project: KnownProject
    directory: str
    dry_run: bool
    with_records: bool
    removed: dict[str, int] = field(default_factory=dict)
    """Bytes of each part that is removed."""
    kept: dict[str, int] = field(default_factory=dict)
    """Bytes of each part that stays."""
