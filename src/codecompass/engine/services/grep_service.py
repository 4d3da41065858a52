"""Grep service: finds lines by a pattern in the current files of any ref."""

import time
from dataclasses import replace
from functools import partial

from codecompass.engine.grep.file_source import MAX_READ_BYTES, FileSource, open_source, open_unindexed_source
from codecompass.engine.grep.grep_filters import SKIPPED_FILES_NOTE, GrepFilter, build_path_test
from codecompass.engine.grep.grep_scan import GrepScan
from codecompass.engine.grep.grep_scope import EXCLUDED_DIRECTORIES, GrepScopeCache
from codecompass.engine.grep.regex.pattern import Expression
from codecompass.engine.grep.text_cache import TextCache
from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.search.filters.units import GitFacts
from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import OpenedView, ProjectAccess
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call
from codecompass.model.path_text import display_path
from codecompass.model.queries.grep_query import GrepAnswer, GrepQuery, MatchListener
from codecompass.model.queries.results import ViewState
from codecompass.repo.workspace import TargetRef

_NO_INDEX_CODES: tuple[ErrorCode, ...] = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")
NO_INDEX_NOTE = "This ref has no index, so every file was read; index_repo makes the next search faster."
LONG_FILES_NOTE = "{} longer than {} MiB; the rest was not searched: {}."
_MAX_NAMED_FILES = 5
EXCLUDED_NOTE = "{} files below {} are never searched."


class GrepService:
    """Opens the project, pins a view if there is one, and scans."""

    def __init__(self, access: ProjectAccess, budget: int) -> None:
        self._access = access
        self._text_cache = TextCache(budget)
        self._scopes = GrepScopeCache()

    def grep(
        self, workspace: str | None, query: GrepQuery, call: Call, on_matches: MatchListener | None = None
    ) -> GrepAnswer:
        """Return matching lines. INVALID_REQUEST says what is wrong with a pattern, a glob or a filter."""
        started = time.perf_counter()
        expression = Expression.from_query(query)
        with self._access.project(workspace) as project:
            target = project.resolve_ref(query.ref)
            try:
                with self._access.pin(project, target) as opened:
                    answer = self._grep_indexed(opened, query, expression, call, on_matches)
            except Failure as failure:
                if failure.code not in _NO_INDEX_CODES:
                    raise
                answer = self._grep_unindexed(project, target, query, expression, call, on_matches)
        return replace(answer, milliseconds=(time.perf_counter() - started) * 1000)

    def _grep_indexed(
        self, opened: OpenedView, query: GrepQuery, expression: Expression, call: Call, on_matches: MatchListener | None
    ) -> GrepAnswer:
        project, view = opened.project, opened.view
        git = GitFacts(partial(project.history, view, call))
        scope = self._scopes.get(project, view)
        tree = open_source(project, view, opened.ref, call.check)
        try:
            paths = get_path_index(project, view) if query.filters else None
            narrowing = GrepFilter(query.filters, project.registry, view, git, call, paths)
            scan = GrepScan(
                expression, tree, narrowing, query.limit, call, self._text_cache,
                build_path_test(query, project.registry), view, scope, masked=project.options.mask_secrets, query=query,
                on_matches=on_matches,
            )  # fmt: skip
            scan.run()
        finally:
            tree.close()
        # Files that the index lacks were read, so no policy needs to refuse; a background sync is still useful.
        policy = "best_effort" if query.freshness == "strict" else query.freshness
        state = self._access.state(opened, policy, ())
        notes = [*git.notes]
        if narrowing.skipped_files:
            notes.append(SKIPPED_FILES_NOTE.format(len(narrowing.skipped_files)))
        elif state.freshness != "fresh":
            state = replace(state, freshness="fresh", indexed_commit=tree.commit or state.indexed_commit)
        if scope.excluded and not scan.total:
            notes.append(
                EXCLUDED_NOTE.format(scope.excluded, ", ".join(f"{name}/" for name in sorted(EXCLUDED_DIRECTORIES)))
            )
        return _build_answer(scan, tree, state, notes)

    def _grep_unindexed(
        self, project: Project, target: TargetRef, query: GrepQuery, expression: Expression, call: Call,
        on_matches: MatchListener | None,
    ) -> GrepAnswer:  # fmt: skip
        """Scan without an index: slower, with the same results."""
        tree = open_unindexed_source(project, target, call.check)
        try:
            narrowing = GrepFilter(query.filters, project.registry, None, GitFacts(_raise_no_history), call)
            test, masked = build_path_test(query, project.registry), project.options.mask_secrets
            scan = GrepScan(expression, tree, narrowing, query.limit, call, self._text_cache, test, masked=masked,
                            query=query, on_matches=on_matches)  # fmt: skip
            scan.run()
        finally:
            tree.close()
        notes = [
            NO_INDEX_NOTE,
            *([SKIPPED_FILES_NOTE.format(len(narrowing.skipped_files))] if narrowing.skipped_files else []),
        ]
        return _build_answer(scan, tree, project.get_unindexed_state(target.name), notes)


def _raise_no_history() -> ViewHistory:
    raise Failure("NO_INDEX", "Commit history needs an index.")


def _build_answer(scan: GrepScan, tree: FileSource, state: ViewState, notes: list[str]) -> GrepAnswer:
    # A file of a commit that was too large to index is not in its view, so the tree does not include it.
    unread = [
        gap.path for gap in state.gaps if gap.reason == "too_large" and (not scan.path_test or scan.path_test(gap.path))
    ]
    cut = tuple(dict.fromkeys([*(display_path(path) for path in tree.truncated), *unread]))
    if cut:
        many = "1 file is" if len(cut) == 1 else f"{len(cut)} files are"
        names = ", ".join(cut[:_MAX_NAMED_FILES]) + (", …" if len(cut) > _MAX_NAMED_FILES else "")
        notes = [*notes, LONG_FILES_NOTE.format(many, MAX_READ_BYTES // 2**20, names)]
    return GrepAnswer(
        matches=tuple(scan.matches),
        total=scan.total,
        searched=scan.searched,
        milliseconds=0.0,
        state=state,
        complete=scan.complete,
        commit=tree.commit,
        cut_files=cut,
        notes=tuple(notes),
        file_counts=tuple(scan.file_counts),
    )
