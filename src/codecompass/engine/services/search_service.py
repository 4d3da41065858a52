"""Search service: finds by name and by words, and explains the order."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.symbols.definitions import locate, rank_reexported
from codecompass.engine.navigation.symbols.near_targets import find_near_symbols
from codecompass.engine.navigation.symbols.reexports import ReexportStep, find_reexported
from codecompass.engine.results.code_context import ContextBuilder
from codecompass.engine.results.hit_details import add_details
from codecompass.engine.results.hits import to_search_hit, to_symbol_hit
from codecompass.engine.search.filters.path_patterns import compile_path_test
from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.search.pipeline import ResultCache, search
from codecompass.engine.search.retrieval.backends import apply_backend_state, get_contents, select_backend
from codecompass.engine.services.rank_explanation import explain_rank
from codecompass.engine.triage.record_search import get_record_search, may_match_records, merge_records
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.engine.workspace.channel_health import WORD_CHANNEL, find_channel_gaps
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import OpenedView, ProjectAccess
from codecompass.errors import ErrorCode, Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.code.coverage import CoverageGap
from codecompass.model.near_words import describe_typo
from codecompass.model.path_text import display_path
from codecompass.model.queries.context_bundle import ContextBundle, ContextBundleQuery, ContextSnippet
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import Explanation, Hits, ViewState
from codecompass.model.queries.search_query import LocateQuery, SearchQuery
from codecompass.model.states import DetailLevel, SearchMode
from codecompass.repo.workspace import TargetRef

_BY_PATH = ("path", "file")
_NO_VIEW: tuple[ErrorCode, ...] = ("NO_INDEX", "REF_NOT_INDEXED")


class SearchService:
    """Opens the project, pins a view, retrieves, ranks, and adds the view's state."""

    def __init__(self, access: ProjectAccess, registry: Registry) -> None:
        self._access = access
        self.registry = registry

    def locate(self, workspace: str | None, query: LocateQuery, call: Call) -> Hits:
        with self._access.project(workspace) as project:
            target = project.resolve_ref(query.ref)
            query = replace(query, language=self._resolve_language(query.language))
            try:
                with self._access.pin(project, target) as opened:
                    return self._locate(opened, query, call)
            except Failure as failure:
                return self._empty_answer(project, target, query.freshness, failure)

    def _locate(self, opened: OpenedView, query: LocateQuery, call: Call) -> Hits:
        project, view = opened.project, opened.view
        found = locate(view, query, call=call)
        passages: dict[Symbol, tuple[ReexportStep, ...]] = {}
        if not found or found[0][1] in ("prefix", "case_insensitive"):
            reached = find_reexported(Resolver(view, get_module_index(project, view)), query.name)
            passages = {one.symbol: one.steps for one in reached}
            found = rank_reexported(view, passages, query) or found
        top = found[: query.limit]
        paths = tuple(symbol.path for symbol, _, _ in top)
        state = self._access.state(opened, query.freshness, paths)
        reader = project.reader(view)
        near = self._make_resolver(project, view, query.detail)
        hits = tuple(
            replace(
                to_symbol_hit(view, reader, symbol, why, query.detail, tier, near),
                reached_by=tuple((display_path(one.path), one.line) for one in passages.get(symbol, ())),
            )
            for symbol, tier, why in top
        )
        # A name that only begins as another one does is likelier misspelt: `QuerySt` means `QuerySet`.
        is_near = not hits or hits[0].tier == "prefix"
        similar = tuple(find_near_symbols(view, query.name)) if is_near else ()
        if similar and similar[0] in {hit.name for hit in hits}:
            similar = ()
        return Hits(hits, len(found), state, truncated=len(found) > len(hits), near=similar)

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits:
        return self.search_modes(workspace, query, (query.mode,), call)[0]

    def needs_records(self, query: SearchQuery) -> bool:
        """Whether records may answer, though no mode was named."""
        return may_match_records(query, self.registry)

    def search_modes(
        self, workspace: str | None, query: SearchQuery, modes: tuple[SearchMode, ...], call: Call
    ) -> tuple[Hits, ...]:
        """Search several kinds of text in the same published state."""
        with self._access.project(workspace) as project:
            target = project.resolve_ref(query.ref)
            query = replace(query, language=self._resolve_language(query.language))
            try:
                with self._access.pin(project, target) as opened:
                    backend_notes = select_backend(
                        opened.view, project.store.portable, query.backend, partial(get_contents, project)
                    )
                    asked = [replace(query, mode=mode) for mode in modes]
                    return tuple(self._search_cached(opened, one, backend_notes, call) for one in asked)
            except Failure as failure:
                return (self._empty_answer(project, target, query.freshness, failure),) * len(modes)

    def _search_cached(
        self, opened: OpenedView, query: SearchQuery, backend_notes: tuple[str, ...], call: Call
    ) -> Hits:
        project, view = opened.project, opened.view
        covered = project.count_vectors(view)
        # A rebuilt index counts its generations from the start.
        key = (view.snapshot.store_id, view.row.id, view.row.generation, covered, backend_notes, query)
        call.step("search", 0, 2)
        cache = project.caches.get_for_project(ResultCache, ResultCache)
        cached = cache.get(key)
        if cached is not None:
            answer, paths = cached
        else:
            answer, paths, is_cacheable = self._run_search(opened, query, covered, call)
            if is_cacheable:
                cache.put(key, answer, paths)
        call.step("search", 2, 2)
        state = apply_backend_state(self._get_state(opened, query, paths), backend_notes, query.freshness)
        answer = replace(answer, state=replace(state, gaps=_filter_gaps(state.gaps, query)))
        if not may_match_records(query, self.registry):
            return answer
        return merge_records(answer, get_record_search(project).search(query, self.registry, call), query.limit)

    def _run_search(
        self, opened: OpenedView, query: SearchQuery, covered: int, call: Call
    ) -> tuple[Hits, tuple[str, ...], bool]:
        """Return the hits of a search, the files it shows, and whether they may be cached for this view."""
        project, view = opened.project, opened.view
        reader = project.reader(view)
        history = partial(project.history, view, call)
        ask = project.compute_similarity if query.meaning else None
        found = search(view, get_path_index(project, view), query, call, reader, history, ask)
        top = found.ranked[: query.limit]
        near = self._make_resolver(project, view, query.detail)
        hits = tuple(to_search_hit(view, reader, found.question, item, query.detail, near) for item in top)
        if query.facts:
            hits = add_details(view, reader, top, hits, query, history() if query.facts == "whole" else None)
        cut = found.total > len(hits) or not found.complete
        state = ViewState(opened.ref, "stale", "ready", "compatible")  # each answer gets its own current state
        left = project.count_vectors(view)
        answer = Hits(hits, found.total, state, found.intent, found.relaxed, cut, found.notes, found.complete, left > 0)
        # If the model failed during this query, only words answered; do not cache that.
        lasting = found.is_cacheable and query.facts != "whole" and left == covered
        return answer, tuple({item.candidate.path for item in top}), lasting

    def bundle(
        self, workspace: str | None, query: ContextBundleQuery, cost: Callable[[ContextSnippet], int], call: Call
    ) -> ContextBundle:
        """Return the code that answers a query within its budget; `cost` estimates the tokens of a piece as sent."""
        with self._access.project(workspace) as project:
            target = project.resolve_ref(query.ref)
            language = self._resolve_language(query.language)
            search_query = SearchQuery(query.text, target.name, language, freshness=query.freshness)
            try:
                with self._access.pin(project, target) as opened:
                    view = opened.view
                    history = partial(project.history, view, call)
                    reader, index = project.reader(view), get_path_index(project, view)
                    found = search(view, index, search_query, call, reader, history, project.compute_similarity)
                    resolver = Resolver(view, get_module_index(project, view))
                    bundler = ContextBuilder(view, project.reader(view), resolver, found, call)
                    bundle = bundler.build(query, cost)
                    paths = tuple({one.path for one in bundle.pieces})
                    return replace(bundle, state=self._get_state(opened, search_query, paths))
            except Failure as failure:
                nothing = self._empty_answer(project, target, query.freshness, failure)
                return ContextBundle((), 0, (), 0, 0, "natural_language", nothing.state)

    def explain(self, workspace: str | None, query: SearchQuery, target: SymbolTarget, call: Call) -> Explanation:
        """Return the rank of one result in an answer; RESULT_NOT_FOUND says why it has none."""
        with self._access.project(workspace) as project:
            query = replace(query, language=self._resolve_language(query.language))
            with self._access.pin(project, project.resolve_ref(query.ref)) as opened:
                state = partial(self._get_state, opened, query)
                return explain_rank(project, opened.view, query, target, call, state)

    def _get_state(self, opened: OpenedView, query: SearchQuery, paths: tuple[str, ...]) -> ViewState:
        """Return the state of the view, with a warning for every incomplete channel."""
        state = self._access.state(opened, query.freshness, paths)
        gaps = find_channel_gaps(opened.project, opened.view, meaning=query.meaning)
        if query.freshness == "balanced" and any(gap.repairable for gap in gaps):
            self._access.restore(opened)
        if not gaps:
            return state
        lacks_words = any(gap.channel == WORD_CHANNEL for gap in gaps)
        return replace(
            state, warnings=(*state.warnings, *(gap.note for gap in gaps)), partial=state.partial or lacks_words
        )

    def _make_resolver(self, project: Project, view: PinnedView, detail: DetailLevel) -> Resolver | None:
        """Return a resolver for neighbours, which only one level of detail shows."""
        return Resolver(view, get_module_index(project, view)) if detail == "context" else None

    def _resolve_language(self, spelling: str | None) -> str | None:
        """Return the canonical name of a language from any accepted spelling."""
        if spelling is None or spelling == "text":
            return spelling
        name = self.registry.resolve_name(spelling)
        if name is None:
            known = sorted({self.registry.display_name(name) for name in self.registry.languages} | {"text"})
            raise Failure("INVALID_REQUEST", f"Unknown language '{spelling[:40]}'.", describe_typo(spelling, known),
                          hint=f"Known languages: {', '.join(known)}.")  # fmt: skip
        return self.registry.display_name(name)

    def _empty_answer(self, project: Project, target: TargetRef, policy: str, failure: Failure) -> Hits:
        """Return an empty answer for a ref without an index; raise when the caller requires freshness."""
        if failure.code not in _NO_VIEW or failure.details.get("part") == "portable":
            raise failure
        if failure.code == "REF_NOT_INDEXED" and not target.is_live:
            raise failure
        if policy == "strict" and "indexing_progress" in failure.details:
            raise failure
        if policy == "strict":
            raise Failure("NO_INDEX", f"The ref '{target.name[:100]}' has not been indexed yet.") from failure
        return Hits((), 0, project.get_unindexed_state(target.name))


def _filter_gaps(gaps: tuple[CoverageGap, ...], query: SearchQuery) -> tuple[CoverageGap, ...]:
    """Drop gaps that a path filter excludes: they cannot affect the answer."""
    for row, value in query.filters if gaps else ():
        if row.field in _BY_PATH and isinstance(value, tuple):
            tests = [compile_path_test(row.field, str(one), case=query.case_file) for one in value]
            gaps = tuple(gap for gap in gaps if any(test(gap.path) or test(_get_base_name(gap.path)) for test in tests))
    return gaps


def _get_base_name(path: str) -> str:
    return path.rpartition("/")[2]
