"""A small engine for tests of contract and runtime: answers from memory, and can be told to misbehave."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import ControlFlowCounts, Diagnostic, Parameter, Traits
from codecompass.model.history_facts import Commit, FileHistory, HistoryAnswer, LineAuthor, LineAuthors
from codecompass.model.job import Job
from codecompass.model.maintenance.download_values import (
    DictionaryState,
    DownloadReport,
    DownloadRequest,
    DownloadResult,
    ExtensionProbeRequest,
    ExtensionReport,
    InstalledDownloads,
)
from codecompass.model.maintenance.maintenance_orders import (
    BootstrapReport,
    BootstrapRequest,
    BootstrapStep,
    BuildReport,
    BuildRequest,
    CleanRequest,
    CompactedDatabase,
    CompactReport,
    CompactRequest,
    GcRemoval,
    GcReport,
    GcRequest,
    StateBundleReport,
)
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.model.maintenance.workspace_usage import Capabilities, IndexedRef, ProjectInventory, WorkspaceStatus
from codecompass.model.queries.context_bundle import ContextBundle, ContextBundleQuery, ContextSnippet, OmittedSnippet
from codecompass.model.queries.file_excerpt import ExcerptQuery, FileExcerpt
from codecompass.model.queries.grep_query import GrepAnswer, GrepMatch, GrepQuery
from codecompass.model.queries.navigation_queries import (
    CallEdge,
    CallGraph,
    ExcludedMention,
    Hierarchy,
    HierarchyNode,
    ReferenceReport,
    SymbolNode,
    SymbolTarget,
    SymbolUse,
)
from codecompass.model.queries.results import (
    DoctorCheck,
    Explanation,
    Health,
    Hit,
    Hits,
    Outline,
    OutlineNode,
    ProjectStatus,
    RankedHit,
    Reasons,
    ScoreFactor,
    SymbolLocation,
    ViewState,
)
from codecompass.model.queries.risk_report import RiskFinding, RiskQuery, RiskReport
from codecompass.model.queries.search_query import GraphQuery, HierarchyQuery, LocateQuery, ReferenceQuery, SearchQuery
from codecompass.model.queries.symbol_difference import (
    AffectedCaller,
    DiffQuery,
    DiffSide,
    FileChange,
    SymbolChange,
    SymbolDiff,
    SymbolVersion,
)
from codecompass.model.queries.symbol_inspection import DiagnosticReport, FileDiagnostic, InspectQuery, SymbolInspection
from codecompass.model.refs import RefEntry, RefList, WorktreeEntry
from codecompass.model.states import JobMode, SearchMode
from tests.engine.memory.fake_memory import FakeMemory
from tests.engine.triage.fakes import FakeTriage

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
    parent=SymbolLocation("class", "Auth", "src/auth.py", 1),
    related=(SymbolLocation("class", "Claims", "src/claims.py", 2),),
)


NODE = SymbolNode(
    "sym_1", "b3:1", "fn", "validate", "auth.validate", "src/auth.py", 3, 9, "def validate(token)", "python"
)


@dataclass
class FakeEngine(FakeTriage, FakeMemory):
    hits: tuple[Hit, ...] = (HIT,)
    state: ViewState = READY
    fail: Failure | None = None
    crash: BaseException | None = None
    hold: threading.Event | None = None
    queries: list[object] = field(default_factory=list)
    before: Callable[[Call], None] = lambda call: None
    total: int | None = None
    relaxed: bool = False
    unread: tuple[tuple[str, str], ...] = ()

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

    def start_job(self, workspace: str | None, ref: str | None, *, mode: JobMode, force: bool) -> Job:
        if self.fail is not None:
            raise self.fail
        mode = "full" if force or self.describe(workspace, ref).generation == 0 else "incremental"
        return Job("job_2", ref or "main", mode, "running", "2026-01-01T00:00:00Z")

    def cancel_job(self, workspace: str | None, job_id: str | None) -> Job:
        if self.fail is not None:
            raise self.fail
        return Job(job_id or "job_2", "main", "full", "cancelled", "2026-01-01T00:00:00Z")

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

    def search_modes(
        self, workspace: str | None, query: SearchQuery, modes: tuple[SearchMode, ...], call: Call
    ) -> tuple[Hits, ...]:
        return tuple(self._answer(replace(query, mode=mode), call) for mode in modes)

    def needs_records(self, query: SearchQuery) -> bool:
        return False

    def explain(self, workspace: str | None, query: SearchQuery, target: SymbolTarget, call: Call) -> Explanation:
        self.queries += [query, target]
        if self.fail is not None:
            raise self.fail
        standing = RankedHit(
            HIT, (ScoreFactor("exact_match_boost", 1.0, 0.4, 0.4), ScoreFactor("bm25_score", 12.0, 0.6, 0.3))
        )
        return Explanation(standing, 2, 47, "symbol", "sum", standing, self.state)

    def outline(
        self,
        workspace: str | None,
        path: str | None,
        ref: str | None,
        depth: str,
        call: Call,
        freshness: str,
        handle: str | None = None,
    ) -> Outline:
        if self.fail is not None:
            raise self.fail
        child = OutlineNode("method", "run", 2, 3, "def run(self)", "public", "sym_3", "b3:3")
        node = OutlineNode("class", "Auth", 1, 9, "class Auth", "public", "sym_2", "b3:2", children=(child,))
        return Outline(path or "src/auth.py", "python", (node,), 2, self.state)

    def diff(self, workspace: str | None, query: DiffQuery, call: Call) -> SymbolDiff:
        self.queries.append(query)
        if self.fail is not None:
            raise self.fail
        caller = AffectedCaller("src/api.py", 9, "api.login", "call", "resolved")
        one = SymbolChange(
            "modified", "sym_1", "fn", "validate", "auth.validate", "src/auth.py",
            SymbolVersion("def validate(token)", 3, 9), SymbolVersion("def validate(token, strict)", 4, 11),
            signature_changed=True, body_changed=True, callers=(caller,) * min(query.callers, 1), callers_total=1,
        )  # fmt: skip
        count = len(self.hits) if self.total is None else self.total
        return SymbolDiff(
            DiffSide("HEAD", "c" * 40), DiffSide("main", "c" * 40, live=True), self.state,
            files=(FileChange("src/auth.py", "modified", symbols=count),),
            file_totals={"added": 0, "modified": 1, "deleted": 0, "renamed": 0},
            changes=(one,) * min(count, query.limit), totals={"modified": count}, truncated=count > query.limit,
        )  # fmt: skip

    def history(
        self, workspace: str | None, path: str, ref: str | None, lines: tuple[int, int] | None, call: Call
    ) -> HistoryAnswer:
        if self.fail is not None:
            raise self.fail
        last = Commit("c" * 40, "Ada", "2024-01-02T03:04:05+00:00", 1_704_164_645, 1_704_164_645)
        return HistoryAnswer(FileHistory(path, last=last, commits=1, window=10, added=3, deleted=1))

    def refs(self, workspace: str | None, contains: str, limit: int, call: Call) -> RefList:
        if self.fail is not None:
            raise self.fail
        live = RefEntry("live", "live", "c" * 40, indexed=True, freshness="fresh", files=3, symbols=7, is_current=True)
        count = len(self.hits) if self.total is None else self.total
        branches = tuple(RefEntry(f"b{number}", "branch", "d" * 40) for number in range(count))
        refs = (live, *branches)
        here = WorktreeEntry("/repo", "main", "c" * 40, is_current=True, indexed=True)
        return RefList(refs[:limit], len(refs), (here,), "git", self.state, len(refs) > limit)

    def bundle(
        self, workspace: str | None, query: ContextBundleQuery, cost: Callable[[ContextSnippet], int], call: Call
    ) -> ContextBundle:
        self.queries.append(query)
        piece = ContextSnippet(
            "definitions", "src/auth.py", 3, 9, "python", "def validate(token): ...", "matches", "fn", "auth"
        )
        left = (OmittedSnippet("tests", "tests/t.py", 5, "test_it", "sym_3"),)
        return ContextBundle((piece,), cost(piece), left, 3, 47, "symbol", self.state, {"definitions": 1})

    def references(self, workspace: str | None, query: ReferenceQuery, call: Call) -> ReferenceReport:
        self.queries.append(query)
        if self.fail is not None:
            raise self.fail
        sure = SymbolUse("src/api.py", 9, 4, "call", "resolved", "validate(token)", NODE)
        doubt = SymbolUse("src/b.py", 2, 0, "read", "unresolved", "x.validate", None, 3)
        total, counts = 2 if self.total is None else self.total, {"resolved": 1, "unresolved": 1}
        other = ExcludedMention("src/c.py", 4, 2, "call", "other_definition", "y.validate()", (NODE,), "y")
        outside = ExcludedMention("src/d.py", 5, 3, "read", "outside", "lib.validate", (), "lib")
        proofs = (other, outside) if query.explain else ()
        return ReferenceReport(
            NODE, (sure, doubt)[:total], total, counts, {"call": 1, "read": 1}, (), self.state, total > 2,
            {"other_definition": 1, "outside": 1} if proofs or self.unread else {}, proofs, self.unread,
        )  # fmt: skip

    def call_graph(self, workspace: str | None, query: GraphQuery, call: Call) -> CallGraph:
        self.queries.append(query)
        up = CallEdge(NODE, "validate", "src/api.py", 9, 4, 1, "resolved")
        down = CallEdge(None, "decode", "src/auth.py", 5, 8, 2, "unresolved", "sym_1")
        return CallGraph(NODE, (up,), (down,), 1, 1, query.depth, (NODE,), self.state)

    def hierarchy(self, workspace: str | None, query: HierarchyQuery, call: Call) -> Hierarchy:
        self.queries.append(query)
        above = HierarchyNode(None, "Base", "external", 1)
        below = HierarchyNode(NODE, "Child", "resolved", 1, (HierarchyNode(NODE, "Grand", "ambiguous", 2),))
        return Hierarchy(NODE, (NODE,), (above,), (below,), (NODE,), (), self.state)

    def inspect(self, workspace: str | None, query: InspectQuery, call: Call) -> SymbolInspection:
        self.queries.append(query)
        traits = Traits(
            0, (Parameter("token", "str", ""),), "bool", calls=("check",), flow=ControlFlowCounts(branches=2)
        )
        message = Diagnostic(4, 4, "F841", "unused", "ruff")
        last = Commit("c1", "Ada", "2026-01-02T03:04:05Z", 1, 1)
        history = FileHistory("src/auth.py", last=last, commits=3, window=10)
        lines = LineAuthors("src/auth.py", 3, 9, (LineAuthor("Ada", 7, "2026-01-02T03:04:05Z", 1),))
        authors = lines if query.authors else None
        shown = (NODE, "public", "Checks.", (), traits, (message,), Risks(), True, history, authors, ())
        return SymbolInspection(*shown, self.state)

    def list_diagnostics(
        self, workspace: str | None, ref: str | None, within: tuple[str, ...], limit: int, freshness: str, call: Call
    ) -> DiagnosticReport:
        self.queries.append((ref, within, limit, freshness))
        row = FileDiagnostic("src/auth.py", Diagnostic(4, 4, "F841", "unused", "ruff"), "validate")
        return DiagnosticReport((row,), 1, {"F841": 1}, 3, self.state)

    def excerpt(self, workspace: str | None, query: ExcerptQuery, call: Call) -> FileExcerpt:
        self.queries.append(query)
        text = ("def validate(token):", "    return token", "")
        first = query.first or 1
        return FileExcerpt("src/auth.py", "python", first, text[first - 1 : query.last], 3, "00ff", self.state)

    def grep(self, workspace: str | None, query: GrepQuery, call: Call) -> GrepAnswer:
        self.queries.append(query)
        self.before(call)
        match = GrepMatch("src/auth.py", 3, 5, "def validate(token):", ("", "# check"), ("    return token",))
        return GrepAnswer((match,), 1, 12, 1.5, self.state)

    def risks(self, workspace: str | None, query: RiskQuery, call: Call) -> RiskReport:
        one = RiskFinding("src/auth.py", 4, 4, "validate", "sql.query", "r1", "sql", "high", 89, (), 0.9, "local",
                      "req.input", "src/auth.py", 3, 4)  # fmt: skip
        return RiskReport((one,), 1, {"high": 1}, {"sql": 1}, {"local": 1}, 3, (), self.state)

    def build_portable(self, workspace: str | None, order: PortableBuildRequest, call: Call) -> PortableReport:
        self.queries.append(order)
        if self.fail is not None:
            raise self.fail
        return replace(self.portable(workspace), modes=order.modes, built=True)

    def portable(self, workspace: str | None) -> PortableReport:
        return PortableReport("/data/index.sqlite", exists=True, usable=True, fresh=True, bytes=9, ref="main")

    def list_workspaces(self, workspace: str | None) -> tuple[WorkspaceStatus, ...]:
        refs = (IndexedRef("live", "c1", 1, "2026-01-01T00:00:00Z", 3, 7, "fresh"),)
        return (WorkspaceStatus(self.status(workspace, None), True, True, refs, 9, self.portable(workspace)),)

    def inventory(self, workspace: str | None, *, everything: bool = False) -> ProjectInventory:
        status = self.status(workspace, None)
        return ProjectInventory(status, "/data/a1", {"catalog": 5, "sqlite": 4}, self.portable(workspace), "/data", 9)

    def get_capabilities(self) -> Capabilities:
        return Capabilities({"pdf": False}, linter=True, git=True, backends=("auto",), languages=2)

    def build(self, workspace: str | None, order: BuildRequest, call: Call) -> BuildReport:
        self._answer(order, call)
        job = Job("job_1", "main", "full", "published", "2026-01-01T00:00:00Z", changed_files=3, duration_ms=12)
        return BuildReport("/repo", job, READY, {"files": 3}, {"totalMs": 1})

    def compact(self, workspace: str | None, order: CompactRequest, call: Call) -> CompactReport:
        self._answer(order, call)
        return CompactReport("/repo", order.dry_run, (CompactedDatabase("sqlite", "/data/index.sqlite", "missing"),))

    def sweep(self, workspace: str | None, order: GcRequest, call: Call) -> GcReport:
        self._answer(order, call)
        return GcReport("/repo", "/data", order.dry_run, 1, 9)

    def clean(self, workspace: str | None, order: CleanRequest, call: Call) -> GcReport:
        self._answer(order, call)
        return GcReport("/repo", "/data", order.dry_run, 1, 9, (GcRemoval("a1", "/data/a1", 9, "asked"),))

    def bootstrap(self, workspace: str | None, order: BootstrapRequest, call: Call) -> BootstrapReport:
        self._answer(order, call)
        return BootstrapReport("/repo", (BootstrapStep("index", "done", "3 files", 1),))

    def export_state(self, workspace: str | None, ref: str | None, target: str, call: Call) -> StateBundleReport:
        self._answer(target, call)
        return StateBundleReport(target, 9)

    def import_state(self, workspace: str | None, source: str, call: Call) -> StateBundleReport:
        self._answer(source, call)
        return StateBundleReport(source, 9)

    def _fetched(self, order: DownloadRequest, call: Call) -> DownloadReport:
        self._answer(order, call)
        return DownloadReport(
            "/repo", "/data", (DownloadResult("en", "downloaded", "https://example.org/en.txt", "/data/en"),)
        )

    def download_models(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        return self._fetched(order, call)

    def download_dictionaries(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        return self._fetched(order, call)

    def download_extensions(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        return self._fetched(order, call)

    def verify_extension(self, workspace: str | None, order: ExtensionProbeRequest) -> ExtensionReport:
        if self.fail is not None:
            raise self.fail
        return ExtensionReport(platform="linux-x86_64")

    def list_downloads(self, workspace: str | None) -> InstalledDownloads:
        if self.fail is not None:
            raise self.fail
        return InstalledDownloads("/data/models", DictionaryState("/data/dictionaries"))

    def health(self, workspace: str | None) -> Health:
        projects = (self.status(workspace, None),)
        return Health("ready", "0.1.0", 5, True, True, ("python",), (), "complete", projects, ("/repo",))

    def doctor(self, workspace: str | None, *, read_data: bool = False) -> tuple[DoctorCheck, ...]:
        return (
            DoctorCheck("sqlite", "ok", "3.50"),
            DoctorCheck("index", "fail", "damaged", "codecompass index --force"),
        )

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        return self.state

    def close(self) -> None:
        return
