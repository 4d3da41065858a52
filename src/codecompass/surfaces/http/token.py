"""Local access token: lets clients of this machine do more than read.

It is created at the first start, in a file of the data directory that only its owner can read. A process that can read
it runs as the user of the server, so our own commands and programs of that user may use it.
"""

import os
import secrets
import shlex
import stat
from pathlib import Path

from codecompass.atomic import create_file
from codecompass.errors import Failure
from codecompass.ownership import is_owned_by_us

TOKEN_FILE = "http-token"
MAX_TOKEN = 4_096


def read_or_create_token(directory: Path) -> str:
    """Read the token of a data directory or create it; return a random one if the directory is not writable."""
    path = directory / TOKEN_FILE
    try:
        if not os.path.lexists(path):
            _create_token(path)
    except OSError:
        return secrets.token_urlsafe(32)
    try:
        return read_token(str(path))
    except Failure as failure:
        # Other users may have read it, so it stays unsafe even if its mode is corrected.
        raise Failure(failure.code, failure.message, hint=f"Run: rm {shlex.quote(str(path))}") from None


def _create_token(path: Path) -> None:
    """Write a new token; of two concurrent processes one wins."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    create_file(path, f"{secrets.token_urlsafe(32)}\n".encode("ascii"))


def read_token(path: str) -> str:
    """Read the token of a file that only its owner may read."""
    try:
        # Non-blocking, so that a pipe cannot block the start.
        fd = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            state = os.fstat(fd)
            data = file.read(MAX_TOKEN + 1) if stat.S_ISREG(state.st_mode) else b""
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"The token file cannot be read ({error.strerror}).") from None
    if os.name == "posix" and not is_owned_by_us(state):
        raise Failure("INVALID_REQUEST", "The token file belongs to another user.", hint="Use one of your own.")
    if os.name == "posix" and state.st_mode & 0o077:
        message = "The token file can be read by other users."
        raise Failure("INVALID_REQUEST", message, hint="Run: chmod 600 on that file.")
    token = data.decode("ascii", "replace").strip()
    if not token or len(data) > MAX_TOKEN:
        raise Failure("INVALID_REQUEST", "The token file must hold one token and nothing else.")
    return token
