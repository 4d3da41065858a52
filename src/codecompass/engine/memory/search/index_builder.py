"""Index builder: build the inverted index of a corpus.

Term counts are cached by text in `memory.db`, and postings of an earlier index are reused, so that a query pays only
for new texts. When the time is over, the rest is left to the next query, and the answer says how many are missing.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from codecompass.engine.memory.corpus import CorpusEntry
from codecompass.engine.memory.search.inverted_index import InvertedIndex
from codecompass.engine.memory.search.memory_tokens import tokenize
from codecompass.engine.memory.source_weights import SOURCE_PRIORS
from codecompass.model.time_budget import TimeBudget
from codecompass.store.memory_port import MemoryCache

RULES_VERSION = "2"
"""Raise when tokenization changes."""
CACHE_KIND = "shelf"
_CHUNK_SIZE = 250
_MAX_PATHS = 4


class TermCounts(NamedTuple):
    """The cached term counts of one text."""

    words: tuple[str, ...]
    counts: tuple[int, ...]


_ENCODER = msgspec.msgpack.Encoder()
_TERM_COUNTS_DECODER = msgspec.msgpack.Decoder(TermCounts)


@dataclass
class IndexBuilder:
    """Builds one index. Terms are stored as numbers, because strings would need ten times the memory."""

    cache: MemoryCache
    budget: TimeBudget
    missing: int = field(default=0, init=False)
    _vocabulary: dict[str, int] = field(default_factory=dict, init=False)
    _words: "array[int]" = field(default_factory=lambda: array("i"), init=False)
    _item_numbers: "array[int]" = field(default_factory=lambda: array("i"), init=False)
    _counts: "array[int]" = field(default_factory=lambda: array("i"), init=False)

    def build(self, items: Sequence[CorpusEntry], before: InvertedIndex | None = None) -> InvertedIndex:
        """Build an index of all items as far as the time allows; `before` is an earlier index to reuse."""
        known = self._reuse(before, items) if before is not None else set[int]()
        self.add_missing(items, known)
        words, places, counts = (_to_array(column) for column in (self._words, self._item_numbers, self._counts))
        lengths = np.bincount(places, counts, len(items)).astype(np.float32)
        vocabulary, words = _compact_vocabulary(self._vocabulary, words)
        order = np.argsort(words, kind="stable")
        bounds = np.searchsorted(words[order], np.arange(len(vocabulary) + 1)).astype(np.intp)
        return InvertedIndex(
            items, vocabulary, bounds, places[order], counts[order].astype(np.float32), lengths, self.missing
        )

    def add_missing(self, items: Sequence[CorpusEntry], known: set[int] | frozenset[int] = frozenset()) -> None:
        """Add all items that are not in `known`, from the cache or by tokenizing them."""
        missing: dict[int, bytes] = {}
        for part in _split_chunks([at for at in range(len(items)) if at not in known]):
            keys = {at: _make_key(items[at]) for at in part}
            packs = self.cache.get_many(CACHE_KIND, set(keys.values()))
            for at, key in keys.items():
                if key in packs:
                    self._add(at, _TERM_COUNTS_DECODER.decode(packs[key]))
                else:
                    missing[at] = key
        # The most important sources come first, because the time may not suffice for all.
        wanted = sorted(missing, key=lambda at: -SOURCE_PRIORS.get(items[at].discovery.source.kind, 0.0))
        done = 0
        for part in _split_chunks(wanted):
            self.budget.report_progress("statements", done, len(wanted))
            if self.budget.is_over():
                self.missing = len(wanted) - done
                break
            made = [(at, _count_terms(items[at])) for at in part]
            for at, row in made:
                self._add(at, row)
            self.cache.put_many(CACHE_KIND, [(missing[at], _ENCODER.encode(row)) for at, row in made])
            done += len(part)

    def _add(self, at: int, row: TermCounts) -> None:
        number = self._vocabulary
        self._words.extend([number.setdefault(word, len(number)) for word in row.words])
        self._counts.extend(row.counts)
        self._item_numbers.extend([at] * len(row.words))

    def _reuse(self, before: InvertedIndex, items: Sequence[CorpusEntry]) -> set[int]:
        """Copy the postings of unchanged items from an earlier index; return the numbers of those items."""
        places = {entry.discovery.id: at for at, entry in enumerate(items)}
        moved = np.full(len(before.items), -1, np.int32)
        for old, entry in enumerate(before.items):
            at = places.get(entry.discovery.id, -1)
            if at >= 0 and before.lengths[old] and _get_indexed_fields(items[at]) == _get_indexed_fields(entry):
                moved[old] = at
        now = moved[before.item_numbers]
        held = now >= 0
        words = np.repeat(np.arange(len(before.vocabulary), dtype=np.int32), np.diff(before.bounds))
        self._vocabulary.update(before.vocabulary)
        self._words.frombytes(words[held].tobytes())
        self._item_numbers.frombytes(now[held].tobytes())
        self._counts.frombytes(before.counts[held].astype(np.int32).tobytes())
        return {int(at) for at in moved if at >= 0}


def _to_array(column: "array[int]") -> NDArray[np.int32]:
    return np.frombuffer(column, np.int32) if column else np.zeros(0, np.int32)


def _compact_vocabulary(
    vocabulary: dict[str, int], words: NDArray[np.int32]
) -> tuple[dict[str, int], NDArray[np.int32]]:
    """Remove unused terms from the vocabulary and renumber the rest."""
    used = np.bincount(words, minlength=len(vocabulary)) > 0
    if used.all():
        return vocabulary, words
    numbers = np.cumsum(used) - 1
    return {word: int(numbers[at]) for word, at in vocabulary.items() if used[at]}, numbers[words].astype(np.int32)


def _split_chunks(places: Sequence[int]) -> Iterator[Sequence[int]]:
    return (places[first : first + _CHUNK_SIZE] for first in range(0, len(places), _CHUNK_SIZE))


def _get_indexed_fields(entry: CorpusEntry) -> tuple[str, ...]:
    """Return all fields that are tokenized."""
    item = entry.discovery
    return item.title, item.content, item.module, *item.symbols, "", *entry.paths[:_MAX_PATHS]


def _make_key(entry: CorpusEntry) -> bytes:
    return blake3("\0".join((RULES_VERSION, *_get_indexed_fields(entry))).encode("utf-8", "surrogateescape")).digest(
        length=16
    )


def _count_terms(entry: CorpusEntry) -> TermCounts:
    counts = Counter(_tokenize_entry(entry))
    return TermCounts(tuple(counts), tuple(counts.values()))


def _tokenize_entry(entry: CorpusEntry) -> list[str]:
    item = entry.discovery
    found = tokenize(item.content) + (tokenize(item.title) if item.title not in item.content else [])
    for path in entry.paths[:_MAX_PATHS]:
        found += tokenize(path.rpartition(".")[0] if "/" in path else path)
    for name in (item.module, *item.symbols):
        found += tokenize(name)
    return found
