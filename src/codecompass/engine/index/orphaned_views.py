"""Orphaned views: find views whose ref or working tree no longer exists.

The newest few stay, in case a branch was deleted by mistake. Without a limit an index would grow with every branch.
"""

import os

from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.repo.git.repository import list_refs
from codecompass.store.ports import ViewRow

MAX_ORPHANS = 8
"""Orphaned views that stay, the most recently indexed ones."""
_LIVE, _REF = "live:", "ref:"
_PREFIXES = ("refs/heads/", "refs/tags/", "refs/remotes/")


def find_orphaned_views(project: Project) -> tuple[str, ...]:
    """Return the names of orphaned views, except the most recently indexed."""
    try:
        with project.store.pin() as snapshot:
            views = snapshot.views()
    except Failure:
        # Nothing is published, or it cannot be read and will be rebuilt.
        return ()
    known = _list_ref_views(project)
    doubtful = [view for view in views if view.name not in known and not _has_directory(view)]
    if len(doubtful) <= MAX_ORPHANS:
        return ()
    gone = [view for view in doubtful if not _is_resolvable(project, view)]
    gone.sort(key=lambda view: (view.indexed_at, view.generation), reverse=True)
    return tuple(view.name for view in gone[MAX_ORPHANS:])


def _list_ref_views(project: Project) -> set[str]:
    """Return the possible view names of the repository's refs, in every spelling; read from files, without git."""
    git = project.workspace.git
    named = [row.name for row in list_refs(git)] if git is not None else []
    return {f"{_REF}{prefix}{name}" for name in named for prefix in ("", *_PREFIXES)}


def _has_directory(view: ViewRow) -> bool:
    return view.name.startswith(_LIVE) and os.path.isdir(view.name.removeprefix(_LIVE))


def _is_resolvable(project: Project, view: ViewRow) -> bool:
    """Whether git still resolves a name that is not a ref, such as a hash."""
    if not view.name.startswith(_REF):
        return False
    try:
        return bool(project.git().resolve(view.name.removeprefix(_REF)))
    except Failure as failure:
        # Only a definite answer of git counts: if git fails, no view is removed.
        return failure.code != "REF_NOT_INDEXED"
