"""Snapshot caches: caches and text index state that all snapshots of one store share."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TypeVar

from codecompass.cache import LRU
from codecompass.model.code.facts import Bindings, DefinitionHeaders, Facts
from codecompass.model.code.traits import Analysis
from codecompass.store.embedded.text.text_reader import BlobFilter, TextReader
from codecompass.store.embedded.vectors.vector_file import LazyVectors
from codecompass.store.ports import ViewEntry
from codecompass.store.text_query import TextAgreement

_MB = 2**20
FACTS_BYTES, HEADERS_BYTES, BINDINGS_BYTES, ANALYSES_BYTES = 12 * _MB, 24 * _MB, 8 * _MB, 8 * _MB
"""Memory limits in bytes of the caches of unpacked values, independent of the store's size."""
MAX_FILTERED_BLOBS = 100_000
"""Maximum blobs in all cached blob sets; each takes some hundred bytes in a set and its filter."""
T = TypeVar("T")


def _bounded_by_bytes(capacity: int) -> LRU[int, T]:
    """Return a cache by blob; one value may take a quarter of it."""
    return LRU(capacity, capacity // 4)


@dataclass
class SnapshotCaches:
    """Caches shared by all snapshots of one store; those of a generation are dropped when the next one is read."""

    text_directory: Path
    vectors: LazyVectors
    lock: Lock = field(default_factory=Lock)
    store_id: str = ""
    generation: int = -1
    entries: dict[int, dict[str, ViewEntry]] = field(default_factory=dict)
    paths: dict[int, dict[int, list[str]]] = field(default_factory=dict)
    filters: dict[int, BlobFilter] = field(default_factory=dict)
    blob_set_filters: LRU[frozenset[int], BlobFilter] = field(default_factory=lambda: LRU(MAX_FILTERED_BLOBS))
    facts: LRU[int, Facts] = field(default_factory=lambda: _bounded_by_bytes(FACTS_BYTES))
    heads: LRU[int, DefinitionHeaders] = field(default_factory=lambda: _bounded_by_bytes(HEADERS_BYTES))
    values: LRU[int, Bindings] = field(default_factory=lambda: _bounded_by_bytes(BINDINGS_BYTES))
    insights: LRU[int, Analysis] = field(default_factory=lambda: _bounded_by_bytes(ANALYSES_BYTES))
    languages: dict[int, str] = field(default_factory=dict)
    names_by_key: dict[str, list[str]] = field(default_factory=dict)
    """Lookup key → names of definitions in every blob up to `last_named_blob`."""
    last_named_blob: int = 0
    text: TextReader | None = None
    text_generation: int = -1
    agreement: tuple[int, TextAgreement] | None = None
    """The generation of the last comparison of text index and catalog, and its result."""
    distrusted_generation: int = -1
    """The text generation that may contain documents of blobs that are not in the catalog."""
    dropped_hits: int = 0
    """Number of hits dropped because their blob is not in the catalog."""
    verified: set[tuple[str, str]] = field(default_factory=set)

    def clear(self) -> None:
        """Free everything that can be read again. Call it under the lock."""
        for cache in (self.facts, self.heads, self.values, self.insights, self.blob_set_filters):
            cache.clear()
        for known in (self.entries, self.paths, self.filters, self.names_by_key):
            known.clear()
        self.languages, self.last_named_blob = {}, 0

    def switch_to(self, store_id: str, generation: int) -> None:
        """Drop entries of another generation, and everything of another store. Call it under the lock."""
        if store_id != self.store_id:
            self.facts.clear()
            self.heads.clear()
            self.values.clear()
            self.insights.clear()
            self.names_by_key, self.last_named_blob = {}, 0
            self.text, self.text_generation = None, -1
            self.agreement, self.distrusted_generation = None, -1
            self.store_id, self.generation = store_id, -1
        if generation != self.generation:
            self.entries.clear()
            self.paths.clear()
            self.filters.clear()
            self.blob_set_filters.clear()
            self.languages = {}
            self.generation = generation
