"""Risks: where untrusted values enter one blob, where they do harm, and the ways between.

NamedTuples, as everything that hangs on a blob. Lines are 1-based, columns count UTF-8 bytes from 0, and `owner` is the
position of the innermost definition around, or -1.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

SEVERITIES = ("low", "medium", "high", "critical")
"""Rising."""
CATEGORIES = (
    "input", "config", "command", "code-exec", "sql", "nosql", "file-read", "file-write", "path", "ssrf", "xss",
    "template", "deserialization", "crypto", "secret", "redirect", "log", "xxe", "ldap", "xpath", "regex", "header",
    "mail", "tls", "misconfiguration", "memory", "format", "reflection",
)  # fmt: skip
"""What a source gives, or what harm a sink does."""


class RiskUse(NamedTuple):
    """One place where a rule applies."""

    kind: str
    """`source`, `sink` or `sanitizer`."""
    rule: str
    name: str
    category: str
    severity: str
    line: int
    col: int
    owner: int
    finding: bool = False
    """The place alone is worth a report, whatever reaches it."""
    confidence: float = 0.5
    cwe: int = 0
    tags: tuple[str, ...] = ()


class Origin(NamedTuple):
    """Where a value came from."""

    name: str
    """The name of the source's rule."""
    line: int
    col: int
    tags: tuple[str, ...]
    severity: str
    """The highest severity that a flow from here may have."""
    confidence: float


class Reach(NamedTuple):
    """Where a value went to."""

    name: str
    """The name of the sink's rule."""
    rule: str
    category: str
    severity: str
    tags: tuple[str, ...]
    cwe: int
    line: int
    col: int
    confidence: float


class RiskFlow(NamedTuple):
    """A value that goes from a source to a sink."""

    origin: Origin
    reach: Reach
    owner: int
    """The definition around the sink; in a flow through a call, the one around the call."""
    via: tuple[str, ...]
    """`name:line` of each variable, call or parameter it passed, in order."""
    confidence: float
    scope: str = "local"
    """`local` in one function, `call` through a call in one file, `cross-file` through a call into another."""

    @property
    def severity(self) -> str:
        return min(self.reach.severity, self.origin.severity, key=SEVERITIES.index)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.origin.tags, *self.reach.tags)))

    @property
    def name(self) -> str:
        return f"{self.origin.name}->{self.reach.name}"


class RiskParam(NamedTuple):
    """What is given to a parameter of a function reaches a sink."""

    owner: int
    position: int
    """Place among the parameters, the object itself not counted."""
    name: str
    reach: Reach
    via: tuple[str, ...]


class RiskReturn(NamedTuple):
    """A function gives what came from a source."""

    owner: int
    origin: Origin
    via: tuple[str, ...]


class Callee(NamedTuple):
    """A call as a reference has it, so that what it means can be asked later."""

    name: str
    receiver: str
    line: int
    col: int
    owner: int

    def moved(self, place: Callable[[int], int]) -> "Callee":
        return self._replace(owner=place(self.owner))


class RiskCall(NamedTuple):
    """A call that is given what came from a source."""

    callee: Callee
    position: int
    keyword: str
    """The name by which the argument is given, or empty."""
    origin: Origin
    cleaned: tuple[str, ...]
    """Categories of sinks that it can do no harm to any more."""
    via: tuple[str, ...]


class RiskResult(NamedTuple):
    """What a call gives reaches a sink."""

    callee: Callee
    reach: Reach
    cleaned: tuple[str, ...]
    via: tuple[str, ...]


class Risks(NamedTuple):
    """All that the rules say of one blob. The last four are halves of flows that go through a call."""

    uses: tuple[RiskUse, ...] = ()
    flows: tuple[RiskFlow, ...] = ()
    params: tuple[RiskParam, ...] = ()
    returns: tuple[RiskReturn, ...] = ()
    calls: tuple[RiskCall, ...] = ()
    results: tuple[RiskResult, ...] = ()
    capped: str = ""
    """Which limit was reached, if any: then there may be more."""

    def moved(self, place: Callable[[int], int]) -> "Risks":
        """The same with every definition at its new position."""
        return self._replace(
            uses=tuple(item._replace(owner=place(item.owner)) for item in self.uses),
            flows=tuple(item._replace(owner=place(item.owner)) for item in self.flows),
            params=tuple(item._replace(owner=place(item.owner)) for item in self.params),
            returns=tuple(item._replace(owner=place(item.owner)) for item in self.returns),
            calls=tuple(item._replace(callee=item.callee.moved(place)) for item in self.calls),
            results=tuple(item._replace(callee=item.callee.moved(place)) for item in self.results),
        )

    @classmethod
    def together(cls, parts: "Iterable[Risks]") -> "Risks":
        """Those of several programs in one file."""
        found = [part for part in parts if part != cls()]
        if len(found) <= 1:
            return found[0] if found else cls()
        return cls(
            uses=tuple(sorted((item for part in found for item in part.uses), key=lambda item: (item.line, item.col))),
            flows=tuple(item for part in found for item in part.flows),
            params=tuple(item for part in found for item in part.params),
            returns=tuple(item for part in found for item in part.returns),
            calls=tuple(item for part in found for item in part.calls),
            results=tuple(item for part in found for item in part.results),
            capped=max(part.capped for part in found),
        )
