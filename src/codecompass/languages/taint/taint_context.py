"""Taint context: shared state and results of the analyzed functions of one file, and rule conditions."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from codecompass.languages.extraction.nesting import FUNCTIONS, Nesting
from codecompass.languages.language_spec import LanguageSpec
from codecompass.languages.taint.risk_rules import RiskRule, RuleCondition, RuleIndex
from codecompass.languages.taint.rule_matches import RuleMatch
from codecompass.languages.taint.value_flows import ByteSpan, CallArgument, CallSite, ValueFlows
from codecompass.model.code.facts import Reference
from codecompass.model.code.risk_facts import RiskCall, RiskFlow, RiskParam, RiskResult, RiskReturn, RiskUse, SourceSite


@dataclass
class TaintContext:
    """Shared input of all units of one file, and their results."""

    spec: LanguageSpec
    source: bytes
    nesting: Nesting
    references: tuple[Reference, ...]
    rule_index: RuleIndex
    line_starts: Sequence[int]
    uses: dict[tuple[str, int], RiskUse] = field(default_factory=dict)
    flows: dict[tuple[int, int, str], RiskFlow] = field(default_factory=dict)
    params: dict[tuple[int, int, int, str], RiskParam] = field(default_factory=dict)
    returns: dict[tuple[int, SourceSite], RiskReturn] = field(default_factory=dict)
    calls: dict[tuple[int, int, str, SourceSite], RiskCall] = field(default_factory=dict)
    results: dict[tuple[int, int, str], RiskResult] = field(default_factory=dict)
    callables: dict[ByteSpan, int] = field(default_factory=dict)
    """Span of a function node → its definition, or -1."""
    parameters: dict[int, list[str]] = field(default_factory=dict)
    """Definition → names of its parameters, without `self`."""
    decorated: tuple[RiskRule, ...] = ()
    """Rules about decorated functions that apply in this file."""
    capped: bool = False

    def find_functions(self, name: str) -> list[int]:
        """Return the functions with that name."""
        return self._functions.get(name, [])

    @cached_property
    def _functions(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, item in enumerate(self.nesting.definitions):
            if item.kind in FUNCTIONS:
                found.setdefault(item.name, []).append(number)
        return found

    def to_position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1]

    def to_line(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)

    def record_use(self, rule: RiskRule, start: int, *, finding: bool) -> RiskUse:
        """Record that a rule applies at an offset."""
        line, col = self.to_position(start)
        severity = rule.alone or rule.severity if finding else rule.severity
        use = RiskUse(rule.kind, rule.id, rule.name, rule.category, severity, line, col, self.nesting.find_owner(start),
                      finding, rule.confidence, rule.cwe, rule.tags)  # fmt: skip
        return self.uses.setdefault((rule.id, start), use)

    @cached_property
    def calls_by_position(self) -> dict[tuple[int, int], Reference]:
        return {(item.line, item.col): item for item in self.references if item.role in ("call", "instance")}


def check_conditions(
    conditions: tuple[RuleCondition, ...],
    context: TaintContext,
    code: ValueFlows,
    hit: RuleMatch,
    call: CallSite | None,
    value: ByteSpan | None,
) -> bool:
    """Whether all conditions of a rule hold at a match; `value` is the value of an assignment or a pair."""
    if not conditions:
        return True
    arguments = code.find_arguments(call) if call else []
    start = call.start if call else hit.start
    return all(
        _matches_surroundings(item, context, hit, start)
        and _matches_value(item, code, value if item.value else _find_condition_span(item, code, arguments))
        for item in conditions
    )


def _matches_surroundings(item: RuleCondition, context: TaintContext, hit: RuleMatch, start: int) -> bool:
    """Whether the receiver and the surrounding lines match a condition."""
    source = context.source
    if item.receiver and not re.search(item.receiver, source[start : hit.start].decode("utf-8", "replace")):
        return False
    if not item.near:
        return True
    first, last = context.to_line(start), context.to_line(hit.end)
    end = context.line_starts[last] if last < len(context.line_starts) else len(source)
    owner = context.nesting.find_owner(hit.start)
    around = context.nesting.definitions[owner].name if owner >= 0 else ""
    text = source[context.line_starts[first - 1] : end].decode("utf-8", "replace")
    return re.search(item.near, f"{around}\n{text}") is not None


def _matches_value(item: RuleCondition, code: ValueFlows, span: ByteSpan | None) -> bool:
    """Whether an argument or a value matches a condition."""
    if item.arg < 0 and not item.keyword and not item.value:
        return True
    if item.absent is not None:
        return (span is None) == item.absent
    if span is None:
        return not item.matches and item.literal is None
    if item.literal is not None and code.is_literal(span) != item.literal:
        return False
    text = code.source[span[0] : span[1]].decode("utf-8", "replace")
    if item.unless and re.search(item.unless, text):
        return False
    return not item.matches or re.search(item.matches, text) is not None


def _find_condition_span(item: RuleCondition, code: ValueFlows, arguments: list[CallArgument]) -> ByteSpan | None:
    """Return the argument that a condition refers to."""
    for one in arguments:
        if (item.keyword and one.keyword == item.keyword) or (item.arg >= 0 and one.position == item.arg):
            return one.span
    if item.keyword:  # a key of an object argument
        for one in arguments:
            for pair in code.pairs:
                if pair.name == item.keyword and one.span[0] <= pair.start and pair.end <= one.span[1]:
                    return pair.value
    return None
