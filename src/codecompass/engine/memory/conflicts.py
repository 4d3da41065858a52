"""Conflicts: discoveries that say different things of one thing. Both are shown; which one is right is not guessed."""

from collections.abc import Iterable, Sequence

from codecompass.engine.memory.claims.claim_candidates import claims_of
from codecompass.engine.memory.corpus import Corpus, Kept, in_module
from codecompass.model.memory_values import Conflict

MOST = 3
_FIRM = ("adr", "agent_file", "document", "manifest", "ci", "recorded")
"""Sources that say how things are; a commit says how they were."""


def conflicts_of(corpus: Corpus, kept: Kept) -> tuple[Conflict, ...]:
    """Active discoveries that contradict one, those that say how things are before others."""
    item = kept.discovery
    if item.source.kind not in _FIRM or item.state != "active":
        return ()
    found: list[Conflict] = []
    mine = _values(kept)
    for other in _standing(corpus) if mine or kept.slots else ():
        if other.discovery.id == item.id or not _rivals(kept, mine, other) or not _same_place(kept, other):
            continue
        for about, said, theirs in _disagreements(kept, mine, other):
            found.append(Conflict(other.discovery.id, about, said, theirs, other.discovery.source))
            if len(found) >= MOST:
                return tuple(found)
    return tuple(found)


def _standing(corpus: Corpus) -> Sequence[Kept]:
    """Discoveries that say how things are."""
    known = corpus.extra.get("standing")
    if not isinstance(known, list):
        rows = (kept for kept in corpus.items if kept.discovery.state == "active")
        known = corpus.extra["standing"] = [kept for kept in rows if kept.discovery.source.kind in _FIRM]
    return known


def _rivals(kept: Kept, mine: dict[str, str], other: Kept) -> bool:
    """Whether another might speak of the same thing; most do not, and need not be read closely."""
    return bool(kept.slots and other.slots) or any(name in other.discovery.content for name in mine)


def _same_place(one: Kept, two: Kept) -> bool:
    """Whether both speak of the same part of the project: a module may have a way of its own."""
    here, there = one.discovery.module, two.discovery.module
    if not here or not there or here == there:
        return True
    return in_module(one, there) or in_module(two, here)


def _disagreements(one: Kept, mine: dict[str, str], two: Kept) -> Iterable[tuple[str, str, str]]:
    theirs = dict(two.slots)
    for slot, value in one.slots:
        if slot in theirs and theirs[slot] != value:
            yield slot, value, theirs[slot]
    values = _values(two) if mine else {}
    for name, value in mine.items():
        if name in values and values[name] != value:
            yield name, value, values[name]


def _values(kept: Kept) -> dict[str, str]:
    """Constants with the values that the text gives them."""
    claims = claims_of(f"{kept.discovery.title}\n{kept.discovery.content}")
    return {claim.target: claim.expected for claim in claims if claim.kind == "constant" and claim.expected}
