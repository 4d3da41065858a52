"""Outline of a file that a running first index has not reached: the file is parsed for this answer."""

from typing import cast

from codecompass.engine.index.parse_task import ParseTask
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.navigation.diff.changed_files import FactsSnapshot
from codecompass.engine.navigation.symbols.outline import build_outline
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import SourceFile, TreeSource
from codecompass.engine.workspace.project import Project
from codecompass.languages.detection import HEAD_BYTES
from codecompass.model.code.coverage import PENDING
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import Outline, ViewState
from codecompass.store.fact_codec import unpack_facts
from codecompass.store.ports import Snapshot
from codecompass.text.documents import detect_kind
from codecompass.text.sniff import is_binary


def find_pending_path(project: Project, view: PinnedView, path: str | None) -> str | None:
    """Return the path of a file that is not indexed yet; None if it is, or if there is no such file."""
    if path is None or not project.summaries.count_pending(view):
        return None
    wanted = path.strip().removeprefix("./")
    return wanted if wanted in view.snapshot.skipped_files(view.row, (PENDING,)) else None


def outline_pending_file(
    project: Project,
    view: PinnedView,
    source: TreeSource,
    path: str,
    pool: WorkerPool,
    state: ViewState,
    *,
    nested: bool,
) -> Outline | None:
    """Return the outline of the file as it is now; None if it is gone or no text with a grammar."""
    is_commit = view.row.name.startswith("ref:")
    oid = next((item.oid for item in source.list().files if item.path == path), b"") if is_commit else b""
    content = next(iter(source.read([SourceFile(path, *view.entries[path][1:], oid)])), None)
    if content is None or content.data is None or is_binary(content.data) or detect_kind(path):
        return None
    language = project.registry.detect(path, content.data[:HEAD_BYTES])
    notes = ("truncated",) if content.truncated else ()
    task = ParseTask(language, path.encode("utf-8", "replace").decode(), notes, content.data)
    parsed = next(pool.run(iter([(path, task)])))[2]
    if parsed is None:
        return None
    snapshot = FactsSnapshot()
    facts = unpack_facts(parsed.packs[0])
    snapshot.add(path, facts)
    nodes, count = build_outline(PinnedView(cast(Snapshot, snapshot), view.row, project.registry), path, nested=nested)
    return Outline(display_path(path), facts.language or "text", nodes, count, state)
