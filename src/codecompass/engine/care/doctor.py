"""Doctor: looks at everything an installation needs and names the command that repairs what is wrong."""

import shutil

from codecompass.engine.care.health import grammars
from codecompass.engine.index.lint import find_program
from codecompass.engine.project import Project
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.result import Check
from codecompass.repo.walk import walk
from codecompass.text.documents import EXTRA, KINDS, can_read

LEAST_FREE = 200 * 2**20


def examine(project: Project | None, registry: Registry) -> tuple[Check, ...]:
    """All checks in reading order; without a project only the installation is looked at."""
    checks = [_grammars(registry), _git_program(), _documents(), _linter()]
    if project is None:
        checks.append(Check("project", "warn", "This directory is not registered.", "codecompass init"))
        return tuple(checks)
    checks += [
        _index(project),
        _checksums(project),
        _records(project),
        _job(project),
        _disk(project),
        _listing(project),
    ]
    return tuple(checks)


def _grammars(registry: Registry) -> Check:
    available, missing = grammars(registry, compile_queries=True)
    if missing:
        return Check(
            "grammars", "fail", f"cannot load {', '.join(missing)}", "pip install --force-reinstall codecompass"
        )
    return Check("grammars", "ok", f"{len(available)} languages: {', '.join(available)}")


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
    return Check("linter", "warn", "not found: only parsers say what is wrong", "pip install ruff")


def _index(project: Project) -> Check:
    state = project.store.state()
    if state.schema == "compatible":
        return Check("index", "ok", f"schema {state.version}, generation {state.generation}")
    if state.schema == "not_indexed":
        return Check("index", "warn", "nothing indexed yet", "codecompass index")
    return Check("index", "fail", state.message, "codecompass index --force")


def _checksums(project: Project) -> Check:
    damage = project.store.verify()
    if damage:
        return Check("checksums", "fail", "; ".join(damage[:3]), "codecompass index --force")
    return Check("checksums", "ok", "every page and text file matches")


def _records(project: Project) -> Check:
    try:
        count = len(project.board.recent(200))
    except Failure as failure:
        return Check("records", "fail", failure.message, "restore records.db from a backup")
    return Check("records", "ok", f"{count} jobs on record")


def _job(project: Project) -> Check:
    active, lost = project.board.active(), project.board.recovery()
    if active:
        return Check("jobs", "ok", f"job {active.job_id} is {active.status}")
    if lost:
        return Check("jobs", "warn", f"{lost.interrupted_jobs} interrupted since the last publish", "codecompass sync")
    return Check("jobs", "ok", "none waiting")


def _disk(project: Project) -> Check:
    free = shutil.disk_usage(project.directory).free
    used = project.store.size()
    detail = f"{used / 2**20:.1f} MiB used, {free / 2**30:.1f} GiB free"
    if free < LEAST_FREE:
        return Check("disk", "warn", detail, "free some space")
    return Check("disk", "ok", detail)


def _listing(project: Project) -> Check:
    listing = walk(project.workspace.root, project.workspace.git)
    reasons: dict[str, int] = {}
    for item in listing.skipped:
        reasons[item.reason] = reasons.get(item.reason, 0) + 1
    left = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) or "nothing"
    return Check(
        "ignore rules", "ok", f"{len(listing.files)} files listed; {listing.ignored} ignored; left out: {left}"
    )
