"""Risk finder: analyzes the functions of a file in which a rule applies, and joins flows through calls."""

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node, Tree

from codecompass.languages.extraction.nesting import Nesting
from codecompass.languages.registry import Language
from codecompass.languages.taint.function_analysis import RiskUnit
from codecompass.languages.taint.risk_rules import RuleBook
from codecompass.languages.taint.rule_matches import Hit, Hits, find_hits
from codecompass.languages.taint.taint_context import Scene
from codecompass.languages.taint.value_flows import Flows, Span
from codecompass.model.code.facts import Definition, Import, Reference
from codecompass.model.code.risk_facts import Callee, Origin, Reach, RiskFlow, Risks

MAX_LINES = 3_000
"""Maximum lines of a unit that is analyzed."""
MAX_FLOWS = 200
MAX_HALVES = 400
MAX_UNITS = 500
_FUNCTIONS = frozenset({"fn", "method", "property"})
_VALUES = frozenset({"var", "const", "use"})
NONE = Risks()


class Parsed(NamedTuple):
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


def find_risks(file: Parsed, book: RuleBook | None = None) -> Risks:
    """Apply the rules of a language to a file; never fails, and sets `capped` if a limit was reached."""
    language = file.language
    book = book or (language.rules.book(language.spec.name) if language.rules else None)
    if book is None:
        return NONE
    hits = find_hits(book, file.source, file.tree, file.nesting, file.imports, file.references, file.line_starts)
    query = language.flows if hits else None  # compiling it takes longer than scanning most files
    if query is None:
        return NONE
    context = Scene(file.language.spec, file.source, file.nesting, file.references, book, file.line_starts)
    context.capped = hits.capped
    context.decorated = hits.decorated
    root = file.tree.root_node
    units = _units(file, hits)
    for hit in hits.texts:
        context.note(hit.rule, hit.start, finding=hit.rule.always)
    for hit in hits.idle:
        context.note(hit.rule, hit.start, finding=hit.rule.always and not hit.rule.always_when)
    names = sorted([node.start_byte for node in file.names]) if units else []
    for unit, found in units.items():
        node, spans = _stretch(file, root, unit)
        lines = sum(context.line(end) - context.line(start) for start, end in spans)
        if lines > MAX_LINES:
            context.capped = True
            continue
        RiskUnit(context, Flows(query, node, file.source, names, spans), found).run()
    return _collected(context)


def _units(file: Parsed, hits: Hits) -> dict[tuple[int, int], list[Hit]]:
    """Group matches by unit: (outermost function, 0), (-1, 0) for file level, or (-2, offset) for one statement."""
    found: dict[tuple[int, int], list[Hit]] = {}
    for hit in hits.named:
        found.setdefault(_unit(file.nesting, hit.owner, hit.start), []).append(hit)
    for offset, owner in hits.places:
        found.setdefault(_unit(file.nesting, owner, offset), [])
    small: dict[tuple[int, int], list[Hit]] = {
        (-2, offset): [] for offset, owner in hits.spots if _unit(file.nesting, owner, offset) not in found
    }
    for hit in (*hits.faint, *hits.cleaning):
        unit = found.get(_unit(file.nesting, hit.owner, hit.start))
        if unit is not None:
            unit.append(hit)
        elif hit.rule.when or hit.rule.always:
            small.setdefault((-2, hit.start), []).append(hit)  # its own statement is enough
        elif hit.rule.kind != "sanitizer":
            hits.idle.append(hit)
    return dict(sorted({**small, **found}.items())[:MAX_UNITS])


def _unit(nesting: Nesting, owner: int, offset: int) -> tuple[int, int]:
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


def _stretch(file: Parsed, root: Node, unit: tuple[int, int]) -> tuple[Node, list[Span]]:
    """Return the node of a unit, and its spans."""
    number, offset = unit
    definitions = file.nesting.definitions
    if number >= 0:
        span = (definitions[number].byte_start, definitions[number].byte_end)
        return root.descendant_for_byte_range(*span) or root, [span]
    if number == -1:
        return root, _gaps(definitions, file.source)
    node = root.descendant_for_byte_range(offset, offset + 1) or root
    while (above := node.parent) is not None and not above.type.endswith(_BODIES):
        node = above
    return node, [(node.start_byte, node.end_byte)]


_BODIES = ("body", "block", "declaration_list", "statement_list", "compound_statement", "body_statement", "program",
           "file", "module", "unit", "then")  # fmt: skip


