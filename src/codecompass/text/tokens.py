"""Tokens: how code and questions become words. Index and query use the same function, so they always agree.

`getHTTPResponse_v2` yields the whole identifier and its parts: `gethttpresponse_v2 get http response v2`.
"""

import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")
MAX_WORD = 100
"""A longer run of word characters is data, not a name."""
_MEMO_LIMIT = 200_000


def split_identifier(word: str) -> list[str]:
    """The lower-case parts of an identifier, in order."""
    return [part.lower() for part in _PART.findall(word)]


def expand(word: str) -> str:
    """A word as the index sees it: itself in lower case, then its parts unless it is its only part."""
    if len(word) > MAX_WORD:
        return ""
    lower = word.lower()
    if word.isascii() and word.isalpha() and (word.islower() or word.isupper()):
        return lower
    parts = split_identifier(word)
    return lower if parts == [lower] else " ".join((lower, *parts))


class _Memory(dict[str, str]):
    """Word → its expansion, made on first sight; a repository repeats the same identifiers endlessly."""

    def __missing__(self, word: str) -> str:
        known = self[word] = expand(word)
        return known


class Tokenizer:
    """`expand` with a memory. The loop over words runs in C: this is the hottest line of text indexing."""

    def __init__(self) -> None:
        self._memory = _Memory()

    def text(self, source: str) -> str:
        """Every word of a text, expanded, separated by spaces."""
        return self.words(_WORD.findall(source))

    def words(self, words: Iterable[str]) -> str:
        if len(self._memory) > _MEMO_LIMIT:
            self._memory.clear()
        return " ".join(map(self._memory.__getitem__, words))


def query_words(text: str) -> list[str]:
    """The words of a question, whole, in order, each once."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if len(word) <= MAX_WORD))
