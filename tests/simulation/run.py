"""Runs: steps until one of them breaks a rule, then the trace that shows it, made short."""

import os
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.simulation import actions
from tests.simulation.checks import CHECKS
from tests.simulation.faults import put_back
from tests.simulation.guides import GUIDES, NO_GUIDE
from tests.simulation.run_limits import Surroundings, surroundings_of, turned
from tests.simulation.shrink import shrink
from tests.simulation.sizes import compare_sizes
from tests.simulation.trace import Step, Trace
from tests.simulation.world import Violation, World, world_for

MEMORY_DISK = Path("/dev/shm")
SHRINK_SECONDS = 120.0


@dataclass
class Outcome:
    """What a run came to; without a violation everything held."""

    trace: Trace
    violation: str = ""
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)


@contextmanager
def workplace() -> Iterator[Path]:
    """A directory that is quick to write to, gone afterwards."""
    quick = MEMORY_DISK if os.access(MEMORY_DISK, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="simulation-", dir=quick, ignore_cleanup_errors=True) as made:
        yield Path(made) / "world"


def drawn(seed: int, count: int, *, servers: bool = False, fault: str = "") -> Iterator[Step]:
    """The steps of a seed, after those that lead to a fault."""
    rng = Random(f"prefix {seed}")
    first = [Step(name, rng.randrange(2**32)) for name in GUIDES.get(fault, NO_GUIDE).first.split()]
    yield from first[:count]
    rng = Random(f"steps {seed}")
    for _ in range(count - len(first)):
        yield Step(actions.draw(rng, servers=servers).name, rng.randrange(2**32))


def surround(seed: int, *, servers: bool = False, fault: str = "") -> Surroundings:
    """The surroundings of a seed, with a fault those in which it can be seen."""
    return GUIDES.get(fault, NO_GUIDE).surround(surroundings_of(seed, servers=servers, fault=fault))


def run(seed: int, steps: Iterable[Step], around: Surroundings, *, stop: Callable[[], bool] = lambda: False,
        ) -> Outcome:  # fmt: skip
    """Do the steps in a new world and look at everything after each."""
    began, violation = time.monotonic(), ""
    done: list[Step] = []
    counts: dict[str, int] = {}
    changed = turned(around.knobs), put_back(around.fault)  # in this order: a fault may be a limit
    with changed[0], changed[1], workplace() as base, world_for(base, seed, around) as world:
        for step in steps:
            if stop():
                break
            try:
                did = _do(world, step, len(done))
            except Exception as error:  # whatever escapes from a step is what the run looks for
                done.append(Step(step.action, step.seed, "← here"))
                where = "" if isinstance(error, Violation) else f" at {_origin(error)}"
                violation = f"{type(error).__name__}: {error}{where}".replace(str(base), "")
                break
            done.append(Step(step.action, step.seed, did or "-"))
            counts[step.action] = counts.get(step.action, 0) + (did is not None)
        else:
            violation = _finally(world)
    return Outcome(Trace(seed, tuple(done), around.servers), violation, time.monotonic() - began, counts)


def _do(world: World, step: Step, number: int) -> str | None:
    did = actions.BY_NAME[step.action].run(world, step.choices())
    rng = step.questions()
    for check in CHECKS:
        if rng.random() < 1 / check.every:
            check.run(world, rng)
    return did


def _finally(world: World) -> str:
    """What is looked at once, when all steps are done."""
    try:
        compare_sizes(world)
    except Violation as error:
        return str(error)
    return ""


def _origin(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def shortened(outcome: Outcome, around: Surroundings) -> Outcome:
    """The same violation by fewer steps."""
    until = time.monotonic() + SHRINK_SECONDS
    best = outcome

    def fails(steps: tuple[Step, ...]) -> bool:
        nonlocal best
        tried = run(outcome.trace.seed, steps, around)
        if tried.violation:
            best = tried
        return bool(tried.violation)

    shrink(outcome.trace.steps, fails, patience=lambda: time.monotonic() < until)
    return best


def run_seed(seed: int, count: int, *, servers: bool = False, fault: str = "", without: Iterable[str] = (),
             stop: Callable[[], bool] = lambda: False) -> Outcome:  # fmt: skip
    """The run that belongs to a seed; actions that are left out leave the others as they are."""
    steps = (step for step in drawn(seed, count, servers=servers, fault=fault) if step.action not in without)
    return run(seed, steps, surround(seed, servers=servers, fault=fault), stop=stop)
