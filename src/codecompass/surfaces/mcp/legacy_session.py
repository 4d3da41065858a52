"""Legacy MCP session: `Content-Length` frames, without the SDK, on the same dispatch.

One thread reads and handles messages, which is fast: tools run on the dispatch's threads, and their answers go
to the outbox from there. So control messages never wait, and no event loop is needed.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from signal import SIGINT, SIGTERM, signal
from typing import Any

import msgspec

from codecompass.contract.codec import make_violation
from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply
from codecompass.contract.prompts import COMPLETION_TOOL
from codecompass.contract.resources import RESOURCE_TOOL
from codecompass.model.call import Call
from codecompass.runtime.deadline import PendingCall
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.runtime.progress import ProgressEvent
from codecompass.surfaces.mcp.frames import BadFrame, encode_frame, read_frames
from codecompass.surfaces.mcp.message_guard import FALLBACK_VERSION, AdmittedBatch, MessageGuard
from codecompass.surfaces.mcp.outbox import Outbox
from codecompass.surfaces.mcp.parent_watch import watch_parent
from codecompass.surfaces.mcp.prompt_lists import (
    InvalidPromptError,
    find_value_kind,
    get_prompt,
    list_prompts,
    shape_completion,
)
from codecompass.surfaces.mcp.resource_lists import list_resources, list_templates, shape_contents, shape_read_error
from codecompass.surfaces.mcp.rpc_errors import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, Refusal
from codecompass.surfaces.mcp.server_info import build_initialize_result, shape_tool
from codecompass.surfaces.mcp.wire import TooLong, Wire

STRUCTURED_SINCE = "2025-06-18"
FINISH_S = 1.2
"""After the end of the input, calls in progress may still answer for this long."""
FLUSH_S = 0.4

FrameItem = bytes | TooLong | BadFrame


class _ClientInfo(msgspec.Struct):
    name: str
    version: str


class _InitializeParams(msgspec.Struct):
    """Required parameters of `initialize`; further fields are ignored."""

    protocolVersion: str
    capabilities: dict[str, Any]
    clientInfo: _ClientInfo


class _RequestError(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.error = (code, message, data)


def _reject_cursor(params: dict[str, Any], entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the whole list. It fits one page, so any cursor is unknown."""
    if params.get("cursor") is not None:
        wrong = [make_violation("/cursor", "cursor", "unknown cursor")]
        raise _RequestError(INVALID_PARAMS, "Unknown cursor", {"code": "INVALID_REQUEST", "details": wrong})
    return entries


def serve(dispatch: Dispatch, wire: Wire, log: Log, limit: int) -> int:
    """Serve one client until its input ends, it sends `exit`, or a signal arrives; return the exit code."""
    LegacySession(dispatch, wire, log, limit).run()
    return 0


