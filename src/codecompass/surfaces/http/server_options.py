"""Options of the HTTP server."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Address, access, limits and timeouts of the server."""

    host: str = "127.0.0.1"
    port: int = 7345
    token: str = ""
    """The token that every request needs; empty when reading is open to this machine."""
    local_token: str = ""
    """The token that requests need to do more than read, when `token` is empty."""
    token_file: str = ""
    """The file of the local token."""
    hosts: tuple[str, ...] = ()
    """Allowed Host names besides the server's own addresses."""
    origins: tuple[str, ...] = ()
    """Allowed origins of web pages, besides its own."""
    stateless: bool = False
    allow_writes: bool = False
    """Whether the forms of the web page work without signing in."""
    max_sessions: int = 256
    session_idle_s: float = 1_800.0
    max_connections: int = 512
    max_body: int = 1_000_000
    max_mcp_body: int = 4_194_304
    header_s: float = 10.0
    body_s: float = 30.0
    keep_alive_s: float = 75.0
    write_s: float = 30.0
    replay_bytes: int = 16_777_216
    replay_s: float = 300.0
    heartbeat_s: float = 15.0
    """Maximum silence of an event stream in seconds."""
    repo: str = ""
    """The default repository of requests."""
    extend: Callable[[Any], None] | None = None
    """Extends the SDK's server with parts of the protocol that we do not offer; set only by `app.main`."""

    def __post_init__(self) -> None:
        if not self.token and not self.local_token:
            raise Failure("INTERNAL", "A server needs a token of its own for whatever does more than read.")
        if not self.token.isascii() or any(char <= " " or char == "\x7f" for char in self.token):
            message = "The token must consist of visible ASCII characters, without spaces."
            raise Failure("INVALID_REQUEST", message, hint="Make one with: openssl rand -hex 32")
        for origin in self.origins:
            if "://" not in origin or origin.endswith("/") or "*" in origin:
                message = f"The origin {ascii(origin)} must look like https://example.org, without a path or a star."
                raise Failure("INVALID_REQUEST", message)
