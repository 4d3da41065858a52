"""Ours: codecompass in process, asked the questions of the benchmark."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.accuracy.sources import Place
from bench.accuracy.truth import TruthSymbol
from codecompass.engine.engine import Engine
from codecompass.engine.options import EngineOptions
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolNode
from codecompass.model.queries.results import Hit, OutlineNode
from codecompass.model.queries.search_query import LocateQuery
from codecompass.store.embedded.embedded_store import EmbeddedStore


@dataclass
class Ours:
    """The engine on one repository, with the outlines it gave kept."""

    engine: Engine
    _outlines: dict[str, tuple[OutlineNode, ...]] = field(default_factory=dict)

    def locate(self, text: str, limit: int) -> tuple[Hit, ...]:
        return self.engine.locate(None, LocateQuery(text, limit=limit, freshness="best_effort"), Call()).hits

    def symbols(self, truth: TruthSymbol) -> list[str]:
        """Our handles of a symbol: one for each place that defines it and that we know."""
        found = (self._handle_at(place, truth.name) for place in sorted(truth.definitions))
        return list(dict.fromkeys(handle for handle in found if handle))

    def _handle_at(self, place: Place, name: str) -> str:
        """The innermost definition of that name around a place."""
        around = [node for node in self._outline(place.path) if stands_at(node, name, place)]
        return min(around, key=lambda node: node.line_end - node.line_start).symbol_id if around else ""

    def _outline(self, path: str) -> tuple[OutlineNode, ...]:
        known = self._outlines.get(path)
        if known is None:
            try:
                nodes = self.engine.outline(None, path, None, "all", Call(), "best_effort").nodes
            except Failure:  # the file is not in our index, which counts as all of it missed
                nodes = ()
            known = self._outlines[path] = tuple(_flat(nodes))
        return known


def stands_at(item: Hit | OutlineNode | SymbolNode, name: str, place: Place) -> bool:
    """Whether a definition of ours is the one whose name the truth has at a place."""
    return item.name.lstrip("#") == name.lstrip("#") and item.line_start <= place.line <= item.line_end


def is_defined_by(item: Hit | SymbolNode, truth: TruthSymbol) -> bool:
    return any(item.path == place.path and stands_at(item, truth.name, place) for place in truth.definitions)


def _flat(nodes: tuple[OutlineNode, ...]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _flat(node.children)


@contextmanager
def indexed(root: Path, data: Path, *, reuse: bool = False) -> Iterator[Ours]:
    """Index a working tree from nothing, or bring the index of an earlier run up to date."""
    if not reuse:
        shutil.rmtree(data, ignore_errors=True)
    engine = Engine(data, EngineOptions(default_workspace=str(root)), EmbeddedStore, dict(os.environ), None)
    try:
        job = engine.index(None, None, force=False, call=Call())
        if job.status != "published":
            raise SystemExit(f"{root.name} could not be indexed: {job.error or job.status}")
        yield Ours(engine)
    finally:
        engine.close()
