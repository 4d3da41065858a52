"""Status subscriptions: clients that follow a repository's status. Clients of one repository share one poll."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply
from codecompass.model.call import Call
from codecompass.surfaces.http.tool_calls import Calls

LOOK_S = 1.0
CLIENT = "http:status"
AT_A_TIME = 2
"""Most concurrent polls of all subscriptions, so that followers do not fill the queue of calls."""
BUSY = ("QUEUE_OVERLOADED", "RATE_LIMITED", "TOOL_TIMEOUT")
"""Failures of a poll that mean a busy server; the next poll may succeed."""
PASSING = ("metrics", "index_bytes", "index", "sqlite")
"""Fields of a status that change without an event: counters and current file sizes."""


@dataclass(slots=True)
class Watch:
    """The last known status of one repository, and its followers."""

    reply: Reply = field(default_factory=Reply)
    number: int = 0
    """Increases with every change; 0 before the first poll."""
    ended: bool = False
    """No more changes will come: the server stops, or the last poll failed."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    task: asyncio.Task[None] | None = None

    def tell(self) -> None:
        """Wake all waiting followers; later waits are for the next change."""
        self.changed.set()
        self.changed = asyncio.Event()


class Followed:
    """All repositories that clients follow."""

    def __init__(self, calls: Calls, tool: str) -> None:
        self._calls = calls
        self._tool = tool
        self._turn = asyncio.Semaphore(AT_A_TIME)
        self._watches: dict[bytes, Watch] = {}

    @asynccontextmanager
    async def join(self, raw: Mapping[str, Any]) -> AsyncIterator[Watch]:
        """Yield the subscription for these arguments; it is polled while it has followers."""
        key = encode(raw)
        subscription = self._watches.get(key)
        if subscription is None or subscription.ended:
            subscription = self._watches[key] = Watch()
            subscription.task = asyncio.create_task(self._look(subscription, dict(raw)))
        subscription.followers += 1
        try:
            yield subscription
        finally:
            subscription.followers -= 1
            if subscription.followers == 0:
                if self._watches.get(key) is subscription:
                    del self._watches[key]
                if subscription.task is not None:
                    subscription.task.cancel()

    async def _look(self, subscription: Watch, raw: dict[str, Any]) -> None:
        last: dict[str, Any] | None = None
        while not subscription.ended:
            async with self._turn:
                reply = await self._calls.ask(self._tool, raw, Call(id="status", client=CLIENT, trusted=False))
            stopping = self._calls.stopping.is_set()
            if reply.is_error and subscription.number and (stopping or reply.code in BUSY):
                # A failed poll says nothing about the repository, so the previous status stays valid.
                reply = subscription.reply
            seen = {name: value for name, value in reply.payload.items() if name not in PASSING}
            subscription.ended = stopping or reply.is_error
            if seen != last or subscription.ended:
                subscription.number += seen != last
                subscription.reply, last = reply, seen
                subscription.tell()
            with anyio.move_on_after(LOOK_S):
                await self._calls.stopping.wait()
