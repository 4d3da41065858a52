"""Navigation: the part of the façade that follows symbols — uses, calls, types."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.certain_resolver import CertainResolver
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.symbols.symbol_nodes import symbol_node
from codecompass.engine.navigation.symbols.target import find_path
from codecompass.engine.navigation.symbols.target_symbol import find_meant
from codecompass.engine.navigation.uses.call_graph import Edge, Walk, callees_of, callers_of, choose_callers
from codecompass.engine.navigation.uses.document_samples import find_sample_uses
from codecompass.engine.navigation.uses.occurrences import explain_rest
from codecompass.engine.navigation.uses.references import UseSite, survey_mentions
from codecompass.engine.navigation.uses.type_hierarchy import Branch, subtypes_of, supertypes_of
from codecompass.engine.navigation.uses.unread_files import find_unread
from codecompass.engine.navigation.uses.use_nodes import UseShaper
from codecompass.engine.view.pinned_view import PinnedView, Symbol, shown
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import Opener
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import (
    RESOLUTIONS,
    CallEdge,
    CallGraph,
    Hierarchy,
    HierarchyNode,
    References,
    SymbolNode,
    Target,
)
from codecompass.model.queries.search_query import GraphQuery, HierarchyQuery, ReferenceQuery


@dataclass(frozen=True, slots=True)
class _Desk:
    """One question under way."""

    project: Project
    view: PinnedView
    ref: str
    resolver: Resolver
    shaper: UseShaper
    symbol: Symbol
    node: SymbolNode
    others: tuple[SymbolNode, ...]


class Navigation:
    """Answers about one symbol and what hangs on it."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener

    @contextmanager
    def _at(self, workspace: str | None, ref: str | None, target: Target) -> Iterator[_Desk]:
        project = self._opener.project(workspace)
        effective = project.effective_ref(ref)
        with project.pinned(effective) as view:
            resolver = CertainResolver(view, get_module_index(project, view))
            meant = find_meant(resolver, target)
            shaper = UseShaper(view, project.reader(view))
            yield _Desk(project, view, effective, resolver, shaper, meant.symbol, meant.node, meant.others)

    def references(self, workspace: str | None, query: ReferenceQuery, call: Call) -> References:
        with self._at(workspace, query.ref, query.target) as desk:
            survey = survey_mentions(desk.resolver, desk.symbol, call, "references")
            excluded = survey.excluded
            if query.explain:
                reader = desk.project.reader(desk.view)
                excluded = explain_rest(desk.resolver, desk.symbol, survey, reader, call)
            samples = find_sample_uses(desk.resolver, desk.symbol, call)
            sites = _with_samples(survey.uses, samples)
            listed = {(site.path, site.line, site.column) for site in samples}
            excluded = [item for item in excluded if (item.path, item.line, item.column) not in listed]
            best = RESOLUTIONS[-1] if query.resolution == "all" else query.resolution
            allowed = RESOLUTIONS[: RESOLUTIONS.index(best) + 1]
            wanted = [
                site for site in sites if site.resolution in allowed and (not query.kinds or site.kind in query.kinds)
            ]
            top = wanted[: query.limit]
            shown_proofs = excluded[: query.limit] if query.explain else []
            paths = tuple({site.path for site in top} | {item.path for item in shown_proofs} | {desk.symbol.path})
            state = self._opener.state(desk.project, desk.view, desk.ref, query.freshness, paths)
            return References(
                symbol=desk.node,
                uses=tuple(desk.shaper.use(site) for site in top),
                total=len(wanted),
                counts=_count(site.resolution for site in sites),
                kinds=_count(site.kind for site in sites),
                others=desk.others,
                state=state,
                in_documents=sum(site.in_document for site in wanted),
                truncated=len(wanted) > len(top) or (query.explain and len(excluded) > len(shown_proofs)),
                excluded=_count(item.reason for item in excluded),
                explained=tuple(desk.shaper.exclusion(item) for item in shown_proofs),
                unread=tuple((shown(path), reason) for path, reason in find_unread(desk.view, desk.symbol)),
            )

    def call_graph(self, workspace: str | None, query: GraphQuery, call: Call) -> CallGraph:
        with self._at(workspace, query.ref, query.target) as desk:
            up = callers_of(desk.resolver, desk.symbol, query.depth, call) if query.direction != "callees" else Walk()
            down = callees_of(desk.resolver, desk.symbol, query.depth, call) if query.direction != "callers" else Walk()
            shown_up, guesses = choose_callers(up.edges, query.limit)
            shown_down = down.edges[: query.limit]
            paths = tuple({edge.path for edge in (*shown_up, *shown_down)} | {desk.symbol.path})
            state = self._opener.state(desk.project, desk.view, desk.ref, query.freshness, paths)
            return CallGraph(
                symbol=desk.node,
                callers=tuple(_edge(desk, edge) for edge in shown_up),
                callees=tuple(_edge(desk, edge) for edge in shown_down),
                total_callers=len(up.edges),
                total_callees=len(down.edges),
                depth=query.depth,
                others=desk.others,
                state=state,
                truncated=len(up.edges) > len(shown_up) or len(down.edges) > len(shown_down),
                caller_counts=_count(edge.resolution for edge in up.edges),
                callee_counts=_count(edge.resolution for edge in down.edges),
                guesses_left_out=guesses,
                unfollowed=up.unfollowed + down.unfollowed,
            )

    def hierarchy(self, workspace: str | None, query: HierarchyQuery, call: Call) -> Hierarchy:
        with self._at(workspace, query.ref, query.target) as desk:
            # A tree of types is made of what is known; doubts about other bases are no branches of it.
            plain = Resolver(desk.view, get_module_index(desk.project, desk.view))
            up = supertypes_of(plain, desk.symbol, query.depth, call) if query.direction != "down" else []
            down = subtypes_of(plain, desk.symbol, query.depth, call) if query.direction != "up" else []
            scope = desk.resolver.scope(desk.symbol.path)
            inside = [at for at in range(len(scope.definitions)) if scope.home(at) == desk.symbol.position]
            state = self._opener.state(desk.project, desk.view, desk.ref, query.freshness, (desk.symbol.path,))
            members = [at for at in inside if scope.definitions[at].kind != "use"]
            return Hierarchy(
                symbol=desk.node,
                containers=tuple(_containers(desk)),
                supertypes=tuple(_branch(desk, branch) for branch in up),
                subtypes=tuple(_branch(desk, branch) for branch in down[: query.limit]),
                members=tuple(desk.shaper.node(desk.symbol.path, at) for at in members[: query.limit]),
                others=desk.others,
                state=state,
                truncated=len(down) > query.limit or len(members) > query.limit,
            )

    def definition_at(
        self, workspace: str | None, path: str, line: int, column: int, ref: str | None = None
    ) -> tuple[str, tuple[SymbolNode, ...]]:
        """What the name at a place means: how sure that is, and the definitions. Columns count UTF-8 bytes from 0."""
        project = self._opener.project(workspace)
        with project.pinned(project.effective_ref(ref)) as view:
            place = find_path(view, path)
            resolver = CertainResolver(view, get_module_index(project, view))
            for item in resolver.scope(place).uses.references:
                if (item.line, item.col) == (line, column):
                    found = resolver.resolve(place, item.role, item.name, item.owner, item.receiver, item.line)
                    nodes = tuple(symbol_node(view, view.symbol(*one)) for one in found.places)
                    return ("unresolved" if found.status == "own_member" else found.status), nodes
            return "unresolved", ()


