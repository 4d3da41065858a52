"""Dispatch: one terminal answer for every call, whatever the engine does."""

import io
import json
import threading
import time
from collections.abc import Callable

import pytest

from codecompass.contract.tool import Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.tools import TOOLS
from tests.fake_engine import FakeEngine


def dispatch(
    engine: FakeEngine,
    *,
    admission: Admission | None = None,
    timeout: int | None = None,
    log: Log | None = None,
) -> Dispatch:
    limit: Callable[[str, int], int] = lambda _tool, own: own if timeout is None else timeout  # noqa: E731
    return Dispatch(TOOLS, Host(engine), log or Log(stream=io.StringIO()), admission=admission, timeout_ms=limit)


def test_a_call_is_answered() -> None:
    reply = dispatch(FakeEngine()).call("search_code", {"query": "x"})
    assert not reply.is_error and json.loads(reply.body) == reply.payload


def test_unknown_tool() -> None:
    """C-UNKNOWN-TOOL: NOT_FOUND as an error of the protocol."""
    reply = dispatch(FakeEngine()).call("__proto__", {})
    assert reply.rpc_error is not None and reply.rpc_error.code == -32602
    assert reply.rpc_error.data["code"] == "NOT_FOUND"


def test_failures_carry_the_state_of_the_view() -> None:
    """C-META-SIX: a failing tool still says what it knows of the ref."""
    reply = dispatch(FakeEngine(fail=Failure("PROJECT_NOT_FOUND", "Not initialised."))).call("index_status", {})
    assert reply.payload["error"]["code"] == "project_not_found"
    assert reply.payload["metadata"]["ref"] == "main" and len(reply.payload["metadata"]) == 6


class Panic(BaseException):
    """What a Rust extension raises: no Exception."""


@pytest.mark.parametrize("crash", [RuntimeError("/secret/path"), Panic("token=abc"), RecursionError("deep")])
def test_a_crash_becomes_internal_without_its_text(crash: BaseException) -> None:
    """C-NO-LEAK: the answer has no text of the exception; the log has its type and place, not its text."""
    out = io.StringIO()
    reply = dispatch(FakeEngine(crash=crash), log=Log(stream=out)).call("search_code", {"query": "hidden words"})
    assert reply.payload["error"]["code"] == "internal_error"
    assert str(crash).encode() not in reply.body and b"Traceback" not in reply.body
    line = json.loads(out.getvalue().splitlines()[0])
    assert line["error"] == type(crash).__name__ and any("fake_engine" in where for where in line["where"])
    assert str(crash) not in out.getvalue() and "hidden words" not in out.getvalue()


