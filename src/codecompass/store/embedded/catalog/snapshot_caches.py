"""What all snapshots of one store share: caches, and what was learned of the text index."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from codecompass.model.code.facts import Facts, Heads, Values
from codecompass.model.code.traits import Insight
from codecompass.store.embedded.catalog.byte_lru import Kept
from codecompass.store.embedded.text.text_reader import BlobFilter, TextReader
from codecompass.store.embedded.vectors.lazy_vectors import VectorDoor
from codecompass.store.ports import Entry
from codecompass.store.text_query import TextAgreement

_MB = 2**20
FACTS_ROOM, HEADS_ROOM, VALUES_ROOM, INSIGHTS_ROOM = 12 * _MB, 24 * _MB, 8 * _MB, 8 * _MB
"""Bytes of memory for what was unpacked of a store, whatever its size."""


@dataclass
class Shared:
    """What all snapshots of one store share: caches that belong to a generation, thrown away when it passes."""

    text_directory: Path
    vectors: VectorDoor
    lock: Lock = field(default_factory=Lock)
    store_id: str = ""
    generation: int = -1
    entries: dict[int, dict[str, Entry]] = field(default_factory=dict)
    paths: dict[int, dict[int, list[str]]] = field(default_factory=dict)
    filters: dict[int, BlobFilter] = field(default_factory=dict)
    chosen: dict[frozenset[int], BlobFilter] = field(default_factory=dict)
    facts: Kept[Facts] = field(default_factory=lambda: Kept(FACTS_ROOM))
    heads: Kept[Heads] = field(default_factory=lambda: Kept(HEADS_ROOM))
    values: Kept[Values] = field(default_factory=lambda: Kept(VALUES_ROOM))
    insights: Kept[Insight] = field(default_factory=lambda: Kept(INSIGHTS_ROOM))
    languages: dict[int, str] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    """Look-up key → names of definitions, of every blob up to `named`."""
    named: int = 0
    text: TextReader | None = None
    text_generation: int = -1
    agreement: tuple[int, TextAgreement] | None = None
    """What comparing the text index with the catalog showed, and in which generation."""
    distrusted: int = -1
    """The text generation that may hold documents of blobs that the catalog does not know."""
    dropped_hits: int = 0
    """Hits that were left out because the catalog does not know their blob."""
    verified: set[tuple[str, str]] = field(default_factory=set)

    def drop(self) -> None:
        """Called under the lock: free everything that can be read again."""
        for cache in (self.facts, self.heads, self.values, self.insights):
            cache.clear()
        for known in (self.entries, self.paths, self.filters, self.chosen, self.names):
            known.clear()
        self.languages, self.named = {}, 0

    def turn_to(self, store_id: str, generation: int) -> None:
        """Called under the lock: drop what belongs to another generation, and everything of another store."""
        if store_id != self.store_id:
            self.facts.clear()
            self.heads.clear()
            self.values.clear()
            self.insights.clear()
            self.names, self.named = {}, 0
            self.text, self.text_generation = None, -1
            self.agreement, self.distrusted = None, -1
            self.store_id, self.generation = store_id, -1
        if generation != self.generation:
            self.entries.clear()
            self.paths.clear()
            self.filters.clear()
            self.chosen.clear()
            self.languages = {}
            self.generation = generation
