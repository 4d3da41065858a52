"""Risk service: reports findings, and joins flows that pass through a call into another file.

The target of a call depends on the view, so a worker that parses one blob stores halves of such flows: a call with a
tainted argument, and a parameter that reaches a sink; a function that returns tainted data, and a call whose result
reaches a sink. The resolver decides which halves belong together.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.results.risk_order import get_finding_role, order_findings
from codecompass.engine.services.inspection_service import find_paths_below
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.languages.taint.risk_finder import join_flow
from codecompass.model.call import Call
from codecompass.model.code.risk_facts import (
    Callee,
    RiskCall,
    RiskFlow,
    RiskParam,
    RiskResult,
    RiskReturn,
    Risks,
    RiskUse,
)
from codecompass.model.path_text import display_path
from codecompass.model.queries.risk_report import RiskFinding, RiskQuery, RiskReport
from codecompass.model.states import SEVERITIES

MAX_RESOLVED = 5_000
"""Maximum calls resolved for one answer."""
MAX_TARGETS = 3
"""Maximum targets of a call; a call with more is too ambiguous."""
DefinitionKey = tuple[str, int]


class _CrossFileFlow(NamedTuple):
    """A flow between two files."""

    flow: RiskFlow
    source_path: str
    sink_path: str
    sink_owner: int


class RiskService:
    """Reads the extracted risks, and follows calls between files."""

    def __init__(self, access: ProjectAccess) -> None:
        self._access = access

    def risks(self, workspace: str | None, query: RiskQuery, call: Call) -> RiskReport:
        with self._access.view(workspace, query.ref) as opened:
            project, view = opened.project, opened.view
            wanted = find_paths_below(view, query.paths)
            stored = _read_risks(view, call)
            found = [item for path in wanted if path in stored for item in _find_in_file(view, path, stored[path])]
            crossings, whole = _join_flows(Resolver(view, get_module_index(project, view)), stored, call)
            inside = frozenset(wanted)
            found += [
                _make_flow_finding(view, item.sink_path, item.flow, item.source_path, item.sink_owner)
                for item in crossings
                if item.source_path in inside or item.sink_path in inside
            ]
            least = SEVERITIES.index(query.min_severity)
            kept = order_findings(
                item
                for item in found
                if SEVERITIES.index(item.severity) >= least and query.category in (None, item.category)
            )
            top = tuple(kept[: query.limit])
            state = self._access.state(opened, query.freshness, tuple({item.path for item in top}))
            capped = [display_path(path) for path in wanted if path in stored and stored[path].capped]
            return RiskReport(
                findings=top,
                total=len(kept),
                severities=_count(item.severity for item in kept),
                categories=_count(item.category for item in kept),
                scopes=_count(item.scope for item in kept),
                files=len(wanted),
                capped=tuple(capped if whole else [*capped, "*"]),
                state=state,
                roles=_count(item.role for item in kept if item.role),
            )


def _count(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(words).most_common())


def _read_risks(view: PinnedView, call: Call) -> dict[str, Risks]:
    """Return path → its risks, for files with any."""
    found: dict[str, Risks] = {}
    total = len(view.paths)
    for number, (blob, paths) in enumerate(sorted(view.paths.items())):
        call.step("risks", number, total)
        risks = view.snapshot.risks(blob) if blob else Risks()
        if risks != Risks():
            found.update((path, risks) for path in paths)
    return found


def _find_in_file(view: PinnedView, path: str, risks: Risks) -> Iterator[RiskFinding]:
    """Yield the flows of one file, and the sinks that are findings by themselves, unless a flow reaches them."""
    reached = {(item.reach.rule, item.reach.line, item.reach.col) for item in risks.flows}
    for flow in risks.flows:
        owner = _find_enclosing(view, path, flow.reach.line) if flow.scope == "call" else flow.owner
        yield _make_flow_finding(view, path, flow, path, owner)
    for use in risks.uses:
        if use.finding and (use.rule, use.line, use.col) not in reached:
            yield _make_use_finding(view, path, use)


def _make_flow_finding(view: PinnedView, path: str, flow: RiskFlow, source_path: str, owner: int) -> RiskFinding:
    origin, reach = flow.origin, flow.reach
    return RiskFinding(
        path=display_path(path),
        line=reach.line,
        col=reach.col,
        symbol=_get_symbol_name(view, path, owner),
        sink=reach.name,
        rule=reach.rule,
        category=reach.category,
        severity=flow.severity,
        cwe=reach.cwe,
        tags=flow.tags,
        confidence=flow.confidence,
        scope=flow.scope,
        source=origin.name,
        source_path=display_path(source_path),
        source_line=origin.line,
        source_col=origin.col,
        via=flow.via,
        role=get_finding_role(view, path),
    )


def _make_use_finding(view: PinnedView, path: str, use: RiskUse) -> RiskFinding:
    return RiskFinding(
        path=display_path(path),
        line=use.line,
        col=use.col,
        symbol=_get_symbol_name(view, path, use.owner),
        sink=use.name,
        rule=use.rule,
        category=use.category,
        severity=use.severity,
        cwe=use.cwe,
        tags=use.tags,
        confidence=use.confidence,
        scope="place",
        role=get_finding_role(view, path),
    )


def _get_symbol_name(view: PinnedView, path: str, owner: int) -> str:
    if owner < 0:
        return ""
    item = view.facts(path).definitions[owner]
    return ".".join(part for part in (item.scope, item.name) if part)


def _find_enclosing(view: PinnedView, path: str, line: int) -> int:
    """Return the innermost definition around a line."""
    found = -1
    for number, item in enumerate(view.facts(path).definitions):
        if item.line_start > line:
            break
        if line <= item.line_end:
            found = number
    return found


def _join_flows(resolver: Resolver, stored: dict[str, Risks], call: Call) -> tuple[list[_CrossFileFlow], bool]:
    """Find flows through a call into another file, and whether every call was followed."""
    sink_params: dict[DefinitionKey, list[RiskParam]] = {}
    tainted_returns: dict[DefinitionKey, list[RiskReturn]] = {}
    for path, risks in stored.items():
        for param in risks.params:
            sink_params.setdefault((path, param.owner), []).append(param)
        for given in risks.returns:
            tainted_returns.setdefault((path, given.owner), []).append(given)
    sink_names, source_names = (
        _collect_call_names(resolver.view, sink_params),
        _collect_call_names(resolver.view, tainted_returns),
    )
    found: dict[tuple[object, ...], _CrossFileFlow] = {}
    resolved = 0
    for number, (path, risks) in enumerate(stored.items()):
        call.step("flows", number, len(stored))
        halves: list[RiskCall | RiskResult] = [*risks.calls, *risks.results]
        for half in halves:
            callee = half.callee
            if callee.name not in (sink_names if isinstance(half, RiskCall) else source_names):
                continue
            call.check()
            resolved += 1
            if resolved > MAX_RESOLVED:
                return list(found.values()), False
            for target in _find_targets(resolver, path, callee):
                for item in _match_halves(path, half, target, sink_params, tainted_returns):
                    key = (item.source_path, item.flow.origin, item.sink_path, item.flow.reach)
                    found.setdefault(key, item)
    return list(found.values()), True


def _collect_call_names(view: PinnedView, places: Iterable[DefinitionKey]) -> set[str]:
    """Return the names by which functions are called; for constructors also the names of their types."""
    found: set[str] = set()
    for path, owner in places:
        definitions = view.facts(path).definitions
        item = definitions[owner]
        found.add(item.name)
        if item.parent >= 0 and _is_constructor(view, path, item.name, definitions[item.parent].name):
            found.add(definitions[item.parent].name)
    return found


def _is_constructor(view: PinnedView, path: str, name: str, type_name: str) -> bool:
    spec = view.spec(view.language_of(path))
    return name == type_name or (spec is not None and name in (*spec.resolve.constructors, *spec.resolve.makers))


def _find_targets(resolver: Resolver, path: str, callee: Callee) -> list[DefinitionKey]:
    """Return the functions of other files that a call may target."""
    outcome = resolver.resolve(path, "call", callee.name, callee.owner, callee.receiver, callee.line)
    places = [place for place in outcome.places if place[0] != path]
    if len(outcome.places) > MAX_TARGETS:
        return []
    found: list[DefinitionKey] = []
    for target, position in places:
        definitions = resolver.scope(target).definitions
        found.append((target, position))
        for number, item in enumerate(definitions):
            if item.parent == position and _is_constructor(
                resolver.view, target, item.name, definitions[position].name
            ):
                found.append((target, number))
    return found


def _match_halves(
    path: str,
    half: RiskCall | RiskResult,
    target: DefinitionKey,
    sink_params: dict[DefinitionKey, list[RiskParam]],
    tainted_returns: dict[DefinitionKey, list[RiskReturn]],
) -> Iterator[_CrossFileFlow]:
    """Join a half flow of this file with those of a function in another."""
    if isinstance(half, RiskCall):
        for param in sink_params.get(target, ()):
            fits = half.keyword == param.name if half.keyword else half.position == param.position
            if fits and param.reach.category not in half.cleaned:
                flow = join_flow(half.origin, param.reach, half.callee, half.via, param.via, "cross-file")
                yield _CrossFileFlow(flow, path, target[0], target[1])
        return
    for given in tainted_returns.get(target, ()):
        if half.reach.category not in half.cleaned:
            flow = join_flow(given.origin, half.reach, half.callee, given.via, half.via, "cross-file")
            yield _CrossFileFlow(flow, target[0], path, half.callee.owner)
