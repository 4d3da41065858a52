"""Truth: whether a claim made at one commit holds at a later one, decided from git and the files alone.

- `path`: the file is still there (true), or git saw it renamed in the commits between (moved), or neither (gone). Where
  no commit renamed it but a file like it stands elsewhere (git pairs them when it compares the two trees, or at least
  half of the lines of the longer one are in both), nobody can say which it is, and the claim is left out.
- `function`, `type`: the definition of that name in that file, or in the file it became, is the same program: in Python
  the same syntax tree without documentation strings, elsewhere the same text without comments and blanks. The very same
  definition in another file is moved; another text is changed; no such name is gone. Of a type the whole body counts.
- `constant`: the name is bound to the same literal there; elsewhere with the same literal is moved.
- `script`: it is there and runs the same. `command`: it is there.
- `dependency`: that manifest still asks for it, in a version that promises the same if one was said (the first number,
  of 0.x the second too); in another manifest of the same package manager it is moved.

True and moved claims are not stale; changed and gone ones are. A claim is left out where the parser cannot read the
file at the later commit, and where a function has several clauses, of which the lines alone tell only some.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from bench.memory.claims import Stated, constants_in, definitions_in, is_code
from bench.memory.manifests import dependencies_of, manager_of, scripts_of
from bench.memory.plaincode import clauses
from bench.memory.pythoncode import is_readable
from bench.memory.trees import Tree, followed, renames


class Truth(NamedTuple):
    state: str
    """`true`, `moved`, `changed` or `gone`."""
    path: str = ""
    """Where it is now, if it moved."""

    @property
    def stale(self) -> bool:
        return self.state in ("changed", "gone")


Pairs = Iterable[tuple[str, str]]


class Oracle:
    """Judges claims about one tree by a later one."""

    def __init__(self, before: Tree, after: Tree) -> None:
        self.before = before
        self.after = after

    @cached_property
    def moved(self) -> dict[str, str]:
        return followed(self.before, self.after)

    @cached_property
    def alike(self) -> dict[str, str]:
        return renames(self.before, self.after)

    def judge(self, claim: Stated) -> Truth | None:
        """What became of a claim; None where it cannot be told."""
        place = claim.path if claim.path in self.after.blobs else self.moved.get(claim.path, "")
        if claim.kind == "path":
            if not place:
                return None if claim.path in self.alike or self._lives_on(claim.path) else Truth("gone")
            return Truth("true") if place == claim.path else Truth("moved", place)
        if claim.kind in ("function", "type", "constant") and place.endswith(".py") and not self._readable(place):
            return None
        if claim.kind == "function" and self._is_in_parts(claim, place):
            return None
        here = self._pairs(claim.kind, place)
        wanted = (claim.name, claim.form)
        names = {name for name, _ in here}
        if wanted in here or (not claim.form and claim.name in names):
            return Truth("true") if place == claim.path else Truth("moved", place)
        there = "" if claim.kind in ("script", "command") else self._elsewhere(claim, wanted)
        if there:
            return Truth("moved", there)
        return Truth("changed", place) if claim.name in names else Truth("gone")

    def _lives_on(self, path: str) -> bool:
        """Whether some file of the later tree has most of the lines, whatever its name."""
        wanted = _lines(self.before.texts.get(path, ""))
        size = wanted.total()
        return size > 0 and any(
            2 * (wanted & lines).total() >= max(size, lines.total()) for lines in self._later.values()
        )

    @cached_property
    def _later(self) -> dict[str, Counter[str]]:
        return {path: _lines(text) for path, text in self.after.texts.items()}

    def _is_in_parts(self, claim: Stated, place: str) -> bool:
        sides = ((claim.path, self.before), (place, self.after))
        return any(clauses(path, tree.texts.get(path, ""), claim.name) > 1 for path, tree in sides)

    def _readable(self, path: str) -> bool:
        return path in self.after.texts and is_readable(self.after.texts[path])

    def _pairs(self, kind: str, path: str) -> set[tuple[str, str]]:
        """(name, form) of everything of a kind in a file of the later tree."""
        text = self.after.texts.get(path)
        return set(_READERS[kind](path, text)) if text is not None else set()

    def _elsewhere(self, claim: Stated, wanted: tuple[str, str]) -> str:
        """Another file that has the very same, the first by name."""
        sort = manager_of(claim.path)
        for path, found in self._all[claim.kind].items():
            alike = is_code(path) if claim.kind != "dependency" else manager_of(path) == sort
            if path != claim.path and alike and (wanted in found or _named_alone(claim, found)):
                return path
        return ""

    @cached_property
    def _all(self) -> dict[str, dict[str, set[tuple[str, str]]]]:
        kinds = ("function", "type", "constant", "dependency")
        return {kind: {path: self._pairs(kind, path) for path in self.after.texts} for kind in kinds}


def _lines(text: str) -> Counter[str]:
    return Counter(filter(None, (line.strip() for line in text.split("\n"))))


def _named_alone(claim: Stated, found: set[tuple[str, str]]) -> bool:
    return claim.kind == "dependency" and not claim.form and any(name == claim.name for name, _ in found)


def _symbols(path: str, text: str) -> Pairs:
    return ((row.name, row.form) for row in definitions_in(path, text))


def _constants(path: str, text: str) -> Pairs:
    return ((row.name, row.form) for row in constants_in(path, text))


def _scripts(path: str, text: str) -> Pairs:
    return ((row.call, row.form) for row in scripts_of(path, text))


def _dependencies(path: str, text: str) -> Pairs:
    return ((row.name, row.form) for row in dependencies_of(path, text))


_READERS: dict[str, Callable[[str, str], Pairs]] = {
    "function": _symbols,
    "type": _symbols,
    "constant": _constants,
    "script": _scripts,
    "command": _scripts,
    "dependency": _dependencies,
}
