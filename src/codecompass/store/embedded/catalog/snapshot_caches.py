"""Snapshot caches: caches and text index state that all snapshots of one store share."""

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
"""Memory limits in bytes of the caches of unpacked values, independent of the store's size."""


@dataclass
class Shared:
    """Caches shared by all snapshots of one store; those of a generation are dropped when the next one is read."""

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
    """Lookup key → names of definitions in every blob up to `last_named_blob`."""
    named: int = 0
    text: TextReader | None = None
    text_generation: int = -1
    agreement: tuple[int, TextAgreement] | None = None
    """The generation of the last comparison of text index and catalog, and its result."""
    distrusted: int = -1
    """The text generation that may contain documents of blobs that are not in the catalog."""
    dropped_hits: int = 0
    """Number of hits dropped because their blob is not in the catalog."""
    verified: set[tuple[str, str]] = field(default_factory=set)

    def drop(self) -> None:
        """Free everything that can be read again. Call it under the lock."""
        for cache in (self.facts, self.heads, self.values, self.insights):
            cache.clear()
        for known in (self.entries, self.paths, self.filters, self.chosen, self.names):
            known.clear()
        self.languages, self.named = {}, 0

    def turn_to(self, store_id: str, generation: int) -> None:
        """Drop entries of another generation, and everything of another store. Call it under the lock."""
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
