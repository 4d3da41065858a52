"""Metrics: what was counted is what happened, and Prometheus can read it."""

import io
import json
import time

from prometheus_client.parser import text_string_to_metric_families

from codecompass.contract.tool import DEFAULT_SLOW_MS, DEFAULT_TIMEOUT_MS, Answer, Host, Params
from codecompass.contract.versions import TOOL_VERSION
from codecompass.errors import CODES_BY_NAME, Failure
from codecompass.model.call import Call
from codecompass.runtime.admission import Admission, QueueState
from codecompass.runtime.log import Log
from codecompass.runtime.metrics import BUCKETS_MS, UNKNOWN, Metrics
from codecompass.runtime.prometheus import format_prometheus_text
from codecompass.runtime.rate_limits import RateLimits
from tests.runtime.scripted_dispatch import Gates, road, tool, until

QUIET = QueueState(max=64, size=0, waiting=0, high_water=0, lost=0, lost_total=0, refused=0)


class PickyParams(Params, frozen=True, kw_only=True):
    fail: str = ""


def picky(_host: Host, _call: Call, params: PickyParams) -> Answer:
    if params.fail:
        raise Failure(CODES_BY_NAME[params.fail].name, "As told.")
    return Answer({"filler": "x" * 1_000})


def read(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample, by its name and labels, as the official parser reads it."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def labelled(**labels: str) -> frozenset[tuple[str, str]]:
    return frozenset(labels.items())


def test_everything_that_happens_is_counted() -> None:
    """R-METRICS: success, failure by code, refusals, cancellations, sizes, and the queue."""
    gates = Gates()
    admission = Admission(queue_max=2, workers=2)
    tools = (tool(picky, "picky", PickyParams), tool(gates.run, "wait"))
    ways = road(tools, admission=admission, limits=RateLimits({"picky": 3}), grace=0.01)
    for raw in ({}, {"fail": "NO_INDEX"}, {"fail": 3}, {}, {}):
        ways.call("picky", raw)
    ways.call("nobody", {})
    stuck = [ways.submit("wait", {"gate": "a", "deaf": True}, Call()) for _ in range(2)]
    until(lambda: len(gates.entered) == 2)
    assert ways.call("wait", {}).code == "QUEUE_OVERLOADED"
    stuck[0].cancel()
    until(lambda: admission.get_state().lost == 1)
    taken = ways.snapshot()
    one = taken["tools"]["picky"]
    assert (one["calls"], one["success"], one["failure"]) == (5, 2, 3)
    assert one["errors"] == {"NO_INDEX": 1, "INVALID_REQUEST": 1, "RATE_LIMITED": 1} and one["rate_limited"] == 1
    assert one["bytes_out"] > 2_000
    assert taken["tools"]["wait"]["cancelled"] == 1 and taken["tools"][UNKNOWN]["errors"] == {"NOT_FOUND": 1}
    assert taken["queue"] == {
        "max": 2, "size": 1, "waiting": 0, "high_water": 2, "lost": 1, "lost_total": 1, "refused": 1,
    }  # fmt: skip
    json.dumps(taken)
    samples = read(ways.format_prometheus())
    assert samples["codecompass_tool_calls_total", labelled(tool="picky", outcome="failure")] == 3
    assert samples["codecompass_tool_errors_total", labelled(tool="picky", code="NO_INDEX")] == 1
    assert samples["codecompass_tool_rate_limited_total", labelled(tool="picky")] == 1
    assert samples["codecompass_tool_cancelled_total", labelled(tool="wait")] == 1
    assert samples["codecompass_workers_lost", labelled()] == 1
    assert samples["codecompass_queue_high_water", labelled()] == 2
    assert samples["codecompass_build_info", labelled(version=TOOL_VERSION)] == 1
    gates.open_all()
    until(lambda: admission.get_state().lost == 0 and admission.size == 0)


def test_quantiles_are_those_of_the_recent_past() -> None:
    """R-METRICS: p50, p95, p99 over a bounded window."""
    metrics = Metrics()
    for _ in range(1_000):
        metrics.record("t", 100_000.0, "")
    for number in range(1, 513):
        metrics.record("t", float(number), "")
    one = metrics.snapshot()["tools"]["t"]
    assert (one["p50_ms"], one["p95_ms"], one["p99_ms"]) == (257, 487, 507) and one["calls"] == 1_512


def test_the_histogram_adds_up() -> None:
    """R-PROMETHEUS: buckets are cumulative, the last has everything, bounds belong to their bucket."""
    metrics = Metrics()
    for value in (0.0, 1.0, 1.1, 100.0, 999_999.0):
        metrics.record("t", value, "")
    samples = read(format_prometheus_text(metrics.take_samples(), QUIET, "1"))
    name = "codecompass_tool_duration_seconds_bucket"
    assert samples[name, labelled(tool="t", le="0.001")] == 2
    assert samples[name, labelled(tool="t", le="0.0025")] == 3
    assert samples[name, labelled(tool="t", le="0.1")] == 4
    assert samples[name, labelled(tool="t", le="600")] == 4
    assert samples[name, labelled(tool="t", le="+Inf")] == 5
    assert samples["codecompass_tool_duration_seconds_count", labelled(tool="t")] == 5
    counts = [value for (found, labels), value in samples.items() if found == name and dict(labels)["tool"] == "t"]
    assert len(counts) == len(BUCKETS_MS) + 1 and counts == sorted(counts)


def test_every_family_has_a_name_a_type_and_a_help_line() -> None:
    """R-PROMETHEUS: the parser finds all families, each once, and none without its type."""
    metrics = Metrics()
    metrics.record("t", 1.0, "INTERNAL", 10)
    text = format_prometheus_text(metrics.take_samples(), QUIET, "1.2.3")
    families = list(text_string_to_metric_families(text))
    assert all(family.name.startswith("codecompass_") and family.documentation for family in families)
    assert {family.type for family in families} == {"counter", "gauge", "histogram"}
    assert len({family.name for family in families}) == len(families) >= 14
    assert text.endswith("\n") and text.count("# TYPE") == text.count("# HELP") == len(families)


def test_labels_cannot_break_out() -> None:
    """R-PROMETHEUS: quotes, backslashes and line breaks in a label are escaped."""
    evil = 'a"} 1\ncodecompass_queue_size 99\n\\'
    metrics = Metrics()
    metrics.record(evil, 1.0, "")
    samples = read(format_prometheus_text(metrics.take_samples(), QUIET, "1"))
    assert samples["codecompass_tool_calls_total", labelled(tool=evil, outcome="success")] == 1
    assert samples["codecompass_queue_size", labelled()] == 0


def test_a_caller_cannot_make_series() -> None:
    """R-METRICS: names of tools that do not exist are counted together."""
    ways = road((tool(picky, "picky", PickyParams),))
    for number in range(100):
        ways.call(f"invented_{number}", {})
    assert list(ways.snapshot()["tools"]) == [UNKNOWN]


def test_a_call_beyond_its_documented_time_warns() -> None:
    """R-SLOW: one line at warning level, with the time it should have kept; a quick call has none there."""
    out = io.StringIO()

    def slow(_host: Host, _call: Call, _params: Params) -> Answer:
        time.sleep(0.02)
        return Answer({})

    tools = (tool(slow, "slow", Params, slow_ms=10), tool(slow, "quick", Params, slow_ms=60_000))
    ways = road(tools, log=Log("warning", out, "json"))
    ways.call("quick", {})
    ways.call("slow", {})
    (line,) = [json.loads(line) for line in out.getvalue().splitlines()]
    assert line["tool"] == "slow" and line["slow_ms"] == 10 and line["ms"] >= 10 and line["level"] == "warning"


def test_documented_times() -> None:
    """R-TIMEOUT, R-SLOW: what the documents say of a tool's name is what a tool of that name gets."""

    def named(name: str, **more: int) -> tuple[int, int]:
        made = tool(picky, name, PickyParams, **more)
        return made.timeout_ms, made.slow_ms

    for name in ("build_index", "index_build", "build_sqlite_index", "download_models", "download_dictionaries",
                 "download_extensions", "bootstrap"):  # fmt: skip
        assert named(name)[0] == 600_000
    assert named("triage_ingest")[0] == 300_000
    assert named("anything") == (DEFAULT_TIMEOUT_MS, DEFAULT_SLOW_MS) == (120_000, 2_000)
    assert named("context_search")[1] == 5_000 and named("grep_codebase")[1] == 3_000
    assert named("read_file")[1] == 2_000
    assert named("anything", timeout_ms=5, slow_ms=7) == (5, 7)
