"""Tokens: tokenization of code and queries into words.

`getHTTPResponse_v2` yields the whole identifier and its parts: `gethttpresponse_v2 get http response v2`. The text
index splits plain words itself; this module adds what it cannot derive (whole identifiers, camel-case parts).
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
_CACHE_SIZE = 20_000


def split_identifier(word: str) -> list[str]:
    """Split an identifier into its lower-case parts, in order."""
    return [part.lower() for part in _PART.findall(word)]


@lru_cache(maxsize=_CACHE_SIZE)
def name_parts(name: str) -> frozenset[str]:
    """Return the distinct parts of a name; cached, because the same names are requested repeatedly."""
    return frozenset(split_identifier(name))


def split_preserving_case(word: str) -> list[str]:
    """Split an identifier into its parts without changing case."""
    return _PART.findall(word)


def expand(word: str, split: Callable[[str], list[str]] | None = None) -> str:
    """Return a word as it is indexed: in lower case, followed by its parts if there are several.

    `split` replaces the default splitting, for example by a dictionary.
    """
    if len(word) > MAX_WORD:
        return ""
    lower = word.lower()
    if split is None and word.isascii() and word.isalpha() and (word.islower() or word.isupper()):
        return lower
    parts = split(word) if split is not None else split_identifier(word)
    return lower if parts == [lower] else " ".join((lower, *parts))


def _split_words(text: str) -> list[str]:
    """Split a text into words. Source is mostly ASCII, for which a byte table is twice as fast as a pattern."""
    if text.isascii():
        return text.encode().translate(_BLANKED).decode().split()
    return _WORD.findall(text)


def find_extra_tokens(word: str, split: Callable[[str], list[str]] | None = None) -> str:
    """Return tokens that splitting at non-alphanumerics does not yield: `foo_bar` itself, the parts of `fooBar`.

    A non-ASCII word is returned whole and in parts, because engines disagree about what a letter is.
    """
    words = expand(word, split).split()
    if not word.isascii():
        return " ".join(words)
    pieces = word.lower().split("_")
    return " ".join(part for part in words if part not in pieces)


class _MemoDict(dict[str, str]):
    """Memoizes a function of a word, because a repository repeats the same identifiers."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> str:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        known = self[word] = self._make(word)
        return known


class Tokenizer:
    """Memoized tokenization. The loops run in C, because they are the hottest lines of text indexing."""

    def __init__(self, split: Callable[[str], list[str]] | None = None) -> None:
        self._expanded = _MemoDict(partial(expand, split=split))
        self._extras = _MemoDict(partial(find_extra_tokens, split=split))

    def expand_all(self, words: Iterable[str]) -> str:
        """Expand each name and join the results with spaces."""
        return " ".join(map(self._expanded.__getitem__, words))

    def find_extra_tokens(self, source: str) -> str:
        """Return tokens that the text index's own tokenizer would miss, for each distinct word of a text."""
        return " ".join(filter(None, map(self._extras.__getitem__, dict.fromkeys(_split_words(source)))))


def split_query_words(text: str) -> list[str]:
    """Return the whole words of a query, in order, without duplicates."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if len(word) <= MAX_WORD))
