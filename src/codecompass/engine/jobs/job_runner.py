"""Job runner: run an index job in this process, or start a child process that outlives the call."""

import os
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from codecompass.engine.index.linter import Linter
from codecompass.engine.index.orphaned_views import find_orphaned_views
from codecompass.engine.index.sync import SyncContext, SyncOutcome, sync_view
from codecompass.engine.index.vector_build import embed_view
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.jobs.file_rank import rank_file
from codecompass.engine.memory.corpus_cache import MINING_VERSION, build_corpus, mine_view, warm_index
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.project import EMBED_ERROR_KEY, Project
from codecompass.errors import ErrorCode, Failure, to_system_failure
from codecompass.languages.taint.risk_rules import hash_rules
from codecompass.model.call import Call, Progress
from codecompass.model.job import Job
from codecompass.model.states import JobMode, JobState
from codecompass.model.time_budget import ANSWER_RESERVE_S, TimeBudget
from codecompass.repo.process.child_process import read_start_time, spawn_detached
from codecompass.repo.workspace import LIVE
from codecompass.store.ports import IndexWriter, Owner

_BEAT_SECONDS = 1.0
_LOCK_WAIT_SECONDS = 2.0
_SWITCH_INTERVAL_SECONDS = 0.0005
_MINE_SECONDS = 120.0
_MINED_COMMIT_KEY = "memory.mined"


def run_job(project: Project, ref: str, call: Call, *, force: bool, job_id: str | None) -> Job:
    """Index a ref in this process; the job always ends as published, failed or cancelled."""
    board = project.jobs
    job = board.start(job_id, ref, choose_job_mode(project, ref, force=force), call.cancelled)
    started = time.monotonic()
    try:
        job, outcome = _sync_and_validate(project, ref, call, force=force, job=job, eager=force or job_id is not None)
    except Failure as failure:
        # Another process is indexing: this job never touched the index, so it has not failed.
        ended: JobState = "cancelled" if failure.code in ("CANCELLED", "INDEX_IN_PROGRESS") else "failed"
        board.finish(job, ended, error=failure.message, duration_ms=_milliseconds_since(started))
        raise
    except OSError as error:
        os_failure = to_system_failure(error.errno, "write or read what the job needs")
        board.finish(job, "failed", error=os_failure.message, duration_ms=_milliseconds_since(started))
        raise os_failure from error
    except KeyboardInterrupt:
        board.finish(
            job, "cancelled", error="The job was interrupted by the user.", duration_ms=_milliseconds_since(started)
        )
        raise
    except BaseException:
        # Not handled here, but the row must not claim that the job still runs.
        board.finish(job, "failed", error="The job stopped unexpectedly.", duration_ms=_milliseconds_since(started))
        raise
    job = board.finish(
        job, "published", file_count=outcome.files, symbol_count=outcome.symbols, changed_files=outcome.changed,
        files_done=outcome.changed, files_total=outcome.changed, duration_ms=_milliseconds_since(started),
    )  # fmt: skip
    _embed_vectors(project, ref, call)
    if project.options.build_memory:
        _mine_memory(project, ref, call)
    # The view is searchable since the publish, but the work took until now.
    return board.update(job, duration_ms=_milliseconds_since(started))


def choose_job_mode(project: Project, ref: str, *, force: bool) -> JobMode:
    """Return `full` for a forced or first index of a ref, else `incremental`."""
    if force:
        return "full"
    try:
        with project.open_view(ref):
            return "incremental"
    except Failure:
        return "full"


def _mine_memory(project: Project, ref: str, call: Call) -> None:
    """Mine memory of a commit for the next query; later edits and what is missed now are mined on demand."""
    records = project.store.records
    try:
        with project.open_view(ref) as view:
            key, done = f"{_MINED_COMMIT_KEY}:{view.row.name}", f"{MINING_VERSION} {view.row.commit}"
            if records.get(key) == done:
                return
            mined = mine_view(project, view, TimeBudget.start(_MINE_SECONDS, call, ANSWER_RESERVE_S))
            warm_index(project, build_corpus(project, mined), TimeBudget.start(_MINE_SECONDS, call, ANSWER_RESERVE_S))
            if mined.complete:
                records.set(key, done)
    except Failure:
        return


