"""Latency: which calls are made in which order, and how long each took. One plan serves every way of asking."""

import random
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from bench.questions import Questions
from bench.report import number

KEPT_SLOWEST = 10
"""Calls of each line of the report that are remembered with what they asked."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call, and the lines of the report its time belongs to; none for a warm-up."""

    tool: str
    text: str
    labels: tuple[str, ...] = ()
    given: Mapping[str, Any] | None = None
    """The arguments, where the text alone does not say them."""

    @property
    def arguments(self) -> dict[str, Any]:
        if self.given is not None:
            return dict(self.given)
        return {"query" if self.tool == "search_code" else "name": self.text}


Plan = list[Step]


def make_plan(warm: Questions, questions: Questions, rounds: int, seed: int) -> Plan:
    """Other questions to warm up; then every question once (new), then again in other orders (repeated)."""
    plan = [Step(tool, text) for tool, _, text in _calls(warm)]
    order = random.Random(seed)
    for turn in range(1 + rounds):
        calls = _calls(questions)
        order.shuffle(calls)
        for tool, kind, text in calls:
            labels = (f"{tool}, repeated",) if turn else (f"{tool}, new", *((f"{tool}, new: {kind}",) if kind else ()))
            plan.append(Step(tool, text, labels))
    return plan


def _calls(questions: Questions) -> list[tuple[str, str, str]]:
    """(tool, kind, text)."""
    searches = [("search_code", kind, text) for kind, text in questions.search]
    return searches + [("locate_symbol", "", name) for name in questions.locate]


@dataclass(frozen=True, slots=True)
class Latency:
    """Times of many calls in milliseconds."""

    way: str
    what: str
    p50: float
    p95: float
    p99: float
    worst: float
    calls: int
    slowest: tuple[tuple[float, str], ...] = ()
    """(milliseconds, text of the step), the slowest first."""

    def row(self) -> list[str]:
        return [f"{self.way:<18} {self.what}", number(self.p50), number(self.p95), number(self.worst), str(self.calls)]


@dataclass
class Stopwatch:
    """Collects the times of one way of asking."""

    way: str
    _times: dict[str, list[tuple[float, Step]]] = field(default_factory=lambda: defaultdict(list))

    @contextmanager
    def timing(self, step: Step) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.add(step, time.perf_counter() - began)

    def add(self, step: Step, seconds: float) -> None:
        """A time somebody else took."""
        for label in step.labels:
            self._times[label].append((seconds * 1000, step))

    def latencies(self) -> list[Latency]:
        return [self._latency(what, self._times[what]) for what in sorted(self._times)]

    def _latency(self, what: str, times: Sequence[tuple[float, Step]]) -> Latency:
        ordered = sorted(times, key=lambda pair: pair[0])
        p50 = statistics.median(taken for taken, _ in ordered)
        p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))][0] for share in (0.95, 0.99))
        slowest = tuple((taken, step.text) for taken, step in ordered[: -KEPT_SLOWEST - 1 : -1])
        return Latency(self.way, what, p50, p95, p99, ordered[-1][0], len(ordered), slowest)


def middle(turns: Sequence[Sequence[Latency]]) -> dict[str, Latency]:
    """Label → medians over the turns, the calls of all turns and the slowest among them."""
    found: dict[str, Latency] = {}
    for label in sorted({item.what for turn in turns for item in turn}):
        same = [item for turn in turns for item in turn if item.what == label]
        slowest = sorted((call for item in same for call in item.slowest), key=lambda call: -call[0])
        found[label] = replace(
            same[0],
            p50=statistics.median(item.p50 for item in same),
            p95=statistics.median(item.p95 for item in same),
            p99=statistics.median(item.p99 for item in same),
            worst=max(item.worst for item in same),
            calls=sum(item.calls for item in same),
            slowest=tuple(slowest[:KEPT_SLOWEST]),
        )
    return found
