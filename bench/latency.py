"""Latency: which calls are made in which order, and how long each took. One plan serves every way of asking."""

import random
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench.questions import Questions
from bench.report import number


@dataclass(frozen=True, slots=True)
class Step:
    """One call, and the lines of the report its time belongs to; none for a warm-up."""

    tool: str
    text: str
    labels: tuple[str, ...] = ()

    @property
    def arguments(self) -> dict[str, str]:
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
    worst: float
    calls: int

    def row(self) -> list[str]:
        return [f"{self.way:<18} {self.what}", number(self.p50), number(self.p95), number(self.worst), str(self.calls)]


@dataclass
class Stopwatch:
    """Collects the times of one way of asking."""

    way: str
    _times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @contextmanager
    def timing(self, step: Step) -> Iterator[None]:
        began = time.perf_counter()
        yield
        taken = time.perf_counter() - began
        for label in step.labels:
            self._times[label].append(taken)

    def latencies(self) -> list[Latency]:
        return [self._latency(what, self._times[what]) for what in sorted(self._times)]

    def _latency(self, what: str, seconds: list[float]) -> Latency:
        ordered = sorted(value * 1000 for value in seconds)
        p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        return Latency(self.way, what, statistics.median(ordered), p95, ordered[-1], len(ordered))
