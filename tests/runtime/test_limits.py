"""Rate limits: a sliding minute for each tool and client."""

from dataclasses import replace
from pathlib import Path

import pytest

from codecompass.contract.tool import Answer, Host, Params
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.admission import Admission
from codecompass.runtime.rate_limits import CLIENTS_MAX, RateLimits
from codecompass.settings import load_settings
from tests.runtime.scripted_dispatch import road, tool


class Clock:
    """Time as a test says it is."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def taken(limits: RateLimits, tool_name: str = "grep", client: str = "") -> bool:
    try:
        limits.acquire(tool_name, client)
    except Failure:
        return False
    return True


def test_the_window_slides() -> None:
    """R-RATE-LIMIT: in no sixty seconds more than the limit, also across the border of a clock's minute."""
    clock = Clock()
    limits = RateLimits({"grep": 3}, clock)
    accepted: list[float] = []
    for step in range(2_000):
        clock.now = 1_000 + step * 0.1
        if taken(limits):
            accepted.append(clock.now)
    assert all(later - earlier >= 60 for earlier, later in zip(accepted, accepted[3:], strict=False))
    assert len(accepted) == 12, "as many as the limit allows"


def test_a_refusal_says_when_there_is_room_and_does_not_count() -> None:
    """R-RATE-LIMIT: waiting exactly that long is enough, however often was asked meanwhile."""
    clock = Clock()
    limits = RateLimits({"grep": 2}, clock)
    assert taken(limits)
    clock.now += 10
    assert taken(limits)
    for _ in range(50):
        clock.now += 0.5
        with pytest.raises(Failure) as caught:
            limits.acquire("grep", "")
    assert caught.value.code == "RATE_LIMITED"
    assert caught.value.details == {"limit": 2, "windowMs": 60_000, "retryAfterMs": 25_000}
    clock.now += 25
    assert taken(limits) and not taken(limits)


def test_tools_and_clients_have_their_own_windows() -> None:
    """R-RATE-LIMIT: one client's haste is not another's; 0 means no limit."""
    limits = RateLimits({"grep": 1, "read": 1, "free": 0}, Clock())
    assert taken(limits, client="a") and taken(limits, client="b") and taken(limits, "read", "a")
    assert not taken(limits, client="a") and not taken(limits, client="b")
    assert all(taken(limits, "free") and taken(limits, "other") for _ in range(500))


def test_clients_that_went_away_are_forgotten() -> None:
    """R-RATE-LIMIT: memory is bounded, whoever invents client keys."""
    clock = Clock()
    limits = RateLimits({"grep": 1}, clock)
    for number in range(CLIENTS_MAX + 500):
        assert taken(limits, client=str(number))
    assert len(limits._calls) == CLIENTS_MAX
    clock.now += 61
    assert taken(limits, client="new") and len(limits._calls) == 1


@pytest.mark.parametrize("family", ["compass", "cleats", "context"])
def test_a_limited_call_costs_nothing_and_is_told_in_the_familys_words(family: str) -> None:
    """R-RATE-LIMIT: the tool does not run, metrics count the hit, and each family says it in its own way."""
    ran = []

    def run(_host: Host, _call: Call, _params: Params) -> Answer:
        ran.append(1)
        return Answer({"ok": True})

    made = replace(tool(run, "grep_codebase", Params), family=family)
    ways = road((made,), limits=RateLimits({"grep_codebase": 2}))
    assert [ways.call("grep_codebase", {}).code for _ in range(5)] == ["", ""] + ["RATE_LIMITED"] * 3
    reply = ways.call("grep_codebase", {})
    assert ways.call("grep_codebase", {}, Call(client="other")).code == ""
    assert reply.is_error and reply.rpc_error is None and len(ran) == 3
    told = reply.payload
    if family != "context":
        told = told["error"]["data"] if family == "compass" else told["details"]
    assert reply.failure is not None and reply.failure.message == "Rate limit exceeded for grep_codebase"
    if family == "context":
        assert told["error"] == "Rate limit exceeded for grep_codebase"
        assert (told["tool"], told["code"]) == ("grep_codebase", "RATE_LIMITED")
    assert told["limit"] == 2 and told["windowMs"] == 60_000 and 0 < told["retryAfterMs"] <= 60_000
    assert ways.snapshot()["tools"]["grep_codebase"]["rate_limited"] == 4
    assert ways.snapshot()["queue"]["size"] == 0 and ways.snapshot()["queue"]["high_water"] <= 1


def test_what_the_schema_refuses_does_not_count() -> None:
    """R-RATE-LIMIT: any number of wrong calls leaves the window as it was, also when they come at once."""
    made = replace(tool(lambda *_: Answer({}), "grep_codebase", Params), family="context")
    ways = road((made,), limits=RateLimits({"grep_codebase": 2}), admission=Admission(64, 2))
    wrong = [ways.submit("grep_codebase", {"bogus": 1}, Call()) for _ in range(20)]
    assert [ways.call("grep_codebase", {}).code for _ in range(3)] == ["", "", "RATE_LIMITED"]
    assert {one.future.result(5).code for one in wrong} == {"INVALID_REQUEST"}
    assert ways.call("grep_codebase", {"bogus": 1}).code == "INVALID_REQUEST", "also when the window is full"


def test_the_documented_limits_are_the_default(tmp_path: Path) -> None:
    """R-RATE-LIMIT: document 002; a table of one's own is added to it, and 0 lifts a limit."""
    documented = {"context_search": 30, "read_file": 100, "grep_codebase": 60}
    assert load_settings(env={}, user_config=tmp_path / "none").rate_limits == documented
    given = load_settings(
        env={"CODECOMPASS_MCP_RATE_LIMITS": "read_file=0,search=5"}, user_config=tmp_path / "none"
    ).rate_limits
    assert given == {**documented, "read_file": 0, "search": 5}
    with pytest.raises(Failure, match="CODECOMPASS_MCP_RATE_LIMITS"):
        load_settings(env={"CODECOMPASS_MCP_RATE_LIMITS": "read_file=many"}, user_config=tmp_path / "none")
