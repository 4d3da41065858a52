"""Traces: what a run did, as rows that can be replayed. Each step has a seed of its own, from which all its choices
follow, so that a step still means something after others were taken out.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random


@dataclass(frozen=True, slots=True)
class Step:
    """One action and the seed of its choices; `did` tells people what it came to."""

    action: str
    seed: int
    did: str = ""

    def choices(self) -> Random:
        return Random(f"act {self.seed}")

    def questions(self) -> Random:
        return Random(f"ask {self.seed}")


@dataclass(frozen=True, slots=True)
class Trace:
    """A run: the seed that its surroundings follow from, and its steps."""

    seed: int
    steps: tuple[Step, ...]
    full: bool = False

    def write(self, path: Path) -> None:
        rows = [json.dumps({"seed": self.seed, "full": self.full}), *(json.dumps(asdict(step)) for step in self.steps)]
        path.write_text("\n".join(rows) + "\n")


def read_trace(path: Path) -> Trace:
    head, *rows = path.read_text().splitlines()
    about = json.loads(head)
    return Trace(about["seed"], tuple(Step(**json.loads(row)) for row in rows), about.get("full", False))


def shown(steps: tuple[Step, ...]) -> str:
    """Steps for people, one a line."""
    return "\n".join(f"  {number:4} {step.action:20} {step.did}" for number, step in enumerate(steps, 1))
