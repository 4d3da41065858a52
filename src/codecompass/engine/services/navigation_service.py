"""Navigation service: references, call graphs and type hierarchies of symbols; refs and their differences."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.maintenance.health.project_health import describe_view
from codecompass.engine.navigation.diff.ref_list import build_ref_list
from codecompass.engine.navigation.diff.symbol_diff import compute_difference
from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.certain_resolver import CertainResolver
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.symbols.symbol_nodes import build_symbol_node
from codecompass.engine.navigation.symbols.target import find_path
from codecompass.engine.navigation.symbols.target_symbol import find_target_symbol
from codecompass.engine.navigation.uses.call_graph import Edge, Walk, find_callees, find_callers, select_callers
from codecompass.engine.navigation.uses.document_samples import find_sample_uses
from codecompass.engine.navigation.uses.occurrences import explain_occurrences
from codecompass.engine.navigation.uses.references import UseSite, survey_mentions
from codecompass.engine.navigation.uses.type_hierarchy import TypeNode, find_subtypes, find_supertypes
from codecompass.engine.navigation.uses.unread_files import find_unread
from codecompass.engine.navigation.uses.use_nodes import UseNodeBuilder
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.engine.workspace.project_access import OpenedView, ProjectAccess
from codecompass.model.call import Call
from codecompass.model.path_text import display_path
from codecompass.model.queries.navigation_queries import (
    CallEdge,
    CallGraph,
    Hierarchy,
    HierarchyNode,
    ReferenceReport,
    SymbolNode,
    SymbolTarget,
)
from codecompass.model.queries.results import ViewState
from codecompass.model.queries.search_query import GraphQuery, HierarchyQuery, ReferenceQuery
from codecompass.model.queries.symbol_difference import DiffQuery, SymbolDiff
from codecompass.model.refs import RefList
from codecompass.model.states import RESOLUTIONS


@dataclass(frozen=True, slots=True)
class _NavigationRequest:
    """One running query with its resolved symbol."""

    opened: OpenedView
    resolver: Resolver
    shaper: UseNodeBuilder
    symbol: Symbol
    node: SymbolNode
    others: tuple[SymbolNode, ...]


class NavigationService:
    """Answers queries about one symbol and its relations, and about two refs."""

    def __init__(self, access: ProjectAccess, parsers: WorkerPool) -> None:
        self._access = access
        self._parsers = parsers

    @contextmanager
    def _open_request(
        self, workspace: str | None, ref: str | None, target: SymbolTarget
    ) -> Iterator[_NavigationRequest]:
        with self._access.view(workspace, ref) as opened:
            project, view = opened.project, opened.view
            resolver = CertainResolver(view, get_module_index(project, view))
            meant = find_target_symbol(resolver, target)
            shaper = UseNodeBuilder(view, project.reader(view))
            yield _NavigationRequest(opened, resolver, shaper, meant.symbol, meant.node, meant.others)

    def references(self, workspace: str | None, query: ReferenceQuery, call: Call) -> ReferenceReport:
        with self._open_request(workspace, query.ref, query.target) as request:
            survey = survey_mentions(request.resolver, request.symbol, call, "references")
            excluded = survey.excluded
            reader = request.opened.project.reader(request.opened.view)
            if query.explain:
                excluded = explain_occurrences(request.resolver, request.symbol, survey, reader, call)
            samples = find_sample_uses(request.resolver, request.symbol, reader, call)
            sites = _merge_samples(survey.uses, samples)
            listed = {(site.path, site.line, site.column) for site in samples}
            excluded = [item for item in excluded if (item.path, item.line, item.column) not in listed]
            best = RESOLUTIONS[-1] if query.resolution == "all" else query.resolution
            allowed = RESOLUTIONS[: RESOLUTIONS.index(best) + 1]
            wanted = [
                site for site in sites if site.resolution in allowed and (not query.kinds or site.kind in query.kinds)
            ]
            top = wanted[: query.limit]
            shown_proofs = excluded[: query.limit] if query.explain else []
            paths = tuple({site.path for site in top} | {item.path for item in shown_proofs} | {request.symbol.path})
            state = self._access.state(request.opened, query.freshness, paths)
            return ReferenceReport(
                symbol=request.node,
                uses=tuple(request.shaper.build_use(site) for site in top),
                total=len(wanted),
                counts=_count(site.resolution for site in sites),
                kinds=_count(site.kind for site in sites),
                others=request.others,
                state=state,
                in_documents=sum(site.in_document for site in wanted),
                truncated=len(wanted) > len(top) or (query.explain and len(excluded) > len(shown_proofs)),
                excluded=_count(item.reason for item in excluded),
                explained=tuple(request.shaper.build_exclusion(item) for item in shown_proofs),
                unread=tuple(
                    (display_path(path), reason) for path, reason in find_unread(request.opened.view, request.symbol)
                ),
            )

    def call_graph(self, workspace: str | None, query: GraphQuery, call: Call) -> CallGraph:
        with self._open_request(workspace, query.ref, query.target) as request:
            up = (
                find_callers(request.resolver, request.symbol, query.depth, call)
                if query.direction != "callees"
                else Walk()
            )
            down = (
                find_callees(request.resolver, request.symbol, query.depth, call)
                if query.direction != "callers"
                else Walk()
            )
            shown_up, guesses = select_callers(up.edges, query.limit)
            shown_down = down.edges[: query.limit]
            paths = tuple({edge.path for edge in (*shown_up, *shown_down)} | {request.symbol.path})
            state = self._access.state(request.opened, query.freshness, paths)
            return CallGraph(
                symbol=request.node,
                callers=tuple(_make_edge(request, edge) for edge in shown_up),
                callees=tuple(_make_edge(request, edge) for edge in shown_down),
                total_callers=len(up.edges),
                total_callees=len(down.edges),
                depth=query.depth,
                others=request.others,
                state=state,
                truncated=len(up.edges) > len(shown_up) or len(down.edges) > len(shown_down),
                caller_counts=_count(edge.resolution for edge in up.edges),
                callee_counts=_count(edge.resolution for edge in down.edges),
                guesses_left_out=guesses,
                unfollowed=up.unfollowed + down.unfollowed,
            )

    def hierarchy(self, workspace: str | None, query: HierarchyQuery, call: Call) -> Hierarchy:
        with self._open_request(workspace, query.ref, query.target) as request:
            # A type hierarchy contains only certain bases; uncertain ones are not branches of it.
            plain = Resolver(request.opened.view, get_module_index(request.opened.project, request.opened.view))
            up = find_supertypes(plain, request.symbol, query.depth, call) if query.direction != "down" else []
            down = find_subtypes(plain, request.symbol, query.depth, call) if query.direction != "up" else []
            scope = request.resolver.scope(request.symbol.path)
            inside = [at for at in range(len(scope.definitions)) if scope.find_container(at) == request.symbol.position]
            state = self._access.state(request.opened, query.freshness, (request.symbol.path,))
            members = [at for at in inside if scope.definitions[at].kind != "use"]
            return Hierarchy(
                symbol=request.node,
                containers=tuple(_iter_containers(request)),
                supertypes=tuple(_make_branch(request, branch) for branch in up),
                subtypes=tuple(_make_branch(request, branch) for branch in down[: query.limit]),
                members=tuple(request.shaper.get_node(request.symbol.path, at) for at in members[: query.limit]),
                others=request.others,
                state=state,
                truncated=len(down) > query.limit or len(members) > query.limit,
            )

    def definition_at(
        self, workspace: str | None, path: str, line: int, column: int, ref: str | None = None
    ) -> tuple[str, tuple[SymbolNode, ...]]:
        """Resolve the name at a position: the certainty and the definitions. Columns count UTF-8 bytes from 0."""
        with self._access.view(workspace, ref) as opened:
            project, view = opened.project, opened.view
            place = find_path(view, path)
            resolver = CertainResolver(view, get_module_index(project, view))
            for item in resolver.scope(place).uses.references:
                if (item.line, item.col) == (line, column):
                    found = resolver.resolve(place, item.role, item.name, item.owner, item.receiver, item.line)
                    nodes = tuple(build_symbol_node(view, view.symbol(*one)) for one in found.places)
                    return ("unresolved" if found.status == "own_member" else found.status), nodes
            return "unresolved", ()

    def diff(self, workspace: str | None, query: DiffQuery, call: Call) -> SymbolDiff:
        """Return the symbols that differ between two refs, or a ref and the working tree."""
        with self._access.project(workspace) as project:

            def get_state(view: PinnedView, ref: str) -> ViewState:
                return self._access.state(OpenedView(project, view, ref), query.freshness, ())

            return compute_difference(project, query, call, self._parsers, get_state)

    def refs(self, workspace: str | None, contains: str, limit: int, call: Call) -> RefList:
        """List branches, tags and worktrees, and the index state of each."""
        with self._access.project(workspace) as project:
            return build_ref_list(project, contains, limit, describe_view(project, project.resolve_ref(None)), call)


def _merge_samples(sites: list[UseSite], samples: list[UseSite]) -> list[UseSite]:
    """Merge uses in code with those in code blocks of documents; each position once."""
    places = {(site.path, site.line, site.column) for site in samples}
    return [*(site for site in sites if (site.path, site.line, site.column) not in places), *samples]


def _count(words: Iterator[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found


def _make_edge(request: _NavigationRequest, edge: Edge) -> CallEdge:
    node = request.shaper.get_node(*edge.other) if edge.other else None
    via = request.shaper.get_node(*edge.via).symbol_id if edge.depth > 1 and edge.via else ""
    place = (display_path(edge.path), edge.line, edge.column)
    return CallEdge(node, edge.name, *place, edge.depth, edge.resolution, via, edge.candidates)


def _make_branch(request: _NavigationRequest, branch: TypeNode) -> HierarchyNode:
    node = request.shaper.get_node(*branch.place) if branch.place else None
    children = tuple(_make_branch(request, child) for child in branch.children)
    return HierarchyNode(node, branch.name, branch.resolution, branch.depth, children)


def _iter_containers(request: _NavigationRequest) -> Iterator[SymbolNode]:
    scope = request.resolver.scope(request.symbol.path)
    at = scope.find_container(request.symbol.position)
    while at >= 0:
        yield request.shaper.get_node(request.symbol.path, at)
        at = scope.find_container(at)
