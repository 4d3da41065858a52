"""Meanings: how near the sentences of discoveries are to a question.

Only what words bring up is compared, and its vectors are made when they are first needed: a large history would cost
many seconds otherwise, before the first answer. What was made once is held for the next question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from codecompass.embed.embedder import Embedder
from codecompass.engine.memory.corpus import Kept

_WINDOWS = 8
_CUT = re.compile(r"(?<=[.!?])\s+|\n")
_LEAST = 15
MOST = 20_000
"""Discoveries whose vectors are held; beyond them all are made anew."""


@dataclass
class Meanings:
    """Vectors of the sentences of a corpus, made when they are asked for."""

    embedder: Embedder
    items: Sequence[Kept]
    _held: dict[int, NDArray[np.float16]] = field(default_factory=dict)

    def cosines(self, question: str, places: Sequence[int]) -> NDArray[np.float32]:
        """The best cosine of any sentence with the question, for each of these items."""
        held = self._held if len(self._held) < MOST else {}
        self._held = held
        lacking = [at for at in places if at not in held]
        windows = [windows_of(self.items[at]) for at in lacking]
        made = self.embedder.encode([question, *(text for one in windows for text in one)])
        begin = 1
        for at, one in zip(lacking, windows, strict=True):
            held[at] = made[begin : begin + len(one)].astype(np.float16)
            begin += len(one)
        return np.array([float((held[at].astype(np.float32) @ made[0]).max()) for at in places], np.float32)


def sentences(text: str) -> list[str]:
    """The sentences of a text that say something."""
    return [part for part in _CUT.split(text) if len(part) > _LEAST]


def windows_of(kept: Kept) -> list[str]:
    """An item as its title and pairs of neighbouring sentences."""
    item = kept.discovery
    parts = sentences(item.content)
    if not parts:
        return [f"{item.title}\n{item.content[:400]}"]
    found = [" ".join(parts[at : at + 2]) for at in range(min(len(parts), _WINDOWS - 1))]
    return [*found, item.title] if item.title else found
