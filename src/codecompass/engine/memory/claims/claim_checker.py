"""Claim checker: check whether the claims of a discovery still hold in a view, and find the commit that broke them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import msgspec
from blake3 import blake3

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.memory.claims.anchors import anchored, dependency_anchor, is_aside, listing, script_anchor
from codecompass.engine.memory.claims.breaking_commit import Culprits, Move
from codecompass.engine.memory.claims.claim_candidates import MOST, claims_of
from codecompass.engine.memory.claims.definition_digests import (
    WORDED,
    is_bound_to,
    one_line,
    size_of,
    weightiest,
    wording_digest,
)
from codecompass.engine.memory.claims.line_blame import Births
from codecompass.engine.memory.claims.moved_files import successor
from codecompass.engine.memory.claims.parse_cache import Parsing
from codecompass.engine.memory.claims.tree_snapshot import PastScene, PresentScene, definitions
from codecompass.engine.memory.corpus import Kept
from codecompass.engine.memory.manifests.manifest_reader import family_of, read_manifest
from codecompass.engine.memory.time_budget import Budget
from codecompass.engine.navigation.diff.fingerprint import Worded
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.history_facts import Commit
from codecompass.model.memory_values import Anchor, Claim, Discovery, Verdict
from codecompass.text.sniff import decode

RULES = "3"
_FOLLOWED = 16
"""Minimum tokens of a definition to recognize it under another name."""
_OWN_TRUTH = ("manifest", "ci")
_ENCODER = msgspec.msgpack.Encoder()
_ANCHORED = msgspec.msgpack.Decoder(tuple[tuple[Claim, Anchor], ...])


@dataclass
class Judge:
    """Checks discoveries against one view during one call."""

    project: Project
    view: PinnedView
    pool: WorkerPool
    present: PresentScene
    budget: Budget
    births: Births = field(init=False)
    _past: dict[str, PastScene] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.births = Births(self.project, self.view, self.budget)
        self.parsing = Parsing(self.project, self.pool)

    @property
    def has_git(self) -> bool:
        return self.project.workspace.git is not None and bool(self.view.row.commit)

    def judge(self, entry: Kept) -> tuple[Verdict, ...]:
        """Check the claims of one discovery; empty if none can be checked."""
        item = entry.discovery
        if item.source.kind in _OWN_TRUTH or item.state in ("closed", "forgotten"):
            return ()
        try:
            return _together([self._checked(*one) for one in self._tied(entry)])
        except Failure as failure:
            if failure.code == "CANCELLED":
                raise
            return ()

    def capture(self, text: str, near: Sequence[str] = ()) -> tuple[tuple[Claim, Anchor], ...]:
        """Find what a text names in the view, to be stored with it."""
        return anchored(self.present, text, near)

    def _tied(self, entry: Kept) -> list[tuple[Claim, Anchor, str]]:
        """Return (claim, anchor, commit it was written at) for each claim; an empty commit means now."""
        item = entry.discovery
        start = item.source.commit
        if entry.anchors is not None:
            ties = entry.anchors if not _aged(entry.anchors) else self._anchors(start, item, ()) if start else ()
            return [(claim, anchor, start) for claim, anchor in ties]
        if item.source.kind in ("commit", "fix", "revert"):
            return [(*pair, item.source.commit) for pair in self._anchors(item.source.commit, item, entry.paths)]
        text = f"{item.title}\n{item.content}"
        found: list[tuple[Claim, Anchor, str]] = []
        for claim in claims_of(text):
            commit, known = self.births.commit_of(entry, claim.text)
            if not known or len(found) >= MOST:
                break
            start = commit.id if commit else ""
            pairs = self._anchors(start, item, entry.paths) if start else self.capture(text, entry.paths[:1])
            found += [(claim, anchor, start) for one, anchor in pairs if one == claim]
        return found

    def _anchors(self, commit: str, item: Discovery, paths: Sequence[str]) -> tuple[tuple[Claim, Anchor], ...]:
        """Find what a text named at a commit; cached."""
        if not self.has_git:
            return ()
        text = f"{item.title}\n{item.content}"
        key = blake3("\0".join((RULES, commit, text)).encode("utf-8", "surrogateescape")).digest(length=16)
        cache = self.project.store.memory
        known = cache.find("anchors", [key]).get(key)
        if known is not None:
            return _ANCHORED.decode(known)
        if self.budget.over():
            return ()
        made = anchored(self._scene(commit), text, paths)
        if not self.budget.over():
            cache.keep("anchors", [(key, _ENCODER.encode(made))])
        return made

    # -- one claim -------------------------------------------------------------------------------------------------

    def _checked(self, claim: Claim, anchor: Anchor, start: str) -> "_Checked":
        if not anchor.digest or self.budget.over():
            return _Checked(anchor, Verdict(claim, "unchecked"))
        if claim.kind in ("path", "command"):
            return self._path(claim, anchor, start)
        if claim.kind in ("script", "dependency"):
            return self._listed(claim, anchor, start)
        return self._symbol(claim, anchor, start)

    def _path(self, claim: Claim, anchor: Anchor, start: str) -> "_Checked":
        was = anchor.shown
        if self.present.stands(anchor.path):
            return _Checked(anchor, Verdict(claim, "fresh", was=was))
        went = self._moved(anchor.path, start)
        if went.path:
            now = shown(went.path) + ("/" if was.endswith("/") else "")
            return _Checked(anchor, Verdict(claim, "fresh", *_who(went.commit), was=was, now=now, note="moved"))
        if not went.known:
            return _Checked(anchor, Verdict(claim, "unchecked", was=was))
        note = "" if went.commit else "not committed"
        return _Checked(anchor, Verdict(claim, "gone", *_who(went.commit), was=was, note=note))

    def _moved(self, path: str, start: str) -> Move:
        """Find the new path of a removed path; empty if it was deleted."""
        if not self.has_git:
            return Move("", None)
        end = self.view.row.commit
        found = self._culprits.moved(path, start, end)
        if found.path and self.present.stands(found.path):
            return found
        return found._replace(path=self._successor(path, found, start))

    def _successor(self, path: str, went: Move, start: str) -> str:
        """Find the file that holds the last content of a path; cached for a published view, empty if there is none."""
        row, cache = self.view.row, self.project.store.memory
        about = "\0".join((path, start, row.name, row.commit, str(row.generation)))
        key = blake3(about.encode("utf-8", "surrogateescape")).digest(length=16)
        entry = cache.find("successor", [key]).get(key)
        if entry is not None:
            return entry.decode("utf-8", "surrogateescape")
        known = self.present.tree
        oid = went.oid or known.get(path) or (self._scene(start).oid(path) if start else "")
        data = self.project.git().read_blob(oid) if oid else None
        place = ""
        if data is not None:
            places = {one: known.get(one) or self.present.oid(one) for one in self.present.paths}
            place = successor(went.path or path, data, places, oid, self.present.read)
        cache.keep("successor", [(key, place.encode("utf-8", "surrogateescape"))])
        return place

    def _scene(self, commit: str) -> PastScene:
        return self._past.setdefault(commit, PastScene(self.project, commit, self.parsing, self.budget, self.present))

    @property
    def _culprits(self) -> Culprits:
        return Culprits(self.project.git(), self.project.store.memory, self.budget)

    def _listed(self, claim: Claim, anchor: Anchor, start: str) -> "_Checked":
        find = script_anchor if claim.kind == "script" else dependency_anchor
        name, stated = anchor.name, anchor.digest not in ("=", "v")
        home = anchor.path if anchor.path in self.present.paths else self._moved(anchor.path, start).path
        now = self._now(claim, anchor, home, stated=stated)
        # A package without a version matches any version, so a version that was added is not a change.
        loose = claim.kind == "dependency" and now is not None and "v" in (now.digest, anchor.digest)
        if now is not None and (now.digest == anchor.digest or loose):
            current, note = "" if now.shown == anchor.shown else now.shown, ""
            if now.path != anchor.path:
                current, note = f"{now.shown} in {shown(now.path)}", "moved"
            return _Checked(anchor, Verdict(claim, "fresh", was=anchor.shown, now=current, note=note), now.path)

        gone = now is None or not now.digest

        def holds(path: str, data: bytes) -> bool:
            found = find([(path, read_manifest(path, decode(data)[0]))], name, stated=stated)
            return found is not None and (gone or found.digest == anchor.digest)

        paths = tuple(dict.fromkeys((anchor.path, home))) if home else (anchor.path,)
        commit = self._breaker((claim.kind, anchor.name, anchor.digest, str(gone)), paths, start, holds)
        current = now.shown if now is not None else ""
        status = "changed" if now is not None else "gone"
        verdict = Verdict(claim, status, *_who(commit), was=anchor.shown, now=current)
        return _Checked(anchor, verdict)

    def _now(self, claim: Claim, anchor: Anchor, home: str, *, stated: bool) -> Anchor | None:
        """Find the current anchor of a script or dependency: in its own manifest, or in any of the same family.

        A script of the same name in another package may do something else: its anchor has no digest.
        """
        found = listing(self.present, (home or anchor.path,), family_of(anchor.path))
        if claim.kind == "dependency":
            return dependency_anchor(found, anchor.name, stated=stated)
        namesake = None
        for path, manifest in found:
            one = script_anchor([(path, manifest)], anchor.name, stated=stated)
            if one is None or path != home and is_aside(path):
                continue
            if path == home or one.shown == anchor.shown:
                return one
            namesake = namesake or one._replace(digest="", shown=f"{one.shown} in {shown(path)}")
        return namesake

    def _symbol(self, claim: Claim, anchor: Anchor, start: str) -> "_Checked":
        scope, _, name = anchor.name.rpartition("\0")
        went, path, was = Move("", None), anchor.path, anchor.shown
        if path not in self.present.paths:
            went = self._moved(path, start)
            path = went.path
        here = self._held(path, scope, name) if path else []
        if here and (wording_digest(here) == anchor.digest or is_bound_to(here, claim.expected)):
            note, now = ("", "") if path == anchor.path else ("moved", shown(path))
            return _Checked(anchor, Verdict(claim, "fresh", was=was, now=now, note=note), path)
        again = self._elsewhere(anchor, path, name)
        if again is not None:
            where, one, note = again
            now = f"{one_line(one)} in {shown(where)}"
            return _Checked(anchor, Verdict(claim, "fresh", was=was, now=now, note=note), where)
        if not here and path and self._binds(anchor, path, name):
            return _Checked(anchor, Verdict(claim, "fresh", was=was), path)
        current = ""
        if not here:
            current, here = self._namesake(anchor.path, scope, name) or ("", self._only(name))
        if not here and not went.known:
            return _Checked(anchor, Verdict(claim, "unchecked", was=was))
        about = (claim.kind, anchor.name, f"{anchor.digest} {claim.expected}" if here else "")
        paths = tuple(dict.fromkeys((anchor.path, path))) if path else (anchor.path,)
        wanted = claim.expected if here else None
        commit = self._breaker(about, paths, start, partial(self._says, anchor, wanted))
        if here:
            current = one_line(weightiest(here)) + current
            # The summary line may be unchanged: then the change is in the body.
            note = "its body" if current == was else ""
            return _Checked(anchor, Verdict(claim, "changed", *_who(commit), was=was, now=current, note=note))
        return _Checked(anchor, Verdict(claim, "gone", *_who(commit or went.commit), was=was))

    def _held(self, path: str, scope: str, name: str) -> list[Worded]:
        return [one for one in definitions(self.present.sheet(path), name) if one.definition.scope == scope]

    def _elsewhere(self, anchor: Anchor, path: str, name: str) -> tuple[str, Worded, str] | None:
        """Find equal tokens under the same name in another file, or under another name in the same file."""
        for where in self.present.defining(name):
            for one in definitions(self.present.sheet(where), name):
                if wording_digest([one]) == anchor.digest:
                    return where, one, "moved"
        sheet = self.present.sheet(path) if path else None
        twins = [one for one in sheet.worded if size_of([one]) >= _FOLLOWED] if sheet else []
        same = [one for one in twins if wording_digest([one]) == anchor.digest]
        return (path, same[0], "renamed") if len(same) == 1 else None

    def _namesake(self, path: str, scope: str, name: str) -> tuple[str, list[Worded]] | None:
        """Find a definition of the same name and scope in a file of the same name; the nearest by path."""
        last = path.rpartition("/")[2]
        homes = [one for one in self.present.defining(name) if one.rpartition("/")[2] == last]
        held = {one: found for one in homes if (found := self._held(one, scope, name))}
        if not held:
            return None
        parts = set(path.split("/"))
        home = max(held, key=lambda one: (len(parts & set(one.split("/"))), one))
        return f" in {shown(home)}", held[home]

    def _only(self, name: str) -> list[Worded]:
        """Return the only definition of a name; empty if there are several."""
        found = [one for where in self.present.defining(name) for one in definitions(self.present.sheet(where), name)]
        return found if len(found) == 1 else []

    def _binds(self, anchor: Anchor, path: str, name: str) -> bool:
        """Whether the file still contains the exact line that bound a value, for example inside a function now."""
        if not re.search(rf"(?:^|\W){re.escape(name)}\s*[:=]", anchor.shown) or anchor.shown.endswith("…"):
            return False
        text = self.present.read(path) or b""
        return any(" ".join(line.split()) == anchor.shown for line in decode(text)[0].split("\n"))

    def _says(self, anchor: Anchor, wanted: str | None, path: str, data: bytes) -> bool:
        """Whether a content matches a claim by tokens or value; if `wanted` is None, whether it defines the name."""
        scope, _, name = anchor.name.rpartition("\0")
        sheet = self.parsing.sheet(path, data)
        held = [one for one in definitions(sheet, name) if one.definition.scope == scope]
        if not held or wanted is None:
            return bool(held)
        return wording_digest(held) == anchor.digest or is_bound_to(held, wanted)

    def _breaker(
        self, about: tuple[str, ...], paths: tuple[str, ...], start: str, holds: Callable[[str, bytes], bool]
    ) -> Commit | None:
        if not self.has_git:
            return None
        return self._culprits.breaker("\0".join(about), paths, start, self.view.row.commit, holds)


class _Checked(NamedTuple):
    """A verdict with its anchor and the anchor's current path."""

    anchor: Anchor
    verdict: Verdict
    place: str = ""


