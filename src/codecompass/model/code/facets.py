"""Facets: a per-blob summary of all definitions, with which filters select the blobs to unpack."""

from dataclasses import dataclass
from typing import NamedTuple

ANY_WORD = "*"
"""Placeholder for too many words to store; it matches every query."""
HAS_DIAGNOSTICS = 1
"""The bit of `Facets.marks` that means: the parser reported errors."""


class Facets(NamedTuple):
    """Summary of all definitions of a blob, for filters that run before its facts are unpacked.

    The first three are bit sets (see `facet_builder.py`), then come maximum counts, then lower-case words: types of
    names, results of the risk rules, and languages separated by spaces; last the words of one and two letters in the
    source, which are too short for trigrams, separated by spaces, case preserved.
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
    """Conditions that a blob must meet to hold a match; zeros and empty tuples mean no condition."""

    kinds: int = 0
    """Any of these bits."""
    visibilities: int = 0
    """Any of these bits."""
    marks: int = 0
    """All of these bits."""
    least: tuple[tuple[str, int], ...] = ()
    """(name of a count, minimum)."""
    types: tuple[str, ...] = ()
    """All of these occur in its types."""
    risks: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Any of these."""
    lint: bool = False
    """A linter or a parser reported something."""
    short_words: tuple[str, ...] = ()
    """All of these."""
