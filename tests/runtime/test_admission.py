"""Admission: places are freed at once, deaf work costs one thread and no place, and the bounds hold."""

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.admission import Admission
from codecompass.runtime.log import Log
from tests.runtime.scripted_dispatch import Gates, road, tool, until


@pytest.fixture
def gates() -> Iterator[Gates]:
    made = Gates()
    yield made
    made.open_all()


def _is(look: Callable[[], int], wanted: int) -> bool:
    return look() == wanted


def threads() -> int:
    return sum(thread.name.startswith("tool-") for thread in threading.enumerate())


def test_a_cancelled_call_leaves_the_queue_at_once(gates: Gates) -> None:
    """R-QUEUE-FREED: its place is free before any worker looks at it, and it never runs."""
    admission = Admission(queue_max=3, workers=1)
    ways = road((tool(gates.run),), admission=admission)
    running = ways.submit("wait", {"gate": "a"}, Call())
    until(lambda: gates.entered == ["a"])
    queued = [ways.submit("wait", {"gate": "b"}, Call()) for _ in range(2)]
    assert ways.call("wait", {}).code == "QUEUE_OVERLOADED"
    assert all(one.cancel() for one in queued)
    assert admission.size == 1 and admission.get_state().waiting == 0
    again = [ways.submit("wait", {}, Call()) for _ in range(2)]
    gates.gate("a").set()
    assert not any(one.future.result(20).is_error for one in (running, *again))
    assert gates.entered == ["a", "", ""]


def test_a_queued_call_whose_time_is_over_leaves_the_queue_at_once(gates: Gates) -> None:
    """R-QUEUE-FREED, R-TIMEOUT: waiting counts, and an expired call takes no room."""
    admission = Admission(queue_max=2, workers=1)
    ways = road((tool(gates.run),), admission=admission, timeout=0)
    ways.submit("wait", {"gate": "a", "deaf": True}, Call())
    until(lambda: gates.entered == ["a"])
    queued = ways.submit("wait", {"gate": "b"}, Call(deadline=time.monotonic() + 0.05))
    assert queued.future.result(20).code == "TOOL_TIMEOUT"
    until(lambda: admission.size == 1)
    assert gates.entered == ["a"]


def test_a_refusal_does_not_wait_for_work(gates: Gates) -> None:
    """R-QUEUE: with every worker deaf and the queue full, a thousand refusals take no longer than one pause of work."""
    admission = Admission(queue_max=64, workers=4)
    ways = road((tool(gates.run),), admission=admission)
    pending = [ways.submit("wait", {"gate": "a", "deaf": True}, Call()) for _ in range(64)]
    until(lambda: len(gates.entered) == 4)
    began = time.monotonic()
    for _ in range(1_000):
        reply = ways.call("wait", {"gate": "a"})
        assert reply.rpc_error is not None and reply.rpc_error.data["details"] == {"queue": {"max": 64, "size": 64}}
    assert time.monotonic() - began < 5
    assert admission.get_state().refused == 1_000 and admission.get_state().high_water == 64
    gates.gate("a").set()
    assert not any(one.future.result(20).is_error for one in pending)
    until(lambda: admission.size == 0)


def test_deaf_work_does_not_starve_the_server(gates: Gates) -> None:
    """R-LOST-WORKERS: after the grace its place is free and another worker sits in its seat; counted and logged."""
    out = io.StringIO()
    admission = Admission(queue_max=4, workers=2)
    ways = road((tool(gates.run),), admission=admission, log=Log("warning", out, "json"))
    deaf = [ways.submit("wait", {"gate": f"deaf{at}", "deaf": True}, Call(id=f"d{at}")) for at in range(2)]
    until(lambda: len(gates.entered) == 2)
    behind = ways.submit("wait", {}, Call())
    assert all(one.cancel() for one in deaf)
    assert not behind.future.result(20).is_error, "a call behind two deaf ones must be served"
    until(lambda: admission.get_state().lost == 2)
    assert not any(ways.call("wait", {}).is_error for _ in range(20))
    until(lambda: admission.size == 0)
    assert threads() >= 4
    gates.open_all()
    until(lambda: admission.get_state().lost == 0)
    assert admission.get_state().lost_total == 2
    assert not ways.call("wait", {}).is_error
    until(lambda: out.getvalue().count("worker_returned") == 2)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert sorted(line["id"] for line in lines if line["event"] == "worker_lost") == ["d0", "d1"]


def test_work_that_notices_is_never_lost(gates: Gates) -> None:
    """R-LOST-WORKERS: only what does not come back within the grace is written off."""
    admission = Admission(workers=2)
    ways = road((tool(gates.run),), admission=admission, grace=5.0)
    pending = [ways.submit("wait", {"gate": "a"}, Call()) for _ in range(4)]
    until(lambda: len(gates.entered) == 2)
    # The waiting calls first: a worker that is free again would take one that is not cancelled yet.
    assert all(one.cancel() for one in reversed(pending))
    until(lambda: admission.size == 0)
    assert admission.get_state().lost_total == 0 and len(gates.entered) == 2


