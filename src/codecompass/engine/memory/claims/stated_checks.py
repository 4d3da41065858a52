"""Stated checks: whether names without a definition still occur, and whether stated values and versions still hold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codecompass.engine.memory.claims.anchors import VALUE_DIGEST, VERSION_DIGEST, WORD_DIGEST
from codecompass.engine.memory.claims.breaking_commit import Rename
from codecompass.engine.memory.claims.checked_claim import CheckedClaim, CommitFinder, commit_fields
from codecompass.engine.memory.claims.tree_snapshot import CommitTreeSnapshot, ViewTreeSnapshot
from codecompass.engine.memory.prose_claims.word_search import (
    find_other_value,
    find_runtime_lines,
    find_stated,
    find_word,
    has_value,
    is_code_path,
    is_distinct,
    iter_windows,
    list_spellings,
    make_value_pattern,
    make_word_pattern,
    matches_version,
    strip_code_comments,
)
from codecompass.model.history_facts import Commit
from codecompass.model.memory_values import Anchor, Claim, ClaimCheck
from codecompass.model.path_text import display_path
from codecompass.text.sniff import decode

STATED_DIGESTS = (WORD_DIGEST, VALUE_DIGEST, VERSION_DIGEST)
_MAX_PLACES = 4
_MAX_SHOWN = 160


@dataclass(frozen=True, slots=True)
class StatedChecker:
    """Checks what a text states of names that no single definition has."""

    view_tree: ViewTreeSnapshot
    get_commit_tree: Callable[[str], CommitTreeSnapshot]
    find_new_path: Callable[[str, str], Rename]
    find_commit: CommitFinder

    def check(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        if anchor.digest == VERSION_DIGEST:
            return self._check_version(claim, anchor, start)
        if anchor.digest == VALUE_DIGEST:
            return self._check_value(claim, anchor, start)
        return self._check_word(claim, anchor, start)

    def _check_word(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        place = find_place(self.view_tree, claim.kind, anchor.name)
        if place:
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=anchor.shown), place)
        pattern = make_word_pattern(anchor.name)

        def holds(path: str, data: bytes) -> bool:
            return pattern.search(_read_code(path, data)) is not None

        about = (claim.kind, anchor.name, anchor.digest)
        places = find_word(self.get_commit_tree(start), anchor.name, _MAX_PLACES) if start else [anchor.path]
        commits = [self._find_end(about, path, start, holds) for path in places or [anchor.path]]
        last = max((one for one in commits if one), key=lambda one: one.committed, default=None)
        return CheckedClaim(anchor, ClaimCheck(claim, "gone", *commit_fields(last), was=anchor.shown))

    def _check_value(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        words, is_exact = anchor.name.split("\0"), claim.kind != "default"
        found = find_stated(self.view_tree, words, claim.expected, exact=is_exact, first=anchor.path)
        if found is not None:
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=anchor.shown), found[0])
        path = anchor.path if anchor.path in self.view_tree.paths else self.find_new_path(anchor.path, start).path
        now = find_other_value(self.view_tree.read_code(path), words, exact=is_exact) if path else ""
        wanted = make_value_pattern(claim.expected)

        def holds(path: str, data: bytes) -> bool:
            windows = iter_windows(_read_code(path, data), words, exact=is_exact)
            return any(has_value(window, words, wanted) for window in windows)

        about = (claim.kind, anchor.name, f"{anchor.digest} {claim.expected}")
        if now:
            commit = self._find_end(about, anchor.path, start, holds)
            verdict = ClaimCheck(claim, "changed", *commit_fields(commit), was=anchor.shown, now=now[:_MAX_SHOWN])
            return CheckedClaim(anchor, verdict, path)
        if is_exact and is_distinct(words[0]) and not find_place(self.view_tree, claim.kind, words[0]):
            commit = self._find_end(about, anchor.path, start, holds)
            return CheckedClaim(anchor, ClaimCheck(claim, "gone", *commit_fields(commit), was=anchor.shown))
        return CheckedClaim(anchor, ClaimCheck(claim, "unchecked", was=anchor.shown))

    def _check_version(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        found = find_runtime_lines(self.view_tree, claim.target)
        lines = [line for held in found.values() for line in held]
        if not lines:
            return CheckedClaim(anchor, ClaimCheck(claim, "unchecked", was=anchor.shown))
        if any(matches_version(line, claim.expected) for line in lines):
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=anchor.shown))

        def holds(path: str, data: bytes) -> bool:
            text = _read_code(path, data)
            return any(matches_version(line, claim.expected) for line in text.split("\n"))

        about = (claim.kind, anchor.name, f"{anchor.digest} {claim.expected}")
        commit = self._find_end(about, anchor.path, start, holds)
        now = found.get(anchor.path, lines)[0]
        return CheckedClaim(anchor, ClaimCheck(claim, "changed", *commit_fields(commit), was=anchor.shown, now=now))

    def _find_end(
        self, about: tuple[str, ...], path: str, start: str, holds: Callable[[str, bytes], bool]
    ) -> Commit | None:
        went = Rename("", None) if path in self.view_tree.paths else self.find_new_path(path, start)
        paths = tuple(filter(None, dict.fromkeys((path, went.path))))
        return self.find_commit(about, paths, start, holds) or went.commit


def find_place(tree: ViewTreeSnapshot, kind: str, name: str) -> str:
    """Return a code file that has a name now, in any spelling; empty if none has."""
    spellings: Sequence[str] = list_spellings(name) if kind in ("flag", "setting") else (name,)
    if kind == "flag" and len(spellings) == 1:
        bare = name.lstrip("-")
        spellings = (name, f'"{bare}"', f"'{bare}'", f":{bare}")
    return next((display_path(places[0]) for one in spellings if (places := find_word(tree, one))), "")


def _read_code(path: str, data: bytes) -> str:
    return strip_code_comments(path, decode(data)[0]) if is_code_path(path) else ""