def _embed_vectors(project: Project, ref: str, call: Call) -> None:
    """Build vectors for the published view. Word search already works, and the next job need not wait."""
    records = project.store.records
    model = project.embedder.get_model() if project.options.build_vectors and project.embedder.enabled else None
    trouble = ""
    try:
        if model is not None:
            embed_view(project, ref, model, call)
    except Failure as failure:
        # The job succeeds without them; the next one continues where this one stopped.
        trouble = failure.message if failure.code != "CANCELLED" else ""
    if trouble != (records.get(EMBED_ERROR_KEY) or ""):
        records.set(EMBED_ERROR_KEY, trouble)


def _milliseconds_since(started: float) -> int:
    return int((time.monotonic() - started) * 1000)


def _sync_and_validate(
    project: Project, ref: str, call: Call, *, force: bool, job: Job, eager: bool
) -> tuple[Job, SyncOutcome]:
    """Sync, then read the published view as a reader would."""
    # A forced index may be a response to damage that indexing alone would not find.
    healed = force and project.store.maintenance.drop_damaged()
    lost = _list_other_refs(project, ref) if healed else ()
    try:
        outcome = _sync(project, ref, call, force=force, fresh=healed, job=job, eager=eager)
        _validate(project, ref, outcome)
    except Failure as failure:
        if failure.code != "INDEX_INCOMPATIBLE":
            raise
        # The index is derived data: repair damage by rebuilding it from scratch.
        lost = lost or _list_other_refs(project, ref)
        outcome = _sync(project, ref, call, force=False, fresh=True, job=job, eager=True)
        _validate(project, ref, outcome)
    for other in lost:
        with suppress(Failure):  # what cannot be indexed again is reported as not indexed
            _sync(project, other, call, force=False, fresh=False, job=job, eager=False)
    return project.jobs.transition(job, "validating"), outcome


def _list_other_refs(project: Project, ref: str) -> tuple[str, ...]:
    """Return the refs that are indexed besides one, as far as a damaged index still names them."""
    try:
        names = [name for name in project.store.maintenance.list_view_names() if name != project.view_name(ref)]
    except Failure:
        return ()
    live = [LIVE] if project.view_name(LIVE) in names else []
    return (*live, *(name.removeprefix("ref:") for name in names if name.startswith("ref:")))


def _sync(project: Project, ref: str, call: Call, *, force: bool, fresh: bool, job: Job, eager: bool) -> SyncOutcome:
    options = project.options
    source = project.open_source(ref, call.check)
    key, rules = describe_fact_settings(options, source.view)
    owner = Owner(os.getpid(), read_start_time(os.getpid()), job.job_id)
    writer = _open_writer(project, owner, fresh=fresh)
    records = project.store.records
    words = project.dictionary_versions.choose(records, source.view, lambda: force or fresh or not project.is_indexed)
    pool = WorkerPool(
        workers=options.workers,
        timeout_s=options.parse_timeout_s,
        memory_mb=options.worker_memory_mb,
        eager=eager,
        rules=options.risk_rules,
        dictionary=words.path,
        masked=options.mask_secrets,
    )
    linter = Linter(project.directory, options.lint_rules, call.check)
    # Threads that serve workers need the interpreter for microseconds; turns of 5 ms would starve the reader.
    sys.setswitchinterval(_SWITCH_INTERVAL_SECONDS)
    stop = threading.Event()
    heartbeat = threading.Thread(target=_send_heartbeats, args=(writer, stop), name="heartbeat", daemon=True)
    heartbeat.start()
    try:
        writer.repair()
        changed = (records.get(key) or "") != rules
        force = force or changed  # changed rules find other risks in unchanged files
        if force or words.new_epoch:
            writer.raise_epoch()
        project.dictionary_versions.start(records, words)
        reporting_call = _with_job_progress(project, call, job)

        def record_settings() -> None:
            """Record what the published view was built with: a job that continues it need not start again."""
            project.dictionary_versions.commit(records, source.view, words)
            if changed:
                records.set(key, rules)

        forgotten, rank = find_orphaned_views(project), partial(rank_file, project.registry)
        context = SyncContext(
            writer, source, project.registry, pool, linter, reporting_call, forgotten, rank, record_settings
        )
        outcome = sync_view(context, force=force or words.rescan)
        writer.vacuum_text()
        record_settings()
        return outcome
    finally:
        stop.set()
        heartbeat.join()
        pool.close()
        linter.close()
        writer.close(keep=call.cancelled.is_set())


