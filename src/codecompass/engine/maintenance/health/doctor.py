"""Doctor: check everything an installation needs and name the command that repairs each problem.

No remedy destroys anything: an index is rebuilt beside the one in use, and owned data is never touched.
"""

import os
import shutil
import stat
from pathlib import Path

from codecompass.embed.models import NONE, ModelChoice, open_model
from codecompass.engine.index.linter import find_linter
from codecompass.engine.maintenance.health.project_health import load_grammars
from codecompass.engine.maintenance.health.self_test import REINSTALL, check_storage
from codecompass.engine.maintenance.health.storage_checks import check_disk_space, check_permissions, check_unopenable
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.channel_health import get_vector_state, get_word_state
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_registry import StoreFactory
from codecompass.errors import Failure
from codecompass.findings.record_writer import CHECKSUM
from codecompass.languages.registry import Registry
from codecompass.model.maintenance.download_values import ExtensionReport
from codecompass.model.queries.results import DoctorCheck
from codecompass.model.queries.vector_state import SemanticState, TextIndexState
from codecompass.model.skipped_files import list_skipped
from codecompass.repo.files.tree_walk import walk_tree
from codecompass.repo.workspace import LIVE
from codecompass.store.vector_port import VectorAgreement
from codecompass.text.documents import EXTRA, KINDS, can_read

REBUILD = "codecompass index --force"
SYNC = "codecompass sync"


def check_installation(
    registry: Registry, stores: StoreFactory, data: Path, *, thorough: bool = False, model: ModelChoice | None = None
) -> tuple[DoctorCheck, ...]:
    """Check what every project needs; `thorough` also compiles every query of every language (slow)."""
    return (
        _check_grammars(registry, thorough=thorough),
        *check_storage(stores),
        _check_model(model or ModelChoice()),
        _check_git(),
        _check_documents(),
        _check_linter(),
        _check_data_directory(data),
    )


def check_missing_project(home: Path, failure: Failure) -> tuple[DoctorCheck, ...]:
    """Explain why a project cannot be checked: it was never registered, or it cannot be opened."""
    if failure.code in ("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED"):
        return (DoctorCheck("project", "warn", "This directory is not registered.", "codecompass init"),)
    return check_unopenable(home, failure)


def check_project(project: Project, extension: ExtensionReport | None, *, read_data: bool) -> tuple[DoctorCheck, ...]:
    """Check one project; with `read_data` every stored byte is verified against its checksum."""
    return (
        *((_check_extension(extension),) if extension is not None else ()),
        _check_index(project),
        *_check_channels(project),
        *(_check_all_data(project) if read_data else (_skip_checksums(),)),
        _check_records(project),
        _check_triage(project),
        _check_last_job(project),
        _check_disk(project),
        _check_permissions(project),
        _check_ignore_rules(project),
    )


# -- installation ------------------------------------------------------------------------------------------------------


def _check_grammars(registry: Registry, *, thorough: bool) -> DoctorCheck:
    available, missing = load_grammars(registry, compile_queries=thorough)
    if missing:
        return DoctorCheck("grammars", "fail", f"cannot load {', '.join(missing)}", REINSTALL)
    return DoctorCheck("grammars", "ok", f"{len(available)} languages: {', '.join(available)}")


def _check_model(choice: ModelChoice) -> DoctorCheck:
    """Open the model, which verifies the checksum of its file."""
    if choice.model in (NONE, ""):
        return DoctorCheck("model", "ok", "none is selected: search uses words")
    try:
        found = open_model(choice)
    except Failure as failure:
        return DoctorCheck(
            "model", "fail", failure.message, REINSTALL if choice.model == "bundled" else failure.effective_hint
        )
    return DoctorCheck("model", "ok", f"{found.name} loads and matches its checksum" if found else "none")


def _check_extension(found: ExtensionReport) -> DoctorCheck:
    """Check the vector extension: it is optional, so only one that exists and fails is a problem."""
    if found.works:
        return DoctorCheck("extension", "ok", f"{found.provider} {found.version} loads and answers".replace("  ", " "))
    if not found.exists:
        return DoctorCheck("extension", "ok", f"{found.provider} is not installed; vectors are searched without it")
    why = found.load.reason or found.smoke.reason
    return DoctorCheck(
        "extension", "warn", f"{found.provider}: {why}", f"pip install --force-reinstall {found.provider}"
    )


