"""Value flows: assignments, calls, branches and loops of one unit of code, read from the tree by `flows.scm`.

Variables are the names of the file that are not members. Captures:

    name                       a keyword that acts like a variable (`this`)
    assign.target, .value      an assignment, with `assign.from` effective from there; `extend.…` adds to the old value
    call, call.name, .arguments   a call; the name is or ends with the called name
    pair, pair.name, .value    a keyword argument, or a key of an object literal
    return                     a return value
    function, param, param.name   a named or anonymous function, and its parameters
    fork, arm, arm.last        branches; the last one is taken if no other is
    loop                       code that may repeat
    exit                       the code after it is not reached
    neutral                    an expression that does not propagate taint: a comparison, an index
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor

_JOINTS = (b".", b"->", b"::", b"?.", b"&.")
_CHAIN = re.compile(rb"[\w$@]+(?:(?:\.|\?\.|->|::|&\.)[\w$]+)*")
_JOINT = re.compile(rb"\?\.|->|::|&\.")
ENTER_ARM, ENTER_FORK, ENTER_LOOP, ENTER_FUNCTION, PARAM = 10, 11, 12, 13, 14
ASSIGN, EXTEND, CALL, RETURN, EXIT, LEAVE_FUNCTION, LEAVE_LOOP, LEAVE_FORK, LEAVE_ARM, LEAVE_LAST = range(10)
ByteSpan = tuple[int, int]


class CallSite(NamedTuple):
    """One call by its offsets."""

    start: int
    end: int
    name_start: int
    name_end: int
    arguments: Node | None


class KeywordPair(NamedTuple):
    """A keyword and its value."""

    start: int
    end: int
    name: str
    name_start: int
    value: ByteSpan


class FlowParam(NamedTuple):
    """A parameter: its whole text, its name, and the function it belongs to."""

    span: ByteSpan
    name: bytes
    function: ByteSpan


class CallArgument(NamedTuple):
    """One argument of a call."""

    position: int
    keyword: str
    span: ByteSpan


class FlowStep(NamedTuple):
    """One event, in execution order."""

    kind: int
    span: ByteSpan
    value: ByteSpan = (0, 0)
    call: CallSite | None = None
    param: FlowParam | None = None


class ValueFlows:
    """The value flows of one unit of code."""

    def __init__(
        self, query: Query, node: Node, source: bytes, names: Sequence[int], within: Sequence[ByteSpan]
    ) -> None:
        self.source = source
        self.calls: dict[int, CallSite] = {}
        """Calls by the end offset of the called name."""
        self.pairs: list[KeywordPair] = []
        self.neutral: list[ByteSpan] = []
        self.functions: list[ByteSpan] = []
        self.assigns: list[tuple[ByteSpan, ByteSpan]] = []
        self._steps: list[tuple[tuple[int, int, int, int], FlowStep]] = []
        silent: set[int] = set()
        params: list[tuple[ByteSpan, Node]] = []
        more: list[int] = []
        cursor = QueryCursor(query)
        self.names: list[int] = []
        for span in within:
            cursor.set_byte_range(*span)
            for _, captures in cursor.matches(node):
                self._add_captures(captures, silent, params, more)
            self.names += names[bisect_left(names, span[0]) : bisect_left(names, span[1])]
        if more:
            self.names = sorted({*self.names, *more})
        self.names = [at for at in self.names if at not in silent and not _is_member(source, at)]
        self._chains: dict[int, bytes] = {}
        self._pairs_at = {pair.start: pair for pair in self.pairs}
        self.functions.sort()
        for span, name in params:
            self._add_param(span, name)
        self.steps = [step for _, step in sorted(self._steps, key=lambda item: item[0])]

    def _add_captures(
        self, captures: dict[str, list[Node]], silent: set[int], params: list[tuple[ByteSpan, Node]], more: list[int]
    ) -> None:
        # The parts of a match have no meaning without the whole, so only labels of wholes are visited.
        for label in _WHOLES.intersection(captures):
            nodes = captures[label]
            if label == "call":
                self._add_call(nodes[0], captures["call.name"][-1], captures.get("call.arguments"))
            elif label in ("assign.value", "extend.value"):
                self._add_value(label, nodes[0], captures)
            elif label == "neutral":
                self.neutral += [_to_span(node) for node in nodes]
            elif label in _REGIONS:
                self._add_region(label, nodes)
            elif label == "return":
                self._add(RETURN, _to_span(nodes[0]))
            elif label == "exit":
                self._add(EXIT, _to_span(nodes[0]))
            elif label == "param":
                params.append((_to_span(nodes[0]), captures["param.name"][0]))
            elif label == "name":
                more += [node.start_byte for node in nodes]
            else:
                self._add_pair(nodes[0], captures["pair.name"][0], captures["pair.value"][0], silent)

    def _add_pair(self, node: Node, name: Node, value: Node, silent: set[int]) -> None:
        silent.add(name.start_byte)
        text = self.source[name.start_byte : name.end_byte].decode("utf-8", "replace").strip("\"'`: ")
        self.pairs.append(KeywordPair(*_to_span(node), text, name.start_byte, _to_span(value)))

    def _add_region(self, label: str, nodes: list[Node]) -> None:
        enter, leave = _REGIONS[label]
        for node in nodes:
            start, end = _to_span(node)
            if label == "function":
                self.functions.append((start, end))
            self._steps.append(((start, 1, -end, enter), FlowStep(enter, (start, end))))
            self._add(leave, (start, end))

    def _add(self, kind: int, span: ByteSpan, value: ByteSpan = (0, 0), call: CallSite | None = None) -> None:
        self._steps.append(((span[1], 0, -span[0], kind), FlowStep(kind, span, value, call)))

    def _add_value(self, label: str, value: Node, captures: dict[str, list[Node]]) -> None:
        kind, at = ASSIGN if label == "assign.value" else EXTEND, _to_span(value)
        early = captures.get("assign.from")
        for target in captures.get(label[:-5] + "target", ()):
            span = _to_span(target)
            self.assigns.append((span, at))
            if early:
                start = early[0].start_byte
                self._steps.append(((start, 1, -early[0].end_byte, PARAM + 1), FlowStep(kind, span, at)))
            else:
                # Ordered by the span from target to value, so that events inside the value come first.
                self._steps.append(((max(at[1], span[1]), 0, -min(span[0], at[0]), kind), FlowStep(kind, span, at)))

    def _add_call(self, node: Node, name: Node, arguments: list[Node] | None) -> None:
        call = CallSite(*_to_span(node), *_to_span(name), arguments[0] if arguments else None)
        known = self.calls.get(call.name_end)
        if known is None or known.arguments is None:
            self.calls[call.name_end] = call
            self._add(CALL, _to_span(node), call=call)

    def _add_param(self, span: ByteSpan, name: Node) -> None:
        function = self.find_function(span[0]) or (0, 0)
        text = self.source[name.start_byte : name.end_byte].lstrip(b"$")
        step = FlowStep(PARAM, span, param=FlowParam(span, text, function))
        self._steps.append(((span[0], 1, -span[1], PARAM), step))

    def read_chain(self, at: int, end: int) -> bytes:
        """Return the chain of names that starts at an offset."""
        found = _CHAIN.match(self.source, at, end)
        text = found.group().lstrip(b"$") if found else b""
        return _JOINT.sub(b".", text) if b"." in text or b"-" in text or b":" in text else text

    def read_name(self, number: int) -> bytes:
        """Return the chain that begins with a name."""
        known = self._chains.get(number)
        if known is None:
            known = self._chains[number] = self.read_chain(self.names[number], len(self.source))
        return known

    def find_function(self, offset: int) -> ByteSpan | None:
        """Return the innermost function around an offset."""
        at = bisect_left(self.functions, (offset + 1,)) - 1
        while at >= 0 and self.functions[at][1] <= offset:
            at -= 1
        return self.functions[at] if at >= 0 else None

    def find_names(self, span: ByteSpan) -> range:
        """Return the positions in `names` of the names inside a span."""
        first = bisect_left(self.names, span[0])
        return range(first, bisect_left(self.names, span[1], first))

    def find_arguments(self, call: CallSite) -> list[CallArgument]:
        """Return the arguments of a call; keyword arguments have the position -1."""
        found: list[CallArgument] = []
        if call.arguments is None:
            return found
        nodes = call.arguments.named_children
        place = 0
        for node in nodes:
            if "comment" in node.type:
                continue
            pair = self._pairs_at.get(node.start_byte)
            if pair is not None and pair.end == node.end_byte:
                found.append(CallArgument(-1, pair.name, pair.value))
            else:
                found.append(CallArgument(place, "", _to_span(node)))
                place += 1
        if not nodes and not call.arguments.child_count:
            found.append(CallArgument(0, "", _to_span(call.arguments)))
        return found

    def is_literal(self, span: ByteSpan) -> bool:
        """Whether a span is a literal: it contains no names and no calls."""
        return not self.find_names(span) and not any(span[0] <= call.start < span[1] for call in self.calls.values())


_REGIONS = {
    "function": (ENTER_FUNCTION, LEAVE_FUNCTION),
    "fork": (ENTER_FORK, LEAVE_FORK),
    "arm": (ENTER_ARM, LEAVE_ARM),
    "arm.last": (ENTER_ARM, LEAVE_LAST),
    "loop": (ENTER_LOOP, LEAVE_LOOP),
}


_WHOLES = frozenset(
    {"call", "assign.value", "extend.value", "neutral", "return", "exit", "param", "name", "pair", *_REGIONS}
)


def _to_span(node: Node) -> ByteSpan:
    return node.start_byte, node.end_byte


def _is_member(source: bytes, at: int) -> bool:
    """Whether a member access operator precedes a name."""
    if source[at - 1] not in b".>:" or not at:
        return False
    before = source[max(0, at - 2) : at]
    return before.endswith(_JOINTS) and not source[max(0, at - 3) : at] == b"..."
