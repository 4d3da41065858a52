"""Impact analysis: find discoveries that a change touches or breaks, from the symbols and files that differ."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.memory.claims.claim_candidates import extract_claims, split_name
from codecompass.engine.memory.claims.claim_checker import ClaimChecker
from codecompass.engine.memory.corpus import Corpus, CorpusEntry
from codecompass.engine.memory.manifests.manifest_reader import is_manifest
from codecompass.engine.memory.source_weights import SOURCE_PRIORS
from codecompass.model.memory_values import ImpactedDiscovery
from codecompass.model.queries.symbol_difference import SymbolChange, SymbolDiff

_MAX_CHECKED = 40
_MAX_REASONS = 4
_MIN_NAME_LENGTH = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class ChangedNames:
    """The differences of a change, indexed by the names that a text may use for them."""

    paths: frozenset[str]
    removed_paths: dict[str, str]
    """Removed path → its new path; empty if it was deleted."""
    symbols: dict[str, list[SymbolChange]]
    """Unqualified name before the change → changes of symbols with it. Added symbols break nothing and are left out."""

    @staticmethod
    def from_difference(found: SymbolDiff) -> "ChangedNames":
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
        return ChangedNames(frozenset(paths), gone, symbols)

    @cached_property
    def words(self) -> frozenset[str]:
        """One word of each changed name and removed path. A text with none of these words mentions none of them."""
        names = (*self.symbols, *(path.rstrip("/").rpartition("/")[2] for path in self.removed_paths))
        return frozenset(match[0] for name in names if (match := _WORD.search(name)))

    @cached_property
    def manifests(self) -> tuple[str, ...]:
        return tuple(sorted(filter(is_manifest, self.paths)))


def find_impacted(
    corpus: Corpus, change: ChangedNames, checker: ClaimChecker, recent: frozenset[str]
) -> list[ImpactedDiscovery]:
    """Find active discoveries that the change touches or breaks, broken ones first.

    `recent` holds the commits of the change.
    """
    touched = [(entry, why) for entry in corpus.items if (why := _find_reasons(entry, change))]
    touched.sort(key=lambda pair: (-SOURCE_PRIORS.get(pair[0].discovery.source.kind, 0), -len(pair[1]), -pair[0].time))
    found = []
    for number, (entry, why) in enumerate(touched):
        broken = (
            _find_broken_claims(entry, checker, change, recent)
            if number < _MAX_CHECKED and not checker.budget.is_over()
            else []
        )
        paths = sorted({path for _, path in why})
        lines = tuple(dict.fromkeys((*broken, *(line for line, _ in why if line))))[:_MAX_REASONS]
        if not lines:
            continue
        found.append(ImpactedDiscovery(entry.discovery, lines, tuple(paths), "broken" if broken else "touched"))
    found.sort(key=lambda one: one.severity != "broken")
    return found


def _find_reasons(entry: CorpusEntry, change: ChangedNames) -> list[tuple[str, str]]:
    """Return (reason, path) for each part of the change that a discovery mentions or lies in.

    The reason is empty if only checking the claim can tell: a manifest lists much that no text mentions.
    """
    item = entry.discovery
    if item.state != "active" or item.source.kind in ("manifest", "ci"):
        return []
    found = list(_find_enclosing_changes(entry, change))
    text = f"{item.title}\n{item.content}"
    # Extracting all claims of a long history takes seconds. A changed manifest may concern any of them.
    if not change.manifests and change.words.isdisjoint(_WORD.findall(text)):
        return found
    for claim in extract_claims(text):
        if claim.kind in ("path", "command") and claim.target in change.removed_paths:
            went = change.removed_paths[claim.target]
            outcome = f"moved to {went}" if went else "was deleted"
            found.append((f"{claim.target} {outcome}: the discovery names this path", claim.target))
        elif claim.kind in ("script", "dependency"):
            found += [("", path) for path in change.manifests]
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


def _find_broken_claims(
    entry: CorpusEntry, checker: ClaimChecker, change: ChangedNames, recent: frozenset[str]
) -> list[str]:
    """Describe the claims that the change made untrue."""
    lines = []
    for verdict in checker.check(entry):
        new = not verdict.commit or verdict.commit in recent
        if verdict.status in ("changed", "gone") and new:
            values = f": was {verdict.was}" + (f", is {verdict.now}" if verdict.now else "")
            lines.append(f"{verdict.claim.target} {verdict.status}{values}")
    return lines
