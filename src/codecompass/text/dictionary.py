"""Dictionary: words by which a compound without humps is taken apart: `httprequest` is http and request.

Word lists are plain text, one word a line, `#` begins a comment. A compound is split only where known words cover all
of it, into as few of them as possible; a word that is known itself stays whole. Every dictionary has the abbreviations
of programs besides, which no list of a language has; without any list nothing is split.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codecompass.text.tokens import split_identifier

Splitter = Callable[[str], list[str]]
MOST_WORD = 24
"""Letters of a word of a list that may be a part; it has three at least, since shorter ones would cover anything."""
LEAST_COMPOUND = 6
MOST_COMPOUND = 48
MOST_WORDS = 1_000_000
_MEMO = 100_000
_LINE = re.compile(r"[a-z]{3,24}")
_ANY = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*[A-Za-z]{3,24}[ \t]*(?:#.*)?\r?$", re.MULTILINE)
JARGON = frozenset(
    "api app arg async auth avg bool buf calc cfg char cli cmd config const conn ctx db decl dest dict diff dir dns doc"
    " dom elem env err exec expr ext fmt fn func gui hash hex html http https id idx impl img init int io ip jpeg js"
    " json jwt lang len lib lock login max mem meta min misc mod msg mutex mysql nav nil npm null num oauth obj odd os"
    " param params pid png pool prev proc prod proto proxy ptr py query rand recv ref regex repo req res resp rest rpc"
    " sdk sha sql sqlite src ssh ssl std stderr stdin stdout str struct sub svg sync sys tcp tcpip temp tls tmp toml"
    " tool tuple txt udp ui uint uri url user utf utils uuid val var vec vm web xml yaml zip".split()
)
"""Abbreviations that names in programs are made of."""


@dataclass(frozen=True)
class Dictionary:
    """The words in force, and the digest that names them."""

    words: frozenset[str]
    digest: str

    @cached_property
    def _memory(self) -> dict[str, tuple[str, ...]]:
        return {}

    def split(self, word: str) -> list[str]:
        """The parts of an identifier, compounds among them taken apart."""
        known = self._memory.get(word)
        if known is None:
            if len(self._memory) > _MEMO:
                self._memory.clear()
            parts = (piece for part in split_identifier(word) for piece in self._pieces(part))
            known = self._memory[word] = tuple(parts)
        return list(known)

    def _pieces(self, part: str) -> Iterable[str]:
        if not LEAST_COMPOUND <= len(part) <= MOST_COMPOUND or not (part.isascii() and part.isalpha()):
            return (part,)
        return split_compound(part, self.words)


def split_compound(word: str, words: frozenset[str]) -> tuple[str, ...]:
    """The fewest known words that make up a word, the longest first among equals; the word itself if there are none."""
    if word in words:
        return (word,)
    best: list[tuple[int, int, tuple[str, ...]] | None] = [(0, 0, ())] + [None] * len(word)
    for end in range(2, len(word) + 1):
        for start in range(max(0, end - MOST_WORD), end - 1):
            before, piece = best[start], word[start:end]
            if before is None or piece not in words:
                continue
            count, squares, parts = before
            found = (count + 1, squares - len(piece) ** 2, (*parts, piece))
            if best[end] is None or found[:2] < best[end][:2]:  # type: ignore[index]
                best[end] = found
    whole = best[len(word)]
    return whole[2] if whole is not None else (word,)


def holds_words(data: bytes) -> bool:
    """Whether a list has any word at all, found without reading all of it."""
    return _ANY.search(data) is not None


def read_words(text: str) -> list[str]:
    """The words of a list that can be parts; what is no plain word is passed over."""
    lines = (line.partition("#")[0].strip().lower() for line in text.splitlines())
    return [line for line in lines if _LINE.fullmatch(line)]


def dictionary_of(words: Iterable[str], digest: str) -> Dictionary | None:
    """The dictionary of some words; None when there are none."""
    found = frozenset(words) - {""}
    return Dictionary(found | JARGON, digest) if found else None


def load(path: Path, digest: str) -> Dictionary | None:
    """The words of a copy; None when it is gone: words then stay whole, which finds less and nothing wrong."""
    try:
        words = path.read_text(encoding="ascii").split("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return dictionary_of(words, digest)
