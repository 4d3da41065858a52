"""Risk finder: analyzes the functions of a file in which a rule applies, and joins flows through calls."""

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node, Tree

from codecompass.languages.extraction.nesting import Nesting
from codecompass.languages.registry import Language
from codecompass.languages.taint.function_analysis import FunctionAnalyzer
from codecompass.languages.taint.risk_rules import RuleIndex
from codecompass.languages.taint.rule_matches import RuleMatch, RuleMatches, find_rule_matches
from codecompass.languages.taint.taint_context import TaintContext
from codecompass.languages.taint.value_flows import ByteSpan, ValueFlows
from codecompass.model.code.facts import Definition, Import, Reference
from codecompass.model.code.risk_facts import Callee, RiskFlow, Risks, SinkSite, SourceSite
from codecompass.model.states import FlowScope

MAX_LINES = 3_000
"""Maximum lines of a unit that is analyzed."""
MAX_FLOWS = 200
MAX_PARTIAL_FLOWS = 400
MAX_UNITS = 500
_FUNCTIONS = frozenset({"fn", "method", "property"})
_VALUES = frozenset({"var", "const", "use"})
NO_RISKS = Risks()


class ParsedSource(NamedTuple):
    """A parsed file with all facts but its risks."""

    language: Language
    source: bytes
    tree: Tree
    nesting: Nesting
    imports: tuple[Import, ...]
    references: tuple[Reference, ...]
    line_starts: Sequence[int]
    names: Sequence[Node]
    """Every name."""


def find_risks(file: ParsedSource, book: RuleIndex | None = None) -> Risks:
    """Apply the rules of a language to a file; never fails, and sets `capped` if a limit was reached."""
    language = file.language
    book = book or (language.rules.get_index(language.spec.name) if language.rules else None)
    if book is None:
        return NO_RISKS
    hits = find_rule_matches(
        book, file.source, file.tree, file.nesting, file.imports, file.references, file.line_starts
    )
    query = language.flows_query if hits else None  # compiling it takes longer than scanning most files
    if query is None:
        return NO_RISKS
    context = TaintContext(file.language.spec, file.source, file.nesting, file.references, book, file.line_starts)
    context.capped = hits.capped
    context.decorated = hits.decorated
    root = file.tree.root_node
    units = _group_matches(file, hits)
    for hit in hits.texts:
        context.record_use(hit.rule, hit.start, finding=hit.rule.always)
    for hit in hits.literal_only:
        context.record_use(hit.rule, hit.start, finding=hit.rule.always and not hit.rule.always_when)
    names = sorted([node.start_byte for node in file.names]) if units else []
    for unit, found in units.items():
        node, spans = _find_unit_spans(file, root, unit)
        lines = sum(context.to_line(end) - context.to_line(start) for start, end in spans)
        if lines > MAX_LINES:
            context.capped = True
            continue
        FunctionAnalyzer(context, ValueFlows(query, node, file.source, names, spans), found).run()
    return _collect_risks(context)


def _group_matches(file: ParsedSource, hits: RuleMatches) -> dict[tuple[int, int], list[RuleMatch]]:
    """Group matches by unit: (outermost function, 0), (-1, 0) for file level, or (-2, offset) for one statement."""
    found: dict[tuple[int, int], list[RuleMatch]] = {}
    for hit in hits.named:
        found.setdefault(_find_unit(file.nesting, hit.owner, hit.start), []).append(hit)
    for offset, owner in hits.places:
        found.setdefault(_find_unit(file.nesting, owner, offset), [])
    small: dict[tuple[int, int], list[RuleMatch]] = {
        (-2, offset): []
        for offset, owner in hits.statement_places
        if _find_unit(file.nesting, owner, offset) not in found
    }
    for hit in (*hits.weak, *hits.sanitizers):
        unit = found.get(_find_unit(file.nesting, hit.owner, hit.start))
        if unit is not None:
            unit.append(hit)
        elif hit.rule.when or hit.rule.always:
            small.setdefault((-2, hit.start), []).append(hit)  # its own statement is enough
        elif hit.rule.kind != "sanitizer":
            hits.literal_only.append(hit)
    return dict(sorted({**small, **found}.items())[:MAX_UNITS])


def _find_unit(nesting: Nesting, owner: int, offset: int) -> tuple[int, int]:
    outermost, top = -1, -1
    at = owner
    while at >= 0:
        if nesting.definitions[at].kind in _FUNCTIONS:
            outermost = at
        top = at
        at = nesting.definitions[at].parent
    if outermost >= 0:
        return outermost, 0
    return (-1, 0) if top < 0 or nesting.definitions[top].kind in _VALUES else (-2, offset)


def _find_unit_spans(file: ParsedSource, root: Node, unit: tuple[int, int]) -> tuple[Node, list[ByteSpan]]:
    """Return the node of a unit, and its spans."""
    number, offset = unit
    definitions = file.nesting.definitions
    if number >= 0:
        span = (definitions[number].byte_start, definitions[number].byte_end)
        return root.descendant_for_byte_range(*span) or root, [span]
    if number == -1:
        return root, _find_gaps(definitions, file.source)
    node = root.descendant_for_byte_range(offset, offset + 1) or root
    while (above := node.parent) is not None and not above.type.endswith(_BODIES):
        node = above
    return node, [(node.start_byte, node.end_byte)]


