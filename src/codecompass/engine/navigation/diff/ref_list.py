"""Ref list: refs, worktrees, and the index state of each. Reads files; only dates need git."""

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import live_view_name
from codecompass.engine.workspace.project import DEFAULT_REF_KEY, Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import ViewState
from codecompass.model.refs import RefEntry, RefList, WorktreeEntry
from codecompass.model.timestamp import utc_timestamp
from codecompass.repo.git.ref_name import is_valid_ref
from codecompass.repo.git.repository import (
    GitDir,
    HeadState,
    RefRow,
    find_git,
    list_refs,
    read_head,
    read_small,
    resolve_ref,
)
from codecompass.repo.workspace import LIVE
from codecompass.store.ports import Snapshot, ViewRow

_USUAL_BRANCHES = ("main", "master", "trunk", "develop")
_PREFIXES = {"branch": "refs/heads/", "tag": "refs/tags/", "remote": "refs/remotes/"}
_ORDER = {"branch": 0, "tag": 1, "remote": 2}
_MAX_WORKTREES = 200
_MAX_REVISIONS = 200
"""Maximum number of indexed revisions that are not refs, because each needs a git lookup."""


def build_ref_list(project: Project, contains: str, limit: int, state: ViewState, call: Call) -> RefList:
    """List the refs whose name contains `contains`: `live` first, then by commit date, newest first."""
    git = project.workspace.git
    with ExitStack() as stack:
        snapshot = pin_or_none(project, stack)
        rows = {row.name: row for row in snapshot.views()} if snapshot else {}
        live = _build_live_entry(project, snapshot, rows)
        if git is None:
            found = [live] if contains in LIVE else []
            return RefList(
                tuple(found),
                len(found),
                (_build_current_worktree(project, live, HeadState(None, None)),),
                "none",
                state,
            )
        named = list(list_refs(git))
        call.check()
        dates = _read_dates(project, named)
        if named and dates is None:
            message = "The dates of refs cannot be read, so they are sorted by name."
            state = replace(state, warnings=(*state.warnings, message))
        listed = [
            live,
            *_build_ref_entries(project, named, rows, live, dates or {}),
            *_build_revision_entries(project, named, rows, call),
        ]
        worktrees = _list_worktrees(project, rows, live)
    matching = [entry for entry in listed if contains.lower() in entry.name.lower()]
    shown_refs = tuple(replace(entry, name=display_path(entry.name)) for entry in matching[:limit])
    return RefList(shown_refs, len(matching), worktrees, "git", state, len(matching) > limit)


def pin_or_none(project: Project, stack: ExitStack) -> Snapshot | None:
    """Pin the published snapshot; return None if nothing is published yet."""
    try:
        return stack.enter_context(project.store.pin())
    except Failure as failure:
        if failure.code not in ("NO_INDEX", "REF_NOT_INDEXED"):
            raise
        return None


def find_default_branch(git: GitDir, preferred: str | None) -> str | None:
    """Return the default branch: the project's setting, the remote's HEAD, or a common name."""
    if preferred and preferred != LIVE and resolve_ref(git, preferred):
        return preferred
    remote = (read_small(git.common_dir / "refs/remotes/origin/HEAD", 4096) or b"").decode("utf-8", "replace").strip()
    name = remote.removeprefix("ref: refs/remotes/origin/")
    if name != remote and is_valid_ref(name):
        for spelling in (name, f"origin/{name}"):
            if resolve_ref(git, spelling):
                return spelling
    usual = next((name for name in _USUAL_BRANCHES if resolve_ref(git, f"refs/heads/{name}")), None)
    if usual is not None:
        return usual
    branches = [row.name for row in list_refs(git) if row.kind == "branch"]
    return branches[0] if len(branches) == 1 else None


def _build_live_entry(project: Project, snapshot: Snapshot | None, rows: dict[str, ViewRow]) -> RefEntry:
    git = project.workspace.git
    commit = (read_head(git).commit or "") if git else ""
    row = rows.get(live_view_name(project.workspace))
    entry = RefEntry(LIVE, "live", commit=commit, is_current=True)
    if row is None or snapshot is None:
        return entry
    state = project.get_view_state(PinnedView(snapshot, row, project.registry), LIVE)
    return replace(_add_view(entry, row), freshness=state.freshness)


def _add_view(entry: RefEntry, row: ViewRow) -> RefEntry:
    return replace(
        entry,
        indexed=True,
        indexed_commit=row.commit,
        indexed_at=row.indexed_at,
        freshness="fresh" if entry.commit and entry.commit == row.commit else "stale",
        files=row.files,
        symbols=row.symbols,
    )


def _read_dates(project: Project, named: list[RefRow]) -> dict[str, tuple[str, int]] | None:
    """Return the commit and time of each ref; None if git is missing, has no room, or must not read the objects."""
    try:
        return project.git().read_commit_dates(list({row.commit for row in named}))
    except Failure as failure:
        if failure.code not in ("CAPABILITY_MISSING", "FORBIDDEN", "DISK_FULL"):
            raise
        return None


