"""Claim checker: check whether the claims of a discovery still hold in a view, and find the commit that broke them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import msgspec
from blake3 import blake3

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.memory.claims.anchors import (
    find_anchors,
    find_dependency_anchor,
    find_script_anchor,
    is_secondary_manifest,
    iter_manifests,
)
from codecompass.engine.memory.claims.breaking_commit import CommitBisect, Rename
from codecompass.engine.memory.claims.claim_candidates import MAX_CLAIMS, extract_claims
from codecompass.engine.memory.claims.definition_digests import (
    DIGEST_PREFIX,
    count_tokens,
    digest_definitions,
    is_bound_to,
    select_representative,
    summarize_definition,
)
from codecompass.engine.memory.claims.line_blame import LineBlame
from codecompass.engine.memory.claims.moved_files import find_successor
from codecompass.engine.memory.claims.parse_cache import ParseCache
from codecompass.engine.memory.claims.tree_snapshot import CommitTreeSnapshot, ViewTreeSnapshot, find_definitions
from codecompass.engine.memory.corpus import CorpusEntry
from codecompass.engine.memory.manifests.manifest_reader import get_family, read_manifest
from codecompass.engine.navigation.diff.fingerprint import DefinitionTokens
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.history_facts import Commit
from codecompass.model.memory_values import Anchor, Claim, ClaimCheck, Discovery
from codecompass.model.path_text import display_path
from codecompass.model.states import ClaimStatus, DiscoveryFreshness
from codecompass.model.time_budget import TimeBudget
from codecompass.text.sniff import decode

RULES_VERSION = "3"
_MIN_TOKENS_TO_FOLLOW = 16
"""Minimum tokens of a definition to recognize it under another name."""
_SELF_EVIDENT_SOURCES = ("manifest", "ci")
_ENCODER = msgspec.msgpack.Encoder()
_ANCHORS_DECODER = msgspec.msgpack.Decoder(tuple[tuple[Claim, Anchor], ...])


@dataclass
class ClaimChecker:
    """Checks discoveries against one view during one call."""

    project: Project
    view: PinnedView
    pool: WorkerPool
    view_tree: ViewTreeSnapshot
    budget: TimeBudget
    line_blame: LineBlame = field(init=False)
    _commit_trees: dict[str, CommitTreeSnapshot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.line_blame = LineBlame(self.project, self.view, self.budget)
        self.parse_cache = ParseCache(self.project, self.pool)

    @property
    def has_git(self) -> bool:
        return self.project.workspace.git is not None and bool(self.view.row.commit)

    def check(self, entry: CorpusEntry) -> tuple[ClaimCheck, ...]:
        """Check the claims of one discovery; empty if none can be checked."""
        item = entry.discovery
        if item.source.kind in _SELF_EVIDENT_SOURCES or item.state in ("closed", "forgotten"):
            return ()
        try:
            return _merge_verdicts([self._check_claim(*one) for one in self._anchored_claims(entry)])
        except Failure as failure:
            if failure.code == "CANCELLED":
                raise
            return ()

    def find_anchors(self, text: str, near: Sequence[str] = ()) -> tuple[tuple[Claim, Anchor], ...]:
        """Find what a text names in the view, to be stored with it."""
        return find_anchors(self.view_tree, text, near)

    def _anchored_claims(self, entry: CorpusEntry) -> list[tuple[Claim, Anchor, str]]:
        """Return (claim, anchor, commit it was written at) for each claim; an empty commit means now."""
        item = entry.discovery
        start = item.source.commit
        if entry.anchors is not None:
            ties = (
                entry.anchors
                if not _has_outdated_anchors(entry.anchors)
                else self._find_anchors_at(start, item, ())
                if start
                else ()
            )
            return [(claim, anchor, start) for claim, anchor in ties]
        if item.source.kind in ("commit", "fix", "revert"):
            return [
                (*pair, item.source.commit) for pair in self._find_anchors_at(item.source.commit, item, entry.paths)
            ]
        text = f"{item.title}\n{item.content}"
        found: list[tuple[Claim, Anchor, str]] = []
        for claim in extract_claims(text):
            commit, known = self.line_blame.find_commit(entry, claim.text)
            if not known or len(found) >= MAX_CLAIMS:
                break
            start = commit.id if commit else ""
            pairs = (
                self._find_anchors_at(start, item, entry.paths) if start else self.find_anchors(text, entry.paths[:1])
            )
            found += [(claim, anchor, start) for one, anchor in pairs if one == claim]
        return found

    def _find_anchors_at(self, commit: str, item: Discovery, paths: Sequence[str]) -> tuple[tuple[Claim, Anchor], ...]:
        """Find what a text named at a commit; cached."""
        if not self.has_git:
            return ()
        text = f"{item.title}\n{item.content}"
        key = blake3("\0".join((RULES_VERSION, commit, text)).encode("utf-8", "surrogateescape")).digest(length=16)
        cache = self.project.store.memory_cache
        known = cache.get_many("anchors", [key]).get(key)
        if known is not None:
            return tuple((claim, anchor.restore_path()) for claim, anchor in _ANCHORS_DECODER.decode(known))
        if self.budget.is_over():
            return ()
        made = find_anchors(self._get_commit_tree(commit), text, paths)
        if not self.budget.is_over():
            stored = [(claim, anchor.escape_path()) for claim, anchor in made]
            cache.put_many("anchors", [(key, _ENCODER.encode(stored))])
        return made

    # -- one claim -------------------------------------------------------------------------------------------------

    def _check_claim(self, claim: Claim, anchor: Anchor, start: str) -> "_CheckedClaim":
        if not anchor.digest or self.budget.is_over():
            return _CheckedClaim(anchor, ClaimCheck(claim, "unchecked"))
        if claim.kind in ("path", "command"):
            return self._check_path(claim, anchor, start)
        if claim.kind in ("script", "dependency"):
            return self._check_listed(claim, anchor, start)
        return self._check_symbol(claim, anchor, start)

    def _check_path(self, claim: Claim, anchor: Anchor, start: str) -> "_CheckedClaim":
        was = anchor.shown
        if self.view_tree.exists(anchor.path):
            return _CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was))
        went = self._find_new_path(anchor.path, start)
        if went.path:
            now = display_path(went.path) + ("/" if was.endswith("/") else "")
            return _CheckedClaim(
                anchor, ClaimCheck(claim, "fresh", *_commit_fields(went.commit), was=was, now=now, note="moved")
            )
        if not went.known:
            return _CheckedClaim(anchor, ClaimCheck(claim, "unchecked", was=was))
        note = "" if went.commit else "not committed"
        return _CheckedClaim(anchor, ClaimCheck(claim, "gone", *_commit_fields(went.commit), was=was, note=note))

    def _find_new_path(self, path: str, start: str) -> Rename:
        """Find the new path of a removed path; empty if it was deleted."""
        if not self.has_git:
            return Rename("", None)
        end = self.view.row.commit
        found = self._bisect.find_rename(path, start, end)
        if found.path and self.view_tree.exists(found.path):
            return found
        return found._replace(path=self._find_successor(path, found, start))

    def _find_successor(self, path: str, went: Rename, start: str) -> str:
        """Find the file that holds the last content of a path; cached for a published view, empty if there is none."""
        row, cache = self.view.row, self.project.store.memory_cache
        about = "\0".join((path, start, row.name, row.commit, str(row.generation)))
        key = blake3(about.encode("utf-8", "surrogateescape")).digest(length=16)
        entry = cache.get_many("successor", [key]).get(key)
        if entry is not None:
            return entry.decode("utf-8", "surrogateescape")
        known = self.view_tree.commit_oids
        oid = went.oid or known.get(path) or (self._get_commit_tree(start).get_oid(path) if start else "")
        data = self.project.git().read_blob(oid) if oid else None
        place = ""
        if data is not None:
            places = {one: known.get(one) or self.view_tree.get_oid(one) for one in self.view_tree.paths}
            place = find_successor(went.path or path, data, places, oid, self.view_tree.read)
        cache.put_many("successor", [(key, place.encode("utf-8", "surrogateescape"))])
        return place

    def _get_commit_tree(self, commit: str) -> CommitTreeSnapshot:
        return self._commit_trees.setdefault(
            commit, CommitTreeSnapshot(self.project, commit, self.parse_cache, self.budget, self.view_tree)
        )

    @property
    def _bisect(self) -> CommitBisect:
        return CommitBisect(self.project.git(), self.project.store.memory_cache, self.budget)

    def _check_listed(self, claim: Claim, anchor: Anchor, start: str) -> "_CheckedClaim":
        find = find_script_anchor if claim.kind == "script" else find_dependency_anchor
        name, stated = anchor.name, anchor.digest not in ("=", "v")
        home = anchor.path if anchor.path in self.view_tree.paths else self._find_new_path(anchor.path, start).path
        now = self._find_current_anchor(claim, anchor, home, stated=stated)
        # A package without a version matches any version, so a version that was added is not a change.
        loose = claim.kind == "dependency" and now is not None and "v" in (now.digest, anchor.digest)
        if now is not None and (now.digest == anchor.digest or loose):
            current, note = "" if now.shown == anchor.shown else now.shown, ""
            if now.path != anchor.path:
                current, note = f"{now.shown} in {display_path(now.path)}", "moved"
            return _CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=anchor.shown, now=current, note=note), now.path)

        gone = now is None or not now.digest

        def holds(path: str, data: bytes) -> bool:
            found = find([(path, read_manifest(path, decode(data)[0]))], name, stated=stated)
            return found is not None and (gone or found.digest == anchor.digest)

        paths = tuple(dict.fromkeys((anchor.path, home))) if home else (anchor.path,)
        commit = self._find_breaking_commit((claim.kind, anchor.name, anchor.digest, str(gone)), paths, start, holds)
        current = now.shown if now is not None else ""
        status: ClaimStatus = "changed" if now is not None else "gone"
        verdict = ClaimCheck(claim, status, *_commit_fields(commit), was=anchor.shown, now=current)
        return _CheckedClaim(anchor, verdict)

    def _find_current_anchor(self, claim: Claim, anchor: Anchor, home: str, *, stated: bool) -> Anchor | None:
        """Find the current anchor of a script or dependency: in its own manifest, or in any of the same family.

        A script of the same name in another package may do something else: its anchor has no digest.
        """
        found = iter_manifests(self.view_tree, (home or anchor.path,), get_family(anchor.path))
        if claim.kind == "dependency":
            return find_dependency_anchor(found, anchor.name, stated=stated)
        namesake = None
        for path, manifest in found:
            one = find_script_anchor([(path, manifest)], anchor.name, stated=stated)
            if one is None or path != home and is_secondary_manifest(path):
                continue
            if path == home or one.shown == anchor.shown:
                return one
            namesake = namesake or one._replace(digest="", shown=f"{one.shown} in {display_path(path)}")
        return namesake

    def _check_symbol(self, claim: Claim, anchor: Anchor, start: str) -> "_CheckedClaim":
        scope, _, name = anchor.name.rpartition("\0")
        went, path, was = Rename("", None), anchor.path, anchor.shown
        if path not in self.view_tree.paths:
            went = self._find_new_path(path, start)
            path = went.path
        here = self._definitions_in(path, scope, name) if path else []
        if here and (digest_definitions(here) == anchor.digest or is_bound_to(here, claim.expected)):
            note, now = ("", "") if path == anchor.path else ("moved", display_path(path))
            return _CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was, now=now, note=note), path)
        again = self._find_moved_or_renamed(anchor, path, name)
        if again is not None:
            where, one, note = again
            now = f"{summarize_definition(one)} in {display_path(where)}"
            return _CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was, now=now, note=note), where)
        if not here and path and self._has_binding_line(anchor, path, name):
            return _CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was), path)
        current = ""
        if not here:
            current, here = self._find_namesake(anchor.path, scope, name) or ("", self._unique_definition(name))
        if not here and not went.known:
            return _CheckedClaim(anchor, ClaimCheck(claim, "unchecked", was=was))
        about = (claim.kind, anchor.name, f"{anchor.digest} {claim.expected}" if here else "")
        paths = tuple(dict.fromkeys((anchor.path, path))) if path else (anchor.path,)
        wanted = claim.expected if here else None
        commit = self._find_breaking_commit(about, paths, start, partial(self._content_matches, anchor, wanted))
        if here:
            current = summarize_definition(select_representative(here)) + current
            # The summary line may be unchanged: then the change is in the body.
            note = "its body" if current == was else ""
            return _CheckedClaim(
                anchor, ClaimCheck(claim, "changed", *_commit_fields(commit), was=was, now=current, note=note)
            )
        return _CheckedClaim(anchor, ClaimCheck(claim, "gone", *_commit_fields(commit or went.commit), was=was))

    def _definitions_in(self, path: str, scope: str, name: str) -> list[DefinitionTokens]:
        return [
            one for one in find_definitions(self.view_tree.definitions_of(path), name) if one.definition.scope == scope
        ]

    def _find_moved_or_renamed(self, anchor: Anchor, path: str, name: str) -> tuple[str, DefinitionTokens, str] | None:
        """Find equal tokens under the same name in another file, or under another name in the same file."""
        for where in self.view_tree.find_defining_files(name):
            for one in find_definitions(self.view_tree.definitions_of(where), name):
                if digest_definitions([one]) == anchor.digest:
                    return where, one, "moved"
        sheet = self.view_tree.definitions_of(path) if path else None
        twins = [one for one in sheet.definitions if count_tokens([one]) >= _MIN_TOKENS_TO_FOLLOW] if sheet else []
        same = [one for one in twins if digest_definitions([one]) == anchor.digest]
        return (path, same[0], "renamed") if len(same) == 1 else None

    def _find_namesake(self, path: str, scope: str, name: str) -> tuple[str, list[DefinitionTokens]] | None:
        """Find a definition of the same name and scope in a file of the same name; the nearest by path."""
        last = path.rpartition("/")[2]
        homes = [one for one in self.view_tree.find_defining_files(name) if one.rpartition("/")[2] == last]
        held = {one: found for one in homes if (found := self._definitions_in(one, scope, name))}
        if not held:
            return None
        parts = set(path.split("/"))
        home = max(held, key=lambda one: (len(parts & set(one.split("/"))), one))
        return f" in {display_path(home)}", held[home]

    def _unique_definition(self, name: str) -> list[DefinitionTokens]:
        """Return the only definition of a name; empty if there are several."""
        found = [
            one
            for where in self.view_tree.find_defining_files(name)
            for one in find_definitions(self.view_tree.definitions_of(where), name)
        ]
        return found if len(found) == 1 else []

    def _has_binding_line(self, anchor: Anchor, path: str, name: str) -> bool:
        """Whether the file still contains the exact line that bound a value, for example inside a function now."""
        if not re.search(rf"(?:^|\W){re.escape(name)}\s*[:=]", anchor.shown) or anchor.shown.endswith("…"):
            return False
        text = self.view_tree.read(path) or b""
        return any(" ".join(line.split()) == anchor.shown for line in decode(text)[0].split("\n"))

    def _content_matches(self, anchor: Anchor, wanted: str | None, path: str, data: bytes) -> bool:
        """Whether a content matches a claim by tokens or value; if `wanted` is None, whether it defines the name."""
        scope, _, name = anchor.name.rpartition("\0")
        sheet = self.parse_cache.definitions_of(path, data)
        held = [one for one in find_definitions(sheet, name) if one.definition.scope == scope]
        if not held or wanted is None:
            return bool(held)
        return digest_definitions(held) == anchor.digest or is_bound_to(held, wanted)

    def _find_breaking_commit(
        self, about: tuple[str, ...], paths: tuple[str, ...], start: str, holds: Callable[[str, bytes], bool]
    ) -> Commit | None:
        if not self.has_git:
            return None
        return self._bisect.find_breaking_commit("\0".join(about), paths, start, self.view.row.commit, holds)


class _CheckedClaim(NamedTuple):
    """A verdict with its anchor and the anchor's current path."""

    anchor: Anchor
    verdict: ClaimCheck
    current_path: str = ""


