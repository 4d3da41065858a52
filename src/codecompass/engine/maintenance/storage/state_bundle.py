"""State bundle: export a published index for other machines, and import one.

A build server exports, a laptop imports: content that both have is neither parsed nor embedded again. A bundle is
accepted only for the same repository: its commit, or a root commit of its history, must be known here.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from codecompass import __version__
from codecompass.engine.workspace.dictionary_version import DictionaryChoice, make_view_key
from codecompass.engine.workspace.lock_owner import make_lock_owner
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.timestamp import utc_timestamp
from codecompass.repo.git.repository import read_head
from codecompass.repo.workspace import TargetRef
from codecompass.store.portable_port import BundleManifest, ImportedBundle
from codecompass.store.ports import Snapshot

BUNDLE_FILE = "codecompass-state.tar.zst"
"""File name of a bundle in a directory of artifacts."""
ARTIFACTS_DIRECTORY = "ci-artifacts"
"""Directory of artifacts, relative to the repository root."""
RULES_KEY = "risk.rules:"
NOT_ALLOWED = (
    "A bundle of the workspace is imported only if your own settings allow it (index.import_bundles); "
    "'codecompass state import FILE' imports one by name."
)


def export_bundle(project: Project, ref: TargetRef, target: Path, call: Call) -> BundleManifest:
    """Export the index; `ref` names the view that the bundle describes."""

    def describe(snapshot: Snapshot) -> dict[str, Any]:
        known = project.find_view(snapshot, ref, call.check)
        row = next(one for one in snapshot.views() if one.id == known.id)  # under the name it was indexed by
        roots = project.git().find_root_commits(row.commit, call.check) if row.commit and project.workspace.git else ()
        return {
            "tool_version": __version__, "created_at": utc_timestamp(zone="+00:00"), "ref": ref.name,
            "view": row.name, "commit": row.commit, "roots": roots, "generation": row.generation, "files": row.files,
            "symbols": row.symbols, "blobs": len(snapshot.paths(row)),
            "rules": project.store.records.get(RULES_KEY + row.name) or "",
            "words": project.store.records.get(make_view_key(row.name)) or "",
        }  # fmt: skip

    return project.store.maintenance.export_bundle(target, describe, _make_step_reporter(call))


def import_bundle(project: Project, source: Path, call: Call, *, current: bool = False) -> ImportedBundle:
    """Import a bundle; the next sync indexes what it lacks.

    With `current` its commit must be part of the checked-out history, as that of a build server is.
    """

    def accept(manifest: BundleManifest) -> str:
        _check_repository(project, manifest, call)
        if current:
            _check_commit(project, manifest, call)
        model = project.embedder.get_model()
        return model.digest if model is not None else ""

    view = project.view_name("live")
    received = project.store.maintenance.import_bundle(
        source, make_lock_owner("import"), view, accept, _make_step_reporter(call)
    )
    manifest = received.manifest
    name = view if manifest.view.startswith("live:") else manifest.view
    # Record what its facts were built with; if other rules apply here, the next sync rebuilds them.
    records = project.store.records
    records.set(RULES_KEY + name, manifest.rules)
    words = DictionaryChoice(manifest.words, "", new_epoch=True, rescan=True)
    project.dictionary_versions.start(records, words)
    project.dictionary_versions.commit(records, name, words)
    return received


def _check_repository(project: Project, manifest: BundleManifest, call: Call) -> None:
    """Reject a bundle of another repository."""
    git = project.workspace.git
    if (git is None) != (not manifest.commit):
        here = "has no git history" if git is None else "is a git repository"
        message = f"The bundle is of another project: this directory {here}, the bundle's is different."
        raise Failure("INVALID_REQUEST", message, {"reason": "foreign"})
    if git is None or _has_commit(project, manifest.commit, call):
        return
    own = read_head(git).commit
    if own and set(manifest.roots) & set(project.git().find_root_commits(own, call.check)):
        return
    raise Failure(
        "INVALID_REQUEST",
        f"The bundle is of another repository: neither its commit {manifest.commit[:12]} nor the beginning of its "
        "history is known here.",
        {"reason": "foreign", "commit": manifest.commit},
        "Fetch that commit if it is of this repository, or name the right project with --path.",
    )


def _has_commit(project: Project, commit: str, call: Call) -> bool:
    try:
        return project.git().resolve(commit, call.check) == commit
    except Failure as failure:
        if failure.code in ("CANCELLED", "TOOL_TIMEOUT"):
            raise
        return False


def _check_commit(project: Project, manifest: BundleManifest, call: Call) -> None:
    """Reject a bundle whose commit is not in the checked-out history: most of it would be useless."""
    if project.workspace.git is None:
        return
    own = read_head(project.workspace.git).commit
    fits = bool(own) and _has_commit(project, manifest.commit, call)
    if not fits or own is None or project.git().find_merge_base(manifest.commit, own, call.check) != manifest.commit:
        reason = f"its commit {manifest.commit[:12]} is not part of the history that is checked out"
        raise Failure("INVALID_REQUEST", f"The bundle does not fit: {reason}.", {"reason": "commit"})


def _make_step_reporter(call: Call) -> Callable[[str, int, int], None]:
    return call.step