class LegacySession:
    """One connection."""

    def __init__(self, dispatch: Dispatch, wire: Wire, log: Log, limit: int) -> None:
        self._dispatch = dispatch
        self._wire = wire
        self._log = log
        self._guard = MessageGuard(limit, framed=True, refusal=dispatch.find_refusal)
        # A SimpleQueue, because a signal handler can safely put into it at any point.
        self._events: SimpleQueue[str] = SimpleQueue()
        self._outbox = Outbox(wire.output, limit, lambda: self._events.put("broken"), encode_frame)
        self._calls: dict[str, PendingCall] = {}
        self._served = frozenset(tool.name for tool in dispatch.tools)
        self._version = FALLBACK_VERSION
        self._shut = False
        self._requests: dict[str, Callable[[dict[str, Any]], object]] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "tools/list": self._list_tools,
            "resources/list": lambda params: {"resources": _reject_cursor(params, list_resources())},
            "resources/templates/list": lambda params: {"resourceTemplates": _reject_cursor(params, list_templates())},
            "prompts/list": lambda params: {"prompts": _reject_cursor(params, list_prompts(self._served))},
            "prompts/get": self._get_prompt,
            "shutdown": self._shutdown,
        }

    def run(self) -> None:
        for number in (SIGTERM, SIGINT):
            signal(number, lambda *_: self._events.put("signal"))
        watch_parent(lambda: self._events.put("orphaned"))
        threading.Thread(target=self._read, name="wire-in", daemon=True).start()
        while (why := self._events.get()) == "answered":
            continue
        if why == "end":
            # A client may write its requests and close its end: answer the calls in progress first.
            self._drain(FINISH_S)
        for pending in list(self._calls.values()):
            pending.cancel()
        self._outbox.close(FLUSH_S)

    def _drain(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self._guard.in_flight and (left := until - time.monotonic()) > 0:
            try:
                if self._events.get(timeout=left) != "answered":
                    return
            except Empty:
                return

    def _read(self) -> None:
        """Read messages on a separate thread, because only blocking reads of a pipe work on every system."""
        for item in read_frames(self._wire.input, self._guard.limit):
            if not self._handle_item(item):
                break
            self._outbox.wait_for_room()
        self._events.put("end")

    def _handle_item(self, item: FrameItem) -> bool:
        """Handle one message; False when it was the last."""
        if isinstance(item, BadFrame):
            self._refuse(Refusal(None, PARSE_ERROR, f"Parse error: {item.message}"))
            if item.final:
                self._log.event("warning", "framing_lost", text=item.message)
            return not item.final
        verdict = self._guard.admit(item, self._outbox.size)
        if isinstance(verdict, Refusal):
            self._refuse(verdict)
            return True
        if not isinstance(verdict, AdmittedBatch):
            return verdict is None or self._handle(verdict)
        self._send(self._guard.batches.open(verdict.requests, verdict.refusals))
        return all(self._handle(message) for message in verdict.messages)

    def _handle(self, message: dict[str, Any]) -> bool:
        """Handle one request or notification; False when it was the last."""
        method, params = message["method"], message.get("params", {})
        if "id" not in message:
            return self._handle_notification(method, params)
        self._handle_request(message["id"], method, params)
        return True

    def _handle_request(self, request_id: int | str, method: str, params: dict[str, Any]) -> None:
        try:
            if self._shut:
                raise _RequestError(INVALID_REQUEST, "Invalid request: the client asked for a shutdown")
            if method == "tools/call":
                self._call_tool(request_id, params)
                return
            if method == "resources/read":
                self._read_resource(request_id, params["uri"])
                return
            if method == "completion/complete":
                self._complete(request_id, params)
                return
            handler = self._requests.get(method)
            if handler is None:
                raise _RequestError(METHOD_NOT_FOUND, "Method not found")
            form: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "result": handler(params)}
        except _RequestError as refused:
            form = Refusal(request_id, *refused.error).form
        except InvalidPromptError as wrong:
            form = Refusal(request_id, *wrong.fault).form
        self._send_answer(request_id, form)

    def _handle_notification(self, method: str, params: dict[str, Any]) -> bool:
        if method == "$/cancelRequest":
            pending = self._calls.get(str(params.get("id")))
            if pending is not None:
                pending.cancel()
        elif method == "notifications/cancelled":
            # A call without an entry here is not answered.
            pending = self._calls.pop(str(params.get("requestId")), None)
            if pending is not None:
                pending.cancel()
        return method != "exit"

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        try:
            opening = msgspec.convert(params, _InitializeParams)
        except msgspec.ValidationError:
            message = "Invalid params: protocolVersion, capabilities and clientInfo with name and version are needed"
            raise _RequestError(INVALID_PARAMS, message) from None
        self._version = opening.protocolVersion
        return build_initialize_result(self._version, self._dispatch.tools)

    def _list_tools(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"tools": _reject_cursor(params, [shape_tool(tool) for tool in self._dispatch.tools])}

    def _get_prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        name, given = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            raise InvalidPromptError("/name", "type", "name must be a string")
        if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
            raise InvalidPromptError("/arguments", "type", "arguments must be an object of strings")
        return get_prompt(self._served, name, given)

    def _complete(self, request_id: int | str, params: dict[str, Any]) -> None:
        kind = find_value_kind(self._served, params["ref"], params["argument"]["name"])
        if kind is None:
            self._send_answer(request_id, {"jsonrpc": "2.0", "id": request_id, "result": shape_completion(None)})
            return
        asked = {"kind": kind, "values": [params["argument"]["value"]]}
        pending = self._dispatch.submit_inner(COMPLETION_TOOL, asked, Call(id=str(request_id)))
        self._send_when_done(
            request_id,
            pending,
            lambda reply: {"jsonrpc": "2.0", "id": request_id, "result": shape_completion(reply)},
        )

    def _shutdown(self, _params: dict[str, Any]) -> None:
        """Handle `shutdown`, as in the language server protocol; the notification `exit` follows."""
        self._shut = True

    def _call_tool(self, request_id: int | str, params: dict[str, Any]) -> None:
        key = str(request_id)

        def listen(event: ProgressEvent) -> None:
            progress = {"id": request_id, "tool": event.tool, "message": event.message, "stream": event.stream,
                    "phase": event.phase, "ts": event.ts}  # fmt: skip
            note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}
            self._outbox.offer(encode(note))

        pending = self._dispatch.submit(params["name"], params.get("arguments", {}), Call(id=key), listen)
        self._send_when_done(request_id, pending, lambda reply: self._shape_result(request_id, reply))

    def _read_resource(self, request_id: int | str, uri: str) -> None:
        def form(reply: Reply) -> dict[str, Any]:
            wrong = shape_read_error(reply, uri, modern=False)
            if wrong is not None:
                return Refusal(request_id, *wrong).form
            return {"jsonrpc": "2.0", "id": request_id, "result": {"contents": shape_contents(reply)}}

        pending = self._dispatch.submit_inner(RESOURCE_TOOL, {"uri": uri}, Call(id=str(request_id)))
        self._send_when_done(request_id, pending, form)

    def _send_when_done(
        self, request_id: int | str, pending: PendingCall, form: Callable[[Reply], dict[str, Any]]
    ) -> None:
        """Send the answer when the call is done, unless the client cancelled it."""
        key = str(request_id)

        def on_done(future: Future[Reply]) -> None:
            if self._calls.pop(key, None) is pending:
                self._send_answer(request_id, form(future.result()))
            else:
                self._release_request(request_id)

        self._calls[key] = pending
        pending.future.add_done_callback(on_done)

    def _shape_result(self, request_id: int | str, reply: Reply) -> dict[str, Any]:
        if reply.rpc_error is not None:
            error = reply.rpc_error
            return Refusal(request_id, error.code, error.message, error.data).form
        result: dict[str, Any] = {"content": [{"type": "text", "text": reply.body.decode()}]}
        if self._version >= STRUCTURED_SINCE:
            result["structuredContent"] = msgspec.Raw(reply.body)
        return {"jsonrpc": "2.0", "id": request_id, "result": result | {"isError": reply.is_error}}

    def _send_answer(self, request_id: int | str, form: dict[str, Any]) -> None:
        # Released before sending: a client may reuse the id as soon as it has the answer.
        of_call = self._guard.release(request_id)
        self._send(self._guard.batches.settle(request_id, encode(form)), of_call=of_call)
        self._events.put("answered")

    def _release_request(self, request_id: int | str) -> None:
        self._guard.release(request_id)
        self._send(self._guard.batches.settle(request_id, None))
        self._events.put("answered")

    def _send(self, message: bytes | None, *, of_call: bool = False) -> None:
        if message is not None:
            self._outbox.send(message, of_call=of_call)

    def _refuse(self, refusal: Refusal) -> None:
        self._log.event("info", "refused", code=refusal.code, text=refusal.message)
        self._outbox.send(encode(refusal.form))
