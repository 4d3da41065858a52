"""Views whose ref or working tree is gone: some are kept, for whoever deleted a branch by mistake, the rest forgotten.

Without a limit an index would grow with every branch that ever was.
"""

import os

from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.repo.git.repository import list_refs
from codecompass.store.ports import ViewRow

KEPT = 8
"""Views without a ref or directory that stay, those indexed last."""
_LIVE, _REF = "live:", "ref:"
_PREFIXES = ("refs/heads/", "refs/tags/", "refs/remotes/")


def views_to_forget(project: Project) -> tuple[str, ...]:
    """Names of the views that are of nothing any more, without the last few."""
    try:
        with project.store.pin() as snapshot:
            views = snapshot.views()
    except Failure:
        # Nothing is published that could be forgotten, or it cannot be read and is made anew.
        return ()
    known = _names(project)
    doubtful = [view for view in views if view.name not in known and not _has_directory(view)]
    if len(doubtful) <= KEPT:
        return ()
    gone = [view for view in doubtful if not _resolves(project, view)]
    gone.sort(key=lambda view: (view.indexed_at, view.generation), reverse=True)
    return tuple(view.name for view in gone[KEPT:])


def _names(project: Project) -> set[str]:
    """Views that refs of the repository may have, by each of their spellings; read from files, without git."""
    git = project.workspace.git
    named = [row.name for row in list_refs(git)] if git is not None else []
    return {f"{_REF}{prefix}{name}" for name in named for prefix in ("", *_PREFIXES)}


def _has_directory(view: ViewRow) -> bool:
    return view.name.startswith(_LIVE) and os.path.isdir(view.name.removeprefix(_LIVE))


def _resolves(project: Project, view: ViewRow) -> bool:
    """Whether git still knows a name that is no ref, such as a hash."""
    if not view.name.startswith(_REF):
        return False
    try:
        return bool(project.git().resolve(view.name.removeprefix(_REF)))
    except Failure as failure:
        # Only git's own word counts: where it cannot be asked, nothing is forgotten.
        return failure.code != "REF_NOT_INDEXED"