def _gaps(definitions: Sequence[Definition], source: bytes) -> list[Span]:
    """Return the spans of a file outside its functions and types."""
    found: list[Span] = []
    at = 0
    for item in definitions:
        if item.parent >= 0 or item.kind in _VALUES or item.byte_start < at:
            continue
        found.append((at, item.byte_start))
        at = item.byte_end
    found.append((at, len(source)))
    return [span for span in found if source[span[0] : span[1]].strip()]


def _collected(context: Scene) -> Risks:
    flows = list(context.flows.values())
    flows += _through_arguments(context)
    flows += _through_results(context)
    calls, results = list(context.calls.values()), list(context.results.values())
    halves = max(len(calls), len(results), len(context.params), len(context.returns))
    capped = context.capped or len(flows) > MAX_FLOWS or halves > MAX_HALVES
    return Risks(
        uses=tuple(sorted(context.uses.values(), key=lambda item: (item.line, item.col, item.rule))),
        flows=tuple(sorted(flows, key=lambda item: (item.reach.line, item.reach.col, item.origin))[:MAX_FLOWS]),
        params=tuple(list(context.params.values())[:MAX_HALVES]),
        returns=tuple(list(context.returns.values())[:MAX_HALVES]),
        calls=tuple(calls[:MAX_HALVES]),
        results=tuple(results[:MAX_HALVES]),
        capped="limits" if capped else "",
    )


def _through_arguments(context: Scene) -> list[RiskFlow]:
    """Join calls with a tainted argument to functions of this file whose parameter reaches a sink."""
    by_owner: dict[int, list[tuple[int, str, Reach, tuple[str, ...]]]] = {}
    for param in context.params.values():
        by_owner.setdefault(param.owner, []).append((param.position, param.name, param.reach, param.via))
    found: dict[tuple[Origin, Reach], RiskFlow] = {}
    for key, call in list(context.calls.items()) if by_owner else ():
        target = _own(context, call.callee)
        for position, name, reach, via in by_owner.get(target, ()):
            if (position == call.position or call.keyword == name) and reach.category not in call.cleaned:
                made = joined(call.origin, reach, call.callee, call.via, via, "call")
                found.setdefault((call.origin, reach), made)
                context.calls.pop(key, None)
    return list(found.values())


def _through_results(context: Scene) -> list[RiskFlow]:
    """Join functions of this file that return a source to calls whose result reaches a sink."""
    by_owner: dict[int, list[tuple[Origin, tuple[str, ...]]]] = {}
    for given in context.returns.values():
        by_owner.setdefault(given.owner, []).append((given.origin, given.via))
    found: dict[tuple[Origin, Reach], RiskFlow] = {}
    for key, result in list(context.results.items()) if by_owner else ():
        target = _own(context, result.callee)
        for origin, via in by_owner.get(target, ()):
            if result.reach.category not in result.cleaned:
                made = joined(origin, result.reach, result.callee, via, result.via, "call")
                found.setdefault((origin, result.reach), made)
                context.results.pop(key, None)
    return list(found.values())


def joined(
    origin: Origin, reach: Reach, callee: Callee, before: tuple[str, ...], after: tuple[str, ...], scope: str
) -> RiskFlow:
    """Join two partial flows that meet in a call."""
    via = tuple(dict.fromkeys((*before, f"{callee.name}():{callee.line}", *after)))
    sure = round(min(1.0, origin.confidence * reach.confidence * 0.9 + 0.1), 3)
    return RiskFlow(origin, reach, callee.owner, via, sure, scope)


def _own(context: Scene, callee: Callee) -> int:
    """Return the function of this file that a call refers to, as far as one file can tell, or -1."""
    definitions = context.nesting.definitions
    found = context.named(callee.name)
    if not found:
        return -1
    if callee.receiver in context.spec.resolve.self_words or (
        not callee.receiver and context.spec.resolve.bare_members
    ):
        around = context.nesting.type_around(callee.owner)
        found = [number for number in found if definitions[number].parent == around]
    elif not callee.receiver:
        outer = set(context.nesting.functions(callee.owner))
        found = [number for number in found if definitions[number].parent in outer or definitions[number].parent < 0]
    else:
        name = callee.receiver.lstrip("~").rpartition(".")[2].rstrip("()")
        found = [number for number in found if definitions[number].scope.rpartition(context.spec.separator)[2] == name]
    return found[0] if len(found) == 1 else -1
