"""Definition pairs: match the definitions of two sides and classify the change of each. Pure functions."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from codecompass.engine.navigation.diff.fingerprint import DefinitionTokens, FileDefinitions, Tokens

_MIN_SIMILARITY_SAME_SCOPE = 0.6
_MIN_SIMILARITY_MOVED = 0.8
"""Minimum similarity of two definitions to match: with the same name and scope, and without."""
_MIN_RENAME_TOKENS = 8
"""Shorter definitions are not matched as renames: `x = 1` and `y = 1` are two constants."""
_MAX_PAIRS = 40_000
_MAX_STEPS = 20_000_000
"""Above this many pairs, or tokens in them, similarity is not computed: definitions count as removed and added."""

DefinitionsPair = tuple[FileDefinitions | None, FileDefinitions | None]


@dataclass(frozen=True)
class DefinitionMatch:
    """A definition on both sides, or on one of them."""

    before: DefinitionTokens | None
    after: DefinitionTokens | None

    @cached_property
    def change(self) -> str:
        """The kind of change, one of CHANGES; empty if unchanged."""
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        if self.before.definition.name != self.after.definition.name:
            return "renamed"
        moved = (self.before.symbol.path, self.before.definition.scope) != (
            self.after.symbol.path,
            self.after.definition.scope,
        )
        if moved:
            return "moved"
        return "modified" if self.signature_changed or self.body_changed else ""

    @cached_property
    def signature_changed(self) -> bool:
        if self.before is None or self.after is None or self.before.text == self.after.text:
            return False
        return self.before.head != self.after.head

    @cached_property
    def body_changed(self) -> bool:
        if self.before is None or self.after is None or self.before.text == self.after.text:
            return False
        return self.before.tokens != self.after.tokens and self.before.body_tokens != self.after.body_tokens

    @cached_property
    def doc_changed(self) -> bool:
        return self.before is not None and self.after is not None and self.before.doc != self.after.doc

    @property
    def is_moved_only(self) -> bool:
        """Whether only position or layout changed."""
        if self.before is None or self.after is None or self.change or self.doc_changed:
            return False
        one, two = self.before.definition, self.after.definition
        return (one.line_start, one.line_end) != (two.line_start, two.line_end) or self.before.text != self.after.text


@dataclass
class _Unmatched:
    """The definitions that have no match yet."""

    removed: list[DefinitionTokens] = field(default_factory=list)
    added: list[DefinitionTokens] = field(default_factory=list)


def match_definitions(pairs: Iterable[DefinitionsPair]) -> list[DefinitionMatch]:
    """Match all definitions of all file pairs, first within each file and then across files."""
    matches: list[DefinitionMatch] = []
    unmatched = _Unmatched()
    for before, after in pairs:
        _compare_files(before.definitions if before else (), after.definitions if after else (), matches, unmatched)
    matches += _match_containers(unmatched)
    matches += _match_by_key(unmatched, lambda item: (item.group, item.definition.name, item.tokens))
    matches += _match_by_key(unmatched, lambda item: _rename_key(item, item.tokens_without_name))
    matches += _match_similar(unmatched, lambda item: item.tokens_without_name)
    return [
        *matches,
        *(DefinitionMatch(item, None) for item in unmatched.removed),
        *(DefinitionMatch(None, item) for item in unmatched.added),
    ]


def compute_overlap(before: FileDefinitions, after: FileDefinitions) -> float:
    """Return the share of definitions that two files have in common, by name and tokens."""
    one = Counter((item.key, item.tokens) for item in before.definitions)
    two = Counter((item.key, item.tokens) for item in after.definitions)
    larger = max(one.total(), two.total())
    return (one & two).total() / larger if larger else 0.0


def _compare_files(
    old: tuple[DefinitionTokens, ...],
    new: tuple[DefinitionTokens, ...],
    matches: list[DefinitionMatch],
    unmatched: _Unmatched,
) -> None:
    waiting: dict[tuple[str, str, str], list[DefinitionTokens]] = {}
    for item in new:
        waiting.setdefault(item.key, []).append(item)
    overloads: dict[tuple[str, str, str], list[DefinitionTokens]] = {}
    for item in old:
        overloads.setdefault(item.key, []).append(item)
    for key, ours in overloads.items():
        theirs = waiting.pop(key, [])
        # Match overloads by equal text first, then by equal tokens, then by equal signature, then by order.
        for same in (lambda item: item.text, lambda item: item.tokens, lambda item: item.head):
            matches += _match_equal(ours, theirs, same)
        matches += [DefinitionMatch(one, two) for one, two in zip(ours, theirs, strict=False)]
        unmatched.removed += ours[len(theirs) :]
        unmatched.added += theirs[len(ours) :]
    for items in waiting.values():
        unmatched.added += items


def _match_equal(
    ours: list[DefinitionTokens], theirs: list[DefinitionTokens], same: Callable[[DefinitionTokens], Hashable]
) -> list[DefinitionMatch]:
    """Match items with equal keys in order and remove them from both lists."""
    if not ours or not theirs:
        return []
    partners: dict[Hashable, list[DefinitionTokens]] = {}
    for item in reversed(theirs):
        partners.setdefault(same(item), []).append(item)
    found: list[DefinitionMatch] = []
    for item in list(ours):
        stack = partners.get(same(item))
        if stack:
            partner = stack.pop()
            found.append(DefinitionMatch(item, partner))
            _remove_item(ours, item)
            _remove_item(theirs, partner)
    return found


def _remove_item(items: list[DefinitionTokens], item: DefinitionTokens) -> None:
    del items[next(at for at, other in enumerate(items) if other is item)]


def _match_by_key(unmatched: _Unmatched, key: Callable[[DefinitionTokens], Hashable | None]) -> list[DefinitionMatch]:
    """Match definitions with equal keys; the key None matches nothing."""
    partners: dict[Hashable, list[DefinitionTokens]] = {}
    for item in reversed(unmatched.added):
        found = key(item)
        if found is not None:
            partners.setdefault(found, []).append(item)
    matches: list[DefinitionMatch] = []
    gone: list[DefinitionTokens] = []
    taken: set[int] = set()
    for item in unmatched.removed:
        wanted = key(item)
        stack = partners.get(wanted) if wanted is not None else None
        if stack:
            # Of several copies prefer the one in the same file.
            near = next((at for at, other in enumerate(stack) if other.symbol.path == item.symbol.path), -1)
            partner = stack.pop(near)
            taken.add(id(partner))
            matches.append(DefinitionMatch(item, partner))
        else:
            gone.append(item)
    unmatched.removed = gone
    unmatched.added = [item for item in unmatched.added if id(item) not in taken]
    return matches


def _match_containers(unmatched: _Unmatched) -> list[DefinitionMatch]:
    """Match containers by all of their content; their members then follow by name."""
    gone, new = _group_by_parent(unmatched.removed), _group_by_parent(unmatched.added)
    heads = _Unmatched(
        [item for item in unmatched.removed if _get_key(item) in gone],
        [item for item in unmatched.added if _get_key(item) in new],
    )
    matches = _match_by_key(heads, lambda item: (item.group, item.definition.name, item.tokens_with_members))
    matches += _match_by_key(heads, lambda item: _rename_key(item, item.tokens_with_members))
    matches += _match_similar(heads, lambda item: item.tokens_with_members)
    for match in matches:  # the list grows during iteration: members have members
        assert match.before is not None and match.after is not None
        waiting: dict[tuple[str, str], list[DefinitionTokens]] = {}
        for item in new.get(_get_key(match.after), ()):
            waiting.setdefault((item.group, item.definition.name), []).append(item)
        for item in gone.get(_get_key(match.before), ()):
            partners = waiting.get((item.group, item.definition.name))
            if partners:
                matches.append(DefinitionMatch(item, partners.pop(0)))
    matches = _dedupe_matches(matches)
    taken = {id(item) for match in matches for item in (match.before, match.after)}
    unmatched.removed = [item for item in unmatched.removed if id(item) not in taken]
    unmatched.added = [item for item in unmatched.added if id(item) not in taken]
    return matches


def _dedupe_matches(matches: list[DefinitionMatch]) -> list[DefinitionMatch]:
    """Keep one match per definition; a nested type may match by itself and again with its container."""
    seen: set[int] = set()
    kept = []
    for match in matches:
        if id(match.before) not in seen and id(match.after) not in seen:
            seen |= {id(match.before), id(match.after)}
            kept.append(match)
    return kept


def _group_by_parent(items: list[DefinitionTokens]) -> dict[tuple[int, int], list[DefinitionTokens]]:
    """Group these items by the definition that directly contains them."""
    found: dict[tuple[int, int], list[DefinitionTokens]] = {}
    for item in items:
        if item.definition.parent >= 0:
            found.setdefault((id(item.file), item.definition.parent), []).append(item)
    return found


def _get_key(item: DefinitionTokens) -> tuple[int, int]:
    return id(item.file), item.symbol.position


def _rename_key(item: DefinitionTokens, tokens: Tokens) -> Hashable | None:
    """Return a key that ignores the own name; None if the definition is too short to be distinctive."""
    return (item.group, tokens) if len(tokens) >= _MIN_RENAME_TOKENS else None


def _match_similar(unmatched: _Unmatched, tokens: Callable[[DefinitionTokens], Tokens]) -> list[DefinitionMatch]:
    """Match definitions that were moved or renamed and also edited, most similar pairs first."""
    if len(unmatched.removed) * len(unmatched.added) > _MAX_PAIRS:
        return []
    shapes = {id(item): Counter(pairwise(tokens(item))) for item in (*unmatched.removed, *unmatched.added)}
    sizes = {key: shape.total() for key, shape in shapes.items()}
    if sum(sizes[id(item)] for item in unmatched.removed) * len(unmatched.added) > _MAX_STEPS:
        return []
    scored = []
    for at, one in enumerate(unmatched.removed):
        for to, two in enumerate(unmatched.added):
            if one.group != two.group:
                continue
            short, long = sorted((sizes[id(one)], sizes[id(two)]))
            needed = _get_required_similarity(one, two)
            # Texts of very different lengths cannot be similar enough.
            if short < 2 * _MIN_RENAME_TOKENS or 2 * short < needed * (short + long):
                continue
            score = _compute_similarity(shapes[id(one)], shapes[id(two)])
            if score >= needed:
                scored.append((-score, at, to))
    matches = []
    gone, new = set(range(len(unmatched.removed))), set(range(len(unmatched.added)))
    for _, at, to in sorted(scored):
        if at in gone and to in new:
            gone.discard(at)
            new.discard(to)
            matches.append(DefinitionMatch(unmatched.removed[at], unmatched.added[to]))
    unmatched.removed = [unmatched.removed[at] for at in sorted(gone)]
    unmatched.added = [unmatched.added[to] for to in sorted(new)]
    return matches


def _get_required_similarity(one: DefinitionTokens, two: DefinitionTokens) -> float:
    same = one.definition.name == two.definition.name
    if same and (one.definition.scope == two.definition.scope or one.symbol.path == two.symbol.path):
        return _MIN_SIMILARITY_SAME_SCOPE
    return _MIN_SIMILARITY_MOVED


def _compute_similarity(one: Counter[tuple[str, str]], two: Counter[tuple[str, str]]) -> float:
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 0.0
