"""Doctor: check everything an installation needs and name the command that repairs each problem.

No remedy destroys anything: an index is rebuilt beside the one in use, and owned data is never touched.
"""

import os
import shutil
import stat
from pathlib import Path

from codecompass.embed.models import NONE, ModelChoice, open_model
from codecompass.engine.index.linter import find_program
from codecompass.engine.maintenance.health.mcp_clients import entries
from codecompass.engine.maintenance.health.project_health import grammars
from codecompass.engine.maintenance.health.self_test import REINSTALL, storage
from codecompass.engine.maintenance.health.storage_checks import obstacles, permissions, room
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.channel_health import meaning_of, words_of
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_registry import StoreFactory
from codecompass.errors import Failure
from codecompass.findings.record_writer import CHECKSUM
from codecompass.languages.registry import Registry
from codecompass.model.maintenance.download_values import ExtensionReport
from codecompass.model.queries.results import Check
from codecompass.model.queries.vector_state import SemanticState, WordsState
from codecompass.repo.files.tree_walk import walk
from codecompass.repo.workspace import LIVE
from codecompass.store.vector_port import VectorAgreement
from codecompass.text.documents import EXTRA, KINDS, can_read

REBUILD = "codecompass index --force"
SYNC = "codecompass sync"


def installation(
    registry: Registry, stores: StoreFactory, data: Path, *, thorough: bool = False, model: ModelChoice | None = None
) -> tuple[Check, ...]:
    """Check what every project needs; `thorough` also compiles every query of every language (slow)."""
    return (
        _grammars(registry, thorough=thorough),
        *storage(stores),
        _model(model or ModelChoice()),
        _git_program(),
        _documents(),
        _linter(),
        _data_directory(data),
    )


def absent(home: Path, failure: Failure) -> tuple[Check, ...]:
    """Explain why a project cannot be checked: it was never registered, or it cannot be opened."""
    if failure.code in ("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED"):
        return (Check("project", "warn", "This directory is not registered.", "codecompass init"),)
    return obstacles(home, failure)


def examine(project: Project, extension: ExtensionReport | None, *, read_data: bool, home: Path) -> tuple[Check, ...]:
    """Check one project; with `read_data` every stored byte is verified against its checksum."""
    return (
        *((_extension(extension),) if extension is not None else ()),
        _index(project),
        *_channels(project),
        *(_read_all(project) if read_data else (_unread(),)),
        _records(project),
        _triage(project),
        _job(project),
        _disk(project),
        _permissions(project),
        _listing(project),
        _clients(project, home),
    )


# -- installation ------------------------------------------------------------------------------------------------------


def _grammars(registry: Registry, *, thorough: bool) -> Check:
    available, missing = grammars(registry, compile_queries=thorough)
    if missing:
        return Check("grammars", "fail", f"cannot load {', '.join(missing)}", REINSTALL)
    return Check("grammars", "ok", f"{len(available)} languages: {', '.join(available)}")


def _model(choice: ModelChoice) -> Check:
    """Open the model, which verifies the checksum of its file."""
    if choice.model in (NONE, ""):
        return Check("model", "ok", "none is selected: search uses words")
    try:
        found = open_model(choice)
    except Failure as failure:
        return Check("model", "fail", failure.message, REINSTALL if choice.model == "bundled" else failure.advice)
    return Check("model", "ok", f"{found.name} loads and matches its checksum" if found else "none")


def _extension(found: ExtensionReport) -> Check:
    """Check the vector extension: it is optional, so only one that exists and fails is a problem."""
    if found.works:
        return Check("extension", "ok", f"{found.provider} {found.version} loads and answers".replace("  ", " "))
    if not found.exists:
        return Check("extension", "ok", f"{found.provider} is not installed; vectors are searched without it")
    why = found.load.reason or found.smoke.reason
    return Check("extension", "warn", f"{found.provider}: {why}", f"pip install --force-reinstall {found.provider}")


def _git_program() -> Check:
    if shutil.which("git"):
        return Check("git", "ok", "found")
    return Check("git", "warn", "not found: only the working tree can be indexed", "install git to index branches")