def describe_fact_settings(options: EngineOptions, view: str) -> tuple[str, str]:
    """Return the settings that, besides the text, determine the facts of a view: the key of their record, and them."""
    rules = hash_rules(options.risk_rules) + ("" if options.mask_secrets else " secrets shown")
    return f"risk.rules:{view}", rules


def _open_writer(project: Project, owner: Owner, *, fresh: bool) -> IndexWriter:
    """Take the writer lock; wait a moment for a writer that is about to finish."""
    deadline = time.monotonic() + _LOCK_WAIT_SECONDS
    while True:
        try:
            return project.store.open_writer(owner, fresh=fresh)
        except Failure as failure:
            if failure.code != "INDEX_IN_PROGRESS" or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _send_heartbeats(writer: IndexWriter, stop: threading.Event) -> None:
    while not stop.wait(_BEAT_SECONDS):
        writer.write_heartbeat()


def _with_job_progress(project: Project, call: Call, job: Job) -> Call:
    """Return the caller's call, extended to update the job's row with the same progress."""

    def report(progress: Progress) -> None:
        project.jobs.update_progress(job, progress)
        call.report(progress)

    return replace(call, report=report)


def _validate(project: Project, ref: str, outcome: SyncOutcome) -> None:
    """Open the published view as a reader would; an unreadable view does not count as published."""
    with project.open_view(ref) as view:
        if view.row.generation < outcome.generation:
            raise Failure("INTERNAL", "The published view cannot be read back.")
        project.dictionary_versions.remove_unused(
            project.store.records, tuple(row.name for row in view.snapshot.views())
        )


def start_child(project: Project, ref: str, environment: Mapping[str, str], *, mode: JobMode, force: bool) -> Job:
    """Create a job and start the process that runs it, without waiting for it."""
    with project.start_lock:
        return _start_child(project, ref, environment, mode=mode, force=force)


def start_background_sync(environment: Mapping[str, str], project: Project, ref: str) -> None:
    """Start an incremental sync for a query that found its view stale; the answer does not depend on it."""
    try:
        start_child(project, ref, environment, mode="incremental", force=False)
    except Failure:
        # A running job, or a child that cannot start, must not fail the answer; the state is still stale.
        return


def _start_child(project: Project, ref: str, environment: Mapping[str, str], *, mode: JobMode, force: bool) -> Job:
    active = project.jobs.find_active()
    if active is not None:
        code: ErrorCode = (
            "SYNC_IN_PROGRESS"
            if active.ref == ref and mode == "incremental" and active.mode == mode
            else "INDEX_IN_PROGRESS"
        )
        raise Failure(
            code, "An indexing job is already running for this project.", {"job_id": active.job_id, "ref": active.ref}
        )
    command = project.options.child_command
    if not command:
        raise Failure("CAPABILITY_MISSING", "This engine cannot start jobs.")
    project.open_source(ref)  # reject an unknown ref now, not in a log that nobody reads
    # A sync is always incremental; an index is incremental if the ref is already published.
    job = project.jobs.create(ref, choose_job_mode(project, ref, force=force) if mode == "full" else mode)
    argv = [*command, "index", "--path", str(project.workspace.root), "--ref", ref, "--job-id", job.job_id, "--json"]
    if force:
        argv.append("--force")
    try:
        spawned = spawn_detached(argv, environment, str(project.directory), str(project.directory / "job.log"))
    except (Failure, OSError) as error:
        project.jobs.finish(job, "failed", error="The indexing process could not be started.")
        raise Failure("INTERNAL", "The indexing process could not be started.") from error
    project.children.add(spawned)
    project.jobs.record_child(job, spawned)
    return replace(job, status="running")
