"""Faults that were found in use, as rows: each can be put back into the program to see whether a run finds it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from codecompass.store.embedded.text import TextWriter


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, and how the program is made to have it."""

    name: str
    about: str
    put_back: Callable[[], AbstractContextManager[None]]


@contextmanager
def replaced(owner: Any, name: str, value: object) -> Iterator[None]:  # noqa: ANN401 - a class or a module
    """One attribute is another for a while."""
    before = owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _text_keeps() -> AbstractContextManager[None]:
    return replaced(TextWriter, "remove", lambda _self, _blobs: None)


FAULTS = (Fault("text_keeps", "Contents that were swept stay in the text index.", _text_keeps),)
BY_NAME = {fault.name: fault for fault in FAULTS}


@contextmanager
def put_back(name: str) -> Iterator[None]:
    """The program with a fault; without a name as it is."""
    if not name:
        yield
        return
    with BY_NAME[name].put_back():
        yield
