"""Tool calls of HTTP requests; each call is cancelled when its connection ends."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import anyio
from starlette.types import Receive, Scope

from codecompass.contract.envelope import Reply
from codecompass.model.call import Call
from codecompass.runtime.deadline import PendingCall
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.progress import Listener
from codecompass.surfaces.http.answers import HttpError, RequestContext, to_http_error
from codecompass.surfaces.http.router import CONTEXT_KEY, TRUSTED_KEY

T = TypeVar("T")


class ToolCalls:
    """The API's calls in progress and its open streams."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._families = {tool.name: tool.family for tool in dispatch.tools}
        self._in_flight: set[PendingCall] = set()
        self.streams = 0
        self.stopping = asyncio.Event()

    @property
    def busy(self) -> int:
        """Number of requests without a complete answer."""
        return len(self._in_flight) + self.streams

    def stop(self) -> None:
        """Answer every call in progress, and every later one, with CANCELLED; let streams finish."""
        self.stopping.set()
        for pending in list(self._in_flight):
            pending.cancel()

    def submit(self, tool: str, raw: object, call: Call, listen: Listener | None = None) -> PendingCall:
        """Start a call; the caller must release it."""
        pending = self._dispatch.submit(tool, raw, call, listen)
        self._in_flight.add(pending)
        if self.stopping.is_set():
            pending.cancel()
        return pending

    def release(self, pending: PendingCall) -> None:
        """Release a call; cancel it if it has no answer yet."""
        self._in_flight.discard(pending)
        if not pending.is_settled:
            pending.cancel()

    def check_permission(self, tool: str, call: Call) -> None:
        """Refuse a tool that does more than read without the token, before its arguments are read."""
        if failure := self._dispatch.check_permission(tool, trusted=call.trusted):
            raise to_http_error(failure)

    async def call(self, tool: str, raw: object, call: Call) -> Reply:
        """Call a tool and wait for its answer."""
        pending = self.submit(tool, raw, call)
        try:
            return await asyncio.wrap_future(pending.future)
        finally:
            self.release(pending)

    def to_http_error(self, tool: str, reply: Reply) -> HttpError:
        """Convert a failed reply to an HTTP error; payloads of other families are included."""
        assert reply.failure is not None
        own = reply.payload if self._families.get(tool) != "cleats" and reply.rpc_error is None else None
        return to_http_error(reply.failure, own)


def build_call(scope: Scope) -> Call:
    """Build the call of a request: limits apply per address, and only a token makes it trusted."""
    client = scope.get("client")
    context: RequestContext = scope[CONTEXT_KEY]
    return Call(id=context.id, client=f"http:{client[0]}" if client else "http", trusted=scope[TRUSTED_KEY])


async def run_while_connected(receive: Receive, work: Awaitable[T]) -> T:
    """Run work while the client is connected; cancel it when the client disconnects."""
    done: list[T] = []
    failed: list[HttpError] = []
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        try:
            done.append(await work)
        except HttpError as error:
            # Caught here, so that it is raised as itself and not inside an exception group.
            failed.append(error)
        tasks.cancel_scope.cancel()
    if failed:
        raise failed[0]
    if not done:
        raise HttpError("CANCELLED", "The client left before the answer.")
    return done[0]
