"""Ours: how the benchmarks start the program, and how they read an index it made."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Measured, run
from codecompass.embed.models import ModelChoice
from codecompass.engine.engine import Engine
from codecompass.engine.options import EngineOptions
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project_registry import ProjectRegistry
from codecompass.languages.registry import Registry
from codecompass.repo.files.file_watch import open_watch
from codecompass.store.embedded.embedded_store import EmbeddedStore

COMMAND = (sys.executable, "-P", "-m", "codecompass")
TIMEOUT_S = 900.0
_FOREIGN = ("CODECOMPASS_", "XDG_", "PYTHON")


def environment(home: Path, data: Path) -> dict[str, str]:
    """An empty home and nobody's settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN) or key == "PYTHONPATH"}
    return kept | {"HOME": str(home), "CODECOMPASS_STORAGE_DATA_DIR": str(data), "NO_COLOR": "1"}


def command(*words: str, repo: Path, data: Path, timeout_s: float = TIMEOUT_S) -> Measured:
    """One command of the program in a copy."""
    return run((*COMMAND, *words), cwd=repo, env=environment(data.parent, data), timeout_s=timeout_s)


def must(done: Measured) -> Measured:
    """The run, when it went well: a benchmark of a failure measures nothing."""
    if not done.ok:
        reason = "timed out" if done.timed_out else f"exit {done.code}"
        raise SystemExit(f"codecompass failed ({reason}): {done.err.strip()[-500:]}")
    return done


@contextmanager
def engine_on(repo: Path, data: Path, *, watch: bool, model: str = "bundled") -> Iterator[Engine]:
    options = EngineOptions(default_workspace=str(repo), embedding=ModelChoice(model))
    engine = Engine(data, options, EmbeddedStore, dict(os.environ), open_watch if watch else None)
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def _view_of(repo: Path, data: Path) -> Iterator[PinnedView]:
    registry = Registry()
    options = EngineOptions(default_workspace=str(repo))
    projects = ProjectRegistry(data, options, registry, EmbeddedStore, None)
    try:
        project = projects.open_for_query(None)
        with project.open_view(project.effective_ref(None)) as view:
            yield view
    finally:
        projects.close()


def indexed_files(repo: Path, data: Path) -> dict[str, int]:
    """Path → bytes of every file the index of a working tree holds."""
    with _view_of(repo, data) as view:
        return {path: entry.size for path, entry in sorted(view.entries.items()) if entry.blob}


def defined_names(repo: Path, data: Path, paths: list[str]) -> list[str]:
    """Names defined in some files, each once, in order."""
    with _view_of(repo, data) as view:
        return list(dict.fromkeys(item.name for path in paths for item in view.facts(path).definitions))
