"""Proof that runs find faults: each fault is put back, and seeds are tried until one finds it.

The same steps without the fault must hold, or something else was found.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from tests.simulation.faults import FAULTS, Fault
from tests.simulation.run import Outcome, run, run_seed, surround

FIRST_SEED = 1
SEEDS = 12
STEPS = 400


def find(fault: Fault, seeds: Iterable[int] = (), steps: int = STEPS) -> Outcome | None:
    """The first run that the fault breaks; None when none does."""
    for seed in seeds or range(FIRST_SEED, FIRST_SEED + SEEDS):
        outcome = run_seed(seed, steps, fault=fault.name)
        if outcome.violation:
            return outcome
    return None


def repeat_without(fault: Fault, found: Outcome) -> Outcome:
    """The steps of a run that a fault broke, in the same surroundings without it."""
    seed = found.trace.seed
    return run(seed, found.trace.steps, replace(surround(seed, fault=fault.name), fault=""))


def prove(names: Iterable[str], say: Callable[[str], None]) -> int:
    """Tell for each fault which seed and step find it; the number of those that none finds."""
    wanted = set(names)
    missed = 0
    for fault in FAULTS:
        if wanted and fault.name not in wanted:
            continue
        found = find(fault)
        if found is None:
            missed += 1
            say(f"{fault.name:20} NOT FOUND in {SEEDS} seeds of {STEPS} steps")
            continue
        steps, seconds = len(found.trace.steps), found.seconds
        say(f"{fault.name:20} seed {found.trace.seed}, step {steps}, {seconds:.0f} s: {found.violation[:160]}")
        if (other := repeat_without(fault, found)).violation:
            missed += 1
            say(f"{fault.name:20} NOT ITS OWN: without it the same steps end with {other.violation[:160]}")
    return missed
