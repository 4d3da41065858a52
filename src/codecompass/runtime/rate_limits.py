"""Rate limits: calls of a tool in any minute, counted for each client. A refused call does not count."""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping

from codecompass.errors import Failure

WINDOW_S = 60.0
CLIENTS_MAX = 4_096
"""Pairs of tool and client that are counted; beyond it the least recently used ones are dropped."""


class RateLimits:
    """Sliding windows: at most `limit` calls in any period of one minute."""

    def __init__(self, per_minute: Mapping[str, int], clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = {tool: limit for tool, limit in per_minute.items() if limit > 0}
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def check(self, tool: str, client: str) -> None:
        """Raise RATE_LIMITED where `acquire` would, without counting a call."""
        self._admit(tool, client, counted=False)

    def acquire(self, tool: str, client: str) -> None:
        """Count one call, or raise RATE_LIMITED with the time until the next one is allowed."""
        self._admit(tool, client, counted=True)

    def _admit(self, tool: str, client: str, *, counted: bool) -> None:
        limit = self._per_minute.get(tool)
        if limit is None:
            return
        with self._lock:
            now = self._clock()
            calls = self._calls.setdefault((tool, client), deque())
            self._calls.move_to_end((tool, client))
            while calls and calls[0] <= now - WINDOW_S:
                calls.popleft()
            if len(calls) < limit:
                if counted:
                    calls.append(now)
                    self._drop_expired(now)
                return
            wait_ms = max(1, round((calls[0] + WINDOW_S - now) * 1000))
        raise Failure(
            "RATE_LIMITED",
            f"Rate limit exceeded for {tool}",
            {"limit": limit, "windowMs": round(WINDOW_S * 1000), "retryAfterMs": wait_ms},
            hint=f"It may be called {limit} times a minute; call it again in {wait_ms / 1000:.1f} s.",
        )

    def _drop_expired(self, now: float) -> None:
        """Drop expired windows, oldest first, and those beyond CLIENTS_MAX. The caller holds the lock."""
        while self._calls:
            oldest = next(iter(self._calls))
            calls = self._calls[oldest]
            if calls and calls[-1] > now - WINDOW_S and len(self._calls) <= CLIENTS_MAX:
                return
            del self._calls[oldest]
