"""Bootstrap steps: set up a new workspace step by step, with a result for each step.

A failed step is reported, and the others run anyway: only indexing needs a sound environment, and the SQLite file needs
an index.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from codecompass.engine.maintenance.storage.full_build import indexed
from codecompass.engine.maintenance.storage.portable_build import build as build_portable
from codecompass.engine.maintenance.storage.state_bundle import FILE, restore
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import BootstrapOrder, BootstrapReport, Step
from codecompass.model.maintenance.portable_index import PortableOrder
from codecompass.model.queries.results import Check

DONE, SKIPPED, FAILED = "done", "skipped", "failed"
STOPPING = ("CANCELLED", "TOOL_TIMEOUT")
Outcome = tuple[str, str]
"""Status and reason."""


@dataclass(frozen=True, slots=True)
class Kit:
    """Everything a bootstrap needs besides its project."""

    checks: Callable[[], tuple[Check, ...]]
    supplies: Mapping[str, Callable[[Call], Outcome]]
    """Download steps, by name."""
    artifacts: Path
    environment: Mapping[str, str]


@dataclass
class _Run:
    project: Project
    order: BootstrapOrder
    kit: Kit
    call: Call
    steps: dict[str, Step]


def bootstrap(project: Project, order: BootstrapOrder, context: Kit, call: Call) -> BootstrapReport:
    """Run all steps in order; steps that the caller excludes are reported as skipped."""
    run = _Run(project, order, context, call, {})
    for number, (name, work) in enumerate(STEPS.items()):
        call.step(name, number, len(STEPS))
        began = time.monotonic()
        status, reason = _outcome(run, name, work)
        run.steps[name] = Step(name, status, reason, int((time.monotonic() - began) * 1000))
    restored = run.steps["artifacts"].status == DONE
    return BootstrapReport(str(project.workspace.root), tuple(run.steps.values()), restored)


def _outcome(run: _Run, name: str, work: Callable[[_Run], Outcome]) -> Outcome:
    if name in run.order.skipped:
        return SKIPPED, "not wanted"
    try:
        return work(run)
    except Failure as failure:
        if failure.code in STOPPING:
            raise
        return FAILED, f"{failure.message} {failure.advice}".strip()


def _environment(run: _Run) -> Outcome:
    checks = run.kit.checks()
    bad = [f"{item.name}: {item.detail} ({item.remedy})" for item in checks if item.status == "fail"]
    if bad:
        return FAILED, "; ".join(bad)
    warnings = [f"{item.name}: {item.detail}" for item in checks if item.status == "warn"]
    return DONE, "; ".join(warnings)


def _supply(name: str) -> Callable[[_Run], Outcome]:
    def work(run: _Run) -> Outcome:
        fetch = run.kit.supplies.get(name)
        return fetch(run.call) if fetch is not None else (SKIPPED, "this engine has no downloads")

    return work


def _artifacts(run: _Run) -> Outcome:
    source = run.kit.artifacts / FILE
    if not source.is_file():
        return SKIPPED, f"there is no {run.kit.artifacts.name}/{FILE}"
    try:
        manifest, note = restore(run.project, source, run.call, current=True)
    except Failure as failure:
        if failure.details.get("reason") not in ("commit", "foreign"):
            raise
        return SKIPPED, failure.message
    summary = f"commit {manifest.commit[:12]}, {manifest.files} files, vectors of {manifest.vectors}"
    return DONE, f"{summary}; {note}" if note else summary


def _index(run: _Run) -> Outcome:
    if run.steps["environment"].status == FAILED:
        return SKIPPED, "the environment check failed"
    ref = run.project.effective_ref(run.order.ref)
    fresh = run.steps["artifacts"].status != DONE
    force = fresh and not run.order.incremental
    job = indexed(run.project, ref, run.kit.environment, run.call, force=force)
    return DONE, f"{job.file_count or 0} files, {job.symbol_count or 0} symbols, {job.changed_files or 0} changed"


def _sqlite(run: _Run) -> Outcome:
    if not run.order.sqlite:
        return SKIPPED, "not asked for"
    if run.project.store.state().schema != "compatible":
        return SKIPPED, "there is no index to export"
    ref = run.project.effective_ref(run.order.ref)
    with run.project.pinned(ref) as view:
        report = build_portable(run.project, view, ref, PortableOrder(ref, keep_current=True), None, run.call)
    return DONE, f"{report.files} files, {report.bytes} bytes"


STEPS: dict[str, Callable[[_Run], Outcome]] = {
    "environment": _environment, "dictionaries": _supply("dictionaries"), "extensions": _supply("extensions"),
    "artifacts": _artifacts, "index": _index, "sqlite": _sqlite,
}  # fmt: skip
