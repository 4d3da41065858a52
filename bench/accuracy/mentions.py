"""Mentions: whether an answer about uses accounts for every occurrence of the name in code.

Each one is listed with its certainty, or excluded with a proof. What the index does not record counts as accounted for
only where the shape of the occurrence proves by itself that it cannot be meant.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.accuracy.shapes import Shape, shapes_of
from codecompass.engine.engine import Engine
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import ReferenceReport, SymbolNode, SymbolTarget
from codecompass.model.queries.search_query import ReferenceQuery

ALL = 10**9
_UNPROVED = "not_recorded"


@dataclass
class Account:
    """What became of the occurrences of some names."""

    symbols: int = 0
    occurrences: int = 0
    listed: Counter[str] = field(default_factory=Counter)
    excluded: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)
    """Occurrences that an answer neither lists nor excludes with a proof."""
    claims: Counter[str] = field(default_factory=Counter)
    """How often an answer was complete, partial or truncated."""


def check(engine: Engine, registry: Registry, root: Path, paths: Iterable[str], symbols: Iterable[str]) -> Account:
    """Account for every occurrence of the names of some symbols (by their handles) in some files."""
    account = Account()
    sources = {path: (root / path).read_bytes() for path in paths}
    for handle in symbols:
        query = ReferenceQuery(SymbolTarget(handle=handle), limit=ALL, freshness="best_effort", explain=True)
        found = engine.references(None, query, Call())
        account.symbols += 1
        account.claims["partial" if found.unread else "complete"] += 1
        _take(account, found, registry, sources)
    return account


def _take(account: Account, found: ReferenceReport, registry: Registry, sources: dict[str, bytes]) -> None:
    listed = {(use.path, use.line, use.column): use.resolution for use in found.uses}
    excluded = {(item.path, item.line, item.column): item.reason for item in found.explained}
    unread = {path for path, _ in found.unread}
    for path, shape in _occurrences(registry, sources, found.symbol):
        place = (path, shape.line, shape.column)
        account.occurrences += 1
        reason = excluded.get(place, "")
        if place in listed:
            account.listed[listed[place]] += 1
        elif reason and reason != _UNPROVED:
            account.excluded[reason] += 1
        elif shape.what == "local" or (shape.what == "bare" and _is_member(found.symbol)):
            account.excluded["a bare name cannot be it"] += 1
        elif _defines(found.symbol, path, shape):
            account.excluded["its own definition"] += 1
        elif path not in unread:
            said = f"{found.symbol.qualified_name}: {path}:{shape.line}:{shape.column} {shape.what} {reason}"
            account.missing.append(said)


def _occurrences(registry: Registry, sources: dict[str, bytes], symbol: SymbolNode) -> Iterator[tuple[str, Shape]]:
    language = registry.get(symbol.language)
    family = language.spec.resolve.imports if language else ""
    for path, source in sources.items():
        theirs = registry.get(registry.detect(path) or "")
        if theirs is not None and theirs.spec.resolve.imports == family:
            for shape in shapes_of(registry, path, source, symbol.name):
                yield path, shape


def _is_member(symbol: SymbolNode) -> bool:
    return symbol.kind in ("method", "field", "property")


def _defines(symbol: SymbolNode, path: str, shape: Shape) -> bool:
    return path == symbol.path and symbol.line_start <= shape.line <= symbol.line_end
