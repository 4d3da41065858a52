"""Grep filters: decide which files and lines pass the glob and the filters of a search.

Filters on definitions apply to the innermost definition that contains the line. A file whose current content is not
indexed has no known definitions. A search with such a filter skips the file and reports it.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from codecompass.engine.grep.line_matches import LineTest
from codecompass.engine.search.filters.filter_set import FilterSet, evaluate_filter
from codecompass.engine.search.filters.path_patterns import PathTest, compile_glob_test
from codecompass.engine.search.filters.predicates import FilterValueContext, prepare_value
from codecompass.engine.search.filters.units import OUTSIDE, BlobFacts, FilterUnit, GitFacts, OpenedCount
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.languages.detection import HEAD_BYTES
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.filters import FILTERS_BY_FIELD, MAX_VALUE_LENGTH, Filters, make_invalid_value
from codecompass.model.queries.grep_query import GrepQuery

_PATH_FIELDS = frozenset({"path", "file", "ext"})
_LINE_FIELDS = frozenset({"lang"})
"""File-level fields that are tested per line, because a file can embed other languages."""
SKIPPED_FILES_NOTE = (
    "{} changed files have no definitions yet and were left out of this filtered search; call sync_repo first."
)


def compile_glob(glob: str | None) -> PathTest | None:
    """Compile a glob into a path test; a leading `!` inverts it."""
    if glob is None:
        return None
    if not 0 < len(glob.strip("!")) <= MAX_VALUE_LENGTH:
        raise make_invalid_value("filePattern", "maxLength", f"must have between 1 and {MAX_VALUE_LENGTH} characters")
    if not glob.startswith("!"):
        return compile_glob_test("filePattern", glob, case=True)
    excluded = compile_glob_test("filePattern", glob[1:], case=True)
    return lambda path: not excluded(path)


def build_path_test(query: GrepQuery, registry: Registry) -> PathTest | None:
    """Combine the globs, paths and languages of a query into one test; None if it has none."""
    tests = [test for test in (compile_glob(query.glob), _compile_globs(query.globs)) if test is not None]
    if query.paths:
        tests.append(lambda path: any(path == one or path.startswith(f"{one}/") for one in query.paths))
    if query.languages:
        setting = FilterValueContext(registry, 0.0, case_file=False)
        names = prepare_value("lang", query.languages, setting)
        tests.append(lambda path: (registry.display_name(registry.detect(path, b"")) or "text") in names)
    return (lambda path: all(test(path) for test in tests)) if tests else None


def _compile_globs(globs: tuple[str, ...]) -> PathTest | None:
    if not globs:
        return None
    rules = [(not glob.startswith("!"), compile_glob_test("glob", glob.removeprefix("!"), case=True)) for glob in globs]
    default = not any(keeps for keeps, _ in rules)
    return lambda path: next((keeps for keeps, test in reversed(rules) if test(path)), default)


@dataclass
class GrepFilter:
    """The compiled filters of one search."""

    filters: Filters
    registry: Registry
    view: PinnedView | None
    git: GitFacts
    call: Call
    paths: PathIndex | None = None
    skipped_files: set[str] = field(default_factory=set)
    """Files that were skipped because their definitions are not known."""

    def __post_init__(self) -> None:
        self._setting = FilterValueContext(self.registry, time.time(), case_file=False)
        self._values = {row.field: prepare_value(row.field, value, self._setting) for row, value in self.filters}
        self._filter_set: FilterSet | None = None
        if self.filters and self.view is not None and self.paths is not None:
            self._filter_set = FilterSet(
                self.view, self.paths, self.filters, Filters(), "", self._setting, self.git, self.call
            )
        self._line_values = {
            name: value
            for name, value in self._values.items()
            if FILTERS_BY_FIELD[name].scope != "file" or name in _LINE_FIELDS or name == "churnMin"
        }

    def may_match_file(self, path: str) -> bool:
        """Return whether lines of an indexed file may match."""
        return self._filter_set is None or self._filter_set.may_match_file(path)

    def prefetch(self, paths: Iterable[str]) -> None:
        """Prefetch the git data that the filters need for these indexed files, in one batch."""
        if self._filter_set is not None:
            self._filter_set.prefetch(paths)

    def build_line_test(self, path: str) -> LineTest | None:
        """Return a test on line numbers of an indexed file, or None if every line passes."""
        if not self._line_values or self.view is None:
            return None
        blob_facts = BlobFacts(self.view, self.view.entries[path].blob, OpenedCount())
        settled: dict[tuple[int, int], bool] = {}

        def passes(line: int) -> bool:
            position = _find_innermost(blob_facts, line)
            key = (position, line if position == OUTSIDE else 0)
            if key not in settled:
                self.call.check()
                settled[key] = self._matches_unit(self._build_unit(path, blob_facts, position, line))
            return settled[key]

        return passes

    def _build_unit(self, path: str, blob_facts: BlobFacts, position: int, line: int) -> FilterUnit:
        if position == OUTSIDE:
            return FilterUnit(path, blob_facts, self.git, OUTSIDE, line, line)
        item = blob_facts.facts.definitions[position]
        return FilterUnit(path, blob_facts, self.git, position, item.line_start, item.line_end)

    def _matches_unit(self, unit: FilterUnit) -> bool:
        return all(evaluate_filter(name, unit, value) for name, value in self._line_values.items())

    def matches_unindexed(self, path: str, data: bytes) -> bool:
        """Return whether a file without current index data passes; if it does, all of its lines pass."""
        for name, value in self._values.items():
            if name == "lang":
                language = self.registry.detect(path, data[:HEAD_BYTES])
                if (self.registry.display_name(language) or "text") not in value:
                    return False
            elif FILTERS_BY_FIELD[name].scope != "file":
                self.skipped_files.add(path)
                return False
            elif not self._matches_file_field(path, name, value):
                return False
        return True

    def _matches_file_field(self, path: str, name: str, value: Any) -> bool:  # noqa: ANN401 - what the predicate takes
        if name in _PATH_FIELDS:
            return _matches_path_field(path, name, value)
        # Nothing is known about the commits of a new file.
        if self.view is None or path not in self.view.entries:
            return False
        blob_facts = BlobFacts(self.view, self.view.entries[path].blob, OpenedCount())
        return evaluate_filter(name, FilterUnit(path, blob_facts, self.git, OUTSIDE, 1, 0, is_file=True), value)


def _matches_path_field(path: str, name: str, value: Any) -> bool:  # noqa: ANN401 - endings or tests
    """Apply a path filter to a path that is not in the view."""
    if name == "ext":
        return path.lower().endswith(value)
    base = path.rpartition("/")[2]
    return any(test(path) or (name == "file" and test(base)) for test in value)


def _find_innermost(blob_facts: BlobFacts, line: int) -> int:
    found = OUTSIDE
    for position, item in enumerate(blob_facts.facts.definitions):
        if item.line_start > line:
            break
        if line <= item.line_end:
            found = position
    return found
