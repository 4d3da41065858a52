"""Question: what is asked, as things that each may be written with several words. Pure.

A word of the question stands for itself and, for less, for what the thesaurus knows in its place. A proper name stands
for itself alone: a text that does not have it speaks of something else.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from codecompass.engine.memory.search.memory_tokens import root, words_of
from codecompass.engine.memory.search.synonyms import others, phrases
from codecompass.text.stems import stems

RELATED = 0.8
"""What another word of the same root is worth."""
SYNONYM = 0.6
"""What another word for the same thing is worth."""
PHRASE = 0.8
"""What a word is worth that says the same as several together."""
NAMED = 1.5
"""How much more a name tells than a word."""
_NAME = re.compile(r"(?<![.?!:] )(?<!^)(?<![\w\"'`])[\"'`]?([A-Z][\w+#]+|[a-z]\w*[a-z][A-Z]\w*)")
"""A capital that no sentence begins with, or one inside a word."""
_BETWEEN = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]\w*")


class Thing(NamedTuple):
    """One thing that is asked about."""

    word: str
    """Its stem as the question has it, or a phrase."""
    others: tuple[tuple[str, float], ...] = ()
    """(root, worth) of other words for it, those of its own root first."""
    emphasis: float = 1.0


class Name(NamedTuple):
    """A proper name: its letters, and the stems of its parts."""

    letters: str
    words: tuple[str, ...]


class Question(NamedTuple):
    """A question in things and names."""

    things: tuple[Thing, ...]
    names: tuple[Name, ...] = ()


def read_question(text: str) -> Question:
    """The things a question is about, each once."""
    names = tuple(_names(text))
    proper = {word for name in names for word in name.words}
    return Question((*_words(text, proper), *_phrases(text)), names)


def letters_of(text: str) -> str:
    """A text without what some write between the parts of a name and others do not."""
    return _BETWEEN.sub("", text).casefold()


def _names(text: str) -> Iterator[Name]:
    """A word of the trade is no name, however it is written: there are others for it."""
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
    """Words that count for nothing alone may be part of a phrase."""
    words = tuple(root(stem) for word in _WORD.findall(text) for stem in stems(word))
    for phrase, known in phrases(words):
        yield Thing(phrase, tuple((other, PHRASE) for other in known))
