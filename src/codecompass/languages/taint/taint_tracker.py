"""Taint tracker: propagates the sources of values through one unit of code, in execution order.

Assigning a clean value cleans a variable; at branches, the taints of all paths are merged. Values inside a comparison,
an index or a sanitizer call do not taint the enclosing expression.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

from codecompass.languages.taint import value_flows
from codecompass.languages.taint.value_flows import ByteSpan, CallSite, FlowParam, FlowStep, ValueFlows

MAX_TAINTS = 8
"""Maximum taints of one value."""
MAX_VIA = 8
MAX_STEPS = 60_000
ALL_CATEGORIES = frozenset({"*"})
DECAY = 0.97
"""Each variable on the path reduces the confidence of a flow by this factor."""


class Taint(NamedTuple):
    """One possible source of a value."""

    label: tuple[str, int]
    """`source`, `param` or `call`, and its number."""
    cleaned: frozenset[str] = frozenset()
    via: tuple[str, ...] = ()
    sure: float = 1.0


Taints = tuple[Taint, ...]
CoveredSpan = tuple[ByteSpan, frozenset[str]]
"""A span whose contents do not taint the enclosing expression, for these categories."""
TaintEnvironment = dict[bytes, Taints]
_RANK = {"source": 0, "param": 1, "call": 2}


class TaintPoint(NamedTuple):
    """A taint at an offset: a source, or a call that is not resolved yet."""

    at: int
    taint: Taint


class TrackerInput(NamedTuple):
    """Input of the tracker for one unit of code, besides its flows."""

    points: list[TaintPoint]
    """Sorted by offset."""
    covers: list[CoveredSpan]
    on_call: Callable[[CallSite, Callable[[ByteSpan], Taints]], None]
    on_assign: Callable[[ByteSpan, Taints], None]
    on_return: Callable[[ByteSpan, Taints], None]
    on_param: Callable[[FlowParam], Taints]
    fills: dict[int, tuple[Taint, tuple[ByteSpan, ...]]]
    """End of a called name → taint of its output arguments, and their spans."""
    line_of: Callable[[int], int]


class TaintTracker:
    """Executes the steps of one unit of code."""

    def __init__(self, code: ValueFlows, unit: TrackerInput) -> None:
        self._code = code
        self._unit = unit
        self._point_at = [point.at for point in unit.points]
        self._name_covers = _map_covers(code.names, unit.covers)
        self._point_covers = _map_covers(self._point_at, unit.covers)
        self._env: TaintEnvironment = {}
        self._dead = False
        self._stack: list[tuple[TaintEnvironment, bool, list[TaintEnvironment], int]] = []
        self._repeated: set[int] = set()
        self.capped = False

    def run(self) -> None:
        steps, at, count = self._code.steps, 0, 0
        while at < len(steps):
            count += 1
            if count > MAX_STEPS:
                self.capped = True
                return
            step = steps[at]
            back = self._run_step(step, at)
            at = at + 1 if back < 0 else back

    def _run_step(self, step: FlowStep, at: int) -> int:
        """Execute one step; return the step to continue from, or -1 for the next."""
        kind = step.kind
        if kind == value_flows.CALL and step.call is not None:
            self._track_call(step.call)
        elif kind in (value_flows.ASSIGN, value_flows.EXTEND):
            self._assign(step.span, step.value, keep=kind == value_flows.EXTEND)
        elif kind == value_flows.RETURN:
            self._unit.on_return(step.span, self.find_taints(step.span))
        elif kind == value_flows.EXIT:
            self._dead = True
        elif kind == value_flows.PARAM and step.param is not None:
            self._env[step.param.name] = self._unit.on_param(step.param)
        elif kind >= value_flows.ENTER_ARM:
            self._enter(at)
        else:
            return self._leave(kind)
        return -1

    def _enter(self, at: int) -> None:
        self._stack.append((self._env, self._dead, [], at))
        self._env, self._dead = dict(self._env), False

    def _leave(self, kind: int) -> int:
        if not self._stack:
            return -1
        before, dead, outs, at = self._stack.pop()
        if kind == value_flows.LEAVE_FUNCTION:
            self._env, self._dead = before, dead
        elif kind in (value_flows.LEAVE_ARM, value_flows.LEAVE_LAST):
            if self._stack:
                around = self._stack[-1][2]
                if not self._dead:
                    around.append(self._env)
                if kind == value_flows.LEAVE_LAST:
                    around.append(_EXHAUSTIVE)
            self._env, self._dead = before, dead
        elif kind == value_flows.LEAVE_FORK:
            whole = any(out is _EXHAUSTIVE for out in outs)
            ways = [out for out in outs if out is not _EXHAUSTIVE]
            self._dead = dead or (whole and not ways)
            # Assignments in the conditions also apply on the path that skips all arms.
            self._env = _join_environments(ways if whole else [self._env, *ways])
        elif kind == value_flows.LEAVE_LOOP:
            after = _join_environments([before] if self._dead else [before, self._env])
            self._dead = dead
            if at not in self._repeated and after != before:
                self._repeated.add(at)
                self._env = after
                self._stack.append((after, dead, [], at))
                self._env = dict(after)
                return at + 1
            self._env = after
        return -1

    def _track_call(self, call: CallSite) -> None:
        self._unit.on_call(call, self.find_taints)
        filled = self._unit.fills.get(call.name_end)
        if filled is not None:
            for span in filled[1]:
                for number in self._code.find_names(span):
                    self._env[self._code.read_name(number)] = (filled[0],)

    def _assign(self, target: ByteSpan, value: ByteSpan, *, keep: bool) -> None:
        found = self.find_taints(value)
        self._unit.on_assign(target, found)
        text = self._code.source[target[0] : target[1]]
        part = b"[" in text and not text.startswith((b"[", b"{"))
        numbers = self._code.find_names(target)
        if not numbers:
            return
        line = self._unit.line_of(target[0])
        for number in numbers[:1] if part else numbers:
            key = self._code.read_chain(self._code.names[number], target[1])
            step = f"{key.decode('utf-8', 'replace')}:{line}"
            passed = tuple(
                item._replace(via=(*item.via, step)[-MAX_VIA:] if item.via[-1:] != (step,) else item.via,
                              sure=item.sure * DECAY)
                for item in found
            )  # fmt: skip
            if keep or part:
                passed = _merge_taints(self._env.get(key, ()), passed)
            self._env[key] = passed

    def find_taints(self, span: ByteSpan) -> Taints:
        """Return the possible sources of the value of an expression."""
        found: list[Taint] = []
        env = self._env
        for number in self._code.find_names(span):
            known = _lookup(env, self._code.read_name(number))
            if known:
                cleaned = _find_cleaned(self._name_covers.get(number), span)
                if cleaned is not ALL_CATEGORIES:
                    found += [item._replace(cleaned=item.cleaned | cleaned) if cleaned else item for item in known]
        first = bisect_left(self._point_at, span[0])
        for number in range(first, bisect_left(self._point_at, span[1], first)):
            cleaned = _find_cleaned(self._point_covers.get(number), span)
            if cleaned is not ALL_CATEGORIES:
                found.append(self._unit.points[number].taint._replace(cleaned=cleaned))
        return _merge_taints((), tuple(found)) if len(found) > 1 else tuple(found)


_EXHAUSTIVE: TaintEnvironment = {}
"""Marker in the list of a fork's paths: the arms are exhaustive."""
_NONE: frozenset[str] = frozenset()