@pytest.mark.parametrize("broken", [False, True], ids=["state is known", "state crashes too"])
def test_metadata_beside_a_crash_are_computed_or_unknown(monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    """C-META-TRUE: never `not_indexed` for an index that is there; `unknown` where even its state crashes."""
    engine = FakeEngine(crash=RuntimeError("boom"))

    def crash(*_: object) -> None:
        raise Panic("again")

    if broken:
        monkeypatch.setattr(engine, "describe", crash)
    meta = dispatch(engine).call("search_code", {"query": "x"}).payload["metadata"]
    said = {meta[name] for name in ("freshness_status", "indexing_status", "schema_status")}
    assert said == ({"unknown"} if broken else {"fresh", "ready", "compatible"})
    assert meta["result_completeness"] == "partial"


def test_metadata_beside_a_timeout_do_not_repeat_what_was_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """C-META-TRUE: an answer that cannot wait for the engine knows what was, not what is."""
    engine = FakeEngine(hold=threading.Event())
    assert engine.hold is not None
    engine.hold.set()
    road = dispatch(engine, timeout=200)
    assert road.call("search_code", {"query": "x"}).payload["metadata"]["freshness_status"] == "fresh"
    engine.hold.clear()
    meta = road.call("search_code", {"query": "x"}).payload["metadata"]
    assert (meta["freshness_status"], meta["indexing_status"]) == ("unknown", "ready")
    engine.hold.set()


def test_logs_hold_sizes_not_values() -> None:
    """R-LOG-NAMES: the name of each argument and its length."""
    out = io.StringIO()
    dispatch(FakeEngine(), log=Log("info", out)).call("search_code", {"query": "secret", "limit": 3}, Call(id="7"))
    line = json.loads(out.getvalue())
    assert line["args"] == {"query": 6, "limit": 0} and line["tool"] == "search_code" and line["id"] == "7"
    assert "secret" not in out.getvalue()


def test_a_full_queue_refuses() -> None:
    """R-QUEUE: running and waiting together are bounded; the refusal says how full it is."""
    engine = FakeEngine(hold=threading.Event())
    road = dispatch(engine, admission=Admission(queue_max=3, workers=1))
    waiting = [road.submit("search_code", {"query": "x"}, Call()) for _ in range(3)]
    refused = road.call("search_code", {"query": "x"})
    assert refused.rpc_error is not None and refused.rpc_error.code == -32001
    assert refused.rpc_error.data["code"] == "QUEUE_OVERLOADED"
    assert refused.rpc_error.data["details"] == {"queue": {"max": 3, "size": 3}}
    assert engine.hold is not None
    engine.hold.set()
    assert not any(pending.future.result(5).is_error for pending in waiting)
    assert not road.call("search_code", {"query": "x"}).is_error


def test_a_call_that_checks_its_time_is_stopped() -> None:
    """R-TIMEOUT: the work itself notices, and the answer has timeoutMs."""
    stopped = threading.Event()

    def work(call: Call) -> None:
        try:
            while True:
                call.check()
                time.sleep(0.005)
        finally:
            stopped.set()

    reply = dispatch(FakeEngine(before=work), timeout=50).call("search_code", {"query": "x"})
    assert reply.code == "TOOL_TIMEOUT" and reply.payload["error"]["data"]["timeoutMs"] == 50
    assert stopped.wait(2)


def test_a_call_that_hangs_is_answered_anyway() -> None:
    """R-TIMEOUT: even an engine that never looks at the clock cannot leave a caller without an answer."""
    engine = FakeEngine(hold=threading.Event())
    began = time.monotonic()
    reply = dispatch(engine, timeout=50).call("search_code", {"query": "x"})
    assert reply.code == "TOOL_TIMEOUT" and time.monotonic() - began < 2
    assert len(reply.payload["metadata"]) == 6
    assert engine.hold is not None
    engine.hold.set()


def test_no_limit_means_no_limit() -> None:
    """R-TIMEOUT: 0 disables."""
    assert not dispatch(FakeEngine(before=lambda _: time.sleep(0.05)), timeout=0).call("list_refs", {}).is_error


def test_cancelling_gives_one_answer() -> None:
    """R-CANCEL: running or queued; the first answer stands, later ones are dropped."""
    engine = FakeEngine(hold=threading.Event())
    road = dispatch(engine, admission=Admission(workers=1))
    calls = [Call(), Call()]
    running, queued = (road.submit("search_code", {"query": "x"}, call) for call in calls)
    assert queued.cancel() and running.cancel()
    assert running.future.result(1).payload["error"]["code"] == "cancelled"
    assert queued.future.result(1).code == "CANCELLED"
    assert all(call.cancelled.is_set() for call in calls)
    assert engine.hold is not None
    engine.hold.set()
    assert not running.cancel()
    assert not road.call("list_refs", {}).is_error
    assert len(engine.queries) <= 1, "the queued call must never have started"


def test_metrics() -> None:
    """R-METRICS: calls, failures by code, quantiles."""
    road = dispatch(FakeEngine())
    road.call("search_code", {"query": "x"})
    road.call("search_code", {})
    counted = road.metrics.snapshot()["tools"]["search_code"]
    assert counted["calls"] == 2 and counted["success"] == 1 and counted["errors"] == {"INVALID_REQUEST": 1}
    assert 0 <= counted["p50_ms"] <= counted["p95_ms"] <= counted["p99_ms"]


def test_a_closed_log_stops_nothing() -> None:
    closed = io.StringIO()
    closed.close()
    assert not dispatch(FakeEngine(), log=Log("debug", closed)).call("list_refs", {}).is_error
