"""Claim checker: check whether the claims of a discovery still hold in a view, and find the commit that broke them."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import msgspec
from blake3 import blake3

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.memory.claims.anchors import find_anchors
from codecompass.engine.memory.claims.breaking_commit import CommitBisect, Rename
from codecompass.engine.memory.claims.checked_claim import CheckedClaim, commit_fields
from codecompass.engine.memory.claims.definition_digests import DIGEST_PREFIX
from codecompass.engine.memory.claims.line_blame import LineBlame
from codecompass.engine.memory.claims.listed_checks import ListedChecker
from codecompass.engine.memory.claims.moved_files import find_successor
from codecompass.engine.memory.claims.parse_cache import ParseCache
from codecompass.engine.memory.claims.stated_checks import STATED_DIGESTS, StatedChecker
from codecompass.engine.memory.claims.symbol_checks import SymbolChecker
from codecompass.engine.memory.claims.tree_snapshot import CommitTreeSnapshot, ViewTreeSnapshot
from codecompass.engine.memory.corpus import CorpusEntry
from codecompass.engine.memory.prose_claims.assertions import is_asserting_section, is_asserting_source
from codecompass.engine.memory.prose_claims.claim_candidates import MAX_CLAIMS, extract_claims
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.history_facts import Commit
from codecompass.model.memory_values import Anchor, Claim, ClaimCheck, Discovery
from codecompass.model.path_text import display_path
from codecompass.model.states import DiscoveryFreshness
from codecompass.model.time_budget import TimeBudget

RULES_VERSION = "4"
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
        """Check the claims of one discovery; empty if it asserts nothing that can be checked."""
        item = entry.discovery
        if item.source.kind in _SELF_EVIDENT_SOURCES or item.state != "active" or not _is_asserting(entry):
            return ()
        try:
            anchored, waiting = self._anchored_claims(entry)
        except Failure as failure:
            if failure.code == "CANCELLED":
                raise
            return ()
        return _merge_verdicts([self._check_safely(*one) for one in anchored]) + waiting

    def find_anchors(self, text: str, near: Sequence[str] = ()) -> tuple[tuple[Claim, Anchor], ...]:
        """Find what a text names in the view, to be stored with it."""
        return find_anchors(self.view_tree, text, near)

    def _anchored_claims(self, entry: CorpusEntry) -> tuple[list[tuple[Claim, Anchor, str]], tuple[ClaimCheck, ...]]:
        """Return (claim, anchor, commit it was written at) for each claim, and verdicts on those left for later.

        An empty commit means now.
        """
        item = entry.discovery
        start = item.source.commit
        if entry.anchors is not None:
            ties: tuple[tuple[Claim, Anchor], ...] | None = entry.anchors
            if _has_outdated_anchors(entry.anchors):
                ties = self._find_anchors_at(start, item, ()) if start else ()
            if ties is None:
                return [], tuple(ClaimCheck(claim, "pending") for claim, _ in entry.anchors)
            return [(claim, anchor, start) for claim, anchor in ties], ()
        text = f"{item.title}\n{item.content}"
        found: list[tuple[Claim, Anchor, str]] = []
        waiting: list[ClaimCheck] = []
        for claim in extract_claims(text):
            commit, known = self.line_blame.find_commit(entry, claim.text)
            if not known and self.budget.is_over():
                waiting.append(ClaimCheck(claim, "pending"))
                continue
            if not known or len(found) >= MAX_CLAIMS:
                break
            start = commit.id if commit else ""
            pairs = (
                self._find_anchors_at(start, item, entry.paths) if start else self.find_anchors(text, entry.paths[:1])
            )
            if pairs is None:
                waiting.append(ClaimCheck(claim, "pending"))
            else:
                found += [(claim, anchor, start) for one, anchor in pairs if one == claim]
        return found, tuple(waiting)

    def _find_anchors_at(
        self, commit: str, item: Discovery, paths: Sequence[str], only: Container[Claim] | None = None
    ) -> tuple[tuple[Claim, Anchor], ...] | None:
        """Find what a text named at a commit; cached. None if there was no time."""
        if not self.has_git:
            return ()
        text = f"{item.title}\n{item.content}"
        key = blake3("\0".join((RULES_VERSION, commit, text)).encode("utf-8", "surrogateescape")).digest(length=16)
        cache = self.project.store.memory_cache
        known = cache.get_many("anchors", [key]).get(key)
        if known is not None:
            return tuple((claim, anchor.restore_path()) for claim, anchor in _ANCHORS_DECODER.decode(known))
        if self.budget.is_over():
            return None
        made = find_anchors(self._get_commit_tree(commit), text, paths, only)
        if self.budget.is_over():
            return None
        stored = [(claim, anchor.escape_path()) for claim, anchor in made]
        cache.put_many("anchors", [(key, _ENCODER.encode(stored))])
        return made

    # -- one claim -------------------------------------------------------------------------------------------------

    def _check_safely(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        """Check one claim; a failure costs its verdict only."""
        try:
            return self._check_claim(claim, anchor, start)
        except Failure as failure:
            if failure.code == "CANCELLED":
                raise
        except (ValueError, LookupError, OSError, RecursionError):
            # A path or a content that nothing can read is no reason to keep the other verdicts back.
            pass
        return CheckedClaim(anchor, ClaimCheck(claim, "unchecked", was=anchor.shown))

    def _check_claim(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        if not anchor.digest:
            return CheckedClaim(anchor, ClaimCheck(claim, "unchecked"))
        if self.budget.is_over():
            return CheckedClaim(anchor, ClaimCheck(claim, "pending", was=anchor.shown))
        if claim.kind in ("path", "command"):
            checked = self._check_path(claim, anchor, start)
        elif anchor.digest in STATED_DIGESTS:
            checked = self._stated_checker.check(claim, anchor, start)
        elif claim.kind in ("script", "dependency"):
            checked = self._listed_checker.check(claim, anchor, start)
        else:
            checked = self._symbol_checker.check(claim, anchor, start)
        verdict = checked.verdict
        if verdict.status in ("gone", "changed") and not verdict.commit and self.budget.is_over():
            return checked._replace(
                verdict=replace(verdict, note=verdict.note or "the commit was not looked up in time")
            )
        return checked

    @cached_property
    def _symbol_checker(self) -> SymbolChecker:
        return SymbolChecker(self.view_tree, self.parse_cache, self._find_new_path, self._find_breaking_commit)

    @cached_property
    def _listed_checker(self) -> ListedChecker:
        return ListedChecker(self.view_tree, self._find_new_path, self._find_breaking_commit)

    @cached_property
    def _stated_checker(self) -> StatedChecker:
        return StatedChecker(self.view_tree, self._get_commit_tree, self._find_new_path, self._find_breaking_commit)

    def _check_path(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        was = anchor.shown
        if self.view_tree.exists(anchor.path):
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was))
        went = self._find_new_path(anchor.path, start)
        if went.path:
            now = display_path(went.path) + ("/" if was.endswith("/") else "")
            return CheckedClaim(
                anchor, ClaimCheck(claim, "fresh", *commit_fields(went.commit), was=was, now=now, note="moved")
            )
        again = self._find_same_ending(claim.target)
        if again:
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was, now=display_path(again), note="moved"))
        if not went.known:
            return CheckedClaim(anchor, ClaimCheck(claim, "unchecked", was=was))
        note = "" if went.commit else "not committed"
        return CheckedClaim(anchor, ClaimCheck(claim, "gone", *commit_fields(went.commit), was=was, note=note))

    def _find_same_ending(self, target: str) -> str:
        """Return a file whose path ends with what the text wrote."""
        wanted = "/" + target.strip("/")
        found = (path for path in self.view_tree.paths if ("/" + path).endswith(wanted))
        return min(found, key=lambda path: (path.count("/"), path), default="")

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

    def _find_breaking_commit(
        self, about: tuple[str, ...], paths: tuple[str, ...], start: str, holds: Callable[[str, bytes], bool]
    ) -> Commit | None:
        if not self.has_git:
            return None
        return self._bisect.find_breaking_commit("\0".join(about), paths, start, self.view.row.commit, holds)


def _is_asserting(entry: CorpusEntry) -> bool:
    item = entry.discovery
    return is_asserting_source(item.source.kind, item.source.path) and is_asserting_section(
        item.source.kind, item.title
    )


def _merge_verdicts(checked: Sequence[CheckedClaim]) -> tuple[ClaimCheck, ...]:
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
    return any(digest and digest not in STATED_DIGESTS and not digest.startswith(DIGEST_PREFIX) for digest in worded)


def compute_freshness(item: Discovery, verdicts: Sequence[ClaimCheck]) -> DiscoveryFreshness:
    """Reduce verdicts to one freshness: the worst of them."""
    if item.source.kind in _SELF_EVIDENT_SOURCES:
        return "fresh"
    found = {verdict.status for verdict in verdicts}
    worst_first: tuple[DiscoveryFreshness, ...] = ("gone", "changed", "pending", "fresh")
    return next((one for one in worst_first if one in found), "unverifiable")