def _lookup(env: TaintEnvironment, chain: bytes) -> Taints:
    """Return the taints of a chain or of its longest known prefix."""
    known = env.get(chain)
    while known is None:
        chain, dot, _ = chain.rpartition(b".")
        if not dot:
            return ()
        known = env.get(chain)
    return known


def _merge_taints(one: Taints, two: Taints) -> Taints:
    """Merge taints; equal labels keep only the common sanitized categories. Sources come first."""
    found: dict[tuple[str, int], Taint] = {}
    for item in (*one, *two):
        known = found.get(item.label)
        if known is None:
            found[item.label] = item
        elif known.cleaned != item.cleaned:
            found[item.label] = known._replace(cleaned=known.cleaned & item.cleaned)
    if len(found) <= 1:
        return tuple(found.values())
    return tuple(sorted(found.values(), key=lambda item: _RANK[item.label[0]])[:MAX_TAINTS])


def _join_environments(ways: list[TaintEnvironment]) -> TaintEnvironment:
    if not ways:
        return {}
    first, *rest = ways
    found = dict(first)
    for way in rest:
        for key, taints in way.items():
            known = found.get(key)
            if known is None:
                # The other path may know a shorter prefix of the chain; it must not be hidden.
                found[key] = _merge_taints(_lookup(first, key), taints)
            elif known is not taints:
                found[key] = _merge_taints(known, taints)
    for key in found.keys() - set.intersection(*(set(way) for way in ways)):
        for way in ways:
            if key not in way:
                found[key] = _merge_taints(found[key], _lookup(way, key))
    return found


def _map_covers(places: list[int], covers: list[CoveredSpan]) -> dict[int, list[CoveredSpan]]:
    """Map the index of each offset to the covers around it."""
    found: dict[int, list[CoveredSpan]] = {}
    for cover in covers:
        start, end = cover[0]
        number = bisect_left(places, start)
        while number < len(places) and places[number] < end:
            found.setdefault(number, []).append(cover)
            number += 1
    return found


def _find_cleaned(covers: list[CoveredSpan] | None, span: ByteSpan) -> frozenset[str]:
    """Return the categories that covers inside an expression clean."""
    if not covers:
        return _NONE
    found = _NONE
    for (start, end), cleans in covers:
        if span[0] <= start and end <= span[1]:
            if "*" in cleans:
                return ALL_CATEGORIES
            found |= cleans
    return found
