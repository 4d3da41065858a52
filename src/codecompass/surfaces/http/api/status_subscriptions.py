"""Following: the status of a repository for clients that stay. All who follow one repository share one look at it."""

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
"""Looks under way, whoever asks for them: followers must not fill the queue that calls wait in."""
BUSY = ("QUEUE_OVERLOADED", "RATE_LIMITED", "TOOL_TIMEOUT")
"""Looks that failed because the server is busy; the next one may not."""
PASSING = ("metrics", "index_bytes", "index", "sqlite")
"""Fields of a status that move without anything having happened: counters, and the size of files at a moment."""


@dataclass(slots=True)
class Watch:
    """One repository as it was last seen."""

    reply: Reply = field(default_factory=Reply)
    number: int = 0
    """Rises with every change; 0 before the first look."""
    ended: bool = False
    """Nothing more will come: the server ends, or the last look failed."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    task: asyncio.Task[None] | None = None

    def tell(self) -> None:
        """Wake all who wait; whoever waits from here on waits for the next change."""
        self.changed.set()
        self.changed = asyncio.Event()


class Followed:
    """Every repository that somebody follows."""

    def __init__(self, calls: Calls, tool: str) -> None:
        self._calls = calls
        self._tool = tool
        self._turn = asyncio.Semaphore(AT_A_TIME)
        self._watches: dict[bytes, Watch] = {}

    @asynccontextmanager
    async def join(self, raw: Mapping[str, Any]) -> AsyncIterator[Watch]:
        """The watch on what these arguments name, kept up while anybody is inside."""
        key = encode(raw)
        watch = self._watches.get(key)
        if watch is None or watch.ended:
            watch = self._watches[key] = Watch()
            watch.task = asyncio.create_task(self._look(watch, dict(raw)))
        watch.followers += 1
        try:
            yield watch
        finally:
            watch.followers -= 1
            if watch.followers == 0:
                if self._watches.get(key) is watch:
                    del self._watches[key]
                if watch.task is not None:
                    watch.task.cancel()

    async def _look(self, watch: Watch, raw: dict[str, Any]) -> None:
        last: dict[str, Any] | None = None
        while not watch.ended:
            async with self._turn:
                reply = await self._calls.ask(self._tool, raw, Call(id="status", client=CLIENT, trusted=False))
            stopping = self._calls.stopping.is_set()
            if reply.is_error and watch.number and (stopping or reply.code in BUSY):
                # The look came to nothing, which says nothing of the repository: what was seen before it stands.
                reply = watch.reply
            seen = {name: value for name, value in reply.payload.items() if name not in PASSING}
            watch.ended = stopping or reply.is_error
            if seen != last or watch.ended:
                watch.number += seen != last
                watch.reply, last = reply, seen
                watch.tell()
            with anyio.move_on_after(LOOK_S):
                await self._calls.stopping.wait()
