"""Shrinking: a failing trace with as many steps taken out as still leave the failure (delta debugging)."""

from collections.abc import Callable

from tests.simulation.trace import Step

Steps = tuple[Step, ...]


def shrink(steps: Steps, fails: Callable[[Steps], bool], *, patience: Callable[[], bool] = lambda: True) -> Steps:
    """The shortest failing trace that dropping chunks finds; `patience` says whether to go on."""
    size = max(len(steps) // 2, 1)
    while patience():
        at, dropped = 0, False
        while at < len(steps) and patience():
            # The last step is the one that failed; without it there is nothing to look for.
            tried = steps[:at] + steps[min(at + size, len(steps) - 1) :] if at < len(steps) - 1 else steps
            if len(tried) < len(steps) and fails(tried):
                steps, dropped = tried, True
            else:
                at += size
        if size == 1 and not dropped:
            break
        size = max(size // 2, 1)
    return steps
