"""Lazy services: a service is imported and constructed when one of its methods is first called.

Most commands use one service of many, and importing them all takes longer than most answers.
"""

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar

S = TypeVar("S")
F = TypeVar("F")


class LazyService(Generic[S]):
    """An attribute that is constructed at its first use, once, whichever thread comes first."""

    def __init__(self, build: Callable[[Any], S]) -> None:
        self._build = build
        self._lock = RLock()

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, _type: type) -> S:  # noqa: ANN401 - the class whose attribute it is
        with self._lock:
            found: S | None = owner.__dict__.get(self._name)
            if found is None:
                found = self._build(owner)
                owner.__dict__[self._name] = found
            return found


class ServiceMethod(Generic[F]):
    """A method of a lazy service, as an attribute of the object that has the service."""

    def __init__(self, get: Callable[[Any], F]) -> None:
        self._get = get

    def __get__(self, owner: Any, _type: type) -> F:  # noqa: ANN401 - the class whose attribute it is
        return self._get(owner)
