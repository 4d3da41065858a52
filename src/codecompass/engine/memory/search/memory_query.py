"""Memory query: parse a query into terms with weighted synonyms. Pure.

A term matches itself and, with less weight, its stem family and synonyms. A proper name matches only itself: a text
without it is about something else.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from codecompass.engine.memory.search.memory_tokens import stem_family, tokenize
from codecompass.engine.memory.search.synonyms import find_phrases, find_synonyms
from codecompass.text.tokens import stem_parts

RELATED_WEIGHT = 0.8
"""Weight of another word of the same stem family."""
SYNONYM_WEIGHT = 0.6
"""Weight of a synonym."""
PHRASE_WEIGHT = 0.8
"""Weight of a single word that is a synonym of a phrase."""
NAME_EMPHASIS = 1.5
"""Weight of a name relative to a word."""
_NAME = re.compile(r"(?<![.?!:] )(?<!^)(?<![\w\"'`])[\"'`]?([A-Z][\w+#]+|[a-z]+[A-Z]\w*)")
"""A capitalized word that does not begin a sentence, or a word with an inner capital."""
_SEPARATORS = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]\w*")


class QueryTerm(NamedTuple):
    """One term of a query."""

    word: str
    """The stem of the word in the query, or a phrase."""
    synonyms: tuple[tuple[str, float], ...] = ()
    """(stem family, weight) of other words; its own family first."""
    emphasis: float = 1.0


class ProperName(NamedTuple):
    """A proper name: its letters and the stems of its parts."""

    letters: str
    tokens: tuple[str, ...]


class ParsedMemoryQuery(NamedTuple):
    """A query as terms and names."""

    terms: tuple[QueryTerm, ...]
    names: tuple[ProperName, ...] = ()


def parse_memory_query(text: str) -> ParsedMemoryQuery:
    """Parse a query into unique terms and names."""
    names = tuple(_find_names(text))
    proper = {word for name in names for word in name.tokens}
    return ParsedMemoryQuery((*_iter_terms(text, proper), *_iter_phrase_terms(text)), names)


def strip_separators(text: str) -> str:
    """Remove the separators between the parts of names and fold case."""
    return _SEPARATORS.sub("", text).casefold()


def _find_names(text: str) -> Iterator[ProperName]:
    """Yield proper names; a capitalized word with synonyms is a common technical term and not a name."""
    for name in dict.fromkeys(_NAME.findall(text)):
        words = tuple(tokenize(name))
        if words and not any(find_synonyms(stem_family(word)) for word in words[:1] if len(words) == 1):
            yield ProperName(strip_separators(name), words)


def _iter_terms(text: str, proper: set[str]) -> Iterator[QueryTerm]:
    for word in dict.fromkeys(tokenize(text)):
        own = stem_family(word)
        known = ((own, RELATED_WEIGHT), *((other, SYNONYM_WEIGHT) for other in find_synonyms(own)))
        yield QueryTerm(word, known, NAME_EMPHASIS if word in proper else 1.0)


def _iter_phrase_terms(text: str) -> Iterator[QueryTerm]:
    """Yield known phrases; they may contain stop words."""
    words = tuple(stem_family(stem) for word in _WORD.findall(text) for stem in stem_parts(word))
    for phrase, known in find_phrases(words):
        yield QueryTerm(phrase, tuple((other, PHRASE_WEIGHT) for other in known))
