"""Options: what whoever starts the HTTP server decided."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Where to listen, whom to let in, and how much of everything."""

    host: str = "127.0.0.1"
    port: int = 7345
    token: str = ""
    """What every request must carry; empty where reading is open to this machine."""
    local_token: str = ""
    """What a request must carry to do more than read, where there is no `token`."""
    token_file: str = ""
    """Where that one lies."""
    hosts: tuple[str, ...] = ()
    """Names under which the server may be addressed, besides its own addresses."""
    origins: tuple[str, ...] = ()
    """Web pages that may call it, besides its own."""
    stateless: bool = False
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
    """How long a stream of events is silent at most."""
    repo: str = ""
    """The repository that is meant when a request names none."""
    extend: Callable[[Any], None] | None = None
    """Adds to the SDK's server what the protocol has and we do not; nobody but `app.main` can give one."""

    def __post_init__(self) -> None:
        if not self.token and not self.local_token:
            raise Failure("INTERNAL", "A server needs a token of its own for whatever does more than read.")
        if not self.token.isascii() or any(char <= " " or char == "\x7f" for char in self.token):
            said = "The token must consist of visible ASCII characters, without spaces."
            raise Failure("INVALID_REQUEST", said, hint="Make one with: openssl rand -hex 32")
        for origin in self.origins:
            if "://" not in origin or origin.endswith("/") or "*" in origin:
                said = f"The origin {ascii(origin)} must look like https://example.org, without a path or a star."
                raise Failure("INVALID_REQUEST", said)
