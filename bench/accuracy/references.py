"""References and call sites: the places a compiler knows against those we list, and against a word search."""

import random
from collections.abc import Mapping, Set
from dataclasses import dataclass

from bench.accuracy.baselines import Grep
from bench.accuracy.identifiers import Identifiers
from bench.accuracy.navigation import uses_of
from bench.accuracy.ours import Ours
from bench.accuracy.places import in_import, is_call, is_implied_call
from bench.accuracy.score import Counts, Score, compare
from bench.accuracy.sources import Place
from bench.accuracy.truth import Truth, TruthSymbol
from codecompass.model.queries.navigation_queries import SymbolUse

SEED = 12
SETTINGS: dict[str, tuple[str, ...]] = {
    "resolved": ("resolved",),
    "resolved + ambiguous": ("resolved", "ambiguous"),
    "all": ("resolved", "ambiguous", "unresolved"),
}
GREP = "grep -w"
KINDS = ("function", "method", "type", "variable")
MEMBERS = ("member",)


@dataclass(frozen=True)
class Answer:
    """One symbol: what is true, what we say, what a word search says."""

    symbol: TruthSymbol
    true: frozenset[Place]
    ours: Mapping[Place, SymbolUse]
    grep: frozenset[Place]
    silent: frozenset[Place]
    """Names in code, found by ours or by the word search, about which the truth says nothing at all."""

    def found(self, setting: str) -> frozenset[Place]:
        wanted = SETTINGS[setting]
        return frozenset(place for place, use in self.ours.items() if use.resolution in wanted)

    def counts(self, setting: str) -> Counts:
        return compare(self.grep if setting == GREP else self.found(setting), self.true)

    def judged(self, setting: str) -> Counts:
        """Without the places the truth is silent about."""
        found = self.grep if setting == GREP else self.found(setting)
        return compare(found - self.silent, self.true)


def score(answers: list[Answer], setting: str) -> Score:
    return Score(tuple(answer.counts(setting) for answer in answers))


def sample(truth: Truth, kinds: tuple[str, ...], limit: int) -> list[TruthSymbol]:
    """Symbols that are used at least once, drawn from a fixed seed."""
    pool = sorted((item for item in truth.symbols.values() if item.named.kind in kinds and item.uses),
                  key=lambda item: item.key)  # fmt: skip
    return random.Random(SEED).sample(pool, min(limit, len(pool)))


def measure_references(truth: Truth, ours: Ours, grep: Grep, kinds: tuple[str, ...], limit: int) -> list[Answer]:
    found, names = [], Identifiers(truth.sources, ours.engine.registry)
    for symbol in sample(truth, kinds, limit):
        known = {place: use for place, use in uses_of(ours, symbol).items() if _is_judged(truth, symbol, place)}
        hits = frozenset(place for place in grep.places(symbol) if _is_judged(truth, symbol, place))
        found.append(Answer(symbol, frozenset(symbol.uses), known, hits, _silent(truth, names, known.keys() | hits)))
    return found


def _is_judged(truth: Truth, symbol: TruthSymbol, place: Place) -> bool:
    return place.path in truth.paths and place not in truth.neutral and place not in symbol.definitions


def callables(truth: Truth, limit: int) -> list[TruthSymbol]:
    """Functions, methods, and every type or variable that is called somewhere."""
    pool = sample(truth, KINDS, len(truth.symbols))
    return [symbol for symbol in pool if _is_callable(truth, symbol)][:limit]


def _is_callable(truth: Truth, symbol: TruthSymbol) -> bool:
    return symbol.named.kind in ("function", "method") or any(is_call(truth, place) for place in symbol.uses)


def measure_calls(truth: Truth, ours: Ours, grep: Grep, limit: int) -> list[Answer]:
    found, names = [], Identifiers(truth.sources, ours.engine.registry)
    for symbol in callables(truth, limit):
        true = {place for place in symbol.uses if is_call(truth, place) and not in_import(truth, place)}
        known = {place: use for place, use in uses_of(ours, symbol).items()
                 if use.kind == "call" and _is_call_judged(truth, symbol, place)}  # fmt: skip
        hits = frozenset(place for place in grep.calls(symbol) if _is_call_judged(truth, symbol, place))
        judged = frozenset(place for place in true if _is_call_judged(truth, symbol, place))
        found.append(Answer(symbol, judged, known, hits, _silent(truth, names, known.keys() | hits)))
    return found


def _is_call_judged(truth: Truth, symbol: TruthSymbol, place: Place) -> bool:
    return _is_judged(truth, symbol, place) and not is_implied_call(truth, place)


def _silent(truth: Truth, names: Identifiers, places: Set[Place]) -> frozenset[Place]:
    return frozenset(place for place in places if not truth.spoken(place) and names.has(place))
