"""Full build: index in a child process, wait for it, and write the SQLite file."""

import time
from collections.abc import Mapping
from pathlib import Path

from codecompass.engine.jobs.cancellation import cancel_job
from codecompass.engine.jobs.job_runner import run_job, start_child
from codecompass.engine.maintenance.storage.portable_build import build_portable_index as build_portable
from codecompass.engine.maintenance.storage.state_bundle import BUNDLE_FILE, NOT_ALLOWED, import_bundle
from codecompass.engine.maintenance.storage.vector_wait import describe_vectors, wait_for_vectors
from codecompass.engine.view.file_modes import RECORDS_NOTE, detect_mode
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call, Progress
from codecompass.model.job import Job
from codecompass.model.maintenance.maintenance_orders import BuildReport, BuildRequest
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.model.states import MODES

POLL_SECONDS = 0.05
LIVENESS_SECONDS = 1.0
"""Seconds between two checks whether the process of a job is alive."""
SKIPS_SHOWN = 6


def build_index(
    project: Project, order: BuildRequest, artifacts: Path | None, environment: Mapping[str, str], call: Call
) -> BuildReport:
    """Import artifacts if there are any, index, write the SQLite file; measure each part in milliseconds."""
    ref = project.effective_ref(order.ref)
    times: dict[str, int] = {}
    began = time.monotonic()
    restored, note = _restore_bundle(project, artifacts, call) if artifacts is not None else (False, "")
    if artifacts is not None:
        times["restoreMs"] = _milliseconds_since(began)
    started = time.monotonic()
    job = run_index_job(project, ref, environment, call, force=not (order.incremental or restored))
    times["indexMs"] = _milliseconds_since(started)
    started = time.monotonic()
    vectors = wait_for_vectors(project, ref, call)
    if vectors.state != "off":
        times["vectorsMs"] = _milliseconds_since(started)
    with project.open_view(ref) as view:
        started = time.monotonic()
        portable = None
        if order.sqlite:
            wanted = PortableBuildRequest(ref, order.modes, keep_current=order.incremental)
            portable = build_portable(project, view, ref, wanted, None, call)
            times["sqliteMs"] = _milliseconds_since(started)
        counts = _count_indexed(view, job, order.modes, portable)
        state = project.get_view_state(view, ref)
        warnings = (*((note,) if note else ()), *_list_skips(view), *describe_vectors(project, vectors))
    times["totalMs"] = _milliseconds_since(began)
    root = str(project.workspace.root)
    return BuildReport(root, job, state, counts, times, restored, portable, warnings, vectors)


def _milliseconds_since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)


def _restore_bundle(project: Project, artifacts: Path, call: Call) -> tuple[bool, str]:
    """Import the bundle of a build server; return whether it was imported, and a note about problems."""
    source = artifacts / BUNDLE_FILE
    if not source.is_file():
        return False, f"There is no {BUNDLE_FILE} in {artifacts.name}; the index was built from the sources."
    if not (project.options.import_bundles or project.options.personal):
        return False, f"{NOT_ALLOWED} The index was built from the sources."
    try:
        return True, import_bundle(project, source, call, current=True).note
    except Failure as failure:
        if failure.code in ("CANCELLED", "TOOL_TIMEOUT", "INDEX_IN_PROGRESS"):
            raise
        return False, f"{failure.message} The index was built from the sources."


def run_index_job(project: Project, ref: str, environment: Mapping[str, str], call: Call, *, force: bool) -> Job:
    """Run one job to its end: in a child process group if the engine can start one, else here."""
    if not project.options.child_command:
        return run_job(project, ref, call, force=force, job_id=None)
    while True:
        try:
            started = start_child(project, ref, environment, mode="full" if force else "incremental", force=force)
        except Failure as failure:
            if failure.code not in ("INDEX_IN_PROGRESS", "SYNC_IN_PROGRESS"):
                raise
            _wait_for_other_jobs(project, call)
            continue
        return _wait_for_job(project, started, call)


def _wait_for_other_jobs(project: Project, call: Call) -> None:
    """Wait for a running job: a server often syncs just after it has started."""
    while True:
        call.check()
        call.report(Progress("index", 0, 0))
        time.sleep(POLL_SECONDS)
        if project.jobs.find_active() is None:
            return


def _wait_for_job(project: Project, started: Job, call: Call) -> Job:
    checked_at = time.monotonic()
    while True:
        job = project.jobs.records.job(started.job_id) or started
        if not job.active:
            break
        try:
            call.check()
        except Failure:
            cancel_job(project, job.job_id)
            raise
        call.report(Progress("index", job.files_done, job.files_total or 0))
        if time.monotonic() - checked_at > LIVENESS_SECONDS:
            checked_at = time.monotonic()
            project.jobs.find_active()  # marks the job as interrupted if its process died
        time.sleep(POLL_SECONDS)
    if job.status == "published":
        return job
    code: ErrorCode = "CANCELLED" if job.status == "cancelled" else "INTERNAL"
    message = f"The job {job.job_id} ended as {job.status}: {job.error or 'no reason was given'}"
    raise Failure(code, message, {"job_id": job.job_id})


def _count_indexed(
    view: PinnedView, job: Job, modes: tuple[str, ...], portable: PortableReport | None
) -> dict[str, int]:
    """Count all indexed files from the job, or for some modes only the files of those modes."""
    changed = job.changed_files or 0
    if set(modes) == set(MODES):
        return {"files": job.file_count or 0, "symbols": job.symbol_count or 0, "changed": changed}
    if portable is not None:
        return {"files": portable.files, "symbols": portable.symbols, "changed": changed}
    files = symbols = 0
    for number, paths in view.paths.items():
        facts = view.snapshot.facts(number) if number else None
        if facts is not None:
            of_mode = sum(detect_mode(path, facts.language, looks_like_records=RECORDS_NOTE in facts.notes) in modes
                          for path in paths)  # fmt: skip
            files += of_mode
            symbols += of_mode and len(facts.definitions)
    return {"files": files, "symbols": symbols, "changed": changed}


def _list_skips(view: PinnedView) -> tuple[str, ...]:
    skips = sorted(view.snapshot.skips(view.row).items(), key=lambda item: (-item[1], item[0]))
    if not skips:
        return ()
    listed = ", ".join(f"{count} {reason}" for reason, count in skips[:SKIPS_SHOWN])
    return (f"Files left out: {listed}.",)