def _documents() -> Check:
    missing = [kind.name for kind in KINDS if not can_read(kind.name)]
    if missing:
        return Check(
            "documents", "ok", f"{', '.join(missing)} files are left out", f"pip install 'codecompass[{EXTRA}]'"
        )
    return Check("documents", "ok", f"text of {', '.join(kind.name for kind in KINDS)} files is indexed")


def _linter() -> Check:
    if find_program():
        return Check("linter", "ok", "found")
    return Check("linter", "warn", "not found: only parsers report problems", "pip install ruff")


def _data_directory(data: Path) -> Check:
    """Check that the data directory is writable, and that other users cannot read indexes in it."""
    existing = next((one for one in (data, *data.parents) if one.exists()), data)
    if not os.access(existing, os.R_OK | os.W_OK | os.X_OK):
        return Check("data directory", "fail", f"{existing} cannot be written to", f"chmod u+rwx '{existing}'")
    if existing != data:
        return Check("data directory", "ok", "created at the first use")
    projects = data / "projects"
    mode = stat.S_IMODE(data.stat().st_mode)
    inner = [one for one in (projects.iterdir() if projects.is_dir() else ()) if _is_open(one)]
    if mode & 0o077 and inner:
        return Check("data directory", "warn", "others on this machine can read indexes in it", f"chmod 700 '{data}'")
    return Check("data directory", "ok", "can be written to")