def _check_git() -> DoctorCheck:
    if shutil.which("git"):
        return DoctorCheck("git", "ok", "found")
    return DoctorCheck(
        "git", "warn", "not found: only the working tree can be indexed", "install git to index branches"
    )


def _check_documents() -> DoctorCheck:
    missing = [kind.name for kind in KINDS if not can_read(kind.name)]
    if missing:
        return DoctorCheck(
            "documents", "ok", f"{', '.join(missing)} files are left out", f"pip install 'codecompass[{EXTRA}]'"
        )
    return DoctorCheck("documents", "ok", f"text of {', '.join(kind.name for kind in KINDS)} files is indexed")


def _check_linter() -> DoctorCheck:
    if find_linter():
        return DoctorCheck("linter", "ok", "found")
    return DoctorCheck("linter", "warn", "not found: only parsers report problems", "pip install ruff")


def _check_data_directory(data: Path) -> DoctorCheck:
    """Check that the data directory is writable, and that other users cannot read indexes in it."""
    existing = next((one for one in (data, *data.parents) if one.exists()), data)
    if not os.access(existing, os.R_OK | os.W_OK | os.X_OK):
        return DoctorCheck("data directory", "fail", f"{existing} cannot be written to", f"chmod u+rwx '{existing}'")
    if existing != data:
        return DoctorCheck("data directory", "ok", "created at the first use")
    projects = data / "projects"
    mode = stat.S_IMODE(data.stat().st_mode)
    inner = [one for one in (projects.iterdir() if projects.is_dir() else ()) if _is_open_to_others(one)]
    if mode & 0o077 and inner:
        return DoctorCheck(
            "data directory", "warn", "others on this machine can read indexes in it", f"chmod 700 '{data}'"
        )
    return DoctorCheck("data directory", "ok", "can be written to")


def _is_open_to_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:
        return False


# -- project -----------------------------------------------------------------------------------------------------------


def _check_index(project: Project) -> DoctorCheck:
    state = project.store.state()
    if state.schema == "compatible":
        return DoctorCheck("index", "ok", f"schema {state.version}, generation {state.generation}")
    if state.schema == "not_indexed":
        return DoctorCheck("index", "warn", "nothing indexed yet", "codecompass index")
    return DoctorCheck("index", "fail", state.message, REBUILD)


def _check_channels(project: Project) -> tuple[DoctorCheck, ...]:
    """Compare the text index and the vectors with the catalog, in both directions."""
    try:
        with project.open_view(LIVE) as view:
            stored = project.store.vectors.check_agreement(view.snapshot)
            return _check_text_index(get_word_state(view)), _check_vectors(get_vector_state(project, view), stored)
    except Failure:
        # Nothing is published, or it cannot be read: the index check reports that.
        return ()


def _check_text_index(found: TextIndexState) -> DoctorCheck:
    if found.state == "damaged":
        detail = f"it has {found.strays:,} contents unknown to the catalog, and lacks {found.missing:,} of its contents"
        return DoctorCheck("text index", "fail", detail, SYNC)
    if found.state == "unverified":
        return DoctorCheck("text index", "warn", "an older version built it, which did not count its documents", SYNC)
    detail = f"{found.documents:,} documents, matching the catalog"
    if found.dropped_hits:
        return DoctorCheck("text index", "warn", f"{detail}; {found.dropped_hits:,} unknown hits were dropped", SYNC)
    return DoctorCheck("text index", "ok", detail)


def _check_vectors(found: SemanticState, agreement: VectorAgreement | None) -> DoctorCheck:
    if found.state == "off":
        return DoctorCheck("vectors", "ok", found.note or "disabled")
    detail = f"{found.covered:,} of {found.total:,} files have vectors"
    if agreement and agreement.strays:
        detail += f"; {agreement.strays:,} of {agreement.stored:,} stored contents are in no view"
    if found.state == "building":
        return DoctorCheck("vectors", "warn", f"{detail}{f' ({found.note})' if found.note else ''}", SYNC)
    if agreement and agreement.missing:
        return DoctorCheck("vectors", "warn", f"{detail}; {agreement.missing:,} contents of other refs have none", SYNC)
    return DoctorCheck("vectors", "ok", detail)


def _skip_checksums() -> DoctorCheck:
    return DoctorCheck("checksums", "ok", "verified on every read; 'codecompass doctor --read-data' reads everything")


