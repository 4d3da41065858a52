"""Query embedder: the embedding model of this process, loaded on first use; `error` says why there is none."""

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.cache import LRU
from codecompass.embed.models import ENDPOINT, NONE, ModelChoice, open_model
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.errors import Failure
from codecompass.model.queries.vector_state import SemanticState
from codecompass.store.vector_port import VectorIndex

if TYPE_CHECKING:  # numpy is loaded only where vectors are
    from codecompass.embed.embedder import Embedder, Vectors

RETRY_S = 30.0
"""Seconds until a failed embedding service is tried again."""
MAX_CACHED_QUERIES = 256
MODEL_DISABLED = "No embedding model is selected (embed.model is none); search uses words and names."


@dataclass
class QueryEmbedder:
    """Embeds queries. Thread-safe; shared by all projects of an engine."""

    choice: ModelChoice = field(default_factory=lambda: ModelChoice(NONE))
    error: str = ""
    """Why there is no model, as a message for users."""
    _model: "Embedder | None" = None
    _failed_at: float = 0.0
    _query_vectors: "LRU[str, Vectors]" = field(default_factory=lambda: LRU(MAX_CACHED_QUERIES))
    _lock: Lock = field(default_factory=Lock)

    @property
    def enabled(self) -> bool:
        """Whether the settings name a model."""
        return self.choice.model not in (NONE, "")

    def get_model(self) -> "Embedder | None":
        """Return the model; None if it is disabled or cannot be loaded, then `error` says why."""
        if not self.enabled:
            self.error = MODEL_DISABLED
            return None
        with self._lock:
            if self._model is None and self._may_retry():
                try:
                    self._model = open_model(self.choice)
                    self.error = ""
                except Failure as failure:
                    self._record_failure(failure)
            return self._model

    def _may_retry(self) -> bool:
        """Whether to try again: a missing file stays missing, a service may come back."""
        return not self.error or (self.choice.model == ENDPOINT and time.monotonic() - self._failed_at > RETRY_S)

    def _record_failure(self, failure: Failure) -> None:
        self.error = f"{failure.message} {failure.hint}".strip()
        self._failed_at = time.monotonic()

    def embed(self, text: str) -> "Vectors | None":
        """Return the unit vector of a query; None without a model, or when it fails now."""
        model = self.get_model()
        if model is None:
            return None
        known = self._query_vectors.get(text)
        if known is not None:
            return known
        try:
            vector: Vectors = model.encode([text])[0]
        except Failure as failure:
            with self._lock:
                self._record_failure(failure)
                self._model = None
            return None
        self._query_vectors.put(text, vector)
        return vector

    def vector_index(self, view: PinnedView) -> VectorIndex | None:
        """Return the vectors that this model built for a view; a pinned view keeps those that it had first."""
        model = self.get_model()
        if model is None:
            return None
        key = (model.digest, view.text_channel is None)
        if key not in view.vector_indexes:
            view.vector_indexes[key] = view.text.vectors(view.row, model.digest)
        return view.vector_indexes[key]

    def state(self, view: PinnedView) -> SemanticState:
        """Return how many files of a view have vectors."""
        model = self.get_model()
        if model is None:
            return SemanticState("off", note=self.error)
        total = sum(1 for entry in view.entries.values() if entry.blob)
        found = view.snapshot.vectors(view.row, model.digest)
        covered = found.covered if found is not None else 0
        return SemanticState("on" if covered == total else "building", model.name, model.dimensions, covered, total)
