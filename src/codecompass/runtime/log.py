"""Log: write structured lines to stderr as text or JSON, with names and sizes of arguments, never their values.

Every field passes one function that removes secrets. Messages of libraries arrive through the standard logging module:
only literal sentences of their source code, never the values in them, and repeated lines are limited.
"""

import json
import linecache
import logging
import sys
import threading
import time
import traceback
from collections.abc import Collection
from datetime import UTC, datetime
from typing import TextIO

from codecompass.model.timestamp import utc_timestamp
from codecompass.runtime.redaction import Redactor, escape_invisible

LEVELS = ("debug", "info", "warning", "error")
SILENT = "silent"
"""Level of a log that writes nothing."""
MAX_REPEATS = 5
"""Lines from one statement of a library that are written in one window; the rest is counted."""
REPEAT_WINDOW_S = 30.0
_MAX_SENTENCE = 200


def choose_level(configured: str, verbosity: int, *, is_quiet: bool) -> str:
    """Choose the lowest level that is written. A flag can only lower the configured one, never raise it.

    A quiet program writes nothing on a terminal and only errors elsewhere, unless it is asked for more.
    """
    if is_quiet and not verbosity:
        return SILENT if sys.stderr.isatty() else "error"
    return min(configured, ("error", "info", "debug")[min(verbosity, 2)], key=LEVELS.index)


class Log:
    """Thread-safe writer of structured lines; errors of the stream are ignored."""

    def __init__(
        self, level: str = "warning", stream: TextIO | None = None, style: str = "auto", home: str | None = None
    ) -> None:
        self._min_level = len(LEVELS) if level == SILENT else LEVELS.index(level)
        self._stream = stream
        self._style = style
        self._redactor = Redactor(home)
        self._lock = threading.Lock()

    def is_enabled(self, level: str) -> bool:
        """Whether a line of that level would be written; check it before computing expensive fields."""
        return LEVELS.index(level) >= self._min_level

    def event(self, level: str, name: str, **fields: object) -> None:
        """Write one line."""
        if not self.is_enabled(level):
            return
        try:
            stream = self._stream or sys.stderr
            line = self._format_line(stream, level, name, fields)
            with self._lock:
                stream.write(line + "\n")
                stream.flush()
        except (OSError, ValueError, AttributeError):
            # stderr is closed or full: a log that cannot be written must not stop the work.
            return

    def _format_line(self, stream: TextIO, level: str, name: str, fields: dict[str, object]) -> str:
        now = datetime.fromtimestamp(time.time(), UTC)
        clean = {key: self._redactor.clean(value, key) for key, value in fields.items()}
        style = self._style
        if style == "auto":
            style = "text" if stream.isatty() else "json"
        if style == "json":
            moment = utc_timestamp(now, timespec="milliseconds", zone="+00:00")
            # JSON escapes everything but DEL.
            return json.dumps({"ts": moment, "level": level, "event": name, **clean}).replace("\x7f", "\\u007f")
        shown = " ".join(
            f"{key}={_format_value(value)}" for key, value in clean.items() if value not in ("", None, {}, [])
        )
        return escape_invisible(
            f"{now:%H:%M:%S}.{now.microsecond // 1000:03d} {level.upper():<7} {name:<14} {shown}".rstrip()
        )

    def crash(self, name: str, error: BaseException, **fields: object) -> None:
        """Log an unexpected exception: type and stack, never its text, which may quote a caller's input."""
        frames = traceback.extract_tb(error.__traceback__)[-12:]
        where = [f"{frame.filename}:{frame.lineno}:{frame.name}" for frame in frames]
        self.event("error", name, error=type(error).__name__, where=where, **fields)


def _format_value(value: object) -> str:
    """Format a value for a text line."""
    if isinstance(value, dict):
        return ",".join(f"{key}:{item}" for key, item in value.items())
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if " " in text else text


def measure_arguments(arguments: object, known: Collection[str]) -> dict[str, int]:
    """Return the names of a tool's arguments with their lengths, which reveal no values.

    Names that the tool does not have are the caller's text, so they are only counted, under `?`.
    """
    if not isinstance(arguments, dict):
        return {}
    found = {
        key: len(value) if isinstance(value, str | list | dict) else 0
        for key, value in arguments.items()
        if key in known
    }
    return found | ({"?": len(arguments) - len(found)} if len(found) < len(arguments) else {})


class _LibraryLogHandler(logging.Handler):
    """Forwards log records of libraries to our log, without arguments or tracebacks."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log
        self._windows: dict[tuple[str, int], tuple[float, int]] = {}
        """Statement of a library → start of its window, and number of lines in it."""

    def emit(self, record: logging.LogRecord) -> None:
        place = (record.pathname, record.lineno)
        now = time.monotonic()
        began, count = self._windows.get(place, (now, 0))
        left_out = max(0, count - MAX_REPEATS)
        if now - began >= REPEAT_WINDOW_S:
            began, count = now, 0
        self._windows[place] = (began, count + 1)
        if count >= MAX_REPEATS:
            return
        fields: dict[str, object] = {"logger": record.name, "at": f"{record.module}:{record.lineno}"}
        if count == 0 and left_out:
            fields["repeated"] = left_out
        if record.exc_info and record.exc_info[0]:
            fields["error"] = record.exc_info[0].__name__
        level = "error" if record.levelno >= logging.ERROR else "warning"
        self._log.event(level, "library", text=_find_literal_message(record), **fields)


def _find_literal_message(record: logging.LogRecord) -> str:
    """Return the message if it is a literal of the library's source; others may contain a caller's input."""
    text = str(record.msg)[:_MAX_SENTENCE]
    written = "".join(linecache.getlines(record.pathname)[record.lineno - 1 : record.lineno + 5])
    return text if text in written else ""


def relay_library_logs(log: Log) -> None:
    """Replace the handlers of the standard logging module with ours."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(_LibraryLogHandler(log))
    logging.raiseExceptions = False
