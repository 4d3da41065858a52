"""Navigation of the small engine: one symbol with its uses and relations."""

from codecompass.model.call import Call
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import ControlFlowCounts, Diagnostic, Parameter, Traits
from codecompass.model.history_facts import Commit, FileHistory, LineAuthor, LineAuthors
from codecompass.model.queries.navigation_queries import (
    CallEdge,
    CallGraph,
    ExcludedMention,
    Hierarchy,
    HierarchyNode,
    ReferenceReport,
    SymbolUse,
)
from codecompass.model.queries.risk_report import RiskFinding, RiskQuery, RiskReport
from codecompass.model.queries.search_query import GraphQuery, HierarchyQuery, ReferenceQuery
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
from tests.fake_engine.answers import NODE, FakeAnswers


class FakeNavigation(FakeAnswers):
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

    def risks(self, workspace: str | None, query: RiskQuery, call: Call) -> RiskReport:
        one = RiskFinding("src/auth.py", 4, 4, "validate", "sql.query", "r1", "sql", "high", 89, (), 0.9, "local",
                      "req.input", "src/auth.py", 3, 4)  # fmt: skip
        return RiskReport((one,), 1, {"high": 1}, {"sql": 1}, {"local": 1}, 3, (), self.state)

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

    def refs(self, workspace: str | None, contains: str, limit: int, call: Call) -> RefList:
        if self.fail is not None:
            raise self.fail
        live = RefEntry("live", "live", "c" * 40, indexed=True, freshness="fresh", files=3, symbols=7, is_current=True)
        count = len(self.hits) if self.total is None else self.total
        branches = tuple(RefEntry(f"b{number}", "branch", "d" * 40) for number in range(count))
        refs = (live, *branches)
        here = WorktreeEntry("/repo", "main", "c" * 40, is_current=True, indexed=True)
        return RefList(refs[:limit], len(refs), (here,), "git", self.state, len(refs) > limit)
