"""Whatever comes first — the end of the work, a cancellation, the deadline — there is one answer, and silence after."""

import random
import threading
import time
from collections.abc import Callable
from typing import Annotated

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from codecompass.contract.envelope import Reply
from codecompass.contract.tool import Answer, Host, Params
from codecompass.model.call import Call, Progress
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.progress import ProgressEvent
from tests.runtime.scripted_dispatch import road, tool, until


class ChaosParams(Params, frozen=True, kw_only=True):
    """How one piece of work behaves."""

    ms: Annotated[float, Meta(ge=0)] = 0
    deaf: bool = False
    crash: bool = False


def chaos(_host: Host, call: Call, params: ChaosParams) -> Answer:
    end = time.monotonic() + params.ms / 1000
    step = 0
    while time.monotonic() < end:
        step += 1
        call.report(Progress(f"phase{step // 7}", step % 7, 7))
        if not params.deaf:
            call.check()
        time.sleep(0.0005)
    if params.crash:
        raise RuntimeError("as told")
    return Answer({"steps": step})


class Listener:
    """Hears the progress and the answers of one call, in the order in which they come."""

    def __init__(self) -> None:
        self.heard: list[ProgressEvent | Reply] = []

    def event(self, event: ProgressEvent) -> None:
        self.heard.append(event)

    def is_answered(self) -> bool:
        return bool(self.heard) and isinstance(self.heard[-1], Reply)

    def check(self) -> str:
        *events, reply = self.heard
        assert isinstance(reply, Reply), "the answer comes last, and nothing after it"
        numbers = [event.progress for event in events if isinstance(event, ProgressEvent)]
        assert len(numbers) == len(events), "there is one answer"
        assert numbers == sorted(set(numbers)), "progress rises"
        return reply.code or "ok"


def start(ways: Dispatch, raw: dict[str, object], deadline_ms: float | None) -> tuple[Listener, Callable[[], bool]]:
    ear = Listener()
    deadline = None if deadline_ms is None else time.monotonic() + deadline_ms / 1000
    pending = ways.submit("chaos", raw, Call(deadline=deadline), ear.event)
    pending.future.add_done_callback(lambda future: ear.heard.append(future.result()))
    return ear, pending.cancel


CASES = st.tuples(
    st.floats(0, 8), st.booleans(), st.booleans(), st.none() | st.floats(0, 8), st.none() | st.floats(0, 8)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CASES, min_size=1, max_size=10))
def test_one_answer_whatever_the_order(cases: list[tuple[float, bool, bool, float | None, float | None]]) -> None:
    """R-CANCEL, R-PROGRESS, R-QUEUE-FREED: one answer, rising progress before it only, an empty queue at the end."""
    admission = Admission(queue_max=64, workers=2)
    ways = road((tool(chaos, "chaos", ChaosParams),), admission=admission, grace=0.003)
    calls = []
    began = time.monotonic()
    for ms, deaf, crash, cancel_ms, deadline_ms in cases:
        ear, cancel = start(ways, {"ms": ms, "deaf": deaf, "crash": crash}, deadline_ms)
        calls.append((ear, cancel, cancel_ms))
    for _, cancel, cancel_ms in sorted((one for one in calls if one[2] is not None), key=lambda one: one[2] or 0):
        time.sleep(max(0.0, began + (cancel_ms or 0) / 1000 - time.monotonic()))
        cancel()
    until(lambda: admission.size == 0 and admission.get_state().lost == 0)
    until(lambda: all(ear.is_answered() for ear, _, _ in calls))
    codes = [ear.check() for ear, _, _ in calls]
    assert set(codes) <= {"ok", "CANCELLED", "TOOL_TIMEOUT", "INTERNAL"}
    counted = ways.snapshot()["tools"]["chaos"]
    assert counted["calls"] == len(cases) and counted["failure"] == sum(code != "ok" for code in codes)
    admission.close()


def test_many_callers_at_once() -> None:
    """R-CANCEL, R-QUEUE: eight threads that submit, cancel and run out of time; every call is answered once."""
    admission = Admission(queue_max=12, workers=3)
    ways = road((tool(chaos, "chaos", ChaosParams),), admission=admission, grace=0.005)
    codes: list[str] = []

    def client(seed: int) -> None:
        dice = random.Random(seed)
        for _ in range(40):
            limit = dice.choice([None, 1.0, 3.0])
            ear, cancel = start(ways, {"ms": dice.choice([0, 1, 4]), "deaf": dice.random() < 0.3}, limit)
            if dice.random() < 0.5:
                time.sleep(dice.random() * 0.004)
                cancel()
                cancel()
            until(ear.is_answered)
            codes.append(ear.check())

    clients = [threading.Thread(target=client, args=(seed,)) for seed in range(8)]
    for one in clients:
        one.start()
    for one in clients:
        one.join(60)
    until(lambda: admission.size == 0 and admission.get_state().lost == 0)
    assert len(codes) == 8 * 40 and {"ok", "CANCELLED", "TOOL_TIMEOUT"} <= set(codes)
    assert ways.snapshot()["queue"]["waiting"] == 0
    admission.close()
