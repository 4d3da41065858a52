"""Bootstrap steps: set up a new workspace step by step, with a result for each step.

A failed step is reported, and the others run anyway: only indexing needs a sound environment, and the SQLite file needs
an index.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from codecompass.engine.maintenance.storage.full_build import run_index_job
from codecompass.engine.maintenance.storage.portable_build import build_portable_index as build_portable
from codecompass.engine.maintenance.storage.state_bundle import BUNDLE_FILE, NOT_ALLOWED, import_bundle
from codecompass.engine.workspace.project import Project
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import BootstrapReport, BootstrapRequest, BootstrapStep
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.model.queries.results import DoctorCheck

DONE, SKIPPED, FAILED = "done", "skipped", "failed"
CALL_FAILURES: tuple[ErrorCode, ...] = ("CANCELLED", "TOOL_TIMEOUT")
StepOutcome = tuple[str, str]
"""Status and reason."""


@dataclass(frozen=True, slots=True)
class BootstrapContext:
    """Everything a bootstrap needs besides its project."""

    checks: Callable[[], tuple[DoctorCheck, ...]]
    downloads: Mapping[str, Callable[[Call], StepOutcome]]
    """Download steps, by name."""
    artifacts: Path
    environment: Mapping[str, str]


@dataclass
class _BootstrapRun:
    project: Project
    order: BootstrapRequest
    context: BootstrapContext
    call: Call
    steps: dict[str, BootstrapStep]


def bootstrap(project: Project, order: BootstrapRequest, context: BootstrapContext, call: Call) -> BootstrapReport:
    """Run all steps in order; steps that the caller excludes are reported as skipped."""
    run = _BootstrapRun(project, order, context, call, {})
    for number, (name, work) in enumerate(STEPS.items()):
        call.step(name, number, len(STEPS))
        began = time.monotonic()
        status, reason = _run_step(run, name, work)
        run.steps[name] = BootstrapStep(name, status, reason, int((time.monotonic() - began) * 1000))
    restored = run.steps["artifacts"].status == DONE
    return BootstrapReport(str(project.workspace.root), tuple(run.steps.values()), restored)


def _run_step(run: _BootstrapRun, name: str, work: Callable[[_BootstrapRun], StepOutcome]) -> StepOutcome:
    if name in run.order.skipped:
        return SKIPPED, "not wanted"
    try:
        return work(run)
    except Failure as failure:
        if failure.code in CALL_FAILURES:
            raise
        return FAILED, f"{failure.message} {failure.effective_hint}".strip()


def _check_environment(run: _BootstrapRun) -> StepOutcome:
    checks = run.context.checks()
    bad = [f"{item.name}: {item.detail} ({item.remedy})" for item in checks if item.status == "fail"]
    if bad:
        return FAILED, "; ".join(bad)
    warnings = [f"{item.name}: {item.detail}" for item in checks if item.status == "warn"]
    return DONE, "; ".join(warnings)


def _make_download_step(name: str) -> Callable[[_BootstrapRun], StepOutcome]:
    def work(run: _BootstrapRun) -> StepOutcome:
        fetch = run.context.downloads.get(name)
        return fetch(run.call) if fetch is not None else (SKIPPED, "this engine has no downloads")

    return work


def _import_artifacts(run: _BootstrapRun) -> StepOutcome:
    source = run.context.artifacts / BUNDLE_FILE
    if not source.is_file():
        return SKIPPED, f"there is no {run.context.artifacts.name}/{BUNDLE_FILE}"
    if not run.project.options.import_bundles:
        return SKIPPED, NOT_ALLOWED
    try:
        manifest, note = import_bundle(run.project, source, run.call, current=True)
    except Failure as failure:
        if failure.details.get("reason") not in ("commit", "foreign"):
            raise
        return SKIPPED, failure.message
    summary = f"commit {manifest.commit[:12]}, {manifest.files} files, vectors of {manifest.vectors}"
    return DONE, f"{summary}; {note}" if note else summary


def _build_index(run: _BootstrapRun) -> StepOutcome:
    if run.steps["environment"].status == FAILED:
        return SKIPPED, "the environment check failed"
    ref = run.project.effective_ref(run.order.ref)
    fresh = run.steps["artifacts"].status != DONE
    force = fresh and not run.order.incremental
    job = run_index_job(run.project, ref, run.context.environment, run.call, force=force)
    return DONE, f"{job.file_count or 0} files, {job.symbol_count or 0} symbols, {job.changed_files or 0} changed"


def _build_sqlite(run: _BootstrapRun) -> StepOutcome:
    if not run.order.sqlite:
        return SKIPPED, "not asked for"
    if run.project.store.state().schema != "compatible":
        return SKIPPED, "there is no index to export"
    ref = run.project.effective_ref(run.order.ref)
    with run.project.open_view(ref) as view:
        report = build_portable(run.project, view, ref, PortableBuildRequest(ref, keep_current=True), None, run.call)
    return DONE, f"{report.files} files, {report.bytes} bytes"


STEPS: dict[str, Callable[[_BootstrapRun], StepOutcome]] = {
    "environment": _check_environment,
    "dictionaries": _make_download_step("dictionaries"),
    "extensions": _make_download_step("extensions"),
    "artifacts": _import_artifacts,
    "index": _build_index,
    "sqlite": _build_sqlite,
}
