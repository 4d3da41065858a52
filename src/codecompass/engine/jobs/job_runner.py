"""Running a job: in this process with its row kept current, or as a child process that outlives the call."""

import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace

from codecompass.engine.index.linter import Linter
from codecompass.engine.index.orphaned_views import views_to_forget
from codecompass.engine.index.sync import Outcome, Workshop, sync_view
from codecompass.engine.index.vector_build import embed_view
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.memory.corpus_cache import EDITION, gather, join, make_ready
from codecompass.engine.memory.time_budget import Budget
from codecompass.engine.workspace.project import EMBED_TROUBLE_KEY, Project
from codecompass.errors import Failure, system_failure
from codecompass.languages.taint.risk_rules import rules_mark
from codecompass.model.call import Call, Progress
from codecompass.model.job import Job
from codecompass.repo.process.child_process import process_start_time, spawn_detached
from codecompass.store.ports import IndexWriter, Owner

_BEAT_SECONDS = 1.0
_LOCK_WAIT_SECONDS = 2.0
_TURN_SECONDS = 0.0005
_MINE_SECONDS = 120.0
_MINED_KEY = "memory.mined"


def run_job(project: Project, ref: str, call: Call, *, force: bool, job_id: str | None) -> Job:
    """Index a ref here and now; the job ends published, failed or cancelled, never silently."""
    board = project.board
    job = board.adopt(job_id, ref, job_mode(project, ref, force=force), call.cancelled)
    started = time.monotonic()
    try:
        job, outcome = _work(project, ref, call, force=force, job=job, eager=force or job_id is not None)
    except Failure as failure:
        # Another writer was first: that is no failure of the index, whose state this job never touched.
        ended = "cancelled" if failure.code in ("CANCELLED", "INDEX_IN_PROGRESS") else "failed"
        board.finish(job, ended, error=failure.message, duration_ms=_elapsed(started))
        raise
    except OSError as error:
        refused = system_failure(error.errno, "write or read what the job needs")
        board.finish(job, "failed", error=refused.message, duration_ms=_elapsed(started))
        raise refused from error
    except KeyboardInterrupt:
        board.finish(job, "cancelled", error="The job was interrupted by hand.", duration_ms=_elapsed(started))
        raise
    except BaseException:
        # Not ours to handle, but the row must not claim that the job still runs.
        board.finish(job, "failed", error="The job stopped unexpectedly.", duration_ms=_elapsed(started))
        raise
    job = board.finish(
        job, "published", file_count=outcome.files, symbol_count=outcome.symbols, changed_files=outcome.changed,
        files_done=outcome.changed, files_total=outcome.changed, duration_ms=_elapsed(started),
    )  # fmt: skip
    _embed(project, ref, call)
    if project.options.build_memory:
        _mine(project, ref, call)
    # Everybody can search since the publish, but the work took until now.
    return board.amend(job, duration_ms=_elapsed(started))


def job_mode(project: Project, ref: str, *, force: bool) -> str:
    """`full` when all is indexed: on demand, or because nothing of the ref is published; else `incremental`."""
    if force:
        return "full"
    try:
        with project.pinned(ref):
            return "incremental"
    except Failure:
        return "full"


def _mine(project: Project, ref: str, call: Call) -> None:
    """Memory of a commit, for the next question; edits since then, and what is missed now, are mined when asked for."""
    records = project.store.records
    try:
        with project.pinned(ref) as view:
            key, done = f"{_MINED_KEY}:{view.row.name}", f"{EDITION} {view.row.commit}"
            if records.get(key) == done:
                return
            mined = gather(project, view, Budget.of(_MINE_SECONDS, call))
            make_ready(project, join(project, mined), Budget.of(_MINE_SECONDS, call))
            if mined.complete:
                records.set(key, done)
    except Failure:
        return


def _embed(project: Project, ref: str, call: Call) -> None:
    """Vectors for what was published. Everybody can search it by words already, and the next job need not wait."""
    records = project.store.records
    model = project.semantics.model() if project.options.build_vectors and project.semantics.wanted else None
    trouble = ""
    try:
        if model is not None:
            embed_view(project, ref, model, call)
    except Failure as failure:
        # The job is done without them; the next one goes on where this one stopped.
        trouble = failure.message if failure.code != "CANCELLED" else ""
    if trouble != (records.get(EMBED_TROUBLE_KEY) or ""):
        records.set(EMBED_TROUBLE_KEY, trouble)


def _elapsed(started: float) -> int:
    return int((time.monotonic() - started) * 1000)


