"""Log detection: recognises log files by timestamps at line starts or by stack traces. Pure functions."""

import re

HEAD_BYTES = 16_384
_MAX_LINE_BYTES = 400
_MIN_LINES = 3
_SHARE = 0.3
_TIME = re.compile(
    rb"\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d"
    rb"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:)"
)
_FAILURE = re.compile(
    rb"Traceback \(most recent call last\):|panic: |thread '[^']{1,100}' panicked at"
    rb"|Exception in thread \"|goroutine \d+ \["
)
_FRAME = re.compile(rb"\s+at \S.{0,300}:\d+\)?$")
_MIN_FRAMES = 2


def looks_like_log(data: bytes) -> bool:
    """Whether the beginning of a text contains a stack trace, or timestamps at the start of enough lines."""
    lines = [line[:_MAX_LINE_BYTES].rstrip() for line in data[:HEAD_BYTES].split(b"\n")]
    lines = [line for line in lines if line.strip()]
    if any(_FAILURE.match(line) for line in lines):
        return True
    if sum(1 for line in lines if _FRAME.match(line)) >= _MIN_FRAMES:
        return True
    timed = sum(1 for line in lines if _TIME.match(line))
    return timed >= _MIN_LINES and timed >= _SHARE * len(lines)
