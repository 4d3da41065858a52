"""Load client: callers that share a server and add next to nothing to the time they measure. Raw lines, raw HTTP."""

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
LIMIT = 16 * 1024 * 1024
PATIENCE_S = 120.0
Message = dict[str, Any]


class Caller(Protocol):
    """Somebody who can call a tool and hears the answer, and who can say that it is no longer wanted."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Message: ...

    async def call_and_cancel(self, tool: str, arguments: Mapping[str, Any], when: Awaitable[None]) -> float: ...


def is_error(answer: Message) -> bool:
    return "error" in answer or bool(answer["result"].get("isError"))


def _opening(number: int) -> Message:
    client = {"name": "load", "version": "1"}
    params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}


def _request(number: int, tool: str, arguments: Mapping[str, Any]) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": tool, "arguments": dict(arguments)}}  # fmt: skip


class StdioCaller:
    """One connection on which any number of calls are under way."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._numbers = itertools.count(1)
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            message = json.loads(line)
            waiting = self._waiting.pop(message.get("id"), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
        for waiting in self._waiting.values():
            waiting.cancel()

    def _send(self, message: Message) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _ask(self, message: Message) -> Message:
        waiting = self._waiting[message["id"]] = asyncio.get_running_loop().create_future()
        self._send(message)
        return await asyncio.wait_for(waiting, PATIENCE_S)

    async def open(self) -> None:
        await self._ask(_opening(next(self._numbers)))
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Message:
        return await self._ask(_request(next(self._numbers), tool, arguments))

    async def call_and_cancel(self, tool: str, arguments: Mapping[str, Any], when: Awaitable[None]) -> float:
        number = next(self._numbers)
        self._send(_request(number, tool, arguments))
        await when
        self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        return time.monotonic()

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), 10)
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        self._reader.cancel()


class HttpCaller:
    """One client with a connection of its own: one call at a time, as HTTP has it."""

    def __init__(self, host: str, port: int, era: str) -> None:
        self._place = (host, port)
        self._era = era
        self._session = ""
        self._numbers = itertools.count(1)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> None:
        if self._era == HANDSHAKE:
            headers, _ = await self._post(_opening(next(self._numbers)))
            self._session = headers["mcp-session-id"]
            await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Message:
        _, answer = await self._post(self._message(tool, arguments), tool)
        assert answer is not None
        return answer

    async def call_and_cancel(self, tool: str, arguments: Mapping[str, Any], when: Awaitable[None]) -> float:
        message = self._message(tool, arguments)
        posting = asyncio.create_task(self._post(message, tool))
        await when
        moment = time.monotonic()
        if self._era == HANDSHAKE:
            other = HttpCaller(*self._place, self._era)
            other._session = self._session
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}}
            await other._post(note)
            await other.close()
        posting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await posting
        await self.close()
        return moment

    def _message(self, tool: str, arguments: Mapping[str, Any]) -> Message:
        message = _request(next(self._numbers), tool, arguments)
        if self._era == STATELESS:
            prefix = "io.modelcontextprotocol/"
            message["params"]["_meta"] = {f"{prefix}protocolVersion": STATELESS, f"{prefix}clientCapabilities": {}}
        return message

    async def _post(self, message: Message, tool: str = "") -> tuple[dict[str, str], Message | None]:
        if self._streams is None or self._streams[0].at_eof():
            self._streams = await asyncio.open_connection(*self._place, limit=LIMIT)
        reader, writer = self._streams
        body = json.dumps(message).encode()
        lines = [f"POST /mcp HTTP/1.1\r\nHost: {self._place[0]}:{self._place[1]}\r\nContent-Type: application/json\r\n"
                 f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n"]  # fmt: skip
        if self._session:
            lines.append(f"Mcp-Session-Id: {self._session}\r\n")
        if self._session or self._era == STATELESS:
            lines.append(f"MCP-Protocol-Version: {self._era}\r\n")
        if self._era == STATELESS:
            lines.append(f"Mcp-Method: {message['method']}\r\nMcp-Name: {tool}\r\n")
        writer.write("".join(lines).encode() + b"\r\n" + body)
        headers = await asyncio.wait_for(_head(reader), PATIENCE_S)
        return headers, _answer(await asyncio.wait_for(_body(reader, headers), PATIENCE_S))

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _head(reader: asyncio.StreamReader) -> dict[str, str]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    return headers | {":status": lines[0].split()[1]}


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    parts = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(parts)


def _answer(body: bytes) -> Message | None:
    """The answer among the events of a stream, or the body itself."""
    if not body:
        return None
    if body.startswith(b"{"):
        return dict(json.loads(body))
    found = [json.loads(line[5:]) for line in body.splitlines() if line.startswith(b"data:") and len(line) > 6]
    return next((message for message in found if "id" in message), None)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]


@asynccontextmanager
async def stdio(launch: Launch) -> AsyncIterator[StdioCaller]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *launch.argv, cwd=launch.cwd, env=launch.env, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL,
        limit=LIMIT,
    )  # fmt: skip
    caller = StdioCaller(process)
    try:
        await caller.open()
        yield caller
    finally:
        await caller.close()


@asynccontextmanager
async def http(launch: Launch) -> AsyncIterator[Callable[[str], Awaitable[HttpCaller]]]:
    """A server over HTTP; makes callers of an era."""
    process = await asyncio.create_subprocess_exec(
        *launch.argv, cwd=launch.cwd, env=launch.env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdout is not None
    url = json.loads(await process.stdout.readline())["url"]
    host, _, port = url.removeprefix("http://").split("/")[0].rpartition(":")
    callers: list[HttpCaller] = []

    async def connect(era: str) -> HttpCaller:
        caller = HttpCaller(host, int(port), era)
        await caller.open()
        callers.append(caller)
        return caller

    try:
        yield connect
    finally:
        for caller in callers:
            await caller.close()
        process.terminate()
        await asyncio.wait_for(process.wait(), 20)
