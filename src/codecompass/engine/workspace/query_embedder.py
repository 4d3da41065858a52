"""Semantics: the embedding model of this process, opened when it is first needed. What it cannot do is said."""

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.embed.models import ENDPOINT, NONE, ModelChoice, open_model
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.errors import Failure
from codecompass.model.queries.vector_state import SemanticState
from codecompass.store.vector_port import VectorField

if TYPE_CHECKING:  # numpy is loaded only where vectors are
    from codecompass.embed.embedder import Embedder, Vectors

AGAIN_S = 30.0
"""How long a service that failed is left alone."""
ASKED_KEPT = 256
SWITCHED_OFF = "No embedding model is chosen (embed.model is none); search goes by words and names."


@dataclass
class Semantics:
    """Thread-safe; shared by all projects of an engine."""

    choice: ModelChoice = field(default_factory=lambda: ModelChoice(NONE))
    trouble: str = ""
    """Why there is no model, in words for people."""
    _model: "Embedder | None" = None
    _tried: float = 0.0
    _asked: "OrderedDict[str, Vectors]" = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def wanted(self) -> bool:
        """Whether the settings name a model."""
        return self.choice.model not in (NONE, "")

    def model(self) -> "Embedder | None":
        """The model; None where none is wanted or it cannot be had, then `trouble` says why."""
        if not self.wanted:
            self.trouble = SWITCHED_OFF
            return None
        with self._lock:
            if self._model is None and self._may_try():
                try:
                    self._model = open_model(self.choice)
                    self.trouble = ""
                except Failure as failure:
                    self._give_up(failure)
            return self._model

    def _may_try(self) -> bool:
        """A file that is missing stays so; a service may come back."""
        return not self.trouble or (self.choice.model == ENDPOINT and time.monotonic() - self._tried > AGAIN_S)

    def _give_up(self, failure: Failure) -> None:
        self.trouble = f"{failure.message} {failure.hint}".strip()
        self._tried = time.monotonic()

    def question(self, text: str) -> "Vectors | None":
        """The vector of a question, of length one; None where there is no model, or it fails now."""
        model = self.model()
        if model is None:
            return None
        with self._lock:
            known = self._asked.get(text)
            if known is not None:
                self._asked.move_to_end(text)
                return known
        try:
            made: Vectors = model.encode([text])[0]
        except Failure as failure:
            with self._lock:
                self._give_up(failure)
                self._model = None
            return None
        with self._lock:
            self._asked[text] = made
            if len(self._asked) > ASKED_KEPT:
                self._asked.popitem(last=False)
        return made

    def field(self, view: PinnedView) -> VectorField | None:
        """The vectors of a view that this model made."""
        model = self.model()
        return view.text.vectors(view.row, model.digest) if model is not None else None

    def state(self, view: PinnedView) -> SemanticState:
        """How far the vectors of a view go."""
        model = self.model()
        if model is None:
            return SemanticState("off", note=self.trouble)
        total = sum(1 for entry in view.entries.values() if entry.blob)
        found = view.snapshot.vectors(view.row, model.digest)
        covered = found.covered if found is not None else 0
        return SemanticState("on" if covered == total else "building", model.name, model.dimensions, covered, total)
