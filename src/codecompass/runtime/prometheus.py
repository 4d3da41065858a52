"""Prometheus text: format the metrics in the exposition format 0.0.4, each metric after its HELP and TYPE."""

from collections.abc import Iterable, Iterator

from codecompass.runtime.admission import QueueState
from codecompass.runtime.metrics import BUCKETS_MS, ToolSample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "codecompass_"
Row = tuple[str, dict[str, str], float]
"""Suffix of the metric's name, labels, value."""


def format_prometheus_text(samples: tuple[ToolSample, ...], queue: QueueState, version: str) -> str:
    """Format all metrics of this process."""
    lines: list[str] = []
    for name, kind, description, rows in (*_build_tool_metrics(samples), *_build_queue_metrics(queue, version)):
        lines += [f"# HELP {PREFIX}{name} {description}", f"# TYPE {PREFIX}{name} {kind}"]
        lines += [
            f"{PREFIX}{name}{suffix}{_format_labels(labels)} {_format_number(value)}" for suffix, labels, value in rows
        ]
    return "\n".join(lines) + "\n"


Metric = tuple[str, str, str, Iterable[Row]]


def _build_tool_metrics(samples: tuple[ToolSample, ...]) -> Iterator[Metric]:
    def count_failures(one: ToolSample) -> int:
        return sum(one.failures.values())

    outcomes = [
        ("", {"tool": one.tool, "outcome": word}, float(count))
        for one in samples
        for word, count in (("success", one.calls - count_failures(one)), ("failure", count_failures(one)))
    ]
    yield "tool_calls_total", "counter", "Calls answered, by tool and outcome.", outcomes
    errors = [
        ("", {"tool": one.tool, "code": code}, float(count))
        for one in samples
        for code, count in sorted(one.failures.items())
    ]
    yield "tool_errors_total", "counter", "Calls that failed, by tool and error code.", errors
    for name, code, description in (
        ("tool_rate_limited_total", "RATE_LIMITED", "Calls refused because the tool's calls per minute were used up."),
        ("tool_cancelled_total", "CANCELLED", "Calls that their callers cancelled."),
    ):
        rows = [("", {"tool": one.tool}, float(one.failures.get(code, 0))) for one in samples]
        yield name, "counter", description, rows
    sizes = [("", {"tool": one.tool}, float(one.bytes_out)) for one in samples]
    yield "tool_response_bytes_total", "counter", "Bytes of answers, before a transport frames them.", sizes
    yield "tool_duration_seconds", "histogram", "Time from request to answer.", _build_histogram(samples)
    recent = [
        ("", {"tool": one.tool, "quantile": f"0.{name[1:]}"}, value / 1000)
        for one in samples
        for name, value in one.quantiles_ms.items()
    ]
    yield "tool_recent_duration_seconds", "gauge", "Quantiles of the time of the last calls of a tool.", recent


def _build_histogram(samples: tuple[ToolSample, ...]) -> Iterator[Row]:
    for one in samples:
        below = 0
        for bound, count in zip((*BUCKETS_MS, None), one.buckets, strict=True):
            below += count
            edge = "+Inf" if bound is None else _format_number(bound / 1000)
            yield "_bucket", {"tool": one.tool, "le": edge}, float(below)
        yield "_sum", {"tool": one.tool}, one.total_ms / 1000
        yield "_count", {"tool": one.tool}, float(one.calls)


def _build_queue_metrics(queue: QueueState, version: str) -> Iterator[Metric]:
    for name, kind, description, value in (
        ("queue_size", "gauge", "Calls running and waiting.", queue.size),
        ("queue_waiting", "gauge", "Calls waiting for a worker.", queue.waiting),
        ("queue_limit", "gauge", "Calls that may run and wait at a time.", queue.max),
        ("queue_high_water", "gauge", "Most calls that ran and waited at a time.", queue.high_water),
        ("queue_refused_total", "counter", "Calls refused because the queue was full.", queue.refused),
        ("workers_lost", "gauge", "Workers at work that nobody waits for and that did not come back.", queue.lost),
        ("workers_written_off_total", "counter", "Workers that were ever written off.", queue.lost_total),
    ):
        yield name, kind, description, [("", {}, float(value))]
    yield "build_info", "gauge", "The program that runs.", [("", {"version": version}, 1.0)]


def _format_labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in labels.items()) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _format_number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
