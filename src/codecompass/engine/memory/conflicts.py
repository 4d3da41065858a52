"""Conflicts: find discoveries that contradict each other. Both are shown; neither is assumed to be right."""

from collections.abc import Iterable, Sequence

from codecompass.engine.memory.claims.claim_candidates import claims_of
from codecompass.engine.memory.corpus import Corpus, Kept, in_module
from codecompass.model.memory_values import Conflict

MOST = 3
_FIRM = ("adr", "agent_file", "document", "manifest", "ci", "recorded")
"""Sources that describe the present state; a commit describes a past one."""


def conflicts_of(corpus: Corpus, entry: Kept) -> tuple[Conflict, ...]:
    """Find active discoveries that contradict `entry`. Only sources that describe the present state are compared."""
    item = entry.discovery
    if item.source.kind not in _FIRM or item.state != "active":
        return ()
    found: list[Conflict] = []
    mine = _values(entry)
    for other in _standing(corpus) if mine or entry.slots else ():
        if other.discovery.id == item.id or not _rivals(entry, mine, other) or not _same_place(entry, other):
            continue
        for subject, value, other_value in _disagreements(entry, mine, other):
            found.append(Conflict(other.discovery.id, subject, value, other_value, other.discovery.source))
            if len(found) >= MOST:
                return tuple(found)
    return tuple(found)


def _standing(corpus: Corpus) -> Sequence[Kept]:
    """Return active discoveries from sources that describe the present state, computed once for a corpus."""
    known = corpus.extra.get("normative")
    if not isinstance(known, list):
        rows = (entry for entry in corpus.items if entry.discovery.state == "active")
        known = corpus.extra["normative"] = [entry for entry in rows if entry.discovery.source.kind in _FIRM]
    return known


def _rivals(entry: Kept, mine: dict[str, str], other: Kept) -> bool:
    """Whether two discoveries may be about the same subject: a cheap test before the texts are compared."""
    return bool(entry.slots and other.slots) or any(name in other.discovery.content for name in mine)


def _same_place(one: Kept, two: Kept) -> bool:
    """Whether both are about the same part of the project: modules may follow different conventions."""
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


def _values(entry: Kept) -> dict[str, str]:
    """Return the constants of a text with the values that it states."""
    claims = claims_of(f"{entry.discovery.title}\n{entry.discovery.content}")
    return {claim.target: claim.expected for claim in claims if claim.kind == "constant" and claim.expected}
