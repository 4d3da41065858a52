"""Function analysis: applies the risk rules to one function, or to the code outside all functions."""

import re
from bisect import bisect_left
from collections.abc import Callable

from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.languages.taint.risk_rules import RiskRule
from codecompass.languages.taint.rule_matches import RuleMatch, has_rule_decorator
from codecompass.languages.taint.taint_context import TaintContext, check_conditions
from codecompass.languages.taint.taint_tracker import (
    ALL_CATEGORIES,
    CoveredSpan,
    Taint,
    TaintPoint,
    Taints,
    TaintTracker,
    TrackerInput,
)
from codecompass.languages.taint.value_flows import ByteSpan, CallArgument, CallSite, FlowParam, ValueFlows
from codecompass.model.code.facts import Reference
from codecompass.model.code.risk_facts import (
    Callee,
    RiskCall,
    RiskFlow,
    RiskParam,
    RiskResult,
    RiskReturn,
    RiskUse,
    SinkSite,
    SourceSite,
)

MAX_CALLEES = 400
_LAST = re.compile(rb"[\w$]+[!?]?$")


class FunctionAnalyzer:
    """Tracks the values of one unit of code and records the sinks they reach."""

    def __init__(self, context: TaintContext, code: ValueFlows, hits: list[RuleMatch]) -> None:
        self._context = context
        self._code = code
        self._sinks: dict[int, list[tuple[RiskRule, RiskUse]]] = {}
        self._matched_ends: set[int] = set()
        """End offsets of names that match a rule."""
        self._points: list[TaintPoint] = []
        self._covers: list[CoveredSpan] = [(span, ALL_CATEGORIES) for span in (*code.neutral, *code.functions)]
        self._fills: dict[int, tuple[Taint, tuple[ByteSpan, ...]]] = {}
        self._origins: list[SourceSite] = []
        self._params: list[tuple[int, int, str]] = []
        self._callees: list[Callee] = []
        self._source_ends = {hit.end for hit in hits if hit.rule.kind == "source"}
        for hit in hits:
            self._add_match(hit)
        self._match_words()
        self._match_pairs()

    def run(self) -> None:
        """Track all values; without a sink, a source or a parameter rule there is nothing to track."""
        context = self._context
        book = context.rule_index
        if not (self._sinks or self._origins or self._fills or context.decorated or book.by_mark or book.functions):
            return
        if self._sinks:
            self._add_callees()
        self._points.sort()
        unit = TrackerInput(
            points=self._points,
            covers=self._covers,
            on_call=self._on_call,
            on_assign=self._on_assign,
            on_return=self._on_return,
            on_param=self._on_param,
            fills=self._fills,
            line_of=context.to_line,
        )
        follower = TaintTracker(self._code, unit)
        follower.run()
        context.capped = context.capped or follower.capped

    # -- matching rules --------------------------------------------------------------------------------------------

    def _add_match(self, hit: RuleMatch) -> None:
        rule, call = hit.rule, self._code.calls.get(hit.end)
        value = None if call else next((value for target, value in self._code.assigns if target[1] == hit.end), None)
        if check_conditions(rule.when, self._context, self._code, hit, call, value):
            self._apply_rule(rule, hit, call, value)

    def _apply_rule(self, rule: RiskRule, hit: RuleMatch, call: CallSite | None, value: ByteSpan | None) -> None:
        finding = rule.always and check_conditions(rule.always_when, self._context, self._code, hit, call, value)
        use = self._record_use(rule, hit, finding=finding)
        self._matched_ends.add(hit.end)
        if not rule.flows:
            return
        if rule.kind == "sink":
            self._sinks.setdefault(hit.end, []).append((rule, use))
            if call is not None and rule.opaque and hit.end not in self._source_ends:
                self._covers.append(((call.start, call.end), ALL_CATEGORIES))
        elif rule.kind == "sanitizer":
            if call is not None:
                self._covers.append(((call.start, call.end), frozenset(rule.cleans)))
        else:
            taint = self._add_origin(rule, use)
            if rule.taints and call is not None:
                spans = tuple(item.span for item in self._code.find_arguments(call) if item.position in rule.taints)
                self._fills[hit.end] = (taint, spans)
            else:
                self._points.append(TaintPoint(hit.start, taint))

    def _record_use(self, rule: RiskRule, hit: RuleMatch, *, finding: bool = False) -> RiskUse:
        return self._context.record_use(rule, hit.start, finding=finding)

    def _add_origin(self, rule: RiskRule, use: RiskUse) -> Taint:
        self._origins.append(SourceSite(rule.name, use.line, use.col, rule.tags, rule.severity, rule.confidence))
        return Taint(("source", len(self._origins) - 1))

    def _match_words(self) -> None:
        by_word = self._context.rule_index.by_word
        for call in list(self._code.calls.values()) if by_word else ():
            word = self._code.source[call.name_start : call.name_end]
            for rule in by_word.get(word, ()):
                self._add_match(RuleMatch(rule, call.name_start, call.name_end, -2))

    def _match_pairs(self) -> None:
        by_pair = self._context.rule_index.by_pair
        for pair in self._code.pairs if by_pair else ():
            for rule in by_pair.get(pair.name, ()):
                hit = RuleMatch(rule, pair.name_start, pair.value[1], -2)
                if check_conditions(rule.when, self._context, self._code, hit, None, pair.value):
                    finding = rule.always and check_conditions(
                        rule.always_when, self._context, self._code, hit, None, pair.value
                    )
                    use = self._record_use(rule, hit, finding=finding)
                    if rule.kind == "sink" and rule.flows:
                        self._sinks.setdefault(-pair.value[1], []).append((rule, use))

    def _add_callees(self) -> None:
        """Add calls without rules: their results may come from a source elsewhere."""
        mentions, context = self._context.calls_by_position, self._context
        sources = sorted(point.at for point in self._points)
        for end, call in self._code.calls.items():
            if end in self._matched_ends or len(self._callees) >= MAX_CALLEES:
                continue
            callee = self._find_callee(call, mentions)
            if callee is None or callee.receiver.startswith(LOCAL):  # a member of a variable is rarely a source
                continue
            inside = bisect_left(sources, call.start)
            if inside == len(sources) or sources[inside] >= end:
                self._points.append(TaintPoint(end - 1, Taint(("call", len(self._callees)))))
                self._callees.append(callee)
        context.capped = context.capped or len(self._callees) >= MAX_CALLEES

    def _find_callee(self, call: CallSite, mentions: dict[tuple[int, int], Reference]) -> Callee | None:
        text = self._code.source[call.name_start : call.name_end]
        last = next((len(text) - len(name[0]) for name in (_LAST.search(text),) if name), 0)
        found = mentions.get(self._context.to_position(call.name_start + last))
        if found is None or "?" in found.receiver or found.receiver == "~":
            return None
        return Callee(found.name, found.receiver, found.line, found.col, found.owner)

    # -- callbacks -------------------------------------------------------------------------------------------------

    def _on_call(self, call: CallSite, taints: Callable[[ByteSpan], Taints]) -> None:
        for rule, use in self._sinks.get(call.name_end, ()):
            for span in self._find_harmful_spans(rule, call):
                self._record_sink(rule, use, taints(span))
        for pair in self._code.pairs if any(end < 0 for end in self._sinks) else ():
            for rule, use in self._sinks.get(-pair.value[1], ()) if call.start < pair.start < call.end else ():
                self._record_sink(rule, use, taints(pair.value))
        if call.name_end in self._matched_ends or call.arguments is None or not self._origins:
            return
        whole = (call.arguments.start_byte, call.arguments.end_byte)
        if not any(item.label[0] == "source" for item in taints(whole)):
            return
        callee = self._find_callee(call, self._context.calls_by_position)
        for argument in self._code.find_arguments(call) if callee else ():
            for item in taints(argument.span):
                if item.label[0] == "source" and callee is not None:
                    self._record_call(callee, argument, item)

    def _find_harmful_spans(self, rule: RiskRule, call: CallSite) -> list[ByteSpan]:
        """Return the spans of a call that are dangerous if tainted."""
        found: list[ByteSpan] = []
        if rule.receiver or rule.only_receiver:
            found.append((call.start, call.name_start))
        if rule.only_receiver:
            return found
        if not rule.args and not rule.keywords and call.arguments is not None:
            return [*found, (call.arguments.start_byte, call.arguments.end_byte)]
        if not rule.args and not rule.keywords:
            return [*found, (call.name_end, call.end)]
        for item in self._code.find_arguments(call):
            if item.position in rule.args or (item.keyword and item.keyword in rule.keywords):
                found.append(item.span)
            elif item.position >= 0 and rule.keywords:
                found += [
                    pair.value
                    for pair in self._code.pairs
                    if pair.name in rule.keywords and item.span[0] <= pair.start and pair.end <= item.span[1]
                ]
        return found

    def _on_assign(self, target: ByteSpan, found: Taints) -> None:
        for rule, use in self._sinks.get(target[1], ()):
            if rule.assigns:
                self._record_sink(rule, use, found)

    def _on_return(self, span: ByteSpan, found: Taints) -> None:
        context = self._context
        owner = self._find_function(span[0])
        for item in found:
            if item.label[0] == "source" and owner >= 0:
                origin = self._origins[item.label[1]]
                origin = origin._replace(confidence=origin.confidence * item.sure)
                context.returns.setdefault((owner, origin), RiskReturn(owner, origin, item.via))

    def _on_param(self, param: FlowParam) -> Taints:
        context = self._context
        owner = self._find_definition(param.function)
        name = param.name.decode("utf-8", "replace")
        if name in context.spec.resolve.self_words:
            return ()
        found: list[Taint] = []
        if owner >= 0:
            names = context.parameters.setdefault(owner, [])
            if name not in names:
                names.append(name)
            self._params.append((owner, names.index(name), name))
            found.append(Taint(("param", len(self._params) - 1), via=(f"{name}:{context.to_line(param.span[0])}",)))
        rule = self._find_param_rule(param, owner)
        if rule is not None:
            at = param.span[1] - len(param.name) if self._code.source[: param.span[1]].endswith(param.name) else -1
            start = at if at >= param.span[0] else param.span[0]
            found.insert(
                0, self._add_origin(rule, self._record_use(rule, RuleMatch(rule, start, param.span[1], owner)))
            )
        return tuple(found)

    def _find_param_rule(self, param: FlowParam, owner: int) -> RiskRule | None:
        """Return the rule that makes a parameter a source."""
        context, book = self._context, self._context.rule_index
        if book.by_mark:
            text = self._code.source[param.span[0] : param.span[1]].decode("utf-8", "replace")
            for word in re.findall(r"\w+", text):
                for rule in book.by_mark.get(word, ()):
                    return rule
        if owner < 0:
            return None
        item = context.nesting.definitions[owner]
        if item.name in book.functions:
            return book.functions[item.name]
        return next((rule for rule in context.decorated if item.decorators and has_rule_decorator(rule, item)), None)

    def _find_definition(self, function: ByteSpan) -> int:
        """Return the definition of a function node, or -1 for an anonymous function."""
        context = self._context
        known = context.callables.get(function)
        if known is None:
            owner = context.nesting.find_owner(function[0])
            around = self._code.find_function(function[0] - 1)
            is_own = owner >= 0 and context.nesting.definitions[owner].kind in FUNCTIONS and (
                around is None or around[1] <= function[0] or context.nesting.find_owner(around[0]) != owner
            )  # fmt: skip
            known = context.callables[function] = owner if is_own else -1
        return known

    def _find_function(self, offset: int) -> int:
        function = self._code.find_function(offset)
        return self._find_definition(function) if function else -1

    def _record_sink(self, rule: RiskRule, use: RiskUse, found: Taints) -> None:
        context = self._context
        reach = SinkSite(use.name, rule.id, rule.category, rule.severity, rule.tags, rule.cwe, use.line, use.col,
                      rule.confidence)  # fmt: skip
        for item in found:
            if rule.category in item.cleaned:
                continue
            kind, number = item.label
            if kind == "source":
                origin = self._origins[number]
                key = (origin.line << 20 | origin.col, use.line << 20 | use.col, rule.id)
                sure = round(min(1.0, origin.confidence * rule.confidence * item.sure + 0.1), 3)
                context.flows.setdefault(key, RiskFlow(origin, reach, use.owner, item.via, sure))
            elif kind == "param":
                owner, position, name = self._params[number]
                there = reach._replace(confidence=round(reach.confidence * item.sure, 3))
                param = RiskParam(owner, position, name, there, item.via)
                context.params.setdefault((owner, position, use.line << 20 | use.col, rule.id), param)
            else:
                callee = self._callees[number]
                context.results.setdefault(
                    (callee.line << 20 | callee.col, use.line << 20 | use.col, rule.id),
                    RiskResult(callee, reach, tuple(sorted(item.cleaned)), item.via),
                )

    def _record_call(self, callee: Callee, argument: CallArgument, item: Taint) -> None:
        origin = self._origins[item.label[1]]
        origin = origin._replace(confidence=round(origin.confidence * item.sure, 3))
        key = (callee.line << 20 | callee.col, argument.position, argument.keyword, origin)
        made = RiskCall(callee, argument.position, argument.keyword, origin, tuple(sorted(item.cleaned)), item.via)
        self._context.calls.setdefault(key, made)
