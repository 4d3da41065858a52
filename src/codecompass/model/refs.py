"""Ref list: the refs and worktrees of a repository with their index state, as `list_refs` returns them."""

from dataclasses import dataclass
from typing import Literal

from codecompass.model.queries.results import ViewState
from codecompass.model.states import FreshnessState


@dataclass(frozen=True, slots=True)
class RefEntry:
    """One ref under the name that other tools accept. Empty strings and None mean unknown; omit the field."""

    name: str
    kind: str
    """`live`, `branch`, `tag`, `remote`, or `revision` for any other indexed name (a hash, `HEAD~2`)."""
    commit: str = ""
    committed_at: str = ""
    indexed: bool = False
    indexed_commit: str = ""
    indexed_at: str = ""
    freshness: FreshnessState | Literal[""] = ""
    """`fresh`, `stale` or `syncing`; only for an indexed ref."""
    files: int | None = None
    symbols: int | None = None
    is_current: bool = False
    """Checked out in this worktree, so that queries use the working tree."""
    is_default: bool = False
    exists: bool = True
    """False for an indexed ref that no longer exists in the repository."""


@dataclass(frozen=True, slots=True)
class WorktreeEntry:
    """One worktree of the repository with its own live view."""

    path: str
    branch: str = ""
    commit: str = ""
    is_current: bool = False
    indexed: bool = False
    indexed_commit: str = ""
    indexed_at: str = ""
    freshness: FreshnessState | Literal[""] = ""
    """For another worktree only `stale` is reported, if its HEAD moved; its files are checked when it is queried."""
    files: int | None = None
    symbols: int | None = None


@dataclass(frozen=True, slots=True)
class RefList:
    """Refs, `live` first, then newest first; `total` counts all matches, shown or not."""

    refs: tuple[RefEntry, ...]
    total: int
    worktrees: tuple[WorktreeEntry, ...]
    vcs_mode: str
    """`git` or `none`."""
    state: ViewState
    truncated: bool = False
