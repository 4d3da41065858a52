"""Line blame: find the commit that wrote the lines of a discovery, so that its claims are checked from there."""

from dataclasses import dataclass, field

from codecompass.engine.history.line_owners import carry_owners
from codecompass.engine.memory.corpus import CorpusEntry
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.history_facts import Blame, Commit
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.git.git_log import GitLog
from codecompass.text.sniff import decode

_GIT_TIMEOUT_S = 3.0
_MAX_BYTES = 400_000


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """A file's lines in the view and the commit of each; None for lines that are not committed."""

    texts: list[str]
    commits: list[Commit | None]
    available: bool
    """Whether git could be queried."""


@dataclass
class LineBlame:
    """Reads blame once for each file of a query."""

    project: Project
    view: PinnedView
    budget: TimeBudget
    _files: dict[str, BlamedLines] = field(default_factory=dict)
    _tree: dict[bytes, str] | None = None

    def find_commit(self, entry: CorpusEntry, text: str = "") -> tuple[Commit | None, bool]:
        """Return the newest commit of a discovery's lines, or of its line with `text`; and whether git could tell."""
        source = entry.discovery.source
        if not entry.paths or not source.line_start:
            return None, False
        lines = self._get_lines(entry.paths[0])
        if not lines.available:
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

    def _get_lines(self, path: str) -> BlamedLines:
        if path not in self._files:
            try:
                self._files[path] = self._read_lines(path)
            except Failure as failure:
                if failure.code == "CANCELLED":
                    raise
                self._files[path] = BlamedLines([], [], available=False)
        return self._files[path]

    def _read_lines(self, path: str) -> BlamedLines:
        nothing = BlamedLines([], [], available=False)
        now = self.project.reader(self.view).read_lines(self.view, path)
        if now is None or self.project.workspace.git is None or not self.view.row.commit or self.budget.is_over():
            return nothing
        name = path.encode("utf-8", "surrogateescape")
        log = GitLog(self.project.git(), stop=self.budget.call.check)
        if self._tree is None:
            self._tree = log.read_tree(self.view.row.commit, _GIT_TIMEOUT_S)
        oid = self._tree.get(name)
        if oid is None:
            return BlamedLines(now, [None] * len(now), available=True)
        data = self.project.git().read_blob(oid)
        if data is None or len(data) > _MAX_BYTES:
            return nothing
        before = decode(data)[0].split("\n")
        owners: list[Commit | None] = [*self._load_blame(log, name, oid).list_line_commits()]
        return BlamedLines(now, carry_owners(before, now, owners, None), available=True)

    def _load_blame(self, log: GitLog, path: bytes, oid: str) -> Blame:
        """Load blame, cached by content: a file that does not change has the same authors."""
        store = self.project.store.history
        known = store.blame(oid, path)
        if known is None:
            left = min(max(self.budget.get_remaining(), 0.3), _GIT_TIMEOUT_S)
            known = log.blame(self.view.row.commit, path, left)
            if not any(one.id in log.list_shallow_commits() for one in known.commits):
                try:
                    store.put_blame(oid, path, known)
                except Failure:
                    return known
        return known
