"""Surroundings of a run: what differs between seeds besides the steps. Limits are drawn small, so that what takes a
program months to reach happens every few steps; each value is one that the program must work with.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

STORE = "codecompass.store.embedded"


@dataclass(frozen=True, slots=True)
class Knob:
    """A limit of the program that a run may set lower."""

    module: str
    name: str
    values: tuple[float, ...]


KNOBS = (
    Knob(f"{STORE}.catalog.index_writer", "GARBAGE_FLOOR", (4, 4, 40, 300)),
    Knob(f"{STORE}.vectors.vector_writer", "GARBAGE_FLOOR", (4, 4, 40, 300)),
    Knob(f"{STORE}.catalog.index_writer", "BATCH_BYTES", (300, 4_000, 16 * 2**20)),
    Knob(f"{STORE}.catalog.index_writer", "FLUSH_ROWS", (5, 60_000)),
    Knob("codecompass.engine.index.stages", "MIN_FILES", (2, 6, 300)),
    Knob("codecompass.engine.index.stages", "FIRST_SHARE", (0.1, 0.4)),
    Knob("codecompass.engine.index.vector_build", "STEP_CHUNKS", (3, 4_000)),
    Knob("codecompass.engine.index.sync", "RACY_NS", (30_000_000, 2_000_000_000)),
    Knob("codecompass.repo.files.tree_monitor", "FULL_CHECK_INTERVAL_S", (0.0, 0.05, 30.0)),
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What one seed is run with."""

    watch: bool = True
    vectors: bool = True
    small_disk: bool = False
    """The data lies on a disk of a few megabytes that can be filled; only where one can be mounted."""
    servers: bool = False
    """Real servers and commands take part."""
    fault: str = ""
    """A fault of `faults.py` that is put back into the program."""
    knobs: dict[str, float] = field(default_factory=dict)


def surroundings_of(seed: int, *, servers: bool = False, fault: str = "") -> Surroundings:
    rng = Random(f"surroundings {seed}")
    knobs = {f"{knob.module}:{knob.name}": rng.choice(knob.values) for knob in KNOBS}
    return Surroundings(
        watch=rng.random() < 0.6, vectors=rng.random() < 0.7, small_disk=rng.random() < 0.5, servers=servers,
        fault=fault, knobs=knobs,
    )  # fmt: skip


@contextmanager
def turned(knobs: dict[str, float]) -> Iterator[None]:
    """The knobs as told, and afterwards as they were."""
    before: list[tuple[Any, str, float]] = []
    try:
        for place, value in knobs.items():
            module_name, name = place.split(":")
            module = importlib.import_module(module_name)
            before.append((module, name, getattr(module, name)))
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


@contextmanager
def replaced(owner: Any, name: str, value: object) -> Iterator[None]:  # noqa: ANN401 - a class or a module
    """One attribute is another for a while."""
    before = owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