def test_lost_workers_are_bounded(gates: Gates) -> None:
    """R-LOST-WORKERS: beyond the bound calls are refused, threads do not grow, and all is well when work returns."""
    admission = Admission(queue_max=8, workers=1, lost_max=3)
    ways = road((tool(gates.run),), admission=admission, grace=0.01)
    before = threads()
    for at in range(3):
        lost = ways.submit("wait", {"gate": "a", "deaf": True}, Call())
        until(partial(_is, gates.entered.__len__, at + 1))
        lost.cancel()
        until(partial(_is, lambda: admission.get_state().lost, at + 1))
    for _ in range(10):
        reply = ways.call("wait", {})
        assert reply.rpc_error is not None and reply.rpc_error.code == -32001
        assert reply.rpc_error.data["details"] == {"queue": {"max": 8, "size": 0}, "lostWorkers": 3}
    assert threads() <= before + 3
    gates.open_all()
    until(lambda: admission.get_state().lost == 0)
    assert not ways.call("wait", {}).is_error


def test_one_more_deaf_call_than_may_be_lost_waits_for_its_turn(gates: Gates) -> None:
    """R-LOST-WORKERS: a worker that could not be written off is as soon as another came back."""
    admission = Admission(queue_max=8, workers=2, lost_max=1)
    ways = road((tool(gates.run),), admission=admission, grace=0.02)
    pending = [ways.submit("wait", {"gate": name, "deaf": True}, Call()) for name in ("a", "b")]
    until(lambda: len(gates.entered) == 2)
    assert all(one.cancel() for one in pending)
    until(lambda: admission.get_state().lost == 1)
    assert admission.size == 1
    gates.open_all()
    until(lambda: admission.size == 0 and admission.get_state().lost == 0)
    assert not ways.call("wait", {}).is_error


def test_idle_workers_end_when_asked() -> None:
    """R-QUEUE: closing leaves no thread behind."""
    admission = Admission(workers=3)
    done = threading.Event()
    before = threads()
    for _ in range(3):
        admission.submit(lambda: until(done.is_set))
    done.set()
    until(lambda: admission.size == 0)
    admission.close()
    until(lambda: threads() <= before)


def test_a_system_without_threads_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-QUEUE: not a crash, and no place is lost by it."""

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    admission = Admission()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(Failure, match="cannot start a worker thread"):
            admission.submit(lambda: None)
    assert admission.size == 0
    admission.submit(lambda: None)
    until(lambda: admission.size == 0)


def test_a_quick_call_does_not_wait_behind_long_ones() -> None:
    """R-QUEUE-QUICK: with every worker busy and many calls waiting, a quick call is answered at once."""
    admission = Admission(queue_max=32, workers=2)
    stop, done = threading.Event(), threading.Event()
    for _ in range(20):
        admission.submit(lambda: _wait(stop))
    until(lambda: admission.get_state().waiting == 18)
    admission.submit(done.set, quick=True)
    assert done.wait(20), "the quick call waited behind the long ones"
    stop.set()
    until(lambda: admission.size == 0)


def test_quick_calls_cannot_starve_the_others() -> None:
    """R-QUEUE-QUICK: while quick calls keep coming, the long ones have their turn as well."""
    admission = Admission(queue_max=64, workers=1)
    stops = threading.Event(), threading.Event()
    long = admission.submit(lambda: _wait(stops[0]))
    until(lambda: long.state == "running")
    quick = admission.submit(lambda: _wait(stops[1]), quick=True)
    until(lambda: quick.state == "running")
    order: list[str] = []
    for at in range(12):
        admission.submit(partial(order.append, f"quick{at}"), quick=True)
    admission.submit(partial(order.append, "long"))
    # The worker for quick calls stays busy, so the other one takes every turn.
    stops[0].set()
    until(lambda: len(order) == 13)
    stops[1].set()
    until(lambda: admission.size == 0)
    assert order.index("long") <= 4
    assert sorted(order) == sorted(["long", *(f"quick{at}" for at in range(12))])


def test_a_lost_quick_worker_is_replaced(gates: Gates) -> None:
    """R-QUEUE-QUICK, R-LOST-WORKERS: work that does not come back takes the quick lane from nobody."""
    admission = Admission(queue_max=8, workers=1)
    stop, done = threading.Event(), threading.Event()
    long = admission.submit(lambda: _wait(stop))
    until(lambda: long.state == "running")
    stuck = admission.submit(lambda: _wait(stop), quick=True)
    until(lambda: stuck.state == "running")
    assert admission.abandon(stuck)
    admission.submit(done.set, quick=True)
    assert done.wait(20)
    stop.set()
    until(lambda: admission.size == 0 and admission.get_state().lost == 0)


def _wait(stop: threading.Event) -> None:
    stop.wait(20)
