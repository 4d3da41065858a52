"""Compare: which definitions of two sides are the same one, and what became of each. Pure."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from codecompass.engine.navigate.wording import Sheet, Worded

_SAME_PLACE = 0.6
_ELSEWHERE = 0.8
"""How alike two definitions must be to count as one: with the same name and scope, or without."""
_TOKENS_TO_RENAME = 8
"""Shorter definitions say too little: `x = 1` and `y = 1` are two constants, not one renamed."""
_MOST_PAIRS = 40_000
"""Beyond this many pairs nothing is guessed: what left is removed and what came is added."""

FilePair = tuple[Sheet | None, Sheet | None]


@dataclass(frozen=True)
class Match:
    """A definition on both sides, or on one."""

    before: Worded | None
    after: Worded | None

    @cached_property
    def change(self) -> str:
        """One of the model's CHANGES, or empty."""
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
        """Equal in what it says, not in where or how it stands."""
        if self.before is None or self.after is None or self.change or self.doc_changed:
            return False
        one, two = self.before.definition, self.after.definition
        return (one.line_start, one.line_end) != (two.line_start, two.line_end) or self.before.text != self.after.text


@dataclass
class _Rest:
    """What found no partner yet."""

    gone: list[Worded] = field(default_factory=list)
    new: list[Worded] = field(default_factory=list)


def compare(pairs: Iterable[FilePair]) -> list[Match]:
    """Every definition of every pair of files, matched inside its file first and then across all of them."""
    matches: list[Match] = []
    rest = _Rest()
    for before, after in pairs:
        _compare_files(before.worded if before else (), after.worded if after else (), matches, rest)
    matches += _settle(rest, lambda item: (item.group, item.definition.name, item.tokens))
    matches += _settle(rest, _renamed_key)
    matches += _alike(rest)
    return [*matches, *(Match(item, None) for item in rest.gone), *(Match(None, item) for item in rest.new)]


def overlap(before: Sheet, after: Sheet) -> float:
    """How much of two files is the same: the share of definitions that both have, by name and wording."""
    one = Counter((item.key, item.tokens) for item in before.worded)
    two = Counter((item.key, item.tokens) for item in after.worded)
    larger = max(one.total(), two.total())
    return (one & two).total() / larger if larger else 0.0


def _compare_files(old: tuple[Worded, ...], new: tuple[Worded, ...], matches: list[Match], rest: _Rest) -> None:
    waiting: dict[tuple[str, str, str], list[Worded]] = {}
    for item in new:
        waiting.setdefault(item.key, []).append(item)
    twins: dict[tuple[str, str, str], list[Worded]] = {}
    for item in old:
        twins.setdefault(item.key, []).append(item)
    for key, ours in twins.items():
        theirs = waiting.pop(key, [])
        # Twins (overloads) keep who they are: first those that say the same, then those with one head, then by order.
        for same in (lambda item: item.text, lambda item: item.tokens, lambda item: item.head):
            matches += _pair_off(ours, theirs, same)
        matches += [Match(one, two) for one, two in zip(ours, theirs, strict=False)]
        rest.gone += ours[len(theirs) :]
        rest.new += theirs[len(ours) :]
    for items in waiting.values():
        rest.new += items


def _pair_off(ours: list[Worded], theirs: list[Worded], same: Callable[[Worded], Hashable]) -> list[Match]:
    """Take out of both lists what has an equal on the other side, in order."""
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


def _settle(rest: _Rest, key: Callable[[Worded], Hashable | None]) -> list[Match]:
    """Pair what is equal by a key; None never pairs."""
    partners: dict[Hashable, list[Worded]] = {}
    for item in reversed(rest.new):
        found = key(item)
        if found is not None:
            partners.setdefault(found, []).append(item)
    matches: list[Match] = []
    gone: list[Worded] = []
    taken: set[int] = set()
    for item in rest.gone:
        wanted = key(item)
        stack = partners.get(wanted) if wanted is not None else None
        if stack:
            # Of several copies the one in the same file is meant.
            near = next((at for at, other in enumerate(stack) if other.symbol.path == item.symbol.path), -1)
            partner = stack.pop(near)
            taken.add(id(partner))
            matches.append(Match(item, partner))
        else:
            gone.append(item)
    rest.gone = gone
    rest.new = [item for item in rest.new if id(item) not in taken]
    return matches


def _renamed_key(item: Worded) -> Hashable | None:
    """Equal but for its own name; only for what says enough to be told from others."""
    if len(item.tokens) < _TOKENS_TO_RENAME:
        return None
    return item.group, item.nameless


def _alike(rest: _Rest) -> list[Match]:
    """Moved or renamed and changed at once: the most similar pairs, each definition used once."""
    if len(rest.gone) * len(rest.new) > _MOST_PAIRS:
        return []
    shapes = {id(item): _shape(item) for item in (*rest.gone, *rest.new)}
    scored = []
    for at, one in enumerate(rest.gone):
        for to, two in enumerate(rest.new):
            if one.group != two.group:
                continue
            score = _similarity(shapes[id(one)], shapes[id(two)])
            if score >= _needed(one, two):
                scored.append((-score, at, to))
    matches = []
    gone, new = set(range(len(rest.gone))), set(range(len(rest.new)))
    for _, at, to in sorted(scored):
        if at in gone and to in new:
            gone.discard(at)
            new.discard(to)
            matches.append(Match(rest.gone[at], rest.new[to]))
    rest.gone = [rest.gone[at] for at in sorted(gone)]
    rest.new = [rest.new[to] for to in sorted(new)]
    return matches


def _needed(one: Worded, two: Worded) -> float:
    if min(len(one.tokens), len(two.tokens)) < 2 * _TOKENS_TO_RENAME:
        return 2.0  # never
    same = one.definition.name == two.definition.name
    if same and (one.definition.scope == two.definition.scope or one.symbol.path == two.symbol.path):
        return _SAME_PLACE
    return _ELSEWHERE


def _shape(item: Worded) -> Counter[tuple[str, str]]:
    return Counter(pairwise(item.nameless))


def _similarity(one: Counter[tuple[str, str]], two: Counter[tuple[str, str]]) -> float:
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 0.0
