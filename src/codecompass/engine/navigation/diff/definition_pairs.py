"""Definition pairs: match the definitions of two sides and classify the change of each. Pure functions."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from codecompass.engine.navigation.diff.fingerprint import Sheet, Tokens, Worded

_SAME_PLACE = 0.6
_ELSEWHERE = 0.8
"""Minimum similarity of two definitions to match: with the same name and scope, and without."""
_TOKENS_TO_RENAME = 8
"""Shorter definitions are not matched as renames: `x = 1` and `y = 1` are two constants."""
_MOST_PAIRS = 40_000
_MOST_STEPS = 20_000_000
"""Above this many pairs, or tokens in them, similarity is not computed: definitions count as removed and added."""

FilePair = tuple[Sheet | None, Sheet | None]


@dataclass(frozen=True)
class Match:
    """A definition on both sides, or on one of them."""

    before: Worded | None
    after: Worded | None

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
        return self.before.tokens != self.after.tokens and self.before.body != self.after.body

    @cached_property
    def doc_changed(self) -> bool:
        return self.before is not None and self.after is not None and self.before.doc != self.after.doc

    @property
    def shifted(self) -> bool:
        """Whether only position or layout changed."""
        if self.before is None or self.after is None or self.change or self.doc_changed:
            return False
        one, two = self.before.definition, self.after.definition
        return (one.line_start, one.line_end) != (two.line_start, two.line_end) or self.before.text != self.after.text


@dataclass
class _Rest:
    """The definitions that have no match yet."""

    gone: list[Worded] = field(default_factory=list)
    new: list[Worded] = field(default_factory=list)


def compare(pairs: Iterable[FilePair]) -> list[Match]:
    """Match all definitions of all file pairs, first within each file and then across files."""
    matches: list[Match] = []
    unmatched = _Rest()
    for before, after in pairs:
        _compare_files(before.worded if before else (), after.worded if after else (), matches, unmatched)
    matches += _families(unmatched)
    matches += _settle(unmatched, lambda item: (item.group, item.definition.name, item.tokens))
    matches += _settle(unmatched, lambda item: _renamed_key(item, item.nameless))
    matches += _alike(unmatched, lambda item: item.nameless)
    return [*matches, *(Match(item, None) for item in unmatched.gone), *(Match(None, item) for item in unmatched.new)]


def overlap(before: Sheet, after: Sheet) -> float:
    """Return the share of definitions that two files have in common, by name and tokens."""
    one = Counter((item.key, item.tokens) for item in before.worded)
    two = Counter((item.key, item.tokens) for item in after.worded)
    larger = max(one.total(), two.total())
    return (one & two).total() / larger if larger else 0.0


def _compare_files(old: tuple[Worded, ...], new: tuple[Worded, ...], matches: list[Match], unmatched: _Rest) -> None:
    waiting: dict[tuple[str, str, str], list[Worded]] = {}
    for item in new:
        waiting.setdefault(item.key, []).append(item)
    overloads: dict[tuple[str, str, str], list[Worded]] = {}
    for item in old:
        overloads.setdefault(item.key, []).append(item)
    for key, ours in overloads.items():
        theirs = waiting.pop(key, [])
        # Match overloads by equal text first, then by equal tokens, then by equal signature, then by order.
        for same in (lambda item: item.text, lambda item: item.tokens, lambda item: item.head):
            matches += _pair_off(ours, theirs, same)
        matches += [Match(one, two) for one, two in zip(ours, theirs, strict=False)]
        unmatched.gone += ours[len(theirs) :]
        unmatched.new += theirs[len(ours) :]
    for items in waiting.values():
        unmatched.new += items


def _pair_off(ours: list[Worded], theirs: list[Worded], same: Callable[[Worded], Hashable]) -> list[Match]:
    """Match items with equal keys in order and remove them from both lists."""
    if not ours or not theirs:
        return []
    partners: dict[Hashable, list[Worded]] = {}
    for item in reversed(theirs):
        partners.setdefault(same(item), []).append(item)
    found: list[Match] = []
    for item in list(ours):
        stack = partners.get(same(item))
        if stack:
            partner = stack.pop()
            found.append(Match(item, partner))
            _drop(ours, item)
            _drop(theirs, partner)
    return found


def _drop(items: list[Worded], item: Worded) -> None:
    del items[next(at for at, other in enumerate(items) if other is item)]


def _settle(unmatched: _Rest, key: Callable[[Worded], Hashable | None]) -> list[Match]:
    """Match definitions with equal keys; the key None matches nothing."""
    partners: dict[Hashable, list[Worded]] = {}
    for item in reversed(unmatched.new):
        found = key(item)
        if found is not None:
            partners.setdefault(found, []).append(item)
    matches: list[Match] = []
    gone: list[Worded] = []
    taken: set[int] = set()
    for item in unmatched.gone:
        wanted = key(item)
        stack = partners.get(wanted) if wanted is not None else None
        if stack:
            # Of several copies prefer the one in the same file.
            near = next((at for at, other in enumerate(stack) if other.symbol.path == item.symbol.path), -1)
            partner = stack.pop(near)
            taken.add(id(partner))
            matches.append(Match(item, partner))
        else:
            gone.append(item)
    unmatched.gone = gone
    unmatched.new = [item for item in unmatched.new if id(item) not in taken]
    return matches


def _families(unmatched: _Rest) -> list[Match]:
    """Match containers by all of their content; their members then follow by name."""
    gone, new = _children(unmatched.gone), _children(unmatched.new)
    heads = _Rest(
        [item for item in unmatched.gone if _place(item) in gone],
        [item for item in unmatched.new if _place(item) in new],
    )
    matches = _settle(heads, lambda item: (item.group, item.definition.name, item.whole))
    matches += _settle(heads, lambda item: _renamed_key(item, item.whole))
    matches += _alike(heads, lambda item: item.whole)
    for match in matches:  # the list grows during iteration: members have members
        assert match.before is not None and match.after is not None
        waiting: dict[tuple[str, str], list[Worded]] = {}
        for item in new.get(_place(match.after), ()):
            waiting.setdefault((item.group, item.definition.name), []).append(item)
        for item in gone.get(_place(match.before), ()):
            partners = waiting.get((item.group, item.definition.name))
            if partners:
                matches.append(Match(item, partners.pop(0)))
    matches = _once(matches)
    taken = {id(item) for match in matches for item in (match.before, match.after)}
    unmatched.gone = [item for item in unmatched.gone if id(item) not in taken]
    unmatched.new = [item for item in unmatched.new if id(item) not in taken]
    return matches


def _once(matches: list[Match]) -> list[Match]:
    """Keep one match per definition; a nested type may match by itself and again with its container."""
    seen: set[int] = set()
    kept = []
    for match in matches:
        if id(match.before) not in seen and id(match.after) not in seen:
            seen |= {id(match.before), id(match.after)}
            kept.append(match)
    return kept


def _children(items: list[Worded]) -> dict[tuple[int, int], list[Worded]]:
    """Group these items by the definition that directly contains them."""
    found: dict[tuple[int, int], list[Worded]] = {}
    for item in items:
        if item.definition.parent >= 0:
            found.setdefault((id(item.sheet), item.definition.parent), []).append(item)
    return found


def _place(item: Worded) -> tuple[int, int]:
    return id(item.sheet), item.symbol.position


def _renamed_key(item: Worded, tokens: Tokens) -> Hashable | None:
    """Return a key that ignores the own name; None if the definition is too short to be distinctive."""
    return (item.group, tokens) if len(tokens) >= _TOKENS_TO_RENAME else None


def _alike(unmatched: _Rest, tokens: Callable[[Worded], Tokens]) -> list[Match]:
    """Match definitions that were moved or renamed and also edited, most similar pairs first."""
    if len(unmatched.gone) * len(unmatched.new) > _MOST_PAIRS:
        return []
    shapes = {id(item): Counter(pairwise(tokens(item))) for item in (*unmatched.gone, *unmatched.new)}
    sizes = {key: shape.total() for key, shape in shapes.items()}
    if sum(sizes[id(item)] for item in unmatched.gone) * len(unmatched.new) > _MOST_STEPS:
        return []
    scored = []
    for at, one in enumerate(unmatched.gone):
        for to, two in enumerate(unmatched.new):
            if one.group != two.group:
                continue
            short, long = sorted((sizes[id(one)], sizes[id(two)]))
            needed = _needed(one, two)
            # Texts of very different lengths cannot be similar enough.
            if short < 2 * _TOKENS_TO_RENAME or 2 * short < needed * (short + long):
                continue
            score = _similarity(shapes[id(one)], shapes[id(two)])
            if score >= needed:
                scored.append((-score, at, to))
    matches = []
    gone, new = set(range(len(unmatched.gone))), set(range(len(unmatched.new)))
    for _, at, to in sorted(scored):
        if at in gone and to in new:
            gone.discard(at)
            new.discard(to)
            matches.append(Match(unmatched.gone[at], unmatched.new[to]))
    unmatched.gone = [unmatched.gone[at] for at in sorted(gone)]
    unmatched.new = [unmatched.new[to] for to in sorted(new)]
    return matches


def _needed(one: Worded, two: Worded) -> float:
    same = one.definition.name == two.definition.name
    if same and (one.definition.scope == two.definition.scope or one.symbol.path == two.symbol.path):
        return _SAME_PLACE
    return _ELSEWHERE


def _similarity(one: Counter[tuple[str, str]], two: Counter[tuple[str, str]]) -> float:
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 0.0
