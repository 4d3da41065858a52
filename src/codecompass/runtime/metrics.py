"""Metrics: calls, failures by code and time quantiles of each tool, over a bounded window."""

import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

WINDOW = 512
"""Durations kept for each tool: quantiles describe the recent past, and memory stays bounded."""


@dataclass(slots=True)
class _Series:
    calls: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    durations: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))


class Metrics:
    """Counts for each tool since the process started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._series: dict[str, _Series] = {}

    def record(self, tool: str, milliseconds: float, code: str) -> None:
        """One finished call; `code` is empty on success."""
        with self._lock:
            series = self._series.setdefault(tool, _Series())
            series.calls += 1
            series.durations.append(milliseconds)
            if code:
                series.failures[code] += 1

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """What is known now, tool by tool."""
        with self._lock:
            return {tool: _summary(series) for tool, series in sorted(self._series.items())}


def _summary(series: _Series) -> dict[str, Any]:
    ordered = sorted(series.durations)
    failed = sum(series.failures.values())
    quantiles = {f"p{q}_ms": round(ordered[min(len(ordered) - 1, len(ordered) * q // 100)], 2) for q in (50, 95, 99)}
    return {
        "calls": series.calls,
        "success": series.calls - failed,
        "failure": failed,
        "errors": dict(series.failures),
        **quantiles,
    }
