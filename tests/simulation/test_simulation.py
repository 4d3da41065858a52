"""A part of the night's run, in every run of the tests: fixed seeds, so that a failure is the change's."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulation.actions import ACTIONS, PROCESSES
from tests.simulation.actions import BY_NAME as ACTION_BY_NAME
from tests.simulation.checks import CHECKS
from tests.simulation.faults import BY_NAME
from tests.simulation.guides import GUIDES
from tests.simulation.prove import FIRST_SEED, find
from tests.simulation.run import Outcome, run_seed
from tests.simulation.run_limits import KNOBS, surroundings_of, turned
from tests.simulation.shrink import shrink
from tests.simulation.trace import Step, Trace, read_trace, shown

pytestmark = pytest.mark.timeout(600)
SEEDS = (101, 102, 103, 104, 105)
"""Few, because a new world costs as much as fifteen steps."""
STEPS = 400
FULL_STEPS = 25
FOUND = (
    "any_format", "numbers_twice", "one_view", "owned_swept", "quiet_writes", "text_keeps", "vectors_missing",
    "vectors_stay",
)  # fmt: skip
"""Faults that the first seed finds within a dozen steps."""


@pytest.fixture(autouse=True, scope="module")
def small_heap() -> Iterator[None]:
    """Set aside what other tests left: the engine collects garbage often and would walk it each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def told(outcome: Outcome) -> str:
    trace = outcome.trace
    full = " --full" if trace.full else ""
    return (
        f"{outcome.violation}\nlast steps:\n{shown(trace.steps[-8:])}\n"
        f"again, and shortened: python -m tests.simulation{full} --seed {trace.seed} --steps {len(trace.steps)}"
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_months_of_work(seed: int) -> None:
    """SIM-HOLDS: after every step answers are the model's, `fresh` is true, stores agree and nothing owned is lost."""
    outcome = run_seed(seed, STEPS)
    assert not outcome.violation, told(outcome)
    assert len(outcome.trace.steps) == STEPS


def test_servers_and_commands_at_once() -> None:
    """SIM-PROCESSES: the same with two servers, commands beside them, and kills."""
    outcome = run_seed(201, FULL_STEPS, servers=True)
    assert not outcome.violation, told(outcome)


@pytest.mark.parametrize("name", FOUND)
def test_a_fault_is_found(name: str) -> None:
    """SIM-FINDS: what a fault breaks is seen within a few steps; `--prove-faults` tries all of them."""
    assert find(BY_NAME[name], (FIRST_SEED,), 12) is not None


def test_guides_name_what_is_there() -> None:
    """SIM-FINDS: a guide leads to a fault by actions and checks that exist, in surroundings that exist."""
    assert GUIDES.keys() <= BY_NAME.keys()
    assert {name for guide in GUIDES.values() for name in guide.first.split()} <= ACTION_BY_NAME.keys()
    knobs = {name: value for guide in GUIDES.values() for name, value in guide.knobs.items()}
    with turned(knobs):
        assert all(guide.surround(surroundings_of(1)).knobs.items() >= guide.knobs.items() for guide in GUIDES.values())


def test_every_seed_set_meets_every_action() -> None:
    """SIM-HOLDS: no action is a row that never comes true."""
    names = {action.name for action in ACTIONS}
    assert len(names) == len(ACTIONS) and not names & {action.name for action in PROCESSES}
    assert all(check.every >= 1 for check in CHECKS)


def test_knobs_name_what_is_there() -> None:
    """SIM-HOLDS: a limit that was renamed would silently stay at its size."""
    with turned({f"{knob.module}:{knob.name}": knob.values[0] for knob in KNOBS}):
        assert surroundings_of(1) == surroundings_of(1) != surroundings_of(2)


def test_a_trace_comes_back_as_it_was(tmp_path: Path) -> None:
    """SIM-REPLAYS: what a failing run writes is what is replayed."""
    path = tmp_path / "a.trace"
    trace = Trace(7, (Step("edit", 5, "a.py"), Step("sync", 6)), full=True)
    trace.write(path)
    assert read_trace(path) == trace


def test_shrinking_leaves_what_matters() -> None:
    """SIM-REPLAYS: of many steps those stay that the failure needs."""
    steps = tuple(Step("edit", number) for number in range(100))

    def fails(tried: tuple[Step, ...]) -> bool:
        seeds = {step.seed for step in tried}
        return {13, 57, 99} <= seeds

    assert [step.seed for step in shrink(steps, fails)] == [13, 57, 99]
