"""Filter units: a definition, text outside all definitions, or a whole file, with the facts that filters test."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Definition, Facts
from codecompass.model.code.risk_facts import RiskFlow, RiskUse
from codecompass.model.code.traits import Analysis, Traits
from codecompass.model.history_facts import Commit

OUTSIDE = -1
"""Position of text outside all definitions."""


@dataclass
class OpenedCount:
    """How many blobs were unpacked for one search."""

    count: int = 0


@dataclass
class BlobFacts:
    """The facts of one blob, grouped by definition; computed once."""

    view: PinnedView
    blob: int
    on_open: OpenedCount
    """Counts unpacked blobs. Not a method of the owner: a cycle would keep all facts until the collector runs."""

    @cached_property
    def facts(self) -> Facts:
        self.on_open.count += 1
        return self.view.snapshot.facts(self.blob)

    @cached_property
    def name_lines(self) -> list[tuple[int, int]]:
        """(line of the name, position) of every definition, by line."""
        return sorted((item.name_line, at) for at, item in enumerate(self.facts.definitions))

    @cached_property
    def insight(self) -> Analysis:
        return self.view.snapshot.analysis(self.blob)

    @cached_property
    def traits(self) -> dict[int, Traits]:
        return {row.at: row for row in self.insight.traits}

    @cached_property
    def uses(self) -> dict[int, list[RiskUse]]:
        found: dict[int, list[RiskUse]] = {}
        for item in self.insight.risks.uses:
            found.setdefault(item.owner, []).append(item)
        return found

    @cached_property
    def flows(self) -> dict[int, list[RiskFlow]]:
        found: dict[int, list[RiskFlow]] = {}
        for item in self.insight.risks.flows:
            found.setdefault(item.owner, []).append(item)
        return found

    @cached_property
    def diagnostic_lines(self) -> dict[int, list[int]]:
        """Innermost definition → the lines of its parser and linter diagnostics."""
        found: dict[int, list[int]] = {}
        for row in (*self.insight.diagnostics, *(self.view.snapshot.lint(self.blob) or ())):
            found.setdefault(self._innermost_definition(row.line), []).append(row.line)
        return found

    def _innermost_definition(self, line: int) -> int:
        found = OUTSIDE
        for position, item in enumerate(self.facts.definitions):
            if item.line_start > line:
                break
            if line <= item.line_end:
                found = position
        return found


@dataclass
class GitFacts:
    """Git facts of files and lines, loaded when the first filter needs them."""

    open_history: Callable[[], ViewHistory]
    notes: list[str] = field(default_factory=list)
    """Notes for the caller: there is no git history, or reading it took too long."""

    @cached_property
    def _history(self) -> ViewHistory:
        found = self.open_history()
        if found.git != "ok":
            self._note(f"Authors and changes are unknown: {found.reason}")
        return found

    def last_commit(self, path: str) -> Commit | None:
        """Return the newest commit that changed a file."""
        return self._history.last_commit(path)

    def count_changes(self, paths: list[str]) -> None:
        """Count the changed lines of these files in one batch, which is much cheaper than one by one."""
        self._history.count_changes(paths)

    def churn(self, path: str) -> int | None:
        found = self._history.churn(path)
        if found is None and self._history.last_commit(path) is not None:
            self._note(
                "The changes of some files were not counted in time; these are left out. Search again to include them."
            )
        return found

    def line_authors(self, path: str, first: int, last: int) -> tuple[str, ...]:
        found = self._history.line_authors(path, first, last)
        if found.reason and self._history.git == "ok":
            self._note(f"The authors of some lines are unknown; these lines are left out: {found.reason}")
        return tuple(row.author for row in found.authors)

    @property
    def is_incomplete(self) -> bool:
        return bool(self.notes)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True, slots=True)
class FilterUnit:
    """A definition, text outside definitions or a file, which passes filters or not."""

    path: str
    blob_facts: BlobFacts
    git: GitFacts
    position: int
    first: int
    last: int
    is_file: bool = False
    """Whether the unit is the whole file."""

    @property
    def definition(self) -> Definition | None:
        return self.blob_facts.facts.definitions[self.position] if self.position >= 0 else None

    @property
    def traits(self) -> Traits:
        return self.blob_facts.traits.get(self.position) or Traits(self.position)

    def own_lines(self) -> list[tuple[int, int]]:
        """Return its line ranges without those of nested definitions."""
        found, at = [], self.first
        for position, item in enumerate(self.blob_facts.facts.definitions):
            inside = self.first <= item.line_start and item.line_end <= self.last
            # A definition on exactly the same lines, such as a field declared by a parameter, excludes nothing.
            if position == self.position or not inside or (item.line_start, item.line_end) == (self.first, self.last):
                continue
            if item.line_start > at:
                found.append((at, item.line_start - 1))
            at = max(at, item.line_end + 1)
        return [*found, (at, self.last)] if at <= self.last else found
