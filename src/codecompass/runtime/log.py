"""Log: JSON lines on stderr. Names and sizes of arguments, never their values; nothing else is ever written there."""

import json
import logging
import sys
import threading
import time
import traceback
from datetime import UTC, datetime
from typing import TextIO

LEVELS = ("debug", "info", "warning", "error")


class Log:
    """A writer of structured lines, safe from any thread, quiet when nobody can read."""

    def __init__(self, level: str = "warning", stream: TextIO | None = None) -> None:
        self._least = LEVELS.index(level)
        self._stream = stream
        self._lock = threading.Lock()

    def event(self, level: str, name: str, **fields: object) -> None:
        """One line. Fields must be safe to show."""
        if LEVELS.index(level) < self._least:
            return
        now = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"ts": now, "level": level, "event": name, **fields}, default=str)
        try:
            with self._lock:
                stream = self._stream or sys.stderr
                stream.write(line + "\n")
                stream.flush()
        except (OSError, ValueError, AttributeError):
            # stderr is closed or full: a log that cannot be written must not stop the work.
            return

    def crash(self, name: str, error: BaseException, **fields: object) -> None:
        """An unexpected exception: its type and where it passed. Its text may quote values, so only debug shows it."""
        frames = traceback.extract_tb(error.__traceback__)[-12:]
        where = [f"{frame.filename}:{frame.lineno}:{frame.name}" for frame in frames]
        self.event("error", name, error=type(error).__name__, where=where, **fields)
        self.event("debug", name, error=type(error).__name__, text=str(error)[:500])


def sizes(arguments: object) -> dict[str, int]:
    """Names of arguments and the length of each: enough to understand a call, nothing to leak."""
    if not isinstance(arguments, dict):
        return {}
    return {
        str(key)[:40]: len(value) if isinstance(value, str | list | dict) else 0
        for key, value in list(arguments.items())[:40]
    }


class _Relay(logging.Handler):
    """Sends what libraries log through the standard module to our log, without arguments or tracebacks."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning"
        raised = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        # `msg` is the library's own sentence; its arguments, which may hold a caller's text, stay out.
        self._log.event(level, "library", logger=record.name, text=str(record.msg)[:200], error=raised)


def relay_library_logs(log: Log) -> None:
    """Give the standard logging module one handler: ours."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(_Relay(log))
    logging.raiseExceptions = False
