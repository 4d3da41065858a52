"""Grep service: finds lines by a pattern in the current files of any ref."""

import time
from dataclasses import replace
from functools import partial

from codecompass.engine.grep.file_source import READ_MOST, Tree, bare_tree, tree_of
from codecompass.engine.grep.grep_filters import UNSEEN, Narrowing, file_test
from codecompass.engine.grep.grep_scan import Scan
from codecompass.engine.grep.grep_scope import EXCLUDED, Scopes
from codecompass.engine.grep.regex.pattern import Expression
from codecompass.engine.grep.text_cache import KeptTexts
from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.search.filters.units import GitSide
from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import Opener
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepAnswer, GrepQuery
from codecompass.model.queries.results import ViewState

_WITHOUT = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")
NO_INDEX = "This ref has no index, so every file was read; index_repo makes the next search faster."
LONG = "{} longer than {} MiB; the rest was not searched: {}."
_NAMED = 5
SKIPPED = "{} files below {} are never searched."


class Grepping:
    """Opens the project, pins a view if there is one, and scans."""

    def __init__(self, access: Opener, budget: int) -> None:
        self._opener = access
        self._kept = KeptTexts(budget)
        self._scopes = Scopes()

    def grep(self, workspace: str | None, query: GrepQuery, call: Call) -> GrepAnswer:
        """Return matching lines. INVALID_REQUEST says what is wrong with a pattern, a glob or a filter."""
        started = time.perf_counter()
        expression = Expression.of(query.pattern, case_sensitive=query.case_sensitive)
        project = self._opener.project(workspace)
        ref = project.effective_ref(query.ref)
        try:
            with project.pinned(ref) as view:
                answer = self._indexed(project, view, ref, query, expression, call)
        except Failure as failure:
            if failure.code not in _WITHOUT:
                raise
            answer = self._bare(project, ref, query, expression, call)
        return replace(answer, milliseconds=(time.perf_counter() - started) * 1000)

    def _indexed(
        self, project: Project, view: PinnedView, ref: str, query: GrepQuery, expression: Expression, call: Call
    ) -> GrepAnswer:
        git = GitSide(partial(project.history, view, call))
        scope = self._scopes.get(project, view)
        tree = tree_of(project, view, ref, call.check)
        try:
            paths = get_path_index(project, view) if query.filters else None
            narrowing = Narrowing(query.filters, project.registry, view, git, call, paths)
            scan = Scan(
                expression, tree, narrowing, query.limit, call, self._kept, file_test(query.glob), view, scope,
                masked=project.options.mask_secrets,
            )  # fmt: skip
            scan.run()
        finally:
            tree.close()
        # Files that the index lacks were read, so no policy needs to refuse; a background sync is still useful.
        policy = "best_effort" if query.freshness == "strict" else query.freshness
        state = self._opener.state(project, view, ref, policy, ())
        notes = [*git.notes]
        if narrowing.unseen:
            notes.append(UNSEEN.format(len(narrowing.unseen)))
        elif state.freshness != "fresh":
            state = replace(state, freshness="fresh", indexed_commit=tree.commit or state.indexed_commit)
        if scope.excluded and not scan.total:
            notes.append(SKIPPED.format(scope.excluded, ", ".join(f"{name}/" for name in sorted(EXCLUDED))))
        return _answer(scan, tree, state, notes)

    def _bare(self, project: Project, ref: str, query: GrepQuery, expression: Expression, call: Call) -> GrepAnswer:
        """Scan without an index: slower, with the same results."""
        tree = bare_tree(project, ref, call.check)
        try:
            narrowing = Narrowing(query.filters, project.registry, None, GitSide(_no_history), call)
            test, masked = file_test(query.glob), project.options.mask_secrets
            scan = Scan(expression, tree, narrowing, query.limit, call, self._kept, test, masked=masked)
            scan.run()
        finally:
            tree.close()
        notes = [NO_INDEX, *([UNSEEN.format(len(narrowing.unseen))] if narrowing.unseen else [])]
        return _answer(scan, tree, project.blank_state(ref), notes)


def _no_history() -> ViewHistory:
    raise Failure("NO_INDEX", "Commit history needs an index.")


def _answer(scan: Scan, tree: Tree, state: ViewState, notes: list[str]) -> GrepAnswer:
    # A file of a commit that was too large to index is not in its view, so the tree does not include it.
    unread = [gap.path for gap in state.gaps if gap.reason == "too_large" and (not scan.test or scan.test(gap.path))]
    cut = tuple(dict.fromkeys([*(shown(path) for path in tree.cut), *unread]))
    if cut:
        many = "1 file is" if len(cut) == 1 else f"{len(cut)} files are"
        names = ", ".join(cut[:_NAMED]) + (", …" if len(cut) > _NAMED else "")
        notes = [*notes, LONG.format(many, READ_MOST // 2**20, names)]
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
    )
