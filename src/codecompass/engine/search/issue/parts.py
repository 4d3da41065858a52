"""Parts of an issue: the table that says which channel each kind of text asks, and how much it counts there."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

PartKind = Literal[
    "title", "prose", "code", "output", "error", "frame", "path", "module", "name", "call", "version", "template"
]
Channel = Literal["words", "names", "places", "paths", "phrases", "none"]


class PartRule(NamedTuple):
    """What one kind of part is for."""

    kind: PartKind
    channel: Channel
    """The channel that the part asks besides its words."""
    weight: float
    """How much it counts in its channel."""
    words: float
    """How much each of its words counts in the text search."""


PART_RULES = (
    PartRule("title", "words", 1.0, 2.0),
    PartRule("prose", "words", 1.0, 1.0),
    PartRule("code", "words", 0.4, 0.4),
    PartRule("output", "words", 0.3, 0.3),
    PartRule("error", "phrases", 1.0, 1.2),
    PartRule("frame", "places", 1.0, 0.6),
    PartRule("path", "paths", 1.0, 0.8),
    PartRule("module", "paths", 0.8, 0.8),
    PartRule("name", "names", 1.0, 1.6),
    PartRule("call", "names", 0.5, 0.5),
    PartRule("version", "none", 0.0, 0.0),
    PartRule("template", "none", 0.0, 0.0),
)
"""One row for each kind; a word that occurs in several parts counts as in the best of them."""
RULES: dict[PartKind, PartRule] = {rule.kind: rule for rule in PART_RULES}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an issue."""

    kind: PartKind
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback: a place in a file, or only the name of what ran."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Issue:
    """A long question as its parts, in the order of the text."""

    title: str
    parts: tuple[Part, ...]
    frames: tuple[Frame, ...]
    """Innermost first."""
    notes: tuple[str, ...] = ()
    """What was cut or ignored, for the caller."""

    def texts(self, kind: PartKind) -> tuple[str, ...]:
        """Return the parts of one kind, each once, in the order of the text."""
        return tuple(dict.fromkeys(part.text for part in self.parts if part.kind == kind))

    @property
    def is_trace(self) -> bool:
        """Whether it is a traceback or an error without a sentence about it."""
        return bool(self.frames or self.texts("error")) and not self.texts("prose")