def _is_open(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:
        return False


# -- project -----------------------------------------------------------------------------------------------------------


def _index(project: Project) -> Check:
    state = project.store.state()
    if state.schema == "compatible":
        return Check("index", "ok", f"schema {state.version}, generation {state.generation}")
    if state.schema == "not_indexed":
        return Check("index", "warn", "nothing indexed yet", "codecompass index")
    return Check("index", "fail", state.message, REBUILD)


def _channels(project: Project) -> tuple[Check, ...]:
    """Compare the text index and the vectors with the catalog, in both directions."""
    try:
        with project.pinned(LIVE) as view:
            stored = project.store.vectors.agreement(view.snapshot)
            return _words(words_of(view)), _vectors(meaning_of(project, view), stored)
    except Failure:
        # Nothing is published, or it cannot be read: the index check reports that.
        return ()


def _words(found: WordsState) -> Check:
    if found.state == "damaged":
        detail = f"it has {found.strays:,} contents unknown to the catalog, and lacks {found.missing:,} of its contents"
        return Check("text index", "fail", detail, SYNC)
    if found.state == "unverified":
        return Check("text index", "warn", "an older version built it, which did not count its documents", SYNC)
    detail = f"{found.documents:,} documents, matching the catalog"
    if found.dropped_hits:
        return Check("text index", "warn", f"{detail}; {found.dropped_hits:,} unknown hits were dropped", SYNC)
    return Check("text index", "ok", detail)


def _vectors(found: SemanticState, agreement: VectorAgreement | None) -> Check:
    if found.state == "off":
        return Check("vectors", "ok", found.note or "disabled")
    detail = f"{found.covered:,} of {found.total:,} files have vectors"
    if agreement and agreement.strays:
        detail += f"; {agreement.strays:,} of {agreement.stored:,} stored contents are in no view"
    if found.state == "building":
        return Check("vectors", "warn", f"{detail}{f' ({found.note})' if found.note else ''}", SYNC)
    return Check("vectors", "ok", detail)


def _unread() -> Check:
    return Check("checksums", "ok", "verified on every read; 'codecompass doctor --read-data' reads everything")


def _read_all(project: Project) -> tuple[Check, ...]:
    """Verify the index, then every other existing database, grouped by what its damage means."""
    damage = project.store.verify()
    index = Check("checksums", "ok", "every page and text file of the index matches")
    if damage:
        index = Check("checksums", "fail", "; ".join(damage[:3]), REBUILD)
    read = project.store.upkeep.read_all()
    owned = [detail for name, detail in read.items() if detail and name.startswith("records.db")]
    portable = [detail for name, detail in read.items() if detail and name.startswith("portable")]
    derived = [detail for name, detail in read.items() if detail and detail not in (*damage, *owned, *portable)]
    return (
        index,
        Check("owned data", "fail", owned[0], "restore records.db from a backup")
        if owned
        else Check("owned data", "ok", "every page of records.db matches"),
        Check("sqlite file", "fail", portable[0], "codecompass care sqlite")
        if portable
        else Check("sqlite file", "ok", "every page matches" if "portable/index.sqlite" in read else "not built"),
        Check("caches", "warn", derived[0], REBUILD) if derived else Check("caches", "ok", "every page matches"),
    )


def _records(project: Project) -> Check:
    try:
        count = len(project.board.recent(200))
    except Failure as failure:
        return Check("records", "fail", failure.message, "restore records.db from a backup")
    return Check("records", "ok", f"{count} jobs on record")


def _triage(project: Project) -> Check:
    """Verify every record against its checksum."""
    damaged = get_record_store(project).damaged()
    if damaged:
        name = damaged[0].partition(":")[0]
        path = get_record_store(project).records_directory / f"{name}.json"
        more = f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else ""
        # For a deliberate edit the checksum is removed: the record then gets a new one.
        remedy = f"restore '{path}' from a backup or ingest it again; if you edited it: sed -i '/{CHECKSUM}/d' '{path}'"
        return Check("triage", "fail", f"{damaged[0]}{more}; the file is kept and nothing of it is shown", remedy)
    count, unproved = len(get_record_store(project).records()[1]), get_record_store(project).unproved()
    detail = f"{count} records match their checksums"
    if unproved:
        detail = f"{count} records; {unproved} had no checksum, could not be verified, and have one from now on"
    return Check("triage", "ok", detail)


def _job(project: Project) -> Check:
    active, lost = project.board.active(), project.board.recovery()
    if active:
        return Check("jobs", "ok", f"job {active.job_id} is {active.status}")
    if lost:
        return Check("jobs", "warn", f"{lost.interrupted_jobs} interrupted since the last publish", "codecompass sync")
    return Check("jobs", "ok", "none waiting")


def _disk(project: Project) -> Check:
    return room(project.directory, not project.store.records.has_room(), project.store.size())


def _permissions(project: Project) -> Check:
    """Check what indexing reads and writes."""
    kept, root = permissions(project.directory), project.workspace.root
    if kept.status != "ok":
        return kept
    if not os.access(root, os.R_OK | os.X_OK):
        return Check("permissions", "fail", "the repository cannot be read", f"chmod u+rx '{root}'")
    return Check("permissions", "ok", "the repository can be read, the index written")


def _listing(project: Project) -> Check:
    listing = walk(project.workspace.root, project.workspace.git)
    reasons: dict[str, int] = {}
    for item in listing.skipped:
        reasons[item.reason] = reasons.get(item.reason, 0) + 1
    left = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) or "nothing"
    detail = f"{len(listing.files)} files listed; {listing.ignored} ignored; left out: {left}"
    if reasons.get("unreadable"):
        return Check("ignore rules", "warn", detail, f"chmod -R u+rX '{project.workspace.root}'")
    if not listing.files and listing.ignored:
        return Check("ignore rules", "warn", f"every file is ignored: {detail}", "git check-ignore -v *")
    return Check("ignore rules", "ok", detail)


def _clients(project: Project, home: Path) -> Check:
    root = project.workspace.root
    found = entries(root, home)
    broken = [item for item in found if item.trouble]
    add = f"claude mcp add codecompass -- codecompass serve-mcp --workspace '{root}'"
    if broken:
        detail = "; ".join(f"{item.client} ({item.file}): {item.trouble}" for item in broken)
        command = shutil.which("codecompass")
        remedy = f"name {command} there as the command" if command else "pip install codecompass"
        return Check("clients", "fail" if any("command" in item.trouble for item in broken) else "warn", detail, remedy)
    if not found:
        return Check("clients", "warn", "no MCP client is configured to use this program", add)
    return Check("clients", "ok", ", ".join(dict.fromkeys(f"{item.client} ({item.file})" for item in found)))
