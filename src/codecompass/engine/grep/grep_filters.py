"""Grep filters: decide which files and lines pass the glob and the filters of a search.

Filters on definitions apply to the innermost definition that contains the line. A file whose current content is not
indexed has no known definitions. A search with such a filter skips the file and reports it.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from codecompass.engine.grep.line_matches import Passes
from codecompass.engine.search.filters.filter_set import Sieve, holds
from codecompass.engine.search.filters.path_patterns import PathTest, glob_test
from codecompass.engine.search.filters.predicates import Setting, ready
from codecompass.engine.search.filters.units import OUTSIDE, Dossier, GitSide, OpenedCount, Unit
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.languages.detection import HEAD_BYTES
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.filters import BY_FIELD, LONGEST, Filters, wrong_value

_BY_PATH = frozenset({"path", "file", "ext"})
_BY_LINE = frozenset({"lang"})
"""File-level fields that are tested per line, because a file can embed other languages."""
UNSEEN = "{} changed files have no definitions yet and were left out of this filtered search; call sync_repo first."


def file_test(glob: str | None) -> PathTest | None:
    """Compile a glob into a path test; a leading `!` inverts it."""
    if glob is None:
        return None
    if not 0 < len(glob.strip("!")) <= LONGEST:
        raise wrong_value("filePattern", "maxLength", f"must have between 1 and {LONGEST} characters")
    if not glob.startswith("!"):
        return glob_test("filePattern", glob, case=True)
    excluded = glob_test("filePattern", glob[1:], case=True)
    return lambda path: not excluded(path)


@dataclass
class Narrowing:
    """The compiled filters of one search."""

    filters: Filters
    registry: Registry
    view: PinnedView | None
    git: GitSide
    call: Call
    paths: PathIndex | None = None
    unseen: set[str] = field(default_factory=set)
    """Files that were skipped because their definitions are not known."""

    def __post_init__(self) -> None:
        self._setting = Setting(self.registry, time.time(), case_file=False)
        self._values = {row.field: ready(row.field, value, self._setting) for row, value in self.filters}
        self._sieve: Sieve | None = None
        if self.filters and self.view is not None and self.paths is not None:
            self._sieve = Sieve(self.view, self.paths, self.filters, Filters(), "", self._setting, self.git, self.call)
        self._of_lines = {
            name: value
            for name, value in self._values.items()
            if BY_FIELD[name].scope != "file" or name in _BY_LINE or name == "churnMin"
        }

    def admits(self, path: str) -> bool:
        """Return whether lines of an indexed file may match."""
        return self._sieve is None or self._sieve.admits(path)

    def prepare(self, paths: Iterable[str]) -> None:
        """Prefetch the git data that the filters need for these indexed files, in one batch."""
        if self._sieve is not None:
            self._sieve.prepare(paths)

    def judge(self, path: str) -> Passes | None:
        """Return a test on line numbers of an indexed file, or None if every line passes."""
        if not self._of_lines or self.view is None:
            return None
        blob_facts = Dossier(self.view, self.view.entries[path].blob, OpenedCount())
        settled: dict[tuple[int, int], bool] = {}

        def passes(line: int) -> bool:
            position = _innermost(blob_facts, line)
            key = (position, line if position == OUTSIDE else 0)
            if key not in settled:
                self.call.check()
                settled[key] = self._passes(self._unit(path, blob_facts, position, line))
            return settled[key]

        return passes

    def _unit(self, path: str, blob_facts: Dossier, position: int, line: int) -> Unit:
        if position == OUTSIDE:
            return Unit(path, blob_facts, self.git, OUTSIDE, line, line)
        item = blob_facts.facts.definitions[position]
        return Unit(path, blob_facts, self.git, position, item.line_start, item.line_end)

    def _passes(self, unit: Unit) -> bool:
        return all(holds(name, unit, value) for name, value in self._of_lines.items())

    def admits_loose(self, path: str, data: bytes) -> bool:
        """Return whether a file without current index data passes; if it does, all of its lines pass."""
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
        # Nothing is known about the commits of a new file.
        if self.view is None or path not in self.view.entries:
            return False
        blob_facts = Dossier(self.view, self.view.entries[path].blob, OpenedCount())
        return holds(name, Unit(path, blob_facts, self.git, OUTSIDE, 1, 0, whole=True), value)


def _fits(path: str, name: str, value: Any) -> bool:  # noqa: ANN401 - endings or tests
    """Apply a path filter to a path that is not in the view."""
    if name == "ext":
        return path.lower().endswith(value)
    base = path.rpartition("/")[2]
    return any(test(path) or (name == "file" and test(base)) for test in value)


def _innermost(blob_facts: Dossier, line: int) -> int:
    found = OUTSIDE
    for position, item in enumerate(blob_facts.facts.definitions):
        if item.line_start > line:
            break
        if line <= item.line_end:
            found = position
    return found
