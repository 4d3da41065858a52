"""The endpoint `/mcp`: checks each message before the SDK does, and routes it to its session.

Handshake revisions have sessions (or, in a stateless server, one exchange each); later revisions have none. In all
revisions a message passes the same guard as on stdio.
"""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from codecompass.contract.encoding import encode
from codecompass.runtime.log import Log
from codecompass.surfaces.http.answers import JSON, HttpError
from codecompass.surfaces.http.mcp.mcp_sessions import McpSession, McpSessions
from codecompass.surfaces.http.mcp.rpc_answers import AnswerCollector, ErrorCodeSender
from codecompass.surfaces.http.router import TRUSTED_KEY
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.surfaces.mcp.batches import join_answers
from codecompass.surfaces.mcp.mcp_server import CALLER_KEY, RequestCaller, ToolServer
from codecompass.surfaces.mcp.message_guard import AdmittedBatch, MessageGuard
from codecompass.surfaces.mcp.rpc_errors import INVALID_PARAMS, INVALID_REQUEST, Refusal

SESSION, EVENT, VERSION = "mcp-session-id", "last-event-id", "mcp-protocol-version"
METHODS = ("GET", "POST", "DELETE")
REWRITTEN = ("initialize", "notifications/cancelled")
"""Methods whose messages the guard may change."""
RETRY_S = "5"
ASSUMED_VERSION = "2025-03-26"
"""The protocol's default revision for a request without a version header and a session."""
BatchHandler = Callable[[dict[str, Any], Send], Coroutine[Any, Any, None]]


