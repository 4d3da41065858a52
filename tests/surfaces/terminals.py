"""Terminals: runs `codecompass` on a pseudo-terminal, as a person does, and tells what was shown."""

import fcntl
import os
import pty
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence

from tests.surfaces.conftest import Shell

PATIENCE_S = 60.0


class Screen:
    """A command whose three standard streams are one terminal."""

    def __init__(self, shell: Shell, words: Sequence[str], *, columns: int = 80, term: str = "xterm") -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(shell.cwd)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execve(sys.executable, [sys.executable, "-m", "codecompass", *words], shell.env | {"TERM": term})
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Read until a text was shown."""
        until = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            assert self.read(), f"ended without {text!r}: {self.shown}"

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def end(self) -> tuple[int, str]:
        """Read to the end; return the exit code and everything that was shown."""
        while self.read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status), self.shown

    def read(self) -> bool:
        """Read what was shown since; return whether the command may show more."""
        try:
            data = os.read(self.terminal, 65_536)
        except OSError:  # the command has ended
            data = b""
        self.shown += data.decode("utf-8", "replace")
        return bool(data)
