"""stdio: the loop between the wire and the SDK — read, guard, hand over; take answers, complete them, write."""

import asyncio
import signal
import threading
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from codecompass.contract.encoding import encode
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.surfaces.mcp.guard import Guard, Refusal
from codecompass.surfaces.mcp.server import ToolServer
from codecompass.surfaces.mcp.wire import LineWriter, TooLong, Wire, read_lines

FINISH_S = 1.2
"""After the end of the input, calls under way may still answer for this long."""
FLUSH_S = 0.4
MAX_WAITING = 256

Inbound = SessionMessage | Exception


def serve(dispatch: Dispatch, wire: Wire, log: Log) -> int:
    """Serve one client until its input ends or a signal comes; returns the exit code."""
    anyio.run(_Session(dispatch, wire, log).run, backend="asyncio")
    return 0


class _Session:
    """One connection."""

    def __init__(self, dispatch: Dispatch, wire: Wire, log: Log) -> None:
        self._server = ToolServer(dispatch)
        self._guard = Guard(HANDSHAKE_PROTOCOL_VERSIONS)
        self._wire = wire
        self._log = log
        self._stop = asyncio.Event()
        self._idle = asyncio.Event()
        self._input: asyncio.Queue[bytes | TooLong | None] = asyncio.Queue()
        self._room = threading.Semaphore(MAX_WAITING)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()

        def broken() -> None:
            loop.call_soon_threadsafe(self._stop.set)

        self._writer = LineWriter(self._wire.output, broken)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        threading.Thread(target=self._read, args=(loop,), name="wire-in", daemon=True).start()
        inbound, sdk_reads = anyio.create_memory_object_stream[Inbound](0)
        sdk_writes, outbound = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._forward, inbound)
            tasks.start_soon(self._write, outbound)
            tasks.start_soon(self._end_on_signal, tasks.cancel_scope)
            await self._server.sdk.run(sdk_reads, sdk_writes, self._server.initialization())
            tasks.cancel_scope.cancel()
        self._writer.close(FLUSH_S)

    async def _end_on_signal(self, scope: anyio.CancelScope) -> None:
        await self._stop.wait()
        scope.cancel()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """On a thread, because blocking is the one way to read a pipe that works on every system."""
        with suppress(RuntimeError):  # the loop is closed: the server has ended for another reason
            for line in read_lines(self._wire.input):
                # Lines that wait are bounded, so a client cannot fill our memory faster than we answer.
                self._room.acquire()
                loop.call_soon_threadsafe(self._input.put_nowait, line)
            loop.call_soon_threadsafe(self._input.put_nowait, None)

    async def _forward(self, inbound: MemoryObjectSendStream[Inbound]) -> None:
        async with inbound:
            while (line := await self._input.get()) is not None:
                self._room.release()
                verdict = self._guard.admit(line)
                if isinstance(verdict, Refusal):
                    self._refuse(verdict)
                elif verdict is not None:
                    await inbound.send(self._message(verdict))
            # A client may write its requests and close: let what is under way be answered first.
            with anyio.move_on_after(FINISH_S):
                while self._guard.in_flight:
                    self._idle.clear()
                    await self._idle.wait()

    def _message(self, verdict: dict[str, Any]) -> SessionMessage:
        params = verdict.get("params")
        if "id" not in verdict:
            return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=verdict["method"], params=params))
        request_id = verdict["id"]

        async def unanswered() -> None:
            self._answered(request_id)

        request = types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=verdict["method"], params=params)
        return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))

    def _answered(self, request_id: object) -> None:
        self._guard.answered(request_id)
        self._idle.set()

    def _refuse(self, refusal: Refusal) -> None:
        self._log.event("info", "refused", code=refusal.code, text=refusal.message)
        error: dict[str, Any] = {"code": refusal.code, "message": refusal.message}
        if refusal.data is not None:
            error["data"] = refusal.data
        self._writer.send(encode({"jsonrpc": "2.0", "id": refusal.id, "error": error}))

    async def _write(self, outbound: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with outbound:
            async for item in outbound:
                self._writer.send(encode(_wire_form(item.message)))
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._answered(item.message.id)


def _wire_form(message: types.JSONRPCMessage) -> dict[str, Any]:
    """A message as it goes out, completed with what the SDK left off or got wrong."""
    form: dict[str, Any] = message.model_dump(by_alias=True, exclude_unset=True)
    if isinstance(message, types.JSONRPCResponse):
        _restore_tool_versions(form["result"])
    elif isinstance(message, types.JSONRPCError) and message.error.code == 0:
        # The SDK's word for an exception of ours; JSON-RPC has one of its own, and the text is not for clients.
        form["error"] = {"code": types.INTERNAL_ERROR, "message": "Internal error", "data": {"code": "INTERNAL"}}
    return form


def _restore_tool_versions(result: dict[str, Any]) -> None:
    """Put the version fields beside `name`, where document 001 has them; every handshake revision allows that.

    The SDK strips fields it does not know. Results of the stateless revision carry `resultType`, and are left alone.
    """
    if "resultType" in result:
        return
    for tool in result.get("tools", ()):
        tool.update({key: tool["_meta"][key] for key in ("schemaVersion", "toolingVersion")})