def _merge_verdicts(checked: Sequence[_CheckedClaim]) -> tuple[ClaimCheck, ...]:
    """Treat a removed file as moved if its claimed definitions exist unchanged elsewhere."""
    homes = {one.anchor.path: one.current_path for one in checked if one.verdict.note == "moved" and one.current_path}
    found = []
    for anchor, verdict, _ in checked:
        home = homes.get(anchor.path, "")
        if verdict.claim.kind == "path" and verdict.status in ("gone", "unchecked") and home:
            verdict = replace(verdict, status="fresh", now=display_path(home), note="moved")
        found.append(verdict)
    return tuple(found)


def _has_outdated_anchors(ties: Sequence[tuple[Claim, Anchor]]) -> bool:
    """Whether an anchor has a digest by older rules and must be computed again at its commit."""
    worded = [anchor.digest for claim, anchor in ties if claim.kind in ("symbol", "constant")]
    return any(digest and not digest.startswith(DIGEST_PREFIX) for digest in worded)


def compute_freshness(item: Discovery, verdicts: Sequence[ClaimCheck]) -> DiscoveryFreshness:
    """Reduce verdicts to one freshness: the worst of them."""
    if item.source.kind in _SELF_EVIDENT_SOURCES:
        return "fresh"
    found = {verdict.status for verdict in verdicts}
    worst_first: tuple[DiscoveryFreshness, ...] = ("gone", "changed", "fresh")
    return next((one for one in worst_first if one in found), "unverifiable")


def _commit_fields(commit: Commit | None) -> tuple[str, str, str]:
    return (commit.id, commit.author, commit.date) if commit else ("", "", "")
