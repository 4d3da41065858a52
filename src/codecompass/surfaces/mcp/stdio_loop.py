"""Stdio session: reads and checks messages, passes them to the SDK, and writes its answers."""

import asyncio
import signal
import threading
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from codecompass.contract.encoding import encode
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.surfaces.mcp.mcp_server import ToolServer
from codecompass.surfaces.mcp.message_guard import AdmittedBatch, MessageGuard
from codecompass.surfaces.mcp.outbox import Outbox
from codecompass.surfaces.mcp.parent_watch import watch_parent
from codecompass.surfaces.mcp.rpc_errors import Refusal, complete_error
from codecompass.surfaces.mcp.wire import TooLong, Wire, read_lines

FINISH_S = 1.2
"""After the end of the input, calls in progress may still answer for this long."""
FLUSH_S = 0.4
MAX_WAITING = 256

Inbound = SessionMessage | Exception


def serve(dispatch: Dispatch, wire: Wire, log: Log, limit: int) -> int:
    """Serve one client until its input ends or a signal arrives; return the exit code."""
    anyio.run(_StdioSession(dispatch, wire, log, limit).run, backend="asyncio")
    return 0


class _InputLimiter:
    """Limits unprocessed input lines by number, and by size to two of the largest messages."""

    def __init__(self, limit: int) -> None:
        self._bytes = 2 * limit
        self._count = MAX_WAITING
        self._freed = threading.Condition()

    def acquire(self, size: int) -> None:
        with self._freed:
            self._freed.wait_for(lambda: self._count > 0 and self._bytes >= size)
            self._count -= 1
            self._bytes -= size

    def release(self, size: int) -> None:
        with self._freed:
            self._count += 1
            self._bytes += size
            self._freed.notify()


class _StdioSession:
    """One connection."""

    def __init__(self, dispatch: Dispatch, wire: Wire, log: Log, limit: int) -> None:
        self._server = ToolServer(dispatch)
        self._guard = MessageGuard(limit, refusal=dispatch.find_refusal)
        self._wire = wire
        self._log = log
        self._stop = asyncio.Event()
        self._idle = asyncio.Event()
        self._input: asyncio.Queue[bytes | TooLong | None] = asyncio.Queue()
        self._input_limiter = _InputLimiter(limit)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()

        def stop() -> None:
            with suppress(RuntimeError):  # the loop is closed: the server is already ending
                loop.call_soon_threadsafe(self._stop.set)

        self._outbox = Outbox(self._wire.output, self._guard.limit, stop)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        watch_parent(stop)
        threading.Thread(target=self._read, args=(loop,), name="wire-in", daemon=True).start()
        inbound, sdk_reads = anyio.create_memory_object_stream[Inbound](0)
        sdk_writes, outbound = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._forward, inbound)
            tasks.start_soon(self._write, outbound)
            tasks.start_soon(self._end_on_signal, tasks.cancel_scope)
            await self._server.sdk.run(sdk_reads, sdk_writes, self._server.build_init_options())
            tasks.cancel_scope.cancel()
        self._outbox.close(FLUSH_S)

    async def _end_on_signal(self, scope: anyio.CancelScope) -> None:
        await self._stop.wait()
        await self._cancel_all()
        scope.cancel()

    async def _cancel_all(self) -> None:
        """Answer the calls in progress as cancelled, so that the client does not wait for them."""
        self._server.stop()
        await self._drain(FLUSH_S)

    async def _drain(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            while self._guard.in_flight:
                self._idle.clear()
                await self._idle.wait()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines on a separate thread, because only blocking reads of a pipe work on every system."""
        with suppress(RuntimeError):  # the loop is closed: the server ended for another reason
            for line in read_lines(self._wire.input, self._guard.limit):
                # Unprocessed lines are bounded, so a client cannot fill the memory faster than it is answered.
                self._outbox.wait_for_room()
                self._input_limiter.acquire(_size(line))
                loop.call_soon_threadsafe(self._input.put_nowait, line)
            loop.call_soon_threadsafe(self._input.put_nowait, None)

    async def _forward(self, inbound: MemoryObjectSendStream[Inbound]) -> None:
        async with inbound:
            while (line := await self._input.get()) is not None:
                self._input_limiter.release(_size(line))
                if self._stop.is_set():
                    continue
                verdict = self._guard.admit(line, self._outbox.size)
                if isinstance(verdict, Refusal):
                    self._refuse(verdict)
                elif isinstance(verdict, AdmittedBatch):
                    self._send(self._guard.batches.open(verdict.requests, verdict.refusals))
                    for message in verdict.messages:
                        await inbound.send(self._to_session_message(message))
                elif verdict is not None:
                    await inbound.send(self._to_session_message(verdict))
            # A client may write its requests and close its end: answer the calls in progress first.
            await self._drain(FINISH_S)
            await self._cancel_all()

    def _to_session_message(self, verdict: dict[str, Any]) -> SessionMessage:
        params = verdict.get("params")
        if "id" not in verdict:
            return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=verdict["method"], params=params))
        request_id = verdict["id"]

        async def on_unanswered() -> None:
            self._release_request(request_id)
            self._send(self._guard.batches.settle(request_id, None))

        request = types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=verdict["method"], params=params)
        return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=on_unanswered))

    def _release_request(self, request_id: object) -> bool:
        self._idle.set()
        return self._guard.release(request_id)

    def _refuse(self, refusal: Refusal) -> None:
        self._log.event("info", "refused", code=refusal.code, text=refusal.message)
        self._outbox.send(encode(refusal.form))

    def _send(self, message: bytes | None, *, of_call: bool = False) -> None:
        if message is not None:
            self._outbox.send(message, of_call=of_call)

    async def _write(self, outbound: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with outbound:
            async for item in outbound:
                form = item.message.model_dump(by_alias=True, exclude_unset=True)
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    complete_error(form)
                    # Released before sending: a client may reuse the id as soon as it has the answer.
                    of_call = self._release_request(item.message.id)
                    self._send(self._guard.batches.settle(item.message.id, encode(form)), of_call=of_call)
                else:
                    self._outbox.offer(encode(form))


def _size(line: bytes | TooLong) -> int:
    return 0 if isinstance(line, TooLong) else len(line)
