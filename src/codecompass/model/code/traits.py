"""Traits: what a definition takes, gives, touches and does — the facts behind the filters of a search.

NamedTuples, as everything that hangs on a blob: cheap to build by the thousand and packed without field names.
"""

import re
from typing import NamedTuple

from codecompass.model.code.risk_facts import Risks

_WORD = re.compile(r"[^\W\d][\w$]*")


class Parameter(NamedTuple):
    """One parameter as it is written; what is not written is empty."""

    name: str
    type: str
    default: str


class TypedName(NamedTuple):
    """A name inside a definition and the type its value is known to have."""

    name: str
    type: str
    how: str
    """`annotation`: written. `literal`: the value is a literal. `constructor`: the value is made by the type."""


class Flow(NamedTuple):
    """Counts on the syntax tree; code in functions without a name counts for the definition around them."""

    branches: int = 0
    """Conditions, conditional expressions, cases and handlers: one for each way the code may turn."""
    loops: int = 0
    breaks: int = 0
    continues: int = 0
    returns: int = 0
    """Returns with a value, those of functions without a name left out."""


class Traits(NamedTuple):
    """The traits of one definition. Lists hold each word once, in alphabetical order, but parameters as written."""

    at: int
    """Position of the definition in the facts of its blob; -1 for what stands outside all definitions."""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    """The declared type of what it gives."""
    marks: tuple[str, ...] = ()
    """Words such as `async`, `generator`, `static`, `abstract`."""
    bases: tuple[str, ...] = ()
    throws: tuple[str, ...] = ()
    awaits: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    """What it calls, as written: `os.path.join`."""
    imports: tuple[str, ...] = ()
    """The modules of which it uses an imported name."""
    uses: tuple[str, ...] = ()
    """Types and decorators that it names."""
    reads: tuple[str, ...] = ()
    """Variables and members whose value it takes; what is only called is none."""
    writes: tuple[str, ...] = ()
    mutations: tuple[str, ...] = ()
    """Parts of objects that it changes: `a.b`, `a[]`."""
    aliases: tuple[str, ...] = ()
    """`new=old`, where one name is given the value of another."""
    types: tuple[TypedName, ...] = ()
    flow: Flow = Flow()

    def names(self) -> frozenset[str]:
        """Every identifier that stands in it. Not stored: the lists hold them all, as parts of what is written."""
        lists = (
            self.bases, self.throws, self.calls, self.uses, self.reads, self.writes, self.mutations,
            [item.name for item in self.parameters],
        )  # fmt: skip
        return frozenset(word for words in lists for text in words for word in _WORD.findall(text))


class Diagnostic(NamedTuple):
    """Something wrong at a place, as a parser or a linter says it. Columns count bytes from 0, lines from 1."""

    line: int
    col: int
    code: str
    message: str
    tool: str


class Insight(NamedTuple):
    """What one blob holds beyond names and places; its own pack, because only filters and reports need it."""

    traits: tuple[Traits, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    risks: Risks = Risks()
