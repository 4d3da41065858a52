"""Proof that runs find faults: each fault is put back, and seeds are tried until one finds it."""

from collections.abc import Callable, Iterable

from tests.simulation.faults import FAULTS, Fault
from tests.simulation.run import Outcome, run_seed

FIRST_SEED = 1
SEEDS = 12
STEPS = 400


def find(fault: Fault, seeds: Iterable[int] = range(FIRST_SEED, FIRST_SEED + SEEDS), steps: int = STEPS,
         ) -> Outcome | None:  # fmt: skip
    """The first run that the fault breaks; None when none does."""
    for seed in seeds:
        outcome = run_seed(seed, steps, fault=fault.name)
        if outcome.violation:
            return outcome
    return None


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
        else:
            steps = found.trace.steps
            say(f"{fault.name:20} seed {found.trace.seed}, step {len(steps)}: {found.violation[:160]}")
    return missed