_BODIES = ("body", "block", "declaration_list", "statement_list", "compound_statement", "body_statement", "program",
           "file", "module", "unit", "then")  # fmt: skip


def _find_gaps(definitions: Sequence[Definition], source: bytes) -> list[ByteSpan]:
    """Return the spans of a file outside its functions and types."""
    found: list[ByteSpan] = []
    at = 0
    for item in definitions:
        if item.parent >= 0 or item.kind in _VALUES or item.byte_start < at:
            continue
        found.append((at, item.byte_start))
        at = item.byte_end
    found.append((at, len(source)))
    return [span for span in found if source[span[0] : span[1]].strip()]


def _collect_risks(context: TaintContext) -> Risks:
    flows = list(context.flows.values())
    flows += _join_through_arguments(context)
    flows += _join_through_results(context)
    calls, results = list(context.calls.values()), list(context.results.values())
    halves = max(len(calls), len(results), len(context.params), len(context.returns))
    capped = context.capped or len(flows) > MAX_FLOWS or halves > MAX_PARTIAL_FLOWS
    return Risks(
        uses=tuple(sorted(context.uses.values(), key=lambda item: (item.line, item.col, item.rule))),
        flows=tuple(sorted(flows, key=lambda item: (item.reach.line, item.reach.col, item.origin))[:MAX_FLOWS]),
        params=tuple(list(context.params.values())[:MAX_PARTIAL_FLOWS]),
        returns=tuple(list(context.returns.values())[:MAX_PARTIAL_FLOWS]),
        calls=tuple(calls[:MAX_PARTIAL_FLOWS]),
        results=tuple(results[:MAX_PARTIAL_FLOWS]),
        capped="limits" if capped else "",
    )


def _join_through_arguments(context: TaintContext) -> list[RiskFlow]:
    """Join calls with a tainted argument to functions of this file whose parameter reaches a sink."""
    by_owner: dict[int, list[tuple[int, str, SinkSite, tuple[str, ...]]]] = {}
    for param in context.params.values():
        by_owner.setdefault(param.owner, []).append((param.position, param.name, param.reach, param.via))
    found: dict[tuple[SourceSite, SinkSite], RiskFlow] = {}
    for key, call in list(context.calls.items()) if by_owner else ():
        target = _resolve_local_callee(context, call.callee)
        for position, name, reach, via in by_owner.get(target, ()):
            if (position == call.position or call.keyword == name) and reach.category not in call.cleaned:
                made = join_flow(call.origin, reach, call.callee, call.via, via, "call")
                found.setdefault((call.origin, reach), made)
                context.calls.pop(key, None)
    return list(found.values())


def _join_through_results(context: TaintContext) -> list[RiskFlow]:
    """Join functions of this file that return a source to calls whose result reaches a sink."""
    by_owner: dict[int, list[tuple[SourceSite, tuple[str, ...]]]] = {}
    for given in context.returns.values():
        by_owner.setdefault(given.owner, []).append((given.origin, given.via))
    found: dict[tuple[SourceSite, SinkSite], RiskFlow] = {}
    for key, result in list(context.results.items()) if by_owner else ():
        target = _resolve_local_callee(context, result.callee)
        for origin, via in by_owner.get(target, ()):
            if result.reach.category not in result.cleaned:
                made = join_flow(origin, result.reach, result.callee, via, result.via, "call")
                found.setdefault((origin, result.reach), made)
                context.results.pop(key, None)
    return list(found.values())


def join_flow(
    origin: SourceSite,
    reach: SinkSite,
    callee: Callee,
    before: tuple[str, ...],
    after: tuple[str, ...],
    scope: FlowScope,
) -> RiskFlow:
    """Join two partial flows that meet in a call."""
    via = tuple(dict.fromkeys((*before, f"{callee.name}():{callee.line}", *after)))
    sure = round(min(1.0, origin.confidence * reach.confidence * 0.9 + 0.1), 3)
    return RiskFlow(origin, reach, callee.owner, via, sure, scope)


def _resolve_local_callee(context: TaintContext, callee: Callee) -> int:
    """Return the function of this file that a call refers to, as far as one file can tell, or -1."""
    definitions = context.nesting.definitions
    found = context.find_functions(callee.name)
    if not found:
        return -1
    if callee.receiver in context.spec.resolve.self_words or (
        not callee.receiver and context.spec.resolve.bare_members
    ):
        around = context.nesting.find_enclosing_type(callee.owner)
        found = [number for number in found if definitions[number].parent == around]
    elif not callee.receiver:
        outer = set(context.nesting.find_functions(callee.owner))
        found = [number for number in found if definitions[number].parent in outer or definitions[number].parent < 0]
    else:
        name = callee.receiver.lstrip("~").rpartition(".")[2].rstrip("()")
        found = [number for number in found if definitions[number].scope.rpartition(context.spec.separator)[2] == name]
    return found[0] if len(found) == 1 else -1
