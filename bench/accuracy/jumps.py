"""Jumps: from a mention to its definition — there, among several, elsewhere, or nowhere."""

import random
from dataclasses import dataclass

from bench.accuracy.baselines import Tag
from bench.accuracy.navigation import definition_at
from bench.accuracy.ours import Ours, is_defined_by
from bench.accuracy.sources import Place
from bench.accuracy.truth import Truth, TruthSymbol
from codecompass.model.queries.navigation_queries import SymbolNode

SEED = 13
OUTCOMES = ("right", "among", "elsewhere", "nowhere")
"""`among`: the definition is one of several that are offered. `elsewhere`: what is offered is not it."""


@dataclass(frozen=True, slots=True)
class Jump:
    place: Place
    meant: tuple[TruthSymbol, ...]
    outcome: str
    offered: tuple[SymbolNode, ...]
    tagged: bool
    """Whether the first tag of that name, by ctags, is the definition."""


def measure(truth: Truth, ours: Ours, tags: dict[str, list[Tag]], limit: int) -> list[Jump]:
    mentions = sorted({place for symbol in truth.symbols.values() for place in symbol.uses})
    chosen = random.Random(SEED).sample(mentions, min(limit, len(mentions)))
    return [_jump(truth, ours, tags, place) for place in chosen]


def _jump(truth: Truth, ours: Ours, tags: dict[str, list[Tag]], place: Place) -> Jump:
    meant = tuple(truth.symbols[key] for key in sorted(truth.at[place]) if key in truth.symbols)
    resolution, offered = definition_at(ours, place)
    hit = any(is_defined_by(node, symbol) for node in offered for symbol in meant)
    if not offered:
        outcome = "nowhere"
    elif hit:
        outcome = "right" if resolution == "resolved" else "among"
    else:
        outcome = "elsewhere"
    first = next(iter(tags.get(truth.word(place), ())), None)
    homes = {spot[:2] for item in meant for spot in item.definitions}
    return Jump(place, meant, outcome, offered, first is not None and (first.path, first.line) in homes)


def of_kinds(jumps: list[Jump], kinds: tuple[str, ...]) -> list[Jump]:
    """Those whose symbol is of some kinds; all when none is named."""
    return [jump for jump in jumps if not kinds or any(item.named.kind in kinds for item in jump.meant)]
