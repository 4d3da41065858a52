"""Known projects: list what the data directory holds of each repository, and remove one of them."""

import os
import shutil
from pathlib import Path

from codecompass.engine.maintenance.storage.artifacts import measure_directory, measure_parts, measure_paths, name_part
from codecompass.engine.maintenance.storage.garbage_collection import (
    LAST_USE_FILE,
    find_last_write,
    has_lost_its_directories,
    open_project_store,
)
from codecompass.engine.workspace.lock_owner import make_lock_owner
from codecompass.engine.workspace.project import ROOT_KEY
from codecompass.engine.workspace.project_registry import ProjectRegistry
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.known_projects import ForgottenProject, KnownProject, ProjectState
from codecompass.model.timestamp import utc_timestamp
from codecompass.store.ports import Store, ViewRow

OWNED_PARTS = ("records", "triage")
"""Parts that exist only here, and so are worth a word when they stay."""
_REMOVED = ".removed-"


def list_known_projects(projects: ProjectRegistry, call: Call) -> tuple[KnownProject, ...]:
    """List every project of the data directory, the most recently used first."""
    found = []
    for home in projects.list_directories():
        call.check()
        found.append(_describe(projects, home))
    return tuple(sorted(found, key=lambda one: (one.used_at, one.root), reverse=True))


def forget_project(
    projects: ProjectRegistry, named: str, call: Call, *, with_records: bool, dry_run: bool
) -> ForgottenProject:
    """Remove the index of the project that a directory or an id names; with `with_records` also what only it holds."""
    home = _find_home(projects, named)
    project, parts = _describe(projects, home), measure_parts(home)
    call.check()
    with open_project_store(projects, home) as store:
        derived = {name_part(path.name) for path in store.maintenance.list_derived_files()}
        store.maintenance.delete_derived(make_lock_owner("forget"), exclusive=True, dry_run=dry_run)
    removed = {name: size for name, size in parts.items() if size and (with_records or name in derived)}
    kept = {name: parts[name] for name in OWNED_PARTS if parts[name] and name not in removed}
    if with_records and not dry_run:
        _remove_directory(home)
    return ForgottenProject(project, str(home), dry_run, with_records, removed, kept)


def _find_home(projects: ProjectRegistry, named: str) -> Path:
    """Return the data directory of a project. Its own directory may be gone: then its registered path decides."""
    homes = projects.list_directories()
    path = os.path.abspath(named)
    known = projects.find_directory(path) if os.path.isdir(path) else None
    for home in homes:
        if home == known or home.name == named:
            return home
    for home in homes if known is None else ():
        with open_project_store(projects, home) as store:
            if store.records.get(ROOT_KEY) in (path, os.path.realpath(path)):
                return home
    raise Failure("WORKSPACE_NOT_REGISTERED", f"Nothing is kept of {named[:200]}: it was never registered.",
                  hint="'codecompass projects' lists what is known.")  # fmt: skip


def _describe(projects: ProjectRegistry, home: Path) -> KnownProject:
    try:
        with open_project_store(projects, home) as store:
            root = store.records.get(ROOT_KEY) or ""
            files = store.maintenance.list_derived_files()
            derived, used = measure_paths(files), find_last_write((*files, home / "records.db", home / LAST_USE_FILE))
            owned = max(0, measure_directory(home) - derived)
            state, row = _read_state(store)
            gone = has_lost_its_directories(store)
    except Failure:
        # Unreadable records: `doctor` says what is wrong with them.
        return KnownProject(home.name, "", False, "unreadable", owned_bytes=measure_directory(home))
    counts = (row.files, row.symbols, row.indexed_at) if row else (0, 0, "")
    return KnownProject(home.name, root, gone, state, derived, owned, *counts, utc_timestamp(used))


def _read_state(store: Store) -> tuple[ProjectState, ViewRow | None]:
    schema = store.state().schema
    if schema != "compatible":
        return ("not_indexed" if schema == "not_indexed" else "incompatible"), None
    with store.pin() as snapshot:
        rows = sorted(snapshot.views(), key=lambda row: row.indexed_at)
    return ("indexed", rows[-1]) if rows else ("not_indexed", None)


def _remove_directory(home: Path) -> None:
    """Remove a project's directory. It is renamed first, so that nobody opens a half of it."""
    aside = home.parent.parent / f"{_REMOVED}{home.name}"
    shutil.rmtree(aside, ignore_errors=True)
    os.rename(home, aside)
    shutil.rmtree(aside, ignore_errors=True)
