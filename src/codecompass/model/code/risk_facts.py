"""Risk facts: taint sources, sinks and flows in one blob.

NamedTuples, like all facts of a blob. Lines are 1-based, columns count UTF-8 bytes from 0, and `owner` is the position
of the innermost enclosing definition, or -1.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from codecompass.model.states import SEVERITIES, FlowScope, RuleKind, Severity

CATEGORIES = (
    "input", "config", "command", "code-exec", "sql", "nosql", "file-read", "file-write", "path", "ssrf", "xss",
    "template", "deserialization", "crypto", "secret", "redirect", "log", "xxe", "ldap", "xpath", "regex", "header",
    "mail", "tls", "misconfiguration", "memory", "format", "reflection",
)  # fmt: skip
"""Categories of sources and sinks."""


class RiskUse(NamedTuple):
    """One position where a rule applies."""

    kind: RuleKind
    rule: str
    name: str
    category: str
    severity: Severity
    line: int
    col: int
    owner: int
    finding: bool = False
    """The position is a finding by itself, whatever values reach it."""
    confidence: float = 0.5
    cwe: int = 0
    tags: tuple[str, ...] = ()


class SourceSite(NamedTuple):
    """The source of a value."""

    name: str
    """The name of the source's rule."""
    line: int
    col: int
    tags: tuple[str, ...]
    severity: Severity
    """The maximum severity of a flow from this source."""
    confidence: float


class SinkSite(NamedTuple):
    """The sink that a value reaches."""

    name: str
    """The name of the sink's rule."""
    rule: str
    category: str
    severity: Severity
    tags: tuple[str, ...]
    cwe: int
    line: int
    col: int
    confidence: float


class RiskFlow(NamedTuple):
    """A flow of a value from a source to a sink."""

    origin: SourceSite
    reach: SinkSite
    owner: int
    """The definition that contains the sink; for a flow through a call, the one that contains the call."""
    via: tuple[str, ...]
    """`name:line` of each variable, call or parameter on the path, in order."""
    confidence: float
    scope: FlowScope = "local"

    @property
    def severity(self) -> Severity:
        return min(self.reach.severity, self.origin.severity, key=SEVERITIES.index)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.origin.tags, *self.reach.tags)))

    @property
    def name(self) -> str:
        return f"{self.origin.name}->{self.reach.name}"


class RiskParam(NamedTuple):
    """A parameter whose value reaches a sink."""

    owner: int
    position: int
    """Position among the parameters, without `self`."""
    name: str
    reach: SinkSite
    via: tuple[str, ...]


class RiskReturn(NamedTuple):
    """A function that returns a value from a source."""

    owner: int
    origin: SourceSite
    via: tuple[str, ...]


class Callee(NamedTuple):
    """A call with the fields of its reference, so that it can be resolved later."""

    name: str
    receiver: str
    line: int
    col: int
    owner: int

    def remap_owner(self, place: Callable[[int], int]) -> "Callee":
        return self._replace(owner=place(self.owner))


class RiskCall(NamedTuple):
    """A call with an argument from a source."""

    callee: Callee
    position: int
    keyword: str
    """The name of a keyword argument, or empty."""
    origin: SourceSite
    cleaned: tuple[str, ...]
    """Categories of sinks for which it was sanitized."""
    via: tuple[str, ...]


class RiskResult(NamedTuple):
    """A call whose result reaches a sink."""

    callee: Callee
    reach: SinkSite
    cleaned: tuple[str, ...]
    via: tuple[str, ...]


class Risks(NamedTuple):
    """All rule results for one blob. The last four tuples are partial flows that continue through a call."""

    uses: tuple[RiskUse, ...] = ()
    flows: tuple[RiskFlow, ...] = ()
    params: tuple[RiskParam, ...] = ()
    returns: tuple[RiskReturn, ...] = ()
    calls: tuple[RiskCall, ...] = ()
    results: tuple[RiskResult, ...] = ()
    capped: str = ""
    """The limit that was reached, if any; results may then be incomplete."""

    def remap_owners(self, place: Callable[[int], int]) -> "Risks":
        """Return a copy with every owner mapped to its new position."""
        return self._replace(
            uses=tuple(item._replace(owner=place(item.owner)) for item in self.uses),
            flows=tuple(item._replace(owner=place(item.owner)) for item in self.flows),
            params=tuple(item._replace(owner=place(item.owner)) for item in self.params),
            returns=tuple(item._replace(owner=place(item.owner)) for item in self.returns),
            calls=tuple(item._replace(callee=item.callee.remap_owner(place)) for item in self.calls),
            results=tuple(item._replace(callee=item.callee.remap_owner(place)) for item in self.results),
        )

    @classmethod
    def merge(cls, parts: "Iterable[Risks]") -> "Risks":
        """Merge the risks of several programs in one file."""
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
