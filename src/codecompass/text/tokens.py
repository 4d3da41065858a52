"""Tokens: how code and questions become words.

`getHTTPResponse_v2` yields the whole identifier and its parts: `gethttpresponse_v2 get http response v2`. The text
index cuts plain words by itself; only what it cannot know (whole identifiers, camel-case parts) is made here.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_BLANKED = bytes(byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(128)) + b" " * 128
MAX_WORD = 100
"""A longer run of word characters is data, not a name."""
_MEMO_LIMIT = 200_000
_NAMES_KEPT = 20_000


def split_identifier(word: str) -> list[str]:
    """The lower-case parts of an identifier, in order."""
    return [part.lower() for part in _PART.findall(word)]


@lru_cache(maxsize=_NAMES_KEPT)
def name_parts(name: str) -> frozenset[str]:
    """The different parts of a name; the names of a repository are asked for again and again."""
    return frozenset(split_identifier(name))


def named_parts(word: str) -> list[str]:
    """The parts of an identifier as they are written."""
    return _PART.findall(word)


def expand(word: str, split: Callable[[str], list[str]] | None = None) -> str:
    """A word as the index sees it: itself in lower case, then its parts unless it is its only part.

    `split` takes it apart where a dictionary does so.
    """
    if len(word) > MAX_WORD:
        return ""
    lower = word.lower()
    if split is None and word.isascii() and word.isalpha() and (word.islower() or word.isupper()):
        return lower
    parts = split(word) if split is not None else split_identifier(word)
    return lower if parts == [lower] else " ".join((lower, *parts))


def _cut(text: str) -> list[str]:
    """The words of a text. Source is mostly ASCII, and a byte table cuts that in half the time a pattern takes."""
    if text.isascii():
        return text.encode().translate(_BLANKED).decode().split()
    return _WORD.findall(text)


def extras(word: str, split: Callable[[str], list[str]] | None = None) -> str:
    """What cutting at every non-alphanumeric would not yield: `foo_bar` itself, the parts of `fooBar`.

    A word that is not ASCII is given whole and in parts, because engines disagree about what a letter is.
    """
    words = expand(word, split).split()
    if not word.isascii():
        return " ".join(words)
    pieces = word.lower().split("_")
    return " ".join(part for part in words if part not in pieces)


class _Memory(dict[str, str]):
    """Word → what a function makes of it, once; a repository repeats the same identifiers endlessly."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> str:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        known = self[word] = self._make(word)
        return known


class Tokenizer:
    """`expand` and `extras` with a memory. The loops run in C: they are the hottest lines of text indexing."""

    def __init__(self, split: Callable[[str], list[str]] | None = None) -> None:
        self._expanded = _Memory(partial(expand, split=split))
        self._extras = _Memory(partial(extras, split=split))

    def words(self, words: Iterable[str]) -> str:
        """Names, each expanded, separated by spaces."""
        return " ".join(map(self._expanded.__getitem__, words))

    def extras(self, source: str) -> str:
        """Of each different word of a text, what the text index's own tokenizer would miss."""
        return " ".join(filter(None, map(self._extras.__getitem__, dict.fromkeys(_cut(source)))))


def query_words(text: str) -> list[str]:
    """The words of a question, whole, in order, each once."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if len(word) <= MAX_WORD))