def _together(checked: Sequence[_Checked]) -> tuple[Verdict, ...]:
    """Treat a removed file as moved if its claimed definitions exist unchanged elsewhere."""
    homes = {one.anchor.path: one.place for one in checked if one.verdict.note == "moved" and one.place}
    found = []
    for anchor, verdict, _ in checked:
        home = homes.get(anchor.path, "")
        if verdict.claim.kind == "path" and verdict.status in ("gone", "unchecked") and home:
            verdict = replace(verdict, status="fresh", now=shown(home), note="moved")
        found.append(verdict)
    return tuple(found)


def _aged(ties: Sequence[tuple[Claim, Anchor]]) -> bool:
    """Whether an anchor has a digest by older rules and must be computed again at its commit."""
    worded = [anchor.digest for claim, anchor in ties if claim.kind in ("symbol", "constant")]
    return any(digest and not digest.startswith(WORDED) for digest in worded)


def freshness_of(item: Discovery, verdicts: Sequence[Verdict]) -> str:
    """Reduce verdicts to one freshness: the worst of them."""
    if item.source.kind in _OWN_TRUTH:
        return "fresh"
    found = {verdict.status for verdict in verdicts}
    return next((one for one in ("gone", "changed", "fresh") if one in found), "unverifiable")


def _who(commit: Commit | None) -> tuple[str, str, str]:
    return (commit.id, commit.author, commit.date) if commit else ("", "", "")
