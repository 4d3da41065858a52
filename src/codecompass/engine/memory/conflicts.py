"""Conflicts: discoveries that say different things of one thing. Both are shown; which one is right is not guessed."""

from collections.abc import Iterable, Sequence

from codecompass.engine.memory.claims import claims_of
from codecompass.engine.memory.corpus import Corpus, Kept, in_module
from codecompass.model.memory import Conflict

MOST = 3
_FIRM = ("adr", "agent_file", "document", "manifest", "ci", "recorded")
"""Sources that say how things are; a commit says how they were."""


def conflicts_of(corpus: Corpus, kept: Kept) -> tuple[Conflict, ...]:
    """Active discoveries that contradict one, those that say how things are before others."""
    item = kept.discovery
    if item.source.kind not in _FIRM or item.state != "active":
        return ()
    found: list[Conflict] = []
    for other in _standing(corpus):
        if other.discovery.id == item.id or not _same_place(kept, other):
            continue
        for about, mine, theirs in _disagreements(kept, other):
            found.append(Conflict(other.discovery.id, about, mine, theirs, other.discovery.source))
            if len(found) >= MOST:
                return tuple(found)
    return tuple(found)


def _standing(corpus: Corpus) -> Sequence[Kept]:
    """Discoveries that fix something a project has one of, or the value of a constant."""
    known = corpus.extra.get("standing")
    if not isinstance(known, list):
        known = [
            kept
            for kept in corpus.items
            if kept.discovery.state == "active" and kept.discovery.source.kind in _FIRM
            if kept.slots or _values(kept)
        ]
        corpus.extra["standing"] = known
    return known


def _same_place(one: Kept, two: Kept) -> bool:
    """Whether both speak of the same part of the project: a module may have a way of its own."""
    here, there = one.discovery.module, two.discovery.module
    if not here or not there or here == there:
        return True
    return in_module(one, there) or in_module(two, here)


def _disagreements(one: Kept, two: Kept) -> Iterable[tuple[str, str, str]]:
    theirs = dict(two.slots)
    for slot, value in one.slots:
        if slot in theirs and theirs[slot] != value:
            yield slot, value, theirs[slot]
    values = _values(two)
    for name, value in _values(one).items():
        if name in values and values[name] != value:
            yield name, value, values[name]


def _values(kept: Kept) -> dict[str, str]:
    """Constants with the values that the text gives them."""
    claims = claims_of(f"{kept.discovery.title}\n{kept.discovery.content}")
    return {claim.target: claim.expected for claim in claims if claim.kind == "constant" and claim.expected}
