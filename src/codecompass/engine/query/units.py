"""Units: what filters look at — a definition, text outside all definitions, or a whole file — and its facts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from codecompass.engine.history import ViewHistory
from codecompass.engine.view import PinnedView
from codecompass.model.code import Definition, Facts
from codecompass.model.history import Commit
from codecompass.model.risk import RiskFlow, RiskUse
from codecompass.model.traits import Insight, Traits

OUTSIDE = -1
"""The position of what stands in no definition."""


@dataclass
class OpenedCount:
    """How many blobs were unpacked for one search."""

    count: int = 0


@dataclass
class Dossier:
    """The facts of one blob by definition; made once for all its definitions."""

    view: PinnedView
    blob: int
    opened: OpenedCount
    """Counts what is unpacked. No method of the owner: a cycle would hold all facts until the collector runs."""

    @cached_property
    def facts(self) -> Facts:
        self.opened.count += 1
        return self.view.snapshot.facts(self.blob)

    @cached_property
    def names(self) -> list[tuple[int, int]]:
        """(line of the name, position) of every definition, by line."""
        return sorted((item.name_line, at) for at, item in enumerate(self.facts.definitions))

    @cached_property
    def insight(self) -> Insight:
        return self.view.snapshot.insight(self.blob)

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
    def complaints(self) -> dict[int, list[int]]:
        """Innermost definition → the lines on which a parser or a linter complains."""
        found: dict[int, list[int]] = {}
        for row in (*self.insight.diagnostics, *(self.view.snapshot.lint(self.blob) or ())):
            found.setdefault(self._innermost(row.line), []).append(row.line)
        return found

    def _innermost(self, line: int) -> int:
        found = OUTSIDE
        for position, item in enumerate(self.facts.definitions):
            if item.line_start > line:
                break
            if line <= item.line_end:
                found = position
        return found


@dataclass
class GitSide:
    """What git says of files and lines, asked for when the first filter needs it."""

    open: Callable[[], ViewHistory]
    notes: list[str] = field(default_factory=list)
    """What the caller should know: that git says nothing, or that there was no time to ask it."""

    @cached_property
    def _history(self) -> ViewHistory:
        found = self.open()
        if found.git != "ok":
            self._note(f"Nothing is known of authors and changes: {found.reason}")
        return found

    def last(self, path: str) -> Commit | None:
        """The newest commit that changed a file."""
        return self._history.last(path)

    def count(self, paths: list[str]) -> None:
        """Count what commits changed in these files, all at once, which is much cheaper than one by one."""
        self._history.count(paths)

    def churn(self, path: str) -> int | None:
        found = self._history.churn(path)
        if found is None and self._history.last(path) is not None:
            self._note("How much some files change was not counted in time; they are left out. Ask again for the rest.")
        return found

    def authors(self, path: str, first: int, last: int) -> tuple[str, ...]:
        found = self._history.authors(path, first, last)
        if found.reason and self._history.git == "ok":
            self._note(f"Authors of lines were not all found, and what is left is left out: {found.reason}")
        return tuple(row.author for row in found.authors)

    @property
    def is_cut(self) -> bool:
        return bool(self.notes)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that passes filters or does not."""

    path: str
    dossier: Dossier
    git: GitSide
    position: int
    first: int
    last: int
    whole: bool = False
    """The file itself."""

    @property
    def definition(self) -> Definition | None:
        return self.dossier.facts.definitions[self.position] if self.position >= 0 else None

    @property
    def traits(self) -> Traits:
        return self.dossier.traits.get(self.position) or Traits(self.position)

    def own_lines(self) -> list[tuple[int, int]]:
        """Its lines without those of the definitions inside it, as ranges."""
        found, at = [], self.first
        for position, item in enumerate(self.dossier.facts.definitions):
            inside = self.first <= item.line_start and item.line_end <= self.last
            # What stands on the same lines, such as a field that a parameter makes, takes none away.
            if position == self.position or not inside or (item.line_start, item.line_end) == (self.first, self.last):
                continue
            if item.line_start > at:
                found.append((at, item.line_start - 1))
            at = max(at, item.line_end + 1)
        return [*found, (at, self.last)] if at <= self.last else found
