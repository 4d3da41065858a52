"""Sentence embeddings: cosine similarity of a query with the sentences of discoveries.

Only lexical candidates are compared, and their vectors are computed on demand, because embedding a large history would
take many seconds before the first answer. Vectors are cached for the next query.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from codecompass.embed.embedder import Embedder
from codecompass.engine.memory.corpus import CorpusEntry

_MAX_WINDOWS = 8
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+|\n")
_MIN_LENGTH = 15
MAX_CACHED = 20_000
"""Maximum discoveries with cached vectors; when it is reached, the cache is cleared."""


@dataclass
class SentenceEmbeddings:
    """Vectors of the sentences of a corpus, computed on demand."""

    embedder: Embedder
    items: Sequence[CorpusEntry]
    _vectors: dict[int, NDArray[np.float16]] = field(default_factory=dict)

    def compute_cosines(self, question: str, places: Sequence[int]) -> NDArray[np.float32]:
        """Return, for each of these items, the best cosine of any sentence with the query."""
        held = self._vectors if len(self._vectors) < MAX_CACHED else {}
        self._vectors = held
        missing = [at for at in places if at not in held]
        windows = [make_windows(self.items[at]) for at in missing]
        made = self.embedder.encode([question, *(text for one in windows for text in one)])
        begin = 1
        for at, one in zip(missing, windows, strict=True):
            held[at] = made[begin : begin + len(one)].astype(np.float16)
            begin += len(one)
        return np.array([float((held[at].astype(np.float32) @ made[0]).max()) for at in places], np.float32)


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, without very short ones."""
    return [part for part in _SENTENCE_BREAK.split(text) if len(part) > _MIN_LENGTH]


def make_windows(entry: CorpusEntry) -> list[str]:
    """Return the title and pairs of adjacent sentences of an item."""
    item = entry.discovery
    parts = split_sentences(item.content)
    if not parts:
        return [f"{item.title}\n{item.content[:400]}"]
    found = [" ".join(parts[at : at + 2]) for at in range(min(len(parts), _MAX_WINDOWS - 1))]
    return [*found, item.title] if item.title else found