def _work(project: Project, ref: str, call: Call, *, force: bool, job: Job, eager: bool) -> tuple[Job, Outcome]:
    """Sync and read back what was published, as a reader would."""
    # Who asks for everything anew may have been told of damage that indexing itself would never meet.
    damaged = force and project.store.upkeep.heal()
    try:
        outcome = _sync(project, ref, call, force=force, fresh=damaged, job=job, eager=eager)
        _validate(project, ref, outcome)
    except Failure as failure:
        if failure.code != "INDEX_INCOMPATIBLE":
            raise
        # The index is derived: damage is healed by making it again, from nothing.
        outcome = _sync(project, ref, call, force=False, fresh=True, job=job, eager=True)
        _validate(project, ref, outcome)
    return project.board.move(job, "validating"), outcome


def _sync(project: Project, ref: str, call: Call, *, force: bool, fresh: bool, job: Job, eager: bool) -> Outcome:
    options = project.options
    # What decides, beside a text itself, which facts are made of it.
    rules = rules_mark(options.risk_rules) + ("" if options.mask_secrets else " secrets shown")
    source = project.source(ref, call.check)
    owner = Owner(os.getpid(), process_start_time(os.getpid()), job.job_id)
    writer = _open_writer(project, owner, fresh=fresh)
    records = project.store.records
    words = project.words.settle(records, source.view, lambda: force or fresh or not project.is_indexed)
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
    # Threads that talk to workers need the interpreter for microseconds; turns of 5 ms would starve the reader.
    sys.setswitchinterval(_TURN_SECONDS)
    stop = threading.Event()
    heart = threading.Thread(target=_beat, args=(writer, stop), name="heartbeat", daemon=True)
    heart.start()
    try:
        writer.repair()
        key = f"risk.rules:{source.view}"
        changed = (records.get(key) or "") != rules
        force = force or changed  # other rules find other things in what is known
        if force or words.new_epoch:
            writer.raise_epoch()
        project.words.begin(records, words)
        told = _reporting(project, call, job)
        forgotten = views_to_forget(project)
        shop = Workshop(writer, source, project.registry, pool, linter, told, forgotten)
        outcome = sync_view(shop, force=force or words.again)
        writer.tidy()
        project.words.finish(records, source.view, words)
        if changed:
            records.set(key, rules)
        return outcome
    finally:
        stop.set()
        heart.join()
        pool.close()
        linter.close()
        writer.close()


def _open_writer(project: Project, owner: Owner, *, fresh: bool) -> IndexWriter:
    """Take the lock; a writer that is just leaving gets a moment."""
    deadline = time.monotonic() + _LOCK_WAIT_SECONDS
    while True:
        try:
            return project.store.writer(owner, fresh=fresh)
        except Failure as failure:
            if failure.code != "INDEX_IN_PROGRESS" or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _beat(writer: IndexWriter, stop: threading.Event) -> None:
    while not stop.wait(_BEAT_SECONDS):
        writer.beat()


def _reporting(project: Project, call: Call, job: Job) -> Call:
    """The caller's call, with the job's row kept current from the same progress."""

    def report(progress: Progress) -> None:
        project.board.progress(job, progress)
        call.report(progress)

    return replace(call, report=report)


def _validate(project: Project, ref: str, outcome: Outcome) -> None:
    """Open what was published as a reader would; a view that cannot be read is not published."""
    with project.pinned(ref) as view:
        if view.row.generation < outcome.generation:
            raise Failure("INTERNAL", "The published view cannot be read back.")
        project.words.sweep(project.store.records, tuple(row.name for row in view.snapshot.views()))


def start_child(project: Project, ref: str, environment: Mapping[str, str], *, mode: str, force: bool) -> Job:
    """Announce a job and start the process that runs it; the answer does not wait for it."""
    with project.starting:
        return _start_child(project, ref, environment, mode=mode, force=force)


def _start_child(project: Project, ref: str, environment: Mapping[str, str], *, mode: str, force: bool) -> Job:
    active = project.board.active()
    if active is not None:
        code = (
            "SYNC_IN_PROGRESS"
            if active.ref == ref and mode == "incremental" and active.mode == mode
            else "INDEX_IN_PROGRESS"
        )
        raise Failure(
            code, "An indexing job is already running for this project.", {"job_id": active.job_id, "ref": active.ref}
        )
    command = project.options.child_command
    if not command:
        raise Failure("CAPABILITY_MISSING", "This engine was opened without a way to start jobs.")
    project.source(ref)  # a ref that does not exist is refused now, not in a log nobody reads
    # A sync is incremental by its name, whatever it finds; only an index of what is published already is not full.
    job = project.board.create(ref, job_mode(project, ref, force=force) if mode == "full" else mode)
    argv = [*command, "index", "--path", str(project.workspace.root), "--ref", ref, "--job-id", job.job_id, "--json"]
    if force:
        argv.append("--force")
    try:
        spawned = spawn_detached(argv, environment, str(project.directory), str(project.directory / "job.log"))
    except (Failure, OSError) as error:
        project.board.finish(job, "failed", error="The process that indexes could not be started.")
        raise Failure("INTERNAL", "The process that indexes could not be started.") from error
    project.children.add(spawned)
    project.board.note_child(job, spawned)
    return replace(job, status="running")
