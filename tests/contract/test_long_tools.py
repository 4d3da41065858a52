"""Tools that may run long, over a real index: each can be stopped at any step and tells how far it is."""

import threading
import time

import pytest

from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.runtime.progress import ProgressEvent
from codecompass.tools import TOOLS
from tests.contract.contract_repo import Yard, without_times
from tests.runtime.scripted_dispatch import until

LONG: dict[str, tuple[dict[str, object], str]] = {
    "locate_symbol": ({"name": "basket_total"}, "symbols"),
    "search_code": ({"query": "basket total", "detail_level": "context"}, "search"),
    "explain_ranking": ({"query": "basket total", "path": "src/shop.py", "line": 27}, "search"),
    "find_references": ({"name": "basket_total"}, "references"),
    "get_call_graph": ({"name": "basket_total", "depth": 3}, "calls"),
    "get_symbol_hierarchy": ({"name": "Thing"}, "subtypes"),
    "get_code_context": ({"query": "basket total"}, "pieces"),
    "get_diagnostics": ({}, "files"),
    "find_risks": ({}, "risks"),
    "diff_context": ({"base_ref": "side"}, "callers"),
    "inspect_symbol": ({"name": "basket_total", "authors": True}, "history"),
    "list_refs": ({}, ""),
}
"""Tool → a call, and a phase it must tell of; empty for those with a step or two."""


class Tripwire(threading.Event):
    """Counts how often the work looks whether it shall stop, and tells it so at a chosen look."""

    def __init__(self, trip: int = 0) -> None:
        super().__init__()
        self.looks = 0
        self.trip = trip

    def is_set(self) -> bool:
        self.looks += 1
        return super().is_set() or self.looks == self.trip


@pytest.mark.parametrize("tool", LONG)
def test_a_tool_stops_wherever_it_is_told_to(yard: Yard, tool: str) -> None:
    """R-STOPS: at its first look, in the middle and at its last; never an answer as if nothing had been said."""
    raw, phase = LONG[tool]
    run = next(one.run for one in TOOLS if one.name == tool)
    params = next(one.params for one in TOOLS if one.name == tool)
    host = Host(yard.engine, Defaults(freshness_policy="best_effort"))
    for _ in range(2):
        # What git knows is walked in the first call and kept; the second is like those that follow.
        free = Tripwire()
        run(host, Call(cancelled=free), params(**raw))
    assert free.looks >= (2 if phase else 1)
    for trip in sorted({1, free.looks // 2 or 1, free.looks - 1 or 1}):
        wire = Tripwire(trip)
        try:
            run(host, Call(cancelled=wire), params(**raw))
        except Failure as failure:
            assert failure.code == "CANCELLED"
        else:
            # While git works somebody looks every few milliseconds, so another run may have fewer looks in all.
            assert 1 < wire.looks < trip, "it was told to stop and did not"
        # A few more looks on the way out are fine; going on with the work is not.
        assert wire.looks <= trip + 20, f"stopped at {trip}, looked {wire.looks} times"


@pytest.mark.parametrize("tool", [name for name, (_, phase) in LONG.items() if phase])
def test_a_long_tool_tells_how_far_it_is(yard: Yard, tool: str) -> None:
    """R-PROGRESS: a short phase name, true numbers, from the real work of each tool."""
    raw, phase = LONG[tool]
    told: list[Progress] = []
    run = next(one.run for one in TOOLS if one.name == tool)
    params = next(one.params for one in TOOLS if one.name == tool)
    run(Host(yard.engine, Defaults(freshness_policy="best_effort")), Call(report=told.append), params(**raw))
    assert phase in {one.phase for one in told}, told
    assert all(one.phase.isalpha() and 0 <= one.done for one in told)
    assert all(one.done <= one.total for one in told if one.total)


def test_progress_of_a_real_tool_reaches_the_listener(yard: Yard) -> None:
    """R-PROGRESS: through the dispatch, before the answer, rising."""
    heard: list[ProgressEvent] = []
    pending = yard.dispatch.submit("find_references", {"name": "basket_total"}, Call(), heard.append)
    assert not pending.future.result(30).is_error
    assert heard and heard[0].phase == "references" and heard[0].tool == "find_references"
    numbers = [event.progress for event in heard]
    assert numbers == sorted(set(numbers))


def test_every_tool_under_a_tiny_timeout_comes_back(yard: Yard) -> None:
    """R-TIMEOUT: answered in time or TOOL_TIMEOUT with timeoutMs, and every worker is free again: nothing runs on."""
    admission = Admission(workers=2)
    host = Host(yard.engine, Defaults(freshness_policy="best_effort"))
    ways = Dispatch(TOOLS, host, Log("error", yard.log), admission=admission, timeout_ms=lambda _tool, _own: 1)
    codes = []
    for tool, (raw, _) in LONG.items():
        for _ in range(3):
            reply = ways.call(tool, raw)
            codes.append(reply.code)
            if reply.code:
                assert reply.code == "TOOL_TIMEOUT" and reply.payload["error"]["data"]["timeoutMs"] == 1
                assert reply.payload["error"]["code"] == "timeout"
    until(lambda: admission.size == 0)
    assert admission.get_state().lost_total == 0 and "TOOL_TIMEOUT" in codes
    admission.close()


def test_an_expired_call_leaves_the_engine_as_it_was(yard: Yard) -> None:
    """R-TIMEOUT: the same question afterwards has the same answer as before."""
    raw: dict[str, object] = {"name": "basket_total", "depth": 3}
    before = without_times(yard.ask("get_call_graph", raw).payload)
    for micros in range(0, 3_000, 150):
        yard.dispatch.call("get_call_graph", raw, Call(deadline=time.monotonic() + micros / 1_000_000))
    assert without_times(yard.ask("get_call_graph", raw).payload) == before
