"""Impact analysis: find discoveries that a change touches or breaks, from the symbols and files that differ."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from codecompass.engine.memory.claims.claim_checker import ClaimChecker
from codecompass.engine.memory.corpus import Corpus, CorpusEntry
from codecompass.engine.memory.manifests.manifest_reader import is_manifest
from codecompass.engine.memory.prose_claims.assertions import is_asserting_source
from codecompass.engine.memory.prose_claims.claim_candidates import extract_claims, split_name
from codecompass.model.memory_values import ClaimCheck, ImpactedDiscovery
from codecompass.model.queries.symbol_difference import SymbolChange, SymbolDiff

_MAX_REASONS = 4
_MIN_NAME_LENGTH = 4
_WORD = re.compile(r"\w+")
_CHECK_ORDER = ("recorded", "agent_file", "adr", "triage", "document", "comment")
"""Sources in the order in which they are checked: what tells people and agents how to work comes first."""


@dataclass(frozen=True)
class ChangedNames:
    """The differences of a change, indexed by the names that a text may use for them."""

    paths: frozenset[str]
    removed_paths: dict[str, str]
    """Removed path → its new path; empty if it was deleted."""
    symbols: dict[str, list[SymbolChange]]
    """Unqualified name before the change → changes of symbols with it. Added symbols break nothing and are left out."""
    removed_words: frozenset[str] = frozenset()
    """Words of the lines that the change removed or edited: only what they say can be broken."""

    @staticmethod
    def from_difference(found: SymbolDiff, removed_words: frozenset[str] = frozenset()) -> "ChangedNames":
        symbols: dict[str, list[SymbolChange]] = {}
        for change in found.changes:
            if change.change != "added":
                symbols.setdefault(_get_old_name(change), []).append(change)
        paths = {path for file in found.files for path in (file.path, file.old_path) if path}
        gone = {
            file.old_path or file.path: file.path if file.old_path else ""
            for file in found.files
            if file.change in ("deleted", "renamed")
        }
        return ChangedNames(frozenset(paths), gone, symbols, removed_words)

    @cached_property
    def words(self) -> frozenset[str]:
        """One word of each changed name and removed path. A text with none of these words mentions none of them."""
        names = (*self.symbols, *(path.rstrip("/").rpartition("/")[2] for path in self.removed_paths))
        return frozenset(match[0] for name in names if (match := _WORD.search(name)))

    @cached_property
    def folded_words(self) -> frozenset[str]:
        """Words of removed lines and paths, with the case folded and the parts of names."""
        ends = ("/".join(path.split("/")[-2:]) for path in self.removed_paths)
        parts = (part for end in ends for part in _WORD.findall(end))
        return frozenset(word.casefold() for word in (*self.removed_words, *parts))

    @cached_property
    def manifests(self) -> tuple[str, ...]:
        return tuple(sorted(filter(is_manifest, self.paths)))


class ImpactFindings(NamedTuple):
    """What a change touches or breaks, and how much was not looked at in time."""

    items: list[ImpactedDiscovery]
    checked: int = 0
    unreached: int = 0


def find_impacted(
    corpus: Corpus, change: ChangedNames, checker: ClaimChecker, recent: frozenset[str]
) -> ImpactFindings:
    """Find active discoveries that the change touches or breaks, broken ones first.

    Every statement that a removed line may break is checked, those for people and agents before comments. `recent`
    holds the commits of the change.
    """
    candidates = [entry for entry in corpus.items if _may_break(entry, change)]
    candidates.sort(key=_check_order)
    broken: dict[str, ImpactedDiscovery] = {}
    checked = 0
    for entry in candidates:
        if checker.budget.is_over():
            break
        checked += 1
        verdicts = _find_broken_claims(entry, checker, recent)
        if verdicts:
            paths = tuple(sorted(change.paths & _list_claimed_paths(verdicts, change))) or entry.paths[:1]
            lines = tuple(dict.fromkeys(map(_describe_verdict, verdicts)))[:_MAX_REASONS]
            broken[entry.discovery.id] = ImpactedDiscovery(entry.discovery, lines, paths, "broken", verdicts)
    touched = [
        ImpactedDiscovery(entry.discovery, lines[:_MAX_REASONS], tuple(sorted({path for _, path in why})), "touched")
        for entry in sorted(corpus.items, key=_check_order)
        if entry.discovery.id not in broken
        and (why := _find_reasons(entry, change))
        and (lines := tuple(dict.fromkeys(line for line, _ in why if line)))
    ]
    return ImpactFindings([*broken.values(), *touched], checked, len(candidates) - checked)


def collect_removed_words(old: str, new: str) -> set[str]:
    """Return the words of the lines that a new text no longer has."""
    kept = Counter(new.split("\n"))
    found: set[str] = set()
    for line in old.split("\n"):
        if kept[line] > 0:
            kept[line] -= 1
        else:
            found.update(_WORD.findall(line))
    return found


def _check_order(entry: CorpusEntry) -> tuple[int, str, int, str]:
    item = entry.discovery
    kind = item.source.kind
    rank = _CHECK_ORDER.index(kind) if kind in _CHECK_ORDER else len(_CHECK_ORDER)
    return rank, item.source.path, item.source.line_start, item.id


def _may_break(entry: CorpusEntry, change: ChangedNames) -> bool:
    """Whether a removed line, a removed path or a changed manifest may break a claim of a discovery."""
    item = entry.discovery
    if item.state != "active" or item.source.kind not in _CHECK_ORDER:
        return False
    words = {word.casefold() for word in _WORD.findall(f"{item.title}\n{item.content}")}
    return not words.isdisjoint(change.folded_words)


def _find_broken_claims(entry: CorpusEntry, checker: ClaimChecker, recent: frozenset[str]) -> tuple[ClaimCheck, ...]:
    """Return the verdicts on claims that the change made untrue: by one of its commits, or by none yet."""
    return tuple(
        verdict
        for verdict in checker.check(entry)
        if verdict.status in ("changed", "gone") and (not verdict.commit or verdict.commit in recent)
    )


def _list_claimed_paths(verdicts: Iterable[ClaimCheck], change: ChangedNames) -> set[str]:
    """Return the changed files whose names or manifests the verdicts are about."""
    found: set[str] = set()
    for verdict in verdicts:
        target = verdict.claim.target
        if verdict.claim.kind in ("path", "command"):
            found.update(path for path in change.removed_paths if path == target or path.endswith("/" + target))
        elif verdict.claim.kind in ("script", "dependency", "version"):
            found.update(change.manifests)
        else:
            name = (split_name(target) or [""])[-1]
            found.update(one.path for one in change.symbols.get(name, ()))
    return found


def _describe_verdict(verdict: ClaimCheck) -> str:
    values = f": was {verdict.was}" + (f", is {verdict.now}" if verdict.now else "")
    return f"{verdict.claim.target} {verdict.status}{values}"


def _find_reasons(entry: CorpusEntry, change: ChangedNames) -> list[tuple[str, str]]:
    """Return (reason, path) for each part of the change that a discovery mentions or lies in."""
    item = entry.discovery
    if item.state != "active" or item.source.kind in ("manifest", "ci"):
        return []
    found = list(_find_enclosing_changes(entry, change))
    text = f"{item.title}\n{item.content}"
    # Extracting all claims of a long history takes seconds.
    if change.words.isdisjoint(_WORD.findall(text)):
        return found
    for claim in extract_claims(text, mentions=True) if is_asserting_source(item.source.kind, item.source.path) else ():
        if claim.kind in ("path", "command") and claim.target in change.removed_paths:
            went = change.removed_paths[claim.target]
            outcome = f"moved to {went}" if went else "was deleted"
            found.append((f"{claim.target} {outcome}: the discovery names this path", claim.target))
        elif claim.kind in ("symbol", "constant"):
            found += _match_symbol_claim(claim.target, change, entry)
    return found


def _find_enclosing_changes(entry: CorpusEntry, change: ChangedNames) -> Iterable[tuple[str, str]]:
    """Yield the changed definition that contains, or directly follows, a comment."""
    source = entry.discovery.source
    if source.kind != "comment" or source.path not in change.paths:
        return
    for changes in change.symbols.values():
        for one in changes:
            at = one.after if one.path == source.path else None
            if at and at.line_start - 2 <= source.line_end and source.line_start <= at.line_end:
                yield f"{one.kind} {one.name} {one.change}: the comment is inside it", one.path
                return


def _match_symbol_claim(target: str, change: ChangedNames, entry: CorpusEntry) -> list[tuple[str, str]]:
    name = split_name(target)[-1] if split_name(target) else ""
    if len(name) < _MIN_NAME_LENGTH:
        return []
    found = change.symbols.get(name, [])
    if len({one.path for one in found}) > 1:
        # If several files define the name, count only those that the discovery is known to be about.
        found = [one for one in found if one.path in entry.paths]
    return [
        (f"{one.kind} {name} {_describe_change(one)} in {one.path}: the discovery names it", one.path) for one in found
    ]


def _get_old_name(change: SymbolChange) -> str:
    """Return the unqualified name that a symbol had before the change, which is the one that texts use."""
    parts = split_name(change.before.qualified_name) if change.change == "renamed" and change.before else []
    return parts[-1] if parts else change.name


def _describe_change(change: SymbolChange) -> str:
    return f"renamed to {change.name}" if change.change == "renamed" else change.change
