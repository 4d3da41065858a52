"""Traits: parameters, types, calls, reads, writes and control flow of a definition, for search filters.

NamedTuples, like all facts of a blob: cheap to build by the thousand and packed without field names.
"""

import re
from typing import NamedTuple

from codecompass.model.code.risk_facts import Risks

_WORD = re.compile(r"[^\W\d][\w$]*")


class Parameter(NamedTuple):
    """One parameter as written; missing parts are empty."""

    name: str
    type: str
    default: str


class TypedName(NamedTuple):
    """A name inside a definition and its known type."""

    name: str
    type: str
    how: str
    """`annotation`: declared. `literal`: the value is a literal. `constructor`: the value is a call of the type."""


class ControlFlowCounts(NamedTuple):
    """Control flow counts from the syntax tree; anonymous functions count for the enclosing definition."""

    branches: int = 0
    """Conditions, conditional expressions, cases and handlers."""
    loops: int = 0
    breaks: int = 0
    continues: int = 0
    returns: int = 0
    """Returns with a value, except those of anonymous functions."""


class Traits(NamedTuple):
    """The traits of one definition. Lists are sorted and without duplicates, except the parameters."""

    at: int
    """Position of the definition in the facts of its blob; -1 for code outside all definitions."""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    """The declared return type."""
    marks: tuple[str, ...] = ()
    """Words such as `async`, `generator`, `static`, `abstract`."""
    bases: tuple[str, ...] = ()
    throws: tuple[str, ...] = ()
    awaits: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    """Called names, as written: `os.path.join`."""
    imports: tuple[str, ...] = ()
    """Modules from which it uses an imported name."""
    uses: tuple[str, ...] = ()
    """Types and decorators that it mentions."""
    reads: tuple[str, ...] = ()
    """Variables and members that it reads; names that are only called are excluded."""
    writes: tuple[str, ...] = ()
    mutations: tuple[str, ...] = ()
    """Members and items that it changes: `a.b`, `a[]`."""
    aliases: tuple[str, ...] = ()
    """`new=old`, where one name is assigned to another."""
    types: tuple[TypedName, ...] = ()
    flow: ControlFlowCounts = ControlFlowCounts()

    def collect_identifiers(self) -> frozenset[str]:
        """Return every identifier in the definition. Not stored: the other lists contain them all."""
        lists = (
            self.bases, self.throws, self.calls, self.uses, self.reads, self.writes, self.mutations,
            [item.name for item in self.parameters],
        )  # fmt: skip
        return frozenset(word for words in lists for text in words for word in _WORD.findall(text))


class Diagnostic(NamedTuple):
    """A message of a parser or a linter at a position. Columns count bytes from 0, lines from 1."""

    line: int
    col: int
    code: str
    message: str
    tool: str


class Analysis(NamedTuple):
    """Traits, diagnostics and risks of one blob; packed separately, because only filters and reports need them."""

    traits: tuple[Traits, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    risks: Risks = Risks()