def _with_samples(sites: list[UseSite], samples: list[UseSite]) -> list[UseSite]:
    """Uses in code, then those in code blocks of documents; each place once."""
    places = {(site.path, site.line, site.column) for site in samples}
    return [*(site for site in sites if (site.path, site.line, site.column) not in places), *samples]


def _count(words: Iterator[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found


def _edge(desk: _Desk, edge: Edge) -> CallEdge:
    node = desk.shaper.node(*edge.other) if edge.other else None
    via = desk.shaper.node(*edge.via).symbol_id if edge.depth > 1 and edge.via else ""
    place = (shown(edge.path), edge.line, edge.column)
    return CallEdge(node, edge.name, *place, edge.depth, edge.resolution, via, edge.candidates)


def _branch(desk: _Desk, branch: Branch) -> HierarchyNode:
    node = desk.shaper.node(*branch.place) if branch.place else None
    children = tuple(_branch(desk, child) for child in branch.children)
    return HierarchyNode(node, branch.name, branch.resolution, branch.depth, children)


def _containers(desk: _Desk) -> Iterator[SymbolNode]:
    scope = desk.resolver.scope(desk.symbol.path)
    at = scope.home(desk.symbol.position)
    while at >= 0:
        yield desk.shaper.node(desk.symbol.path, at)
        at = scope.home(at)
