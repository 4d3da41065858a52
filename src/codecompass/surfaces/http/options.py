"""Options: what whoever starts the HTTP server decided, and the token that protects it."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codecompass.errors import Failure

MAX_TOKEN = 4_096


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Where to listen, whom to let in, and how much of everything."""

    host: str = "127.0.0.1"
    port: int = 7345
    token: str = ""
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
        if not self.token.isascii() or any(char <= " " or char == "\x7f" for char in self.token):
            said = "The token must consist of visible ASCII characters, without spaces."
            raise Failure("INVALID_REQUEST", said, hint="Make one with: openssl rand -hex 32")
        for origin in self.origins:
            if "://" not in origin or origin.endswith("/") or "*" in origin:
                said = f"The origin {ascii(origin)} must look like https://example.org, without a path or a star."
                raise Failure("INVALID_REQUEST", said)


def read_token(path: str) -> str:
    """The token in a file that nobody else may read."""
    try:
        with open(os.path.expanduser(path), "rb") as file:
            state = os.fstat(file.fileno())
            data = file.read(MAX_TOKEN + 1) if stat.S_ISREG(state.st_mode) else b""
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"The token file cannot be read ({error.strerror}).") from None
    if os.name == "posix" and state.st_mode & 0o077:
        said = "The token file can be read by other users."
        raise Failure("INVALID_REQUEST", said, hint="Run: chmod 600 on that file.")
    token = data.decode("ascii", "replace").strip()
    if not token or len(data) > MAX_TOKEN:
        raise Failure("INVALID_REQUEST", "The token file must hold one token and nothing else.")
    return token