class McpEndpoint:
    """The ASGI application of `/mcp`."""

    def __init__(self, server: ToolServer, options: HttpOptions, log: Log) -> None:
        self._options = options
        self._refusal = server.refusal
        self._permission = server.permission
        self.sessions = McpSessions(server, options, log)
        self._single = StreamableHTTPSessionManager(
            server.sdk, stateless=True, max_request_body_size=options.max_mcp_body + 1
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with self._single.run(), self.sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        version = headers.get(VERSION)
        send = ErrorCodeSender(send)
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._handle_stateless(scope, receive, send, modern=True)
        elif self._options.stateless:
            await self._handle_stateless(scope, receive, send, modern=False)
        else:
            await self._handle_in_session(headers.get(SESSION), scope, receive, send)

    async def _handle_stateless(self, scope: Scope, receive: Receive, send: Send, *, modern: bool) -> None:
        """Handle a request without a session."""
        scope[CALLER_KEY] = RequestCaller(_name_client(scope), trusted=scope[TRUSTED_KEY])
        if scope["method"] != "POST":
            raise HttpError("INVALID_REQUEST", "Only POST is served here without a session.", 405, {"Allow": "POST"})
        body = await Request(scope, receive).body()
        version = Headers(scope=scope).get(VERSION, ASSUMED_VERSION)
        guard = MessageGuard(limit=self._options.max_mcp_body, opened=True, refusal=self._refusal, version=version)
        verdict = guard.admit(body)
        if isinstance(verdict, Refusal):
            await _refuse(verdict, modern=modern)(scope, receive, send)
            return
        if isinstance(verdict, AdmittedBatch):

            async def answer(message: dict[str, Any], send: Send) -> None:
                await self._single.handle_request(dict(scope), _replay_body(encode(message), receive), send)

            await (await _answer_batch(verdict, answer))(scope, receive, send)
            return
        # If headers and message disagree, the SDK refuses the message by the rules of the newer revisions.
        if (not modern or _matches_headers(verdict, scope)) and (forbidden := self._build_forbidden(verdict, scope)):
            await forbidden(scope, receive, send)
            return
        changed = not modern and verdict is not None and verdict["method"] in REWRITTEN
        again = _replay_body(encode(verdict) if changed else body, receive)
        await self._single.handle_request(scope, again, send)

    async def _handle_in_session(self, session_id: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        session = self.sessions.get(session_id) if session_id is not None else None
        if session_id is not None and session is None:
            raise HttpError("NOT_FOUND", "No such session; it may have ended. Open a new one with initialize.")
        if scope["method"] == "POST":
            await self._post(session, scope, receive, send)
            return
        if session is None:
            raise HttpError("INVALID_REQUEST", "The Mcp-Session-Id header is missing.")
        event_id = Headers(scope=scope).get(EVENT)
        if scope["method"] == "GET" and event_id is not None and not session.events.can_resume(event_id):
            message = (
                "Nothing can be resumed from that Last-Event-ID: it is unknown, or too old. Send the request again."
            )
            raise HttpError("NOT_FOUND", message)
        await self.sessions.handle(session, scope, receive, send)

    async def _post(self, session: McpSession | None, scope: Scope, receive: Receive, send: Send) -> None:
        _check_accept(scope)
        body = await Request(scope, receive).body()
        guard = session.guard if session else MessageGuard(limit=self._options.max_mcp_body, refusal=self._refusal)
        verdict = guard.admit(body)
        if isinstance(verdict, Refusal):
            await _refuse(verdict, modern=False)(scope, receive, send)
            return
        if isinstance(verdict, AdmittedBatch):
            assert session is not None, "a guard takes no batch before the handshake"
            await self._post_batch(session, verdict, scope, receive, send)
            return
        request_id = verdict.get("id") if verdict is not None else None
        if forbidden := self._build_forbidden(verdict, scope):
            guard.release(request_id)
            await forbidden(scope, receive, send)
            return
        if session is None:
            session = await self._open(guard, verdict)
            scope["headers"] = [*scope["headers"], (SESSION.encode(), session.id.encode())]
        done = _make_release(guard, request_id)
        caller = RequestCaller(session.name, session.id, session.known_as, trusted=scope[TRUSTED_KEY], done=done)
        scope[CALLER_KEY] = caller
        if verdict is not None and verdict["method"] in REWRITTEN:
            body = encode(verdict)
        try:
            await self.sessions.handle(session, scope, _replay_body(body, receive), send)
        finally:
            if not caller.begun:
                caller.done()
        if caller.failed and verdict is not None and verdict["method"] == "initialize":
            await self.sessions.end(session)

    async def _post_batch(
        self, session: McpSession, batch: AdmittedBatch, scope: Scope, receive: Receive, send: Send
    ) -> None:
        async def answer(message: dict[str, Any], send: Send) -> None:
            done = _make_release(session.guard, message.get("id"))
            caller = RequestCaller(session.name, session.id, session.known_as, trusted=scope[TRUSTED_KEY], done=done)
            try:
                here = {**scope, CALLER_KEY: caller}
                await self.sessions.handle(session, here, _replay_body(encode(message), receive), send)
            finally:
                if not caller.begun:
                    caller.done()

        response = await _answer_batch(batch, answer)
        response.headers[SESSION] = session.id
        await response(scope, receive, send)

    def _build_forbidden(self, message: dict[str, Any] | None, scope: Scope) -> Response | None:
        """Return the response to a call that lacks the needed token; the dispatch refuses it too, without a status."""
        if message is None or message["method"] != "tools/call":
            return None
        failure = self._permission(str(message.get("params", {}).get("name")), trusted=scope[TRUSTED_KEY])
        if failure is None:
            return None
        data = {"code": failure.error_code.cleats, "message": failure.message, "hint": failure.effective_hint}
        form = Refusal(message.get("id"), INVALID_REQUEST, failure.message, data).form
        return Response(encode(form), failure.error_code.http, media_type=JSON)

    async def _open(self, guard: MessageGuard, verdict: dict[str, Any] | None) -> McpSession:
        if verdict is None or verdict["method"] != "initialize" or "id" not in verdict:
            raise HttpError(
                "INVALID_REQUEST", "The Mcp-Session-Id header is missing; a session starts with initialize."
            )
        if self.sessions.full:
            message = f"{len(self.sessions)} sessions are open; no more are taken."
            raise HttpError("QUEUE_OVERLOADED", message, 503, {"Retry-After": RETRY_S})
        return await self.sessions.open(guard)


def _matches_headers(message: dict[str, Any] | None, scope: Scope) -> bool:
    """Whether the headers name the same method and tool as the message."""
    headers, wanted = Headers(scope=scope), message or {}
    named = (headers.get("mcp-method"), headers.get("mcp-name"))
    return named == (wanted.get("method"), wanted.get("params", {}).get("name"))


def _check_accept(scope: Scope) -> None:
    """Check the Accept header as the SDK does, but before the message counts as accepted."""
    accepted = {part.split(";")[0].strip().lower() for part in Headers(scope=scope).get("accept", "").split(",")}
    if "*/*" in accepted:
        return
    if not accepted & {JSON, "application/*"} or not accepted & {"text/event-stream", "text/*"}:
        message = "Accept must allow both application/json and text/event-stream."
        raise HttpError("INVALID_REQUEST", message, 406)


async def _answer_batch(batch: AdmittedBatch, answer: BatchHandler) -> Response:
    """Handle the messages of a batch concurrently, each as if sent alone; return their answers as one array."""
    collected = [AnswerCollector() for _ in batch.messages]
    async with anyio.create_task_group() as tasks:
        for message, one in zip(batch.messages, collected, strict=True):
            tasks.start_soon(answer, message, one)
    answers = [encode(one.form) for one in batch.refusals] + [item for one in collected for item in one.answers]
    return Response(join_answers(answers), 200, media_type=JSON) if answers else Response(status_code=202)


def _make_release(guard: MessageGuard, request_id: object) -> Callable[[], object]:
    """Return the function that releases the id of a request; for a notification it does nothing."""
    return lambda: guard.release(request_id) if request_id is not None else None


def _refuse(refusal: Refusal, *, modern: bool) -> Response:
    """Return a refusal as a response: status 400, or 200 for a valid request of an older revision."""
    answered = refusal.id is not None and not modern and refusal.code <= INVALID_PARAMS
    return Response(encode(refusal.form), 200 if answered else 400, media_type=JSON)


def _name_client(scope: Scope) -> str:
    client = scope.get("client")
    return f"http:{client[0]}" if client else "http"


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields the body again, then further messages of the connection."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
