"""Conflicts: find discoveries that contradict each other. Both are shown; neither is assumed to be right."""

from collections.abc import Iterable, Sequence

from codecompass.engine.memory.corpus import Corpus, CorpusEntry, is_in_module
from codecompass.engine.memory.prose_claims.claim_candidates import extract_claims
from codecompass.model.memory_values import Conflict

MAX_CONFLICTS = 3
_NORMATIVE_SOURCES = ("adr", "agent_file", "document", "manifest", "ci", "recorded")
"""Sources that describe the present state; a commit describes a past one."""


def find_conflicts(corpus: Corpus, entry: CorpusEntry) -> tuple[Conflict, ...]:
    """Find active discoveries that contradict `entry`. Only sources that describe the present state are compared."""
    item = entry.discovery
    if item.source.kind not in _NORMATIVE_SOURCES or item.state != "active":
        return ()
    found: list[Conflict] = []
    mine = _extract_values(entry)
    for other in _get_normative_entries(corpus) if mine or entry.slots else ():
        if other.discovery.id == item.id or not _may_conflict(entry, mine, other) or not _is_same_module(entry, other):
            continue
        for subject, value, other_value in _iter_disagreements(entry, mine, other):
            found.append(Conflict(other.discovery.id, subject, value, other_value, other.discovery.source))
            if len(found) >= MAX_CONFLICTS:
                return tuple(found)
    return tuple(found)


def _get_normative_entries(corpus: Corpus) -> Sequence[CorpusEntry]:
    """Return active discoveries from sources that describe the present state, computed once for a corpus."""
    known = corpus.derived_data.get("normative")
    if not isinstance(known, list):
        rows = (entry for entry in corpus.items if entry.discovery.state == "active")
        known = corpus.derived_data["normative"] = [
            entry for entry in rows if entry.discovery.source.kind in _NORMATIVE_SOURCES
        ]
    return known


def _may_conflict(entry: CorpusEntry, mine: dict[str, str], other: CorpusEntry) -> bool:
    """Whether two discoveries may be about the same subject: a cheap test before the texts are compared."""
    return bool(entry.slots and other.slots) or any(name in other.discovery.content for name in mine)


def _is_same_module(one: CorpusEntry, two: CorpusEntry) -> bool:
    """Whether both are about the same part of the project: modules may follow different conventions."""
    here, there = one.discovery.module, two.discovery.module
    if not here or not there or here == there:
        return True
    return is_in_module(one, there) or is_in_module(two, here)


def _iter_disagreements(one: CorpusEntry, mine: dict[str, str], two: CorpusEntry) -> Iterable[tuple[str, str, str]]:
    theirs = dict(two.slots)
    for slot, value in one.slots:
        if slot in theirs and theirs[slot] != value:
            yield slot, value, theirs[slot]
    values = _extract_values(two) if mine else {}
    for name, value in mine.items():
        if name in values and values[name] != value:
            yield name, value, values[name]


def _extract_values(entry: CorpusEntry) -> dict[str, str]:
    """Return the constants of a text with the values that it states."""
    claims = extract_claims(f"{entry.discovery.title}\n{entry.discovery.content}")
    return {claim.target: claim.expected for claim in claims if claim.kind == "constant" and claim.expected}
