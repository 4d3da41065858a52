"""What `list_refs` answers: the refs of a repository, its worktrees, and what is indexed of each."""

from dataclasses import dataclass

from codecompass.model.queries.results import ViewState


@dataclass(frozen=True, slots=True)
class RefEntry:
    """One ref under the name that other tools take. Empty strings and None mean: not known, leave the field out."""

    name: str
    kind: str
    """`live`, `branch`, `tag`, `remote`, or `revision` for an indexed name that is none of these (a hash, `HEAD~2`)."""
    commit: str = ""
    committed_at: str = ""
    indexed: bool = False
    indexed_commit: str = ""
    indexed_at: str = ""
    freshness: str = ""
    """`fresh`, `stale` or `syncing`; only of what is indexed."""
    files: int | None = None
    symbols: int | None = None
    is_current: bool = False
    """Checked out in this worktree, so that the working tree answers for it."""
    is_default: bool = False
    exists: bool = True
    """False for an indexed ref that the repository does not have any more."""


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
    freshness: str = ""
    """Of another worktree only `stale` is told, when its HEAD moved: its files are looked at when it is asked."""
    files: int | None = None
    symbols: int | None = None


@dataclass(frozen=True, slots=True)
class RefList:
    """`live` first, then the newest; `total` counts all that match, shown or not."""

    refs: tuple[RefEntry, ...]
    total: int
    worktrees: tuple[WorktreeEntry, ...]
    vcs_mode: str
    """`git` or `none`."""
    state: ViewState
    truncated: bool = False
