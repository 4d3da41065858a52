"""A small engine for tests of contract and runtime: answers from memory, and can be told to misbehave."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.query import LocateQuery, SearchQuery
from codecompass.model.result import (
    Check,
    Health,
    Hit,
    Hits,
    Outline,
    OutlineNode,
    ProjectStatus,
    Reasons,
    SymbolPlace,
    ViewState,
)

READY = ViewState(ref="main", freshness="fresh", indexing="ready", schema="compatible", generation=1)
EMPTY = ViewState(ref="main", freshness="stale", indexing="not_indexed", schema="not_indexed")

HIT = Hit(
    result_type="symbol",
    result_id="sym_1",
    path="src/auth.py",
    line_start=3,
    line_end=9,
    language="python",
    score=0.951234567,
    reasons=Reasons(1.0, 0.8, 0.0, 1.0, 0.5, 12.34, 0.951234567),
    kind="fn",
    name="validate",
    qualified_name="auth.validate",
    signature="def validate(token)",
    visibility="public",
    symbol_id="sym_1",
    symbol_stable_id="b3:1",
    tier="exact",
    snippet="def validate(token): ...",
    body_preview="def validate(token):\n    return token",
    parent=SymbolPlace("class", "Auth", "src/auth.py", 1),
    related=(SymbolPlace("class", "Claims", "src/claims.py", 2),),
)


@dataclass
class FakeEngine:
    hits: tuple[Hit, ...] = (HIT,)
    state: ViewState = READY
    fail: Failure | None = None
    crash: BaseException | None = None
    hold: threading.Event | None = None
    queries: list[object] = field(default_factory=list)
    before: Callable[[Call], None] = lambda call: None
    total: int | None = None
    relaxed: bool = False

    def _answer(self, query: object, call: Call) -> Hits:
        self.queries.append(query)
        self.before(call)
        if self.hold is not None:
            self.hold.wait(10)
        if self.crash is not None:
            raise self.crash
        if self.fail is not None:
            raise self.fail
        total = len(self.hits) if self.total is None else self.total
        cut = total > len(self.hits)
        return Hits(self.hits, total, self.state, intent="symbol", relaxed=self.relaxed, truncated=cut)

    def init(self, path: str) -> ProjectStatus:
        return self.status(path, None)

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        if self.fail is not None:
            raise self.fail
        job = Job("job_1", "main", "full", "published", "2026-01-01T00:00:00Z", changed_files=3, duration_ms=12)
        return ProjectStatus("a1", "/repo", self.state, 1, 1, 3, 7, None, (job,), None)

    def start_job(self, workspace: str | None, ref: str | None, *, mode: str, force: bool) -> Job:
        if self.fail is not None:
            raise self.fail
        return Job("job_2", ref or "main", mode, "running", "2026-01-01T00:00:00Z")

    def index(
        self,
        workspace: str | None,
        ref: str | None,
        *,
        force: bool,
        call: Call,
        job_id: str | None = None,
        register: bool = True,
    ) -> Job:
        return replace(self.start_job(workspace, ref, mode="full", force=force), status="published")

    def locate(self, workspace: str | None, query: LocateQuery, call: Call) -> Hits:
        return self._answer(query, call)

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits:
        return self._answer(query, call)

    def outline(
        self, workspace: str | None, path: str, ref: str | None, depth: str, call: Call, freshness: str
    ) -> Outline:
        if self.fail is not None:
            raise self.fail
        child = OutlineNode("method", "run", 2, 3, "def run(self)", "public", "sym_3", "b3:3")
        node = OutlineNode("class", "Auth", 1, 9, "class Auth", "public", "sym_2", "b3:2", children=(child,))
        return Outline(path, "python", (node,), 2, self.state)

    def health(self, workspace: str | None) -> Health:
        projects = (self.status(workspace, None),)
        return Health("ready", "0.1.0", 5, True, True, ("python",), (), "complete", projects, ("/repo",))

    def doctor(self, workspace: str | None) -> tuple[Check, ...]:
        return (Check("sqlite", "ok", "3.50"), Check("index", "fail", "damaged", "codecompass index --force"))

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        return self.state

    def close(self) -> None:
        return