def _check_all_data(project: Project) -> tuple[DoctorCheck, ...]:
    """Verify the index, then every other existing database, grouped by what its damage means."""
    damage = project.store.verify()
    index = DoctorCheck("checksums", "ok", "every page and text file of the index matches")
    if damage:
        index = DoctorCheck("checksums", "fail", "; ".join(damage[:3]), REBUILD)
    read = project.store.maintenance.check_databases()
    owned = [detail for name, detail in read.items() if detail and name.startswith("records.db")]
    portable = [detail for name, detail in read.items() if detail and name.startswith("portable")]
    derived = [detail for name, detail in read.items() if detail and detail not in (*damage, *owned, *portable)]
    return (
        index,
        DoctorCheck("owned data", "fail", owned[0], "restore records.db from a backup")
        if owned
        else DoctorCheck("owned data", "ok", "every page of records.db matches"),
        DoctorCheck("sqlite file", "fail", portable[0], "codecompass care sqlite")
        if portable
        else DoctorCheck("sqlite file", "ok", "every page matches" if "portable/index.sqlite" in read else "not built"),
        DoctorCheck("caches", "warn", derived[0], REBUILD)
        if derived
        else DoctorCheck("caches", "ok", "every page matches"),
    )


def _check_records(project: Project) -> DoctorCheck:
    try:
        count = len(project.jobs.list_recent(200))
    except Failure as failure:
        return DoctorCheck("records", "fail", failure.message, "restore records.db from a backup")
    return DoctorCheck("records", "ok", f"{count:,} job{'' if count == 1 else 's'} on record")


def _check_triage(project: Project) -> DoctorCheck:
    """Verify every record against its checksum."""
    damaged = get_record_store(project).list_damaged()
    if damaged:
        name = damaged[0].partition(":")[0]
        path = get_record_store(project).records_directory / f"{name}.json"
        more = f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else ""
        # For a deliberate edit the checksum is removed: the record then gets a new one.
        remedy = f"restore '{path}' from a backup or ingest it again; if you edited it: sed -i '/{CHECKSUM}/d' '{path}'"
        return DoctorCheck("triage", "fail", f"{damaged[0]}{more}; the file is kept and nothing of it is shown", remedy)
    count, unproved = len(get_record_store(project).get_records()[1]), get_record_store(project).count_unverified()
    detail = f"{count} records match their checksums"
    if unproved:
        detail = f"{count} records; {unproved} had no checksum, could not be verified, and have one from now on"
    return DoctorCheck("triage", "ok", detail)


def _check_last_job(project: Project) -> DoctorCheck:
    active, lost = project.jobs.find_active(), project.jobs.build_recovery_report()
    if active:
        return DoctorCheck("jobs", "ok", f"job {active.job_id} is {active.status}")
    if lost:
        return DoctorCheck(
            "jobs", "warn", f"{lost.interrupted_jobs} interrupted since the last publish", "codecompass sync"
        )
    return DoctorCheck("jobs", "ok", "none waiting")


def _check_disk(project: Project) -> DoctorCheck:
    may_write = check_permissions(project.directory).status == "ok"
    is_full = may_write and not project.store.records.can_write()
    return check_disk_space(project.directory, is_full, project.store.size())


def _check_permissions(project: Project) -> DoctorCheck:
    """Check what indexing reads and writes."""
    kept, root = check_permissions(project.directory), project.workspace.root
    if kept.status != "ok":
        return kept
    if not os.access(root, os.R_OK | os.X_OK):
        return DoctorCheck("permissions", "fail", "the repository cannot be read", f"chmod u+rx '{root}'")
    return DoctorCheck("permissions", "ok", "the repository can be read, the index written")


def _check_ignore_rules(project: Project) -> DoctorCheck:
    listing = walk_tree(project.workspace.root, project.workspace.git)
    reasons: dict[str, int] = {}
    for item in listing.skipped:
        reasons[item.reason] = reasons.get(item.reason, 0) + 1
    left = list_skipped(reasons) or "nothing"
    detail = f"{len(listing.files):,} files listed; {listing.ignored:,} ignored; left out: {left}"
    if reasons.get("unreadable"):
        return DoctorCheck("ignore rules", "warn", detail, f"chmod -R u+rX '{project.workspace.root}'")
    if not listing.files and listing.ignored:
        return DoctorCheck("ignore rules", "warn", f"every file is ignored: {detail}", "git check-ignore -v *")
    return DoctorCheck("ignore rules", "ok", detail)
