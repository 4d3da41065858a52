"""Listed checks: whether a script or a package that a text names is still in the manifests."""

from collections.abc import Callable
from dataclasses import dataclass

from codecompass.engine.memory.claims.anchors import (
    find_dependency_anchor,
    find_script_anchor,
    is_secondary_manifest,
    iter_manifests,
)
from codecompass.engine.memory.claims.breaking_commit import Rename
from codecompass.engine.memory.claims.checked_claim import CheckedClaim, CommitFinder, commit_fields
from codecompass.engine.memory.claims.tree_snapshot import ViewTreeSnapshot
from codecompass.engine.memory.manifests.manifest_reader import get_family, read_manifest
from codecompass.engine.memory.prose_claims.word_search import find_word
from codecompass.model.memory_values import Anchor, Claim, ClaimCheck
from codecompass.model.path_text import display_path
from codecompass.model.states import ClaimStatus
from codecompass.text.sniff import decode


@dataclass(frozen=True, slots=True)
class ListedChecker:
    """Checks claims about entries of manifests against one view."""

    view_tree: ViewTreeSnapshot
    find_new_path: Callable[[str, str], Rename]
    find_commit: CommitFinder

    def check(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        find = find_script_anchor if claim.kind == "script" else find_dependency_anchor
        name, stated = anchor.name, anchor.digest not in ("=", "v")
        home = anchor.path if anchor.path in self.view_tree.paths else self.find_new_path(anchor.path, start).path
        now = self._find_current_anchor(claim, anchor, home, stated=stated)
        # A package without a version matches any version, so a version that was added is not a change.
        loose = claim.kind == "dependency" and now is not None and "v" in (now.digest, anchor.digest)
        if now is not None and (now.digest == anchor.digest or loose):
            current, note = "" if now.shown == anchor.shown else now.shown, ""
            if now.path != anchor.path:
                current, note = f"{now.shown} in {display_path(now.path)}", "moved"
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=anchor.shown, now=current, note=note), now.path)

        place = _find_use(self.view_tree, name) if now is None and claim.kind == "dependency" and not stated else ""
        if place:
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=anchor.shown, now=f"used in {place}"))
        gone = now is None or not now.digest

        def holds(path: str, data: bytes) -> bool:
            found = find([(path, read_manifest(path, decode(data)[0]))], name, stated=stated)
            return found is not None and (gone or found.digest == anchor.digest)

        paths = tuple(dict.fromkeys((anchor.path, home))) if home else (anchor.path,)
        commit = self.find_commit((claim.kind, anchor.name, anchor.digest, str(gone)), paths, start, holds)
        current = now.shown if now is not None else ""
        status: ClaimStatus = "changed" if now is not None else "gone"
        verdict = ClaimCheck(claim, status, *commit_fields(commit), was=anchor.shown, now=current)
        return CheckedClaim(anchor, verdict)

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


def _find_use(tree: ViewTreeSnapshot, name: str) -> str:
    """Return a code file that still uses a package which no manifest has."""
    places = find_word(tree, name)
    return display_path(places[0]) if places else ""
