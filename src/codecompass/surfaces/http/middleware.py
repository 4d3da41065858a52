"""HTTP middleware: the checks of every request before its endpoint, and the headers of every response.

The order of the checks:

    header sizes → Host → Origin → token → path and method → upgrade → media type → body

A refused request causes no work in the engine.
"""

import asyncio
import hmac
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from codecompass.runtime.log import Log
from codecompass.surfaces.http.answers import JSON, HttpError, RequestContext, respond_error
from codecompass.surfaces.http.router import CONTEXT_KEY, TRUSTED_KEY, Endpoint, Router
from codecompass.surfaces.http.server_options import HttpOptions

MAX_HEADERS, MAX_HEADER_BYTES, MAX_TARGET = 100, 32_768, 8_192
MAX_HELD_BODY_BYTES = 67_108_864
"""Most bytes of request bodies in memory, over all connections."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
CONTENT_SECURITY_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
CORS_HEADERS = (
    "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id"
)


class HttpMiddleware:
    """The outermost ASGI application."""

    def __init__(self, router: Router, options: HttpOptions, port: int, log: Log) -> None:
        self._router = router
        self._options = options
        self._log = log
        self._token = (options.token or options.local_token).encode()
        names = [f"{name}:{port}" for name in (*LOOPBACK, _bracket_ipv6(options.host))]
        if port == 80:
            names += [*LOOPBACK, _bracket_ipv6(options.host)]
        # A configured name without a port also matches with ours; behind a proxy it may come without one.
        for name in options.hosts:
            names += [name] if ":" in name.split("]")[-1] else [name, f"{name}:{port}"]
        self._hosts = frozenset(name.lower() for name in names) - {f"0.0.0.0:{port}", f"[::]:{port}"}
        self._port = port
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context = RequestContext(secrets.token_hex(8), time.monotonic(), scope["path"])
        scope[CONTEXT_KEY] = context
        scope[TRUSTED_KEY] = False
        headers = Headers(scope=scope)
        origin = headers.get("origin") or ""
        out = _ResponseSender(send, origin if origin in self._options.origins else "")
        try:
            self._check(scope, headers)
            if scope["method"] == "OPTIONS" and out.cors:
                await out.preflight()
                return
            endpoint = self._router.find(scope)
            _check_content(scope, headers, endpoint.media)
            await self._forward(endpoint, scope, headers, receive, out)
        except HttpError as error:
            self._log.event("info", "http_refused", status=error.http_status, text=error.message, id=context.id)
            if not out.started:
                await respond_error(context, error)(scope, receive, out.send)
        except Exception as error:  # broad: an unexpected error becomes INTERNAL, without its text
            self._log.crash("http_crashed", error, id=context.id)
            if out.started:
                raise
            broken = HttpError("INTERNAL", "The server failed unexpectedly; its log has the details.")
            await respond_error(context, broken)(scope, receive, out.send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        raw = scope["headers"]
        if len(raw) > MAX_HEADERS or sum(len(name) + len(value) for name, value in raw) > MAX_HEADER_BYTES:
            raise HttpError("INVALID_REQUEST", "The headers are too many or too long.", 431)
        if "content-length" in headers and "transfer-encoding" in headers:
            # Two lengths for one body: a proxy may use the other one (request smuggling).
            raise HttpError("INVALID_REQUEST", "A body has a length or chunks, not both.", 400, {"Connection": "close"})
        if len(scope.get("raw_path", b"")) + len(scope.get("query_string", b"")) > MAX_TARGET:
            raise HttpError("INVALID_REQUEST", "The address is too long.", 414)
        if not self._is_own_host(headers.get("host", ""), scope):
            raise HttpError("INVALID_REQUEST", "This server is not addressed by that Host name.", 421)
        origins = headers.getlist("origin")
        if len(origins) > 1 or (origins and not self._is_allowed_origin(origins[0], scope)):
            raise HttpError("FORBIDDEN", "Web pages of that origin may not call this server.")
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            return  # a preflight request of a browser has no token
        scope[TRUSTED_KEY] = self._has_token(headers)
        if self._options.token and not scope[TRUSTED_KEY] and not self._router.has_own_access(scope["path"]):
            message = "A valid token is needed: send 'Authorization: Bearer TOKEN'."
            raise HttpError("UNAUTHORIZED", message, headers={"WWW-Authenticate": 'Bearer realm="codecompass"'})

    def _is_own_host(self, host: str, scope: Scope) -> bool:
        host = host.lower()
        if host in self._hosts:
            return True
        # The IP address that accepted the connection: no foreign name server can point it elsewhere (DNS rebinding).
        local = scope.get("server")
        return local is not None and host == f"{_bracket_ipv6(local[0])}:{self._port}"

    def _is_allowed_origin(self, origin: str, scope: Scope) -> bool:
        scheme, _, place = origin.partition("://")
        return origin in self._options.origins or (scheme in ("http", "https") and self._is_own_host(place, scope))

    def _has_token(self, headers: Headers) -> bool:
        given = headers.getlist("authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        # Compared even when the scheme is wrong, so that timing reveals nothing.
        same = hmac.compare_digest(token.strip().encode("latin-1", "replace"), self._token)
        return same and scheme.lower() == "bearer"

    async def _forward(
        self, endpoint: Endpoint, scope: Scope, headers: Headers, receive: Receive, out: "_ResponseSender"
    ) -> None:
        if scope["method"] in ("GET", "HEAD"):
            await endpoint.app(scope, receive, out.send)
            return
        body, gone = await self._read_body(endpoint, headers, receive)
        if gone:
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return waiting.pop() if waiting else await receive()

        try:
            await endpoint.app(scope, replay, out.send)
        finally:
            self._held -= len(body)

    async def _read_body(self, endpoint: Endpoint, headers: Headers, receive: Receive) -> tuple[bytes, bool]:
        """Return the whole body, or True when the client disconnected; the returned bytes count as held."""
        most = endpoint.max_body
        declared = headers.get("content-length", "0")
        too_large = HttpError("INVALID_REQUEST", f"The body is longer than {most} bytes.", 413)
        if declared.isdigit() and int(declared) > most:
            raise too_large
        body = bytearray()
        kept = False
        try:
            async with asyncio.timeout(self._options.body_s):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return b"", True
                    chunk = message.get("body", b"")
                    body += chunk
                    self._held += len(chunk)
                    if len(body) > most:
                        raise too_large
                    if self._held > MAX_HELD_BODY_BYTES:
                        reason = "Too many large requests arrive at once."
                        raise HttpError("QUEUE_OVERLOADED", reason, 503, {"Retry-After": "1"})
                    if not message.get("more_body", False):
                        kept = True
                        return bytes(body), False
        except TimeoutError:
            raise HttpError(
                "INVALID_REQUEST", "The body did not arrive in time.", 408, {"Connection": "close"}
            ) from None
        finally:
            if not kept:
                self._held -= len(body)


class _ResponseSender:
    """A `send` that adds the headers that every response carries."""

    def __init__(self, send: Send, cors: str) -> None:
        self._send = send
        self.cors = cors
        self.started = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(raw=list(message.get("headers", ())))
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            headers.setdefault("content-security-policy", CONTENT_SECURITY_POLICY)
            stream = headers.get("content-type", "").startswith("text/event-stream")
            headers.setdefault("cache-control", "no-store")
            if stream:
                headers["cache-control"] = "no-store, no-transform"
            if self.cors:
                headers["access-control-allow-origin"] = self.cors
                headers["access-control-expose-headers"] = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
                headers["vary"] = "Origin"
            message = {**message, "headers": headers.raw}
        await self._send(message)

    async def preflight(self) -> None:
        """Answer the CORS preflight request of an allowed origin."""
        allowed = {
            "access-control-allow-methods": "GET, POST, DELETE",
            "access-control-allow-headers": CORS_HEADERS,
            "access-control-max-age": "600",
        }
        raw = [(name.encode(), value.encode()) for name, value in allowed.items()]
        await self.send({"type": "http.response.start", "status": 204, "headers": raw})
        await self.send({"type": "http.response.body", "body": b""})


def _check_content(scope: Scope, headers: Headers, media: str) -> None:
    if "upgrade" in headers.get("connection", "").lower() and headers.get("upgrade", "").lower() == "websocket":
        raise HttpError("INVALID_REQUEST", "WebSockets are not served here.", 400)
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise HttpError("INVALID_REQUEST", "Compressed bodies are not accepted.", 415)
    if scope["method"] == "POST" and headers.get("content-type", "").split(";")[0].strip().lower() != media:
        what = "JSON" if media == JSON else "a form"
        raise HttpError("INVALID_REQUEST", f"The body must be {what}: send 'Content-Type: {media}'.", 415)


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host
