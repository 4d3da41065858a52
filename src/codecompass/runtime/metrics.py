"""Metrics: calls, failures, durations and sizes of each tool since the process started, in bounded memory."""

import threading
from bisect import bisect_left
from collections import Counter, deque
from dataclasses import asdict, dataclass, field
from typing import Any

from codecompass.runtime.admission import QueueState

WINDOW = 512
"""Number of recent durations of each tool from which quantiles are computed."""
BUCKETS_MS = (1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 600_000)
"""Upper bounds of the histogram's buckets; an unbounded one follows."""
UNKNOWN = "(unknown)"
"""Name for all tools that do not exist: a caller's text must not become a series of its own."""


@dataclass(slots=True)
class _Series:
    calls: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    durations: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_MS) + 1))
    total_ms: float = 0.0
    bytes_out: int = 0


@dataclass(frozen=True, slots=True)
class ToolSample:
    """The metrics of one tool at one time."""

    tool: str
    calls: int
    failures: dict[str, int]
    """Calls by error code."""
    quantiles_ms: dict[str, float]
    """p50, p95 and p99 of the recent calls."""
    buckets: tuple[int, ...]
    """Calls in each bucket of the histogram, not cumulative."""
    total_ms: float
    bytes_out: int


class Metrics:
    """Counts for each tool since the process started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._series: dict[str, _Series] = {}

    def record(self, tool: str, milliseconds: float, code: str, bytes_out: int = 0) -> None:
        """Record one answered call; `code` is empty on success."""
        with self._lock:
            series = self._series.get(tool)
            if series is None:
                series = self._series[tool] = _Series()
            series.calls += 1
            series.durations.append(milliseconds)
            series.buckets[bisect_left(BUCKETS_MS, milliseconds)] += 1
            series.total_ms += milliseconds
            series.bytes_out += bytes_out
            if code:
                series.failures[code] += 1

    def count_calls(self) -> tuple[int, int]:
        """Return the numbers of answered and of failed calls of all tools."""
        with self._lock:
            every = self._series.values()
            return sum(one.calls for one in every), sum(one.failures.total() for one in every)

    def take_samples(self) -> tuple[ToolSample, ...]:
        """Return the current metrics of each tool."""
        with self._lock:
            return tuple(_build_sample(tool, series) for tool, series in sorted(self._series.items()))

    def snapshot(self, queue: QueueState | None = None) -> dict[str, Any]:
        """Return the metrics as an object for answers, with the state of the queue if it is given."""
        tools = {one.tool: _summarize(one) for one in self.take_samples()}
        return {"tools": tools, "queue": asdict(queue)} if queue is not None else {"tools": tools}


def _build_sample(tool: str, series: _Series) -> ToolSample:
    ordered = sorted(series.durations)
    quantiles = {f"p{q}": round(ordered[min(len(ordered) - 1, len(ordered) * q // 100)], 3) for q in (50, 95, 99)}
    return ToolSample(
        tool, series.calls, dict(series.failures), quantiles, tuple(series.buckets), series.total_ms, series.bytes_out
    )


def _summarize(sample: ToolSample) -> dict[str, Any]:
    failed = sum(sample.failures.values())
    return {
        "calls": sample.calls,
        "success": sample.calls - failed,
        "failure": failed,
        "errors": sample.failures,
        "cancelled": sample.failures.get("CANCELLED", 0),
        "rate_limited": sample.failures.get("RATE_LIMITED", 0),
        "bytes_out": sample.bytes_out,
        **{f"{name}_ms": value for name, value in sample.quantiles_ms.items()},
    }
