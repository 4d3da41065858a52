"""The same call has the same answer on every road."""

from collections.abc import Iterator

import pytest

from codecompass.errors import CODES, CODES_BY_NAME
from codecompass.repo.process.child_process import SUPERVISOR
from codecompass.tools import TOOLS
from tests.surfaces.conftest import Shell
from tests.surfaces.parity import CALLS, JOBS, TRANSPORTS, Ask, Seen, in_process, without_times
from tests.surfaces.work import until


@pytest.fixture(scope="module")
def reference(indexed: Shell) -> Iterator[Ask]:
    with in_process(indexed) as ask:
        yield ask


@pytest.fixture(scope="module")
def answers(reference: Ask) -> list[Seen]:
    # Twice, because the first call of some tools fills what later ones find: git's history, for one.
    for name, raw in CALLS:
        reference(name, raw)
    return [reference(name, raw) for name, raw in CALLS]


def exit_code(seen: Seen) -> int:
    """What the command line says of an error of the protocol: the row of its code."""
    assert isinstance(seen.rpc_data, dict)
    name = next(code.name for code in CODES if code.cleats == seen.rpc_data["code"])
    return CODES_BY_NAME[name].exit


def test_the_table_has_a_success_and_a_failure_of_every_tool(answers: list[Seen]) -> None:
    """P-PARITY: a new tool without rows is found here."""
    good = {name for (name, _), seen in zip(CALLS, answers, strict=True) if not seen.is_error}
    bad = {name for (name, _), seen in zip(CALLS, answers, strict=True) if seen.is_error}
    names = {tool.name for tool in TOOLS}
    # What changes something is asked in the table of its own, or refused here only.
    lasting = {tool.name for tool in TOOLS if not tool.reads_only}
    assert names - good - lasting == set(), "no success"
    assert names - bad == set(), "no failure"


@pytest.mark.parametrize("name", TRANSPORTS)
def test_every_road_gives_the_same_answers(name: str, indexed: Shell, answers: list[Seen]) -> None:
    """P-PARITY: payloads, isError, JSON-RPC codes and data, but for times; on the command line exit codes besides."""
    with TRANSPORTS[name](indexed) as ask:
        for (tool, raw), expected in zip(CALLS, answers, strict=True):
            seen = ask(tool, raw)
            if name == "command line" and expected.payload is None:
                assert (seen.payload, seen.rpc_code) == (None, exit_code(expected)), (tool, raw)
                continue
            assert without_times(seen.payload) == without_times(expected.payload), (tool, raw)
            assert seen.is_error == expected.is_error, (tool, raw)
            assert (seen.rpc_code, seen.rpc_data) == (expected.rpc_code, expected.rpc_data), (tool, raw)


def test_jobs_start_the_same_way_on_every_road(indexed: Shell, reference: Ask) -> None:
    """P-PARITY: the same words about a job that has just begun, on one road after the other."""
    told: dict[str, list[object]] = {}

    def jobs(ask: Ask) -> list[object]:
        found: list[object] = []
        for tool, raw in JOBS:
            seen = ask(tool, raw)
            assert seen.payload is not None and not seen.is_error, seen
            found.append({key: value for key, value in seen.payload.items() if key not in ("job_id", "metadata")})
            until(lambda: ask("index_status", {}).payload, lambda now: now is not None and now["active_job"] is None)
        return found

    told["in process"] = jobs(reference)
    # A job goes on for a while after it is done (vectors, memory); a sweep at its end takes this process for a server's
    # and would end the servers that are started here next.
    until(lambda: sum(child.guarded for child in SUPERVISOR._children.values()), lambda left: left == 0)
    for name, opener in TRANSPORTS.items():
        with opener(indexed) as ask:
            told[name] = jobs(ask)
    assert all(found == told["in process"] for found in told.values()), told