def _build_ref_entries(
    project: Project, named: list[RefRow], rows: dict[str, ViewRow], live: RefEntry, dates: dict[str, tuple[str, int]]
) -> list[RefEntry]:
    """List branches, tags and remote branches, newest first; refs without a commit have no date and come last."""
    git = project.workspace.git
    assert git is not None
    if not named:
        return []
    current = read_head(git).branch
    default = find_default_branch(git, project.store.records.get(DEFAULT_REF_KEY))
    taken: set[str] = set()
    # A ref counts as indexed if another name of the same commit is indexed.
    by_commit = {row.commit: row for row in rows.values() if row.name.startswith("ref:") and row.commit}
    found: list[tuple[int, RefEntry]] = []
    for row in sorted(named, key=lambda row: (_ORDER[row.kind], row.name)):
        # A tag with the name of a branch is reachable only by its full name.
        full = _PREFIXES[row.kind] + row.name
        name = row.name if row.name not in taken else full
        taken.add(row.name)
        commit, seconds = dates.get(row.commit, (row.commit, 0))
        is_current = row.kind == "branch" and row.name == current
        entry = RefEntry(
            name,
            row.kind,
            commit,
            _format_time(seconds),
            is_current=is_current,
            is_default=default in (name, full),
        )
        if is_current:
            entry = replace(
                entry, indexed=live.indexed, indexed_commit=live.indexed_commit, indexed_at=live.indexed_at,
                freshness=live.freshness, files=live.files, symbols=live.symbols,
            )  # fmt: skip
        else:
            view = rows.get(f"ref:{name}") or rows.get(f"ref:{full}") or by_commit.get(commit)
            entry = _add_view(entry, view) if view else entry
        found.append((seconds, entry))
    found.sort(key=lambda pair: (-pair[0], _ORDER[pair[1].kind], pair[1].name))
    return [entry for _, entry in found]


def _format_time(seconds: int) -> str:
    """Format a time as ISO 8601; empty for a time out of range, since a commit can claim any number."""
    if not 0 < seconds < 253_402_300_800:
        return ""
    return utc_timestamp(seconds)


def _build_revision_entries(
    project: Project, named: list[RefRow], rows: dict[str, ViewRow], call: Call
) -> list[RefEntry]:
    """List indexed revisions that are not refs: a hash, `HEAD~2`, or a deleted branch."""
    known = {f"ref:{row.name}" for row in named} | {f"ref:{_PREFIXES[row.kind]}{row.name}" for row in named}
    found: list[RefEntry] = []
    for name, row in sorted(rows.items()):
        if not name.startswith("ref:") or name in known or len(found) >= _MAX_REVISIONS:
            continue
        call.check()
        spelling = name.removeprefix("ref:")
        try:
            commit = project.git().resolve(spelling)
        except Failure:
            commit = ""
        entry = RefEntry(spelling, "revision", commit, exists=bool(commit))
        found.append(_add_view(entry, row))
    return found


def _build_current_worktree(project: Project, live: RefEntry, now: HeadState) -> WorktreeEntry:
    return WorktreeEntry(
        display_path(str(project.workspace.root)),
        now.branch or "",
        now.commit or "",
        is_current=True,
        indexed=live.indexed,
        indexed_commit=live.indexed_commit,
        indexed_at=live.indexed_at,
        freshness=live.freshness,
        files=live.files,
        symbols=live.symbols,
    )


def _list_worktrees(project: Project, rows: dict[str, ViewRow], live: RefEntry) -> tuple[WorktreeEntry, ...]:
    """List the existing worktrees, the current one first."""
    own = project.workspace.git
    assert own is not None
    found = [_build_current_worktree(project, live, read_head(own))]
    for place in _find_worktree_paths(own):
        git = find_git(place)
        if (
            git is None
            or place == project.workspace.root
            or _resolve_path(git.common_dir) != _resolve_path(own.common_dir)
        ):
            continue
        now = read_head(git)
        row = rows.get(f"live:{place}")
        entry = WorktreeEntry(display_path(str(place)), display_path(now.branch or ""), now.commit or "")
        if row is not None:
            moved = (now.branch or "", now.commit or "") != (row.head, row.commit)
            entry = replace(
                entry, indexed=True, indexed_commit=row.commit, indexed_at=row.indexed_at,
                freshness="stale" if moved else "", files=row.files, symbols=row.symbols,
            )  # fmt: skip
        found.append(entry)
    return tuple(found)


def _resolve_path(path: Path) -> str:
    return os.path.realpath(path)


def _find_worktree_paths(git: GitDir) -> list[Path]:
    """Return candidate worktree directories: beside the common directory, and those registered in `worktrees`."""
    common = Path(_resolve_path(git.common_dir))
    found = [common.parent] if common.name == ".git" else []
    try:
        names = sorted(os.listdir(common / "worktrees"))[:_MAX_WORKTREES]
    except OSError:
        names = []
    for name in names:
        data = read_small(common / "worktrees" / name / "gitdir", 4096)
        if data and b"\0" not in data:
            found.append(
                Path(_resolve_path(Path(os.path.join(common, "worktrees", name, os.fsdecode(data.strip()))).parent))
            )
    return found
