"""Narrowing: which files and which of their lines pass the glob and the filters of a search.

What a filter says of definitions is judged of the innermost one that holds the line. A file that the index does not
have as it is has no definitions yet: where these are asked for it is left out, and that is said.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from codecompass.engine.grep.lines import Passes
from codecompass.engine.query.filtering import Sieve, holds
from codecompass.engine.query.paths import PathIndex
from codecompass.engine.query.patterns import PathTest, glob_test
from codecompass.engine.query.predicates import Setting, ready
from codecompass.engine.query.units import OUTSIDE, Dossier, GitSide, OpenedCount, Unit
from codecompass.engine.view import PinnedView
from codecompass.languages.detection import HEAD_BYTES
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.filters import BY_FIELD, LONGEST, Filters, wrong_value

_BY_PATH = frozenset({"path", "file", "ext"})
_BY_LINE = frozenset({"lang"})
"""Of files, but what stands inside a file may be in another language."""
UNSEEN = "{} changed files have no definitions yet and were left out of this filtered search; call sync_repo first."


def file_test(glob: str | None) -> PathTest | None:
    """The glob as a test; one that begins with `!` takes away what it fits."""
    if glob is None:
        return None
    if not 0 < len(glob.strip("!")) <= LONGEST:
        raise wrong_value("filePattern", "maxLength", f"must have between 1 and {LONGEST} characters")
    if not glob.startswith("!"):
        return glob_test("filePattern", glob, case=True)
    barred = glob_test("filePattern", glob[1:], case=True)
    return lambda path: not barred(path)


@dataclass
class Narrowing:
    """The filters of one search."""

    filters: Filters
    registry: Registry
    view: PinnedView | None
    git: GitSide
    call: Call
    paths: PathIndex | None = None
    unseen: set[str] = field(default_factory=set)
    """Files that were left out because nothing is known of their definitions."""

    def __post_init__(self) -> None:
        self._setting = Setting(self.registry, time.time(), case_file=False)
        self._values = {row.field: ready(row.field, value, self._setting) for row, value in self.filters}
        self._sieve: Sieve | None = None
        if self.filters and self.view is not None and self.paths is not None:
            self._sieve = Sieve(
                self.view, self.paths, self.filters, Filters(), "", self._setting, self.git, self.call
            )
        self._of_lines = {
            name: value
            for name, value in self._values.items()
            if BY_FIELD[name].scope != "file" or name in _BY_LINE or name == "churnMin"
        }

    def admits(self, path: str) -> bool:
        """Whether lines of an indexed file may pass."""
        return self._sieve is None or self._sieve.admits(path)

    def prepare(self, paths: Iterable[str]) -> None:
        """Indexed files that will be looked into: what git is asked of many at once is asked now."""
        if self._sieve is not None:
            self._sieve.prepare(paths)

    def judge(self, path: str) -> Passes | None:
        """The test of the lines of an indexed file by their numbers; None where all pass."""
        if not self._of_lines or self.view is None:
            return None
        dossier = Dossier(self.view, self.view.entries[path].blob, OpenedCount())
        settled: dict[tuple[int, int], bool] = {}

        def passes(line: int) -> bool:
            position = _innermost(dossier, line)
            key = (position, line if position == OUTSIDE else 0)
            if key not in settled:
                self.call.check()
                settled[key] = self._passes(self._unit(path, dossier, position, line))
            return settled[key]

        return passes

    def _unit(self, path: str, dossier: Dossier, position: int, line: int) -> Unit:
        if position == OUTSIDE:
            return Unit(path, dossier, self.git, OUTSIDE, line, line)
        item = dossier.facts.definitions[position]
        return Unit(path, dossier, self.git, position, item.line_start, item.line_end)

    def _passes(self, unit: Unit) -> bool:
        return all(holds(name, unit, value) for name, value in self._of_lines.items())

    def admits_loose(self, path: str, data: bytes) -> bool:
        """Whether a file that the index does not have as it is passes; its lines then all do."""
        for name, value in self._values.items():
            if name == "lang":
                language = self.registry.detect(path, data[:HEAD_BYTES])
                if (self.registry.shown_name(language) or "text") not in value:
                    return False
            elif BY_FIELD[name].scope != "file":
                self.unseen.add(path)
                return False
            elif not self._holds_of(path, name, value):
                return False
        return True

    def _holds_of(self, path: str, name: str, value: Any) -> bool:  # noqa: ANN401 - what the predicate takes
        if name in _BY_PATH:
            return _fits(path, name, value)
        # Of a file that is new nothing is known of its commits.
        if self.view is None or path not in self.view.entries:
            return False
        dossier = Dossier(self.view, self.view.entries[path].blob, OpenedCount())
        return holds(name, Unit(path, dossier, self.git, OUTSIDE, 1, 0, whole=True), value)


def _fits(path: str, name: str, value: Any) -> bool:  # noqa: ANN401 - endings or tests
    """What the filters of paths say of a path that stands in no view."""
    if name == "ext":
        return path.lower().endswith(value)
    base = path.rpartition("/")[2]
    return any(test(path) or (name == "file" and test(base)) for test in value)


def _innermost(dossier: Dossier, line: int) -> int:
    found = OUTSIDE
    for position, item in enumerate(dossier.facts.definitions):
        if item.line_start > line:
            break
        if line <= item.line_end:
            found = position
    return found
