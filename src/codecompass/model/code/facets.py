"""Facets: a digest of all definitions of one blob, so that filters can name the few blobs that are worth unpacking."""

from dataclasses import dataclass
from typing import NamedTuple

ANYTHING = "*"
"""Stands for words that are too many to be written down: whatever is asked for may be among them."""
COMPLAINTS = 1
"""The bit of `Facets.marks` that says: a parser complained."""


class Facets(NamedTuple):
    """What filters can ask of a whole blob before its facts are unpacked: a digest of all its definitions.

    The first three are sets of bits (`facet_builder.py` says of what), then come the largest counts, then words
    in lower case: types that are known of names, what the risk rules found, and languages between spaces; last the
    words of one and two letters in the source, which are too short for trigrams, between spaces, as they are written.
    """

    kinds: int = 0
    visibilities: int = 0
    marks: int = 0
    branches: int = 0
    loops: int = 0
    breaks: int = 0
    continues: int = 0
    types: str = ""
    risks: str = ""
    languages: str = ""
    short_words: str = ""


@dataclass(frozen=True, slots=True)
class FacetQuery:
    """What a blob must have for one of its definitions to pass; zeros and empty tuples ask nothing."""

    kinds: int = 0
    """Any of these bits."""
    visibilities: int = 0
    """Any of these bits."""
    marks: int = 0
    """All of these bits."""
    least: tuple[tuple[str, int], ...] = ()
    """(count, at least so many)."""
    types: tuple[str, ...] = ()
    """All of these stand somewhere in its types."""
    risks: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Any of these."""
    lint: bool = False
    """A linter or a parser complained."""
    short_words: tuple[str, ...] = ()
    """All of these."""
