"""Facts: what claims are made of. Two facts are the same if their `form` is."""

from typing import NamedTuple


class Definition(NamedTuple):
    """A function, method or type. `form` is its text without what does not matter."""

    name: str
    form: str
    lines: int
    is_type: bool = False


class Constant(NamedTuple):
    name: str
    form: str
    """The literal as it is written."""


class Script(NamedTuple):
    """A named command of a project: `npm run build`, `make test`."""

    call: str
    form: str
    """What it runs."""


class Dependency(NamedTuple):
    name: str
    form: str
    """What its version promises, or nothing."""
