"""Progress: a few events a second, the latest wins, the last is heard, and none after the answer."""

import itertools
import threading
import time

import pytest

from codecompass.contract.tool import Answer, Host, Params
from codecompass.model.call import Call, Progress
from codecompass.runtime.deadline import PendingCall
from codecompass.runtime.progress import INTERVAL_S, ProgressEvent, ProgressThrottle
from tests.runtime.scripted_dispatch import Gates, road, tool, until


class Timer:
    """Keeps what a gate wants to be woken for, until a test says that the moment has come."""

    def __init__(self) -> None:
        self.entries: list[tuple[float, object]] = []

    def at(self, moment: float, run: object) -> None:
        self.entries.append((moment, run))

    def ring(self) -> None:
        entries, self.entries = self.entries, []
        for _, run in entries:
            assert callable(run)
            run()


def gate(heard: list[ProgressEvent]) -> tuple[ProgressThrottle, Timer]:
    timer = Timer()
    return ProgressThrottle("tool", heard.append, timer.at), timer


def test_the_first_is_sent_at_once_and_the_latest_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-PROGRESS: what comes between two events is dropped for the newest; a turn that is too early is put off."""
    now = 50.0
    monkeypatch.setattr("codecompass.runtime.progress.time.monotonic", lambda: now)
    heard: list[ProgressEvent] = []
    one, timer = gate(heard)
    for step in range(1, 100):
        one.report(Progress("parse", step, 100))
    assert [event.progress for event in heard] == [1] and len(timer.entries) == 1
    timer.ring()
    assert len(heard) == 1 and timer.entries[0][0] == now + INTERVAL_S
    now += INTERVAL_S
    timer.ring()
    assert [event.progress for event in heard] == [1, 99] and heard[1].total == 100
    assert heard[1].message == "parse: 99 of 100" and heard[1].phase == "parse" and heard[1].tool == "tool"
    timer.ring()
    assert len(heard) == 2


def test_at_most_four_a_second() -> None:
    """R-PROGRESS: however often the work reports, by the events' own times."""
    moments: list[float] = []

    def busy(_host: Host, call: Call, _params: Params) -> Answer:
        for step in range(10_000):
            call.report(Progress("loop", step, 10_000))
            if step % 1_000 == 0:
                time.sleep(0.08)
        return Answer({})

    ways = road((tool(busy, "busy", Params),))
    ways.submit("busy", {}, Call(), lambda _: moments.append(time.monotonic())).future.result(20)
    assert len(moments) >= 3
    # The flush before the answer is not held back; all others keep their distance.
    pauses = [later - earlier for earlier, later in zip(moments[:-1], moments[1:-1], strict=False)]
    assert all(pause >= INTERVAL_S * 0.9 for pause in pauses), pauses


def test_the_number_rises_over_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-PROGRESS, R-PROGRESS-WHOLE: a new phase begins at zero, the number goes on, in whole steps."""
    heard: list[ProgressEvent] = []
    seconds = itertools.count()
    monkeypatch.setattr("codecompass.runtime.progress.time.monotonic", lambda: float(next(seconds)))
    one, timer = gate(heard)
    for phase, done in (("list", 5), ("parse", 0), ("parse", 0), ("parse", 3), ("publish", 0)):
        one.report(Progress(phase, done, 10))
        timer.ring()
    numbers = [event.progress for event in heard]
    assert numbers == sorted(set(numbers)) and len(numbers) == 5
    assert all(isinstance(number, int) for number in numbers)
    assert all(event.total is None or event.total >= event.progress for event in heard)


def test_the_last_report_is_flushed_and_then_there_is_silence() -> None:
    """R-PROGRESS: before a normal answer, not before a cancelled one; nothing after either."""
    for flush, expected in ((True, [1, 9]), (False, [1])):
        heard: list[ProgressEvent] = []
        one, timer = gate(heard)
        one.report(Progress("x", 1, 10))
        one.report(Progress("x", 9, 10))
        one.close(flush=flush)
        one.close(flush=flush)
        timer.ring()
        one.report(Progress("x", 10, 10))
        assert [event.progress for event in heard] == expected


def test_reports_of_work_nobody_waits_for_are_not_heard() -> None:
    """R-PROGRESS, R-CANCEL: deaf work goes on reporting after its call was cancelled."""
    gates = Gates()
    heard: list[ProgressEvent] = []
    reported = threading.Event()

    def deaf(_host: Host, call: Call, _params: Params) -> Answer:
        call.report(Progress("a", 1, 2))
        gates.gate("go").wait(20)
        call.report(Progress("b", 1, 2))
        reported.set()
        return Answer({})

    ways = road((tool(deaf, "deaf", Params),))
    pending = ways.submit("deaf", {}, Call(), heard.append)
    until(lambda: len(heard) == 1)
    assert pending.cancel() and pending.future.result(20).code == "CANCELLED"
    gates.gate("go").set()
    assert reported.wait(20) and [event.phase for event in heard] == ["a"]


def test_a_listener_may_give_the_call_up() -> None:
    """R-PROGRESS: cancelling from within an event does not lock up."""

    def work(_host: Host, call: Call, _params: Params) -> Answer:
        while True:
            call.step("loop", 1, 2)
            time.sleep(0.001)

    ways = road((tool(work, "work", Params),))
    ready = threading.Event()
    box: list[PendingCall] = []

    def hear(_event: ProgressEvent) -> None:
        ready.wait(20)
        box[0].cancel()

    pending = ways.submit("work", {}, Call(), hear)
    box.append(pending)
    ready.set()
    assert pending.future.result(20).code == "CANCELLED"


def test_reporting_costs_nothing_when_nobody_listens() -> None:
    """R-PROGRESS: no report is even made."""
    made: list[Progress] = []
    silent, heard = Call(), Call(report=made.append)
    silent.step("x", 1, 2)
    heard.step("x", 1, 2)
    assert made == [Progress("x", 1, 2)]
