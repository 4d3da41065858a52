"""Memory query: parse a query into terms with weighted synonyms. Pure.

A term matches itself and, with less weight, its stem family and synonyms. A proper name matches only itself: a text
without it is about something else.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from codecompass.engine.memory.search.memory_tokens import root, words_of
from codecompass.engine.memory.search.synonyms import others, phrases
from codecompass.text.stems import stems

RELATED = 0.8
"""Weight of another word of the same stem family."""
SYNONYM = 0.6
"""Weight of a synonym."""
PHRASE = 0.8
"""Weight of a single word that is a synonym of a phrase."""
NAMED = 1.5
"""Weight of a name relative to a word."""
_NAME = re.compile(r"(?<![.?!:] )(?<!^)(?<![\w\"'`])[\"'`]?([A-Z][\w+#]+|[a-z]\w*[a-z][A-Z]\w*)")
"""A capitalized word that does not begin a sentence, or a word with an inner capital."""
_BETWEEN = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]\w*")


class Thing(NamedTuple):
    """One term of a query."""

    word: str
    """The stem of the word in the query, or a phrase."""
    others: tuple[tuple[str, float], ...] = ()
    """(stem family, weight) of other words; its own family first."""
    emphasis: float = 1.0


class Name(NamedTuple):
    """A proper name: its letters and the stems of its parts."""

    letters: str
    words: tuple[str, ...]


class Question(NamedTuple):
    """A query as terms and names."""

    things: tuple[Thing, ...]
    names: tuple[Name, ...] = ()


def read_question(text: str) -> Question:
    """Parse a query into unique terms and names."""
    names = tuple(_names(text))
    proper = {word for name in names for word in name.words}
    return Question((*_words(text, proper), *_phrases(text)), names)


def letters_of(text: str) -> str:
    """Remove the separators between the parts of names and fold case."""
    return _BETWEEN.sub("", text).casefold()


def _names(text: str) -> Iterator[Name]:
    """Yield proper names; a capitalized word with synonyms is a common technical term and not a name."""
    for name in dict.fromkeys(_NAME.findall(text)):
        words = tuple(words_of(name))
        if words and not any(others(root(word)) for word in words[:1] if len(words) == 1):
            yield Name(letters_of(name), words)


def _words(text: str, proper: set[str]) -> Iterator[Thing]:
    for word in dict.fromkeys(words_of(text)):
        own = root(word)
        known = ((own, RELATED), *((other, SYNONYM) for other in others(own)))
        yield Thing(word, known, NAMED if word in proper else 1.0)


def _phrases(text: str) -> Iterator[Thing]:
    """Yield known phrases; they may contain stop words."""
    words = tuple(root(stem) for word in _WORD.findall(text) for stem in stems(word))
    for phrase, known in phrases(words):
        yield Thing(phrase, tuple((other, PHRASE) for other in known))
