"""Symbol checks: whether a definition that a text names still is what the text says of it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from codecompass.engine.memory.claims.breaking_commit import Rename
from codecompass.engine.memory.claims.checked_claim import CheckedClaim, CommitFinder, commit_fields
from codecompass.engine.memory.claims.definition_digests import (
    count_tokens,
    digest_definitions,
    is_bound_to,
    is_literal,
    select_representative,
    summarize_definition,
)
from codecompass.engine.memory.claims.parse_cache import ParseCache
from codecompass.engine.memory.claims.tree_snapshot import ViewTreeSnapshot, find_definitions
from codecompass.engine.memory.prose_claims.claim_candidates import split_name
from codecompass.engine.memory.prose_claims.stated_signatures import contradicts_signature
from codecompass.engine.memory.prose_claims.word_search import find_word
from codecompass.engine.navigation.diff.fingerprint import DefinitionTokens
from codecompass.model.memory_values import Anchor, Claim, ClaimCheck
from codecompass.model.path_text import display_path
from codecompass.text.sniff import decode

EDITED_NOTE = "edited since"
"""Note of a definition whose text changed, which says nothing about what is said of it."""
_MIN_TOKENS_TO_FOLLOW = 16
"""Minimum tokens of a definition to recognize it under another name."""


@dataclass(frozen=True, slots=True)
class SymbolChecker:
    """Checks claims about definitions against one view."""

    view_tree: ViewTreeSnapshot
    parse_cache: ParseCache
    find_new_path: Callable[[str, str], Rename]
    find_commit: CommitFinder

    def check(self, claim: Claim, anchor: Anchor, start: str) -> CheckedClaim:
        scope, _, name = anchor.name.rpartition("\0")
        went, path, was = Rename("", None), anchor.path, anchor.shown
        if path not in self.view_tree.paths:
            went = self.find_new_path(path, start)
            path = went.path
        here = self._definitions_in(path, scope, name) if path else []
        if here and (digest_definitions(here) == anchor.digest or is_bound_to(here, claim.expected)):
            note, now = ("", "") if path == anchor.path else ("moved", display_path(path))
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was, now=now, note=note), path)
        again = self._find_moved_or_renamed(anchor, path, name)
        if again is not None and (again[2] == "moved" or not here):
            where, one, note = again
            now = f"{summarize_definition(one)} in {display_path(where)}"
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was, now=now, note=note), where)
        if not here and path and self._has_binding_line(anchor, path, name):
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was), path)
        current = ""
        if not here:
            current, here = self._find_namesake(anchor.path, scope, name) or ("", self._unique_definition(name))
        paths = tuple(dict.fromkeys((anchor.path, path))) if path else (anchor.path,)
        if here:
            return self._check_edited(claim, anchor, start, paths, here, current)
        place = self._find_use(scope, name)
        if place:
            return CheckedClaim(anchor, ClaimCheck(claim, "fresh", was=was, now=f"used in {display_path(place)}"))
        if not went.known:
            return CheckedClaim(anchor, ClaimCheck(claim, "unchecked", was=was))
        about = (claim.kind, anchor.name, "")
        commit = self.find_commit(about, paths, start, partial(self._content_matches, anchor, None))
        return CheckedClaim(anchor, ClaimCheck(claim, "gone", *commit_fields(commit or went.commit), was=was))

    def _check_edited(
        self, claim: Claim, anchor: Anchor, start: str, paths: tuple[str, ...], here: list[DefinitionTokens], place: str
    ) -> CheckedClaim:
        """Check a definition whose text is otherwise: a stated value or signature may be contradicted."""
        now = summarize_definition(select_representative(here)) + place
        was = anchor.shown
        is_changed = _contradicts(claim, was, here)
        about = (claim.kind, anchor.name, f"{anchor.digest} {claim.expected}")
        commit = self.find_commit(about, paths, start, partial(self._content_matches, anchor, claim.expected))
        if is_changed:
            return CheckedClaim(anchor, ClaimCheck(claim, "changed", *commit_fields(commit), was=was, now=now))
        shown = now if now != was else ""
        return CheckedClaim(
            anchor, ClaimCheck(claim, "fresh", *commit_fields(commit), was=was, now=shown, note=EDITED_NOTE)
        )

    def _find_use(self, scope: str, name: str) -> str:
        """Return a code file that still has the name, of a member one that also has its type."""
        owner = (split_name(scope) or [""])[-1]
        places = find_word(self.view_tree, name, 1 if not owner else 20)
        if not owner:
            return places[0] if places else ""
        holders = set(find_word(self.view_tree, owner, 40))
        return next((path for path in places if path in holders), "")

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


def _contradicts(claim: Claim, was: str, here: Sequence[DefinitionTokens]) -> bool:
    """Whether the text states a value or a signature that is another one now."""
    if not claim.expected:
        return False
    if claim.kind == "symbol":
        return contradicts_signature(claim.expected, [was], [one.definition.signature or one.text for one in here])
    return len(here) == 1 and is_literal(here[0]) and not is_bound_to(here, claim.expected)
