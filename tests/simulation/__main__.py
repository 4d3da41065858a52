"""`python -m tests.simulation`: runs seed after seed until one fails or the time is over."""

import argparse
import sys
import time
from pathlib import Path

from tests.simulation.prove import prove
from tests.simulation.run import Outcome, run, run_seed, shortened, surround
from tests.simulation.trace import read_trace, shown

STEPS = 100_000
CHUNK = 500
"""Steps of one world; then the next seed begins with another."""


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--chunk", type=int, default=CHUNK, help="steps of one world")
    parser.add_argument("--hours", type=float, default=0.0, help="stop after so long")
    parser.add_argument("--replay", type=Path, help="a trace that a failing run has written")
    parser.add_argument("--fault", default="", help="put a fault of faults.py back into the program")
    parser.add_argument("--full", action="store_true", help="with real servers and commands")
    parser.add_argument("--without", default="", help="leave these actions out, with commas")
    parser.add_argument("--keep-going", action="store_true", help="go on after a failing seed")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--prove-faults", nargs="*", metavar="FAULT", help="show which seed and step find each fault")
    args = parser.parse_args(argv)
    if args.prove_faults is not None:
        return 1 if prove(args.prove_faults, say) else 0
    if args.replay:
        trace = read_trace(args.replay)
        outcome = run(trace.seed, trace.steps, surround(trace.seed, servers=trace.full, fault=args.fault))
        return _report(outcome, args)
    return _night(args)


def _night(args: argparse.Namespace) -> int:
    until = time.monotonic() + args.hours * 3600 if args.hours else float("inf")
    done, failures, seed, began = 0, 0, args.seed, time.monotonic()
    while done < args.steps and time.monotonic() < until:
        count = min(args.chunk, args.steps - done)
        outcome = run_seed(
            seed, count, servers=args.full, fault=args.fault, without=args.without.split(","),
            stop=lambda: time.monotonic() > until,
        )  # fmt: skip
        done += len(outcome.trace.steps)
        spent = time.monotonic() - began
        say(f"seed {seed}: {len(outcome.trace.steps)} steps in {outcome.seconds:.1f} s; {done} in all, {spent:.0f} s")
        if outcome.violation:
            failures += 1
            _report(outcome, args)
            if not args.keep_going:
                break
        seed += 1
    say(f"{done} steps from seed {args.seed}, {failures} failed, {time.monotonic() - began:.0f} s")
    return 1 if failures else 0


def _report(outcome: Outcome, args: argparse.Namespace) -> int:
    if not outcome.violation:
        say("everything held")
        return 0
    trace = outcome.trace
    say(f"seed {trace.seed}, step {len(trace.steps)}: {outcome.violation}")
    if not args.no_shrink:
        outcome = shortened(outcome, surround(trace.seed, servers=trace.full, fault=args.fault))
        say(f"in {len(outcome.trace.steps)} steps: {outcome.violation}\n{shown(outcome.trace.steps)}")
    path = Path(f"simulation-{trace.seed}.trace")
    outcome.trace.write(path)
    fault = f" --fault {args.fault}" if args.fault else ""
    say(f"replay: python -m tests.simulation --replay {path}{fault}")
    return 1


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
