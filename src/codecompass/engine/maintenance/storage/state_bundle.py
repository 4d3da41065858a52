"""State bundle: export a published index for other machines, and import one.

A build server exports, a laptop imports: content that both have is neither parsed nor embedded again. A bundle is
accepted only for the same repository: its commit, or a root commit of its history, must be known here.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from codecompass import __version__
from codecompass.engine.workspace.dictionary_version import Settlement, view_key
from codecompass.engine.workspace.lock_owner import this_process
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.repo.git.repository import head
from codecompass.store.portable_port import Manifest, Received
from codecompass.store.ports import Snapshot

FILE = "codecompass-state.tar.zst"
"""File name of a bundle in a directory of artifacts."""
ARTIFACTS = "ci-artifacts"
"""Directory of artifacts, relative to the repository root."""
RULES_KEY = "risk.rules:"


def export(project: Project, ref: str, target: Path, call: Call) -> Manifest:
    """Export the index; `ref` names the view that the bundle describes."""

    def describe(snapshot: Snapshot) -> dict[str, Any]:
        known = project.find_view(snapshot, ref, call.check)
        row = next(one for one in snapshot.views() if one.id == known.id)  # under the name it was indexed by
        roots = project.git().roots(row.commit, call.check) if row.commit and project.workspace.git else ()
        return {
            "tool_version": __version__, "created_at": datetime.now(UTC).isoformat(timespec="seconds"), "ref": ref,
            "view": row.name, "commit": row.commit, "roots": roots, "generation": row.generation, "files": row.files,
            "symbols": row.symbols, "blobs": len(snapshot.paths(row)),
            "rules": project.store.records.get(RULES_KEY + row.name) or "",
            "words": project.store.records.get(view_key(row.name)) or "",
        }  # fmt: skip

    return project.store.upkeep.export(target, describe, _stepping(call))


def restore(project: Project, source: Path, call: Call, *, current: bool = False) -> Received:
    """Import a bundle; the next sync indexes what it lacks.

    With `current` its commit must be part of the checked-out history, as that of a build server is.
    """

    def accept(manifest: Manifest) -> str:
        _check_home(project, manifest, call)
        if current:
            _check_commit(project, manifest, call)
        model = project.semantics.model()
        return model.digest if model is not None else ""

    view = project.view_name("live")
    received = project.store.upkeep.receive(source, this_process("import"), view, accept, _stepping(call))
    manifest = received.manifest
    name = view if manifest.view.startswith("live:") else manifest.view
    # Record what its facts were built with; if other rules apply here, the next sync rebuilds them.
    records = project.store.records
    records.set(RULES_KEY + name, manifest.rules)
    words = Settlement(manifest.words, "", new_epoch=True, again=True)
    project.words.begin(records, words)
    project.words.finish(records, name, words)
    return received


def _check_home(project: Project, manifest: Manifest, call: Call) -> None:
    """Reject a bundle of another repository."""
    git = project.workspace.git
    if (git is None) != (not manifest.commit):
        here = "has no git history" if git is None else "is a git repository"
        message = f"The bundle is of another project: this directory {here}, the bundle's is different."
        raise Failure("INVALID_REQUEST", message, {"reason": "foreign"})
    if git is None or _knows(project, manifest.commit, call):
        return
    own = head(git).commit
    if own and set(manifest.roots) & set(project.git().roots(own, call.check)):
        return
    raise Failure(
        "INVALID_REQUEST",
        f"The bundle is of another repository: neither its commit {manifest.commit[:12]} nor the beginning of its "
        "history is known here.",
        {"reason": "foreign", "commit": manifest.commit},
        "Fetch that commit if it is of this repository, or name the right project with --path.",
    )


def _knows(project: Project, commit: str, call: Call) -> bool:
    try:
        return project.git().resolve(commit, call.check) == commit
    except Failure as failure:
        if failure.code in ("CANCELLED", "TOOL_TIMEOUT"):
            raise
        return False


def _check_commit(project: Project, manifest: Manifest, call: Call) -> None:
    """Reject a bundle whose commit is not in the checked-out history: most of it would be useless."""
    if project.workspace.git is None:
        return
    own = head(project.workspace.git).commit
    fits = bool(own) and _knows(project, manifest.commit, call)
    if not fits or own is None or project.git().merge_base(manifest.commit, own, call.check) != manifest.commit:
        reason = f"its commit {manifest.commit[:12]} is not part of the history that is checked out"
        raise Failure("INVALID_REQUEST", f"The bundle does not fit: {reason}.", {"reason": "commit"})


def _stepping(call: Call) -> Callable[[str, int, int], None]:
    return call.step
