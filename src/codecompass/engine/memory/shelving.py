"""Shelving: the words of a corpus, as ranking asks for them.

What was made of a text is kept by that text in `memory.db`, so that a question pays only for what is new. When the
time is over the rest is left for the next question, and the answer says how much.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
import numpy as np
from blake3 import blake3

from codecompass.engine.memory.budget import Budget
from codecompass.engine.memory.corpus import Kept
from codecompass.engine.memory.postings import Shelf
from codecompass.engine.memory.wording import PRIORS, words_of
from codecompass.store.memory import MemoryCache

RULES = "2"
"""Raised when words are made otherwise."""
KIND = "shelf"
_CHUNK = 250


class Row(NamedTuple):
    """What is kept of one text."""

    words: tuple[str, ...]
    counts: tuple[int, ...]


_ENCODER = msgspec.msgpack.Encoder()
_ROW = msgspec.msgpack.Decoder(Row)


@dataclass
class Shelver:
    """Makes shelves, with what is kept of earlier ones."""

    cache: MemoryCache
    budget: Budget
    rows: dict[int, Row] = field(default_factory=dict)
    """What was made for these items before."""
    lacking: int = field(default=0, init=False)

    def shelf(self, items: Sequence[Kept]) -> Shelf:
        """A shelf of all items, as far as the time allows."""
        empty = Row((), ())
        self.fill(items)
        return self._turned(items, [self.rows.get(at, empty) for at in range(len(items))])

    def fill(self, items: Sequence[Kept]) -> None:
        """Make what is not kept yet."""
        found = self.rows
        wanted = [at for at in range(len(items)) if at not in found]
        keys = {at: self._key(items[at]) for at in wanted}
        packs = self.cache.find(KIND, set(keys.values()))
        found.update((at, _ROW.decode(packs[key])) for at, key in keys.items() if key in packs)
        wanted = [at for at in wanted if at not in found]
        # What is weightiest comes first, because the time may not suffice for all.
        wanted.sort(key=lambda at: -PRIORS.get(items[at].discovery.source.kind, 0.0))
        for first in range(0, len(wanted), _CHUNK):
            part = wanted[first : first + _CHUNK]
            self.budget.step("memory", first, len(wanted))
            if self.budget.over():
                self.lacking = len(wanted) - first
                break
            made = [_row(items[at]) for at in part]
            found.update(zip(part, made, strict=True))
            self.cache.keep(KIND, [(keys[at], _ENCODER.encode(row)) for at, row in zip(part, made, strict=True)])

    def _key(self, kept: Kept) -> bytes:
        item = kept.discovery
        texts = (RULES, item.title, item.content, item.module, *item.symbols, "", *kept.paths[:4])
        return blake3("\0".join(texts).encode("utf-8", "surrogateescape")).digest(length=16)

    def _turned(self, items: Sequence[Kept], rows: Sequence[Row]) -> Shelf:
        vocabulary: dict[str, int] = {}
        words = np.array([vocabulary.setdefault(word, len(vocabulary)) for row in rows for word in row.words], np.int64)
        counts = np.array([count for row in rows for count in row.counts], np.float32)
        sizes = [len(row.words) for row in rows]
        order = np.argsort(words, kind="stable")
        places = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)[order]
        bounds = np.searchsorted(words[order], np.arange(len(vocabulary) + 1)).astype(np.intp)
        lengths = np.array([sum(row.counts) for row in rows], np.float32)
        return Shelf(items, vocabulary, bounds, places, counts[order], lengths, self.lacking)


def _row(kept: Kept) -> Row:
    counts = Counter(_text_words(kept))
    return Row(tuple(counts), tuple(counts.values()))


def _text_words(kept: Kept) -> list[str]:
    item = kept.discovery
    found = words_of(item.content) + (words_of(item.title) if item.title not in item.content else [])
    for path in kept.paths[:4]:
        found += words_of(path.rpartition(".")[0] if "/" in path else path)
    for name in (item.module, *item.symbols):
        found += words_of(name)
    return found
