"""Dictionary: word lists that split compounds without camel case: `httprequest` is http and request.

Word lists are plain text with one word per line; `#` begins a comment. A compound is split only if known words cover
all of it, into as few words as possible; a known word is not split. Every dictionary also includes common programming
abbreviations, which are in no word list of a language; without a word list nothing is split.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codecompass.text.tokens import split_identifier

MAX_PART = 24
"""Maximum letters of a listed word that may be a part; the minimum is three, since shorter ones match anything."""
MIN_COMPOUND = 6
MAX_COMPOUND = 48
MAX_WORDS = 1_000_000
_MEMO_LIMIT = 100_000
_LINE = re.compile(r"[a-z]{3,24}")
_ANY = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*[A-Za-z]{3,24}[ \t]*(?:#.*)?\r?$", re.MULTILINE)
ABBREVIATIONS = frozenset(
    "api app arg async auth avg bool buf calc cfg char cli cmd config const conn ctx db decl dest dict diff dir dns doc"
    " dom elem env err exec expr ext fmt fn func gui hash hex html http https id idx impl img init int io ip jpeg js"
    " json jwt lang len lib lock login max mem meta min misc mod msg mutex mysql nav nil npm null num oauth obj odd os"
    " param params pid png pool prev proc prod proto proxy ptr py query rand recv ref regex repo req res resp rest rpc"
    " sdk sha sql sqlite src ssh ssl std stderr stdin stdout str struct sub svg sync sys tcp tcpip temp tls tmp toml"
    " tool tuple txt udp ui uint uri url user utf utils uuid val var vec vm web xml yaml zip".split()
)
"""Abbreviations that are common in names of programs."""


@dataclass(frozen=True)
class Dictionary:
    """A set of words, and the digest that identifies it."""

    words: frozenset[str]
    digest: str

    @cached_property
    def _cache(self) -> dict[str, tuple[str, ...]]:
        return {}

    def split(self, word: str) -> list[str]:
        """Split an identifier into parts, including compounds."""
        known = self._cache.get(word)
        if known is None:
            if len(self._cache) > _MEMO_LIMIT:
                self._cache.clear()
            parts = (piece for part in split_identifier(word) for piece in self._split_part(part))
            known = self._cache[word] = tuple(parts)
        return list(known)

    def _split_part(self, part: str) -> Iterable[str]:
        if not MIN_COMPOUND <= len(part) <= MAX_COMPOUND or not (part.isascii() and part.isalpha()):
            return (part,)
        return split_compound(part, self.words)


def split_compound(word: str, words: frozenset[str]) -> tuple[str, ...]:
    """Split a word into the fewest known words, preferring long ones; return the word itself if that is impossible."""
    if word in words:
        return (word,)
    best: list[tuple[int, int, tuple[str, ...]] | None] = [(0, 0, ())] + [None] * len(word)
    for end in range(2, len(word) + 1):
        for start in range(max(0, end - MAX_PART), end - 1):
            before, piece = best[start], word[start:end]
            if before is None or piece not in words:
                continue
            count, squares, parts = before
            found = (count + 1, squares - len(piece) ** 2, (*parts, piece))
            if best[end] is None or found[:2] < best[end][:2]:  # type: ignore[index]
                best[end] = found
    whole = best[len(word)]
    return whole[2] if whole is not None else (word,)


def has_words(data: bytes) -> bool:
    """Whether a word list contains any word; stops at the first."""
    return _ANY.search(data) is not None


def read_words(text: str) -> list[str]:
    """Return the usable words of a list; lines that are not plain words are skipped."""
    lines = (line.partition("#")[0].strip().lower() for line in text.splitlines())
    return [line for line in lines if _LINE.fullmatch(line)]


def build_dictionary(words: Iterable[str], digest: str) -> Dictionary | None:
    """Build a dictionary from words; None if there are none."""
    found = frozenset(words) - {""}
    return Dictionary(found | ABBREVIATIONS, digest) if found else None


def load_dictionary(path: Path, digest: str) -> Dictionary | None:
    """Load a dictionary from a file; None if it is missing: then compounds are not split and are found less often."""
    try:
        words = path.read_text(encoding="ascii").split("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return build_dictionary(words, digest)
