"""Tracebacks: frames and error texts of every language of the first tier, recognised line by line from one table."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from codecompass.engine.search.issue.parts import Frame

MAX_LINE = 500
"""Longer lines are no frames; patterns read only a bounded text."""
_FILE = r"(?P<path>(?:[A-Za-z]:)?[\w.@~+$/\\<>-]*[\w>])"


class FrameForm(NamedTuple):
    """How one runtime writes a frame."""

    runtime: str
    pattern: re.Pattern[str]
    innermost_last: bool = False
    ending: str = ""
    """File ending that the pattern matches outside of the path."""


def _make_form(runtime: str, *pieces: str, last: bool = False, ending: str = "") -> FrameForm:
    return FrameForm(runtime, re.compile("".join(pieces).replace("FILE", _FILE)), last, ending)


FRAME_FORMS = (
    _make_form(
        "python", r"^\s*File \"(?P<path>[^\"]+)\", line (?P<line>\d+)(?:, in (?P<function>[\w<>.]+))?", last=True
    ),
    _make_form("ipython", r"^(?:File )?FILE(?::(?P<line>\d+))?,? in (?P<function>\w+)\(", last=True),
    _make_form(
        "pytest", r"^FILE\.py:(?P<line>\d+): (?:in (?P<function>\w+)|\w+(?:Error|Exception)?\s*$)",
        last=True, ending=".py",
    ),
    _make_form(
        "javascript", r"^\s*at (?:async )?(?:new )?(?:(?P<function>[\w$.<>\[\] ]+?) (?:\[as \w+\] )?)?",
        r"\(?(?:file://|webpack:///?|async )?FILE:(?P<line>\d+):\d+\)?\s*$",
    ),
    _make_form(
        "java and kotlin", r"^\s*at (?:[\w.-]+/{1,2})?(?P<function>[\w.$<>]+)\((?P<path>[\w$-]+\.\w+):(?P<line>\d+)\)"
    ),
    _make_form("csharp", r"^\s*at (?P<function>[\w.`<>\[\],+]+)\([^)]*\)(?: in FILE:line (?P<line>\d+))"),
    _make_form("go", r"^\s+FILE\.go:(?P<line>\d+)(?: \+0x[0-9a-f]+)?\s*$", ending=".go"),
    _make_form("rust", r"^\s+at FILE:(?P<line>\d+)(?::\d+)?\s*$"),
    _make_form("rust panic", r"panicked at (?:'.*', )?FILE:(?P<line>\d+):\d+"),
    _make_form(
        "ruby", r"^\s*(?:from |\d+: from )?FILE:(?P<line>\d+):in [`']",
        r"(?:(?:block|rescue|ensure)[^`']*? in )?(?P<function>[^'`]+)'",
    ),
    _make_form("php", r"^\s*#\d+ FILE\((?P<line>\d+)\): (?P<function>[\w\\:>-]+)"),
    _make_form("php error", r" in FILE(?::| on line )(?P<line>\d+)\s*$"),
    _make_form(
        "elixir", r"^\s*\([\w. -]+\) FILE:(?P<line>\d+): (?:anonymous fn[^ ]* in )?", r"(?P<function>[\w.!?]+)(?:/\d+)?"
    ),
    _make_form(
        "c and c++", r"^\s*#\d+\s+(?:0x[0-9a-f]+ in )?(?P<function>[\w:~<>]+) ?\(.*\) (?:at )?FILE:(?P<line>\d+)"
    ),
    _make_form("sanitizer", r"^\s*#\d+ 0x[0-9a-f]+ in (?P<function>[\w:~<>]+)(?:\(.*\))? FILE:(?P<line>\d+)"),
    _make_form("swift", r"^Fatal error: .*?: file FILE, line (?P<line>\d+)"),
    _make_form("swift 5", r"^FILE\.swift:(?P<line>\d+): Fatal error", ending=".swift"),
    _make_form("haskell", r"called at FILE:(?P<line>\d+):\d+ in "),
    _make_form(
        "lua", r"^\s*FILE:(?P<line>\d+): in (?:function|method|upvalue|local) '?(?P<function>[\w.:]+)'?"
    ),
    _make_form("compiler", r"^\s*FILE:(?P<line>\d+)(?::\d+)?: (?:fatal )?(?:error|warning|panic|assertion)\b"),
    _make_form("rustc", r"^\s*--> FILE:(?P<line>\d+):\d+"),
)  # fmt: skip
"""One row for each form; the first that matches a line wins."""

_FRAME_HINT = re.compile(r"[:(]\d|line \d| in \w")
_NAMED_FRAME = re.compile(
    r"^\s*(?:\d+:\s+(?:0x[0-9a-f]+ - )?)?(?P<function>[\w./-]*(?:::|\.\(\*?)\w[\w:<>().*{}#]*?)(?:::h[0-9a-f]{16})?"
    r"(?:\([^)]*\))?$"
)
"""The line above a frame that names what ran, in Go and Rust."""
_SPLITS = re.compile(
    r"^\s*(?:Traceback \(most recent call last\)|During handling of the above|The above exception was|Caused by:"
    r"|goroutine \d+)"
)
_ERROR_TYPE = (
    r"(?P<type>(?:[A-Za-z_]\w*(?:\.|::|\\))*"
    r"\w*(?:Error|Exception|Warning|Failure|Fault|Panic|Interrupt|Exit|DoesNotExist|Invalid\w*))"
)
_ERRORS = (
    re.compile(
        r"^(?:E\s+)?(?:Uncaught |Caused by: |Exception in thread \"[^\"]*\" |Unhandled exception[.:]? )?"
        rf"{_ERROR_TYPE}(?::\s+(?P<text>.+))?$"
    ),
    re.compile(r"^\*\* \((?P<type>[\w.]+)\)\s+(?P<text>.+)$"),
    re.compile(r"panicked at '(?P<text>.+)', "),
    re.compile(
        r"^(?:\S+:\d+(?::\d+)?:\s*)?(?:PHP )?"
        r"(?:fatal|Fatal|FATAL|error|Error|ERROR|panic|runtime error|warning|abort|ERR!?)(?: error)?(?:\[\w+\])?"
        r":\s+(?P<text>.{6,})$"
    ),
    re.compile(r":in [`'][^'`]+': (?P<text>.+) \((?P<type>[\w:]+)\)$"),
)


def match_frame(line: str) -> tuple[Frame, bool] | None:
    """Return the frame that a line is, and whether its runtime writes the innermost last."""
    if len(line) > MAX_LINE or not _FRAME_HINT.search(line):
        return None
    for form in FRAME_FORMS:
        found = form.pattern.search(line)
        if found is not None:
            named = found.groupdict()
            function = (named.get("function") or "").strip()
            return Frame(named["path"] + form.ending, int(named["line"] or 0), function), form.innermost_last
    return None


def match_function_line(line: str) -> str:
    """Return what a line above a frame names in Go and Rust; empty for other lines."""
    found = _NAMED_FRAME.match(line) if len(line) <= MAX_LINE else None
    return found["function"] if found is not None else ""


def begins_trace(line: str) -> bool:
    """Whether a line begins another traceback, so that the frames before it belong together."""
    return _SPLITS.match(line) is not None


def match_error(line: str) -> tuple[str, str] | None:
    """Return the type and the text of the error that a line states."""
    stripped = line.strip()[:MAX_LINE]
    for pattern in _ERRORS:
        found = pattern.search(stripped)
        if found is not None:
            named = found.groupdict()
            return named.get("type") or "", (named.get("text") or "").strip()
    return None


def order_frames(groups: Iterable[list[tuple[Frame, bool]]]) -> tuple[Frame, ...]:
    """Join the frames of several tracebacks, innermost first, the last traceback before those it followed."""
    found: list[Frame] = []
    for group in reversed([group for group in groups if group]):
        frames = [frame for frame, _ in group]
        found += reversed(frames) if group[0][1] else frames
    return tuple(dict.fromkeys(found))
