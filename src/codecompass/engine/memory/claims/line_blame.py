"""Line blame: find the commit that wrote the lines of a discovery, so that its claims are checked from there."""

from dataclasses import dataclass, field

from codecompass.engine.memory.corpus import Kept
from codecompass.engine.memory.time_budget import Budget
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.history_facts import Blame, Commit
from codecompass.repo.git.git_log import GitLog
from codecompass.text.sniff import decode

_ASK_S = 3.0
_LARGE = 400_000


@dataclass(frozen=True, slots=True)
class Lines:
    """A file's lines in the view and the commit of each; None for lines that are not committed."""

    texts: list[str]
    commits: list[Commit | None]
    known: bool
    """Whether git could be queried."""


@dataclass
class Births:
    """Reads blame once for each file of a query."""

    project: Project
    view: PinnedView
    budget: Budget
    _files: dict[str, Lines] = field(default_factory=dict)
    _tree: dict[bytes, str] | None = None

    def commit_of(self, entry: Kept, text: str = "") -> tuple[Commit | None, bool]:
        """Return the newest commit of a discovery's lines, or of its line with `text`; and whether git could tell."""
        source = entry.discovery.source
        if not entry.paths or not source.line_start:
            return None, False
        lines = self._lines(entry.paths[0])
        if not lines.known:
            return None, False
        span = range(source.line_start - 1, min(source.line_end, len(lines.commits)))
        if text:
            span_with = [at for at in span if text in lines.texts[at]]
            chosen = span_with[:1] or list(span)
        else:
            chosen = list(span)
        commits = [lines.commits[at] for at in chosen]
        if not commits or any(one is None for one in commits):
            return None, True
        return max((one for one in commits if one is not None), key=lambda one: one.committed), True

    def _lines(self, path: str) -> Lines:
        if path not in self._files:
            try:
                self._files[path] = self._read(path)
            except Failure as failure:
                if failure.code == "CANCELLED":
                    raise
                self._files[path] = Lines([], [], known=False)
        return self._files[path]

    def _read(self, path: str) -> Lines:
        nothing = Lines([], [], known=False)
        now = self.project.reader(self.view).lines(self.view, path)
        if now is None or self.project.workspace.git is None or not self.view.row.commit or self.budget.over():
            return nothing
        name = path.encode("utf-8", "surrogateescape")
        log = GitLog(self.project.git(), stop=self.budget.call.check)
        if self._tree is None:
            self._tree = log.tree(self.view.row.commit, _ASK_S)
        oid = self._tree.get(name)
        if oid is None:
            return Lines(now, [None] * len(now), known=True)
        data = self.project.git().read_blob(oid)
        if data is None or len(data) > _LARGE:
            return nothing
        before = decode(data)[0].split("\n")
        owners = _spread(self._blame(log, name, oid), len(before))
        return Lines(now, _matched(before, owners, now), known=True)

    def _blame(self, log: GitLog, path: bytes, oid: str) -> Blame:
        """Load blame, cached by content: a file that does not change has the same authors."""
        store = self.project.store.history
        known = store.blame(oid, path)
        if known is None:
            left = min(max(self.budget.left(), 0.3), _ASK_S)
            known = log.blame(self.view.row.commit, path, left)
            if not any(one.id in log.borders() for one in known.commits):
                try:
                    store.put_blame(oid, path, known)
                except Failure:
                    return known
        return known


def _spread(blame: Blame, count: int) -> list[Commit | None]:
    found: list[Commit | None] = [None] * count
    for start, size, at in blame.runs:
        for line in range(start - 1, min(start - 1 + size, count)):
            found[line] = blame.commits[at]
    return found


def _matched(before: list[str], owners: list[Commit | None], now: list[str]) -> list[Commit | None]:
    """Map blame to the edited file: equal lines have the same commit, new lines have none."""
    if before == now:
        return owners
    places: dict[str, list[int]] = {}
    for at, line in enumerate(before):
        places.setdefault(line, []).append(at)
    found: list[Commit | None] = []
    for at, line in enumerate(now):
        options = places.get(line, ())
        best = min(options, key=lambda other: abs(other - at), default=None)
        found.append(owners[best] if best is not None else None)
    return found
