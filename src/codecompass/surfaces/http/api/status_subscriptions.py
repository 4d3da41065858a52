"""Status subscriptions: clients that follow a repository's status. Clients of one repository share one poll."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply
from codecompass.errors import ErrorCode
from codecompass.model.call import Call
from codecompass.surfaces.http.tool_calls import ToolCalls

POLL_S = 1.0
CLIENT = "http:status"
MAX_CONCURRENT_POLLS = 2
"""Most concurrent polls of all subscriptions, so that followers do not fill the queue of calls."""
BUSY_CODES: tuple[ErrorCode, ...] = ("QUEUE_OVERLOADED", "RATE_LIMITED", "TOOL_TIMEOUT")
"""Failures of a poll that mean a busy server; the next poll may succeed."""
VOLATILE_FIELDS = ("metrics", "index_bytes", "index", "sqlite")
"""Fields of a status that change without an event: counters and current file sizes."""


@dataclass(slots=True)
class StatusSubscription:
    """The last known status of one repository, and its followers."""

    reply: Reply = field(default_factory=Reply)
    number: int = 0
    """Increases with every change; 0 before the first poll."""
    ended: bool = False
    """No more changes will come: the server stops, or the last poll failed."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    task: asyncio.Task[None] | None = None

    def notify(self) -> None:
        """Wake all waiting followers; later waits are for the next change."""
        self.changed.set()
        self.changed = asyncio.Event()


class StatusSubscriptions:
    """All repositories that clients follow."""

    def __init__(self, calls: ToolCalls, tool: str) -> None:
        self._calls = calls
        self._tool = tool
        self._poll_slots = asyncio.Semaphore(MAX_CONCURRENT_POLLS)
        self._subscriptions: dict[bytes, StatusSubscription] = {}

    @asynccontextmanager
    async def subscribe(self, raw: Mapping[str, Any]) -> AsyncIterator[StatusSubscription]:
        """Yield the subscription for these arguments; it is polled while it has followers."""
        key = encode(raw)
        subscription = self._subscriptions.get(key)
        if subscription is None or subscription.ended:
            subscription = self._subscriptions[key] = StatusSubscription()
            subscription.task = asyncio.create_task(self._poll(subscription, dict(raw)))
        subscription.followers += 1
        try:
            yield subscription
        finally:
            subscription.followers -= 1
            if subscription.followers == 0:
                if self._subscriptions.get(key) is subscription:
                    del self._subscriptions[key]
                if subscription.task is not None:
                    subscription.task.cancel()

    async def _poll(self, subscription: StatusSubscription, raw: dict[str, Any]) -> None:
        last: dict[str, Any] | None = None
        while not subscription.ended:
            async with self._poll_slots:
                reply = await self._calls.call(self._tool, raw, Call(id="status", client=CLIENT, trusted=False))
            stopping = self._calls.stopping.is_set()
            if reply.is_error and subscription.number and (stopping or reply.code in BUSY_CODES):
                # A failed poll says nothing about the repository, so the previous status stays valid.
                reply = subscription.reply
            seen = {name: value for name, value in reply.payload.items() if name not in VOLATILE_FIELDS}
            subscription.ended = stopping or reply.is_error
            if seen != last or subscription.ended:
                subscription.number += seen != last
                subscription.reply, last = reply, seen
                subscription.notify()
            with anyio.move_on_after(POLL_S):
                await self._calls.stopping.wait()
