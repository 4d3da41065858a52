"""The part of the small engine for tests that remembers: one discovery, always the same."""

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import (
    Discovery,
    DiscoverySource,
    FileAccess,
    ImpactQuery,
    ImpactReport,
    ImportReport,
    MemoryAnswer,
    MemoryFilter,
    MemoryHit,
    MemoryList,
    MemoryQuery,
    ModuleMemory,
    NewDiscovery,
    ProjectMemory,
    SearchCoverage,
    SessionRecord,
)
from codecompass.model.queries.file_reading import Dependency, FileReadResult, ReadQuery
from codecompass.model.queries.results import ViewState

DISCOVERY = Discovery(
    "disc_1", "decision", "Tokens are checked once.", DiscoverySource("recorded"), "Ada", "2026-01-01T00:00:00Z", "auth"
)
SEARCHED = SearchCoverage({"recorded": 1})
TEXT = "def validate(token):\n    return token\n"


class FakeMemory:
    """What it needs of the engine it is a part of."""

    state: ViewState
    fail: Failure | None
    queries: list[object]

    def _asked(self, query: object) -> None:
        self.queries.append(query)
        if self.fail is not None:
            raise self.fail

    def read(self, workspace: str | None, query: ReadQuery, call: Call) -> FileReadResult:
        self._asked(query)
        needed = (Dependency("src/claims.py", "import", 1, "x = 1\n", 6),) if query.dependencies else ()
        moment = "2026-01-01T00:00:00Z"
        return FileReadResult(
            "src/auth.py", TEXT, len(TEXT), "python", "auth", "core", moment, self.state, None, needed
        )

    def remember(self, workspace: str | None, new: NewDiscovery, call: Call) -> Discovery:
        self._asked(new)
        return DISCOVERY._replace(content=new.content, type=new.type, session=new.session)

    def recall(self, workspace: str | None, query: MemoryQuery, call: Call) -> MemoryAnswer:
        self._asked(query)
        return MemoryAnswer((MemoryHit(DISCOVERY, 0.9, freshness="fresh"),), 1, SEARCHED, self.state, 3)

    def discoveries(self, workspace: str | None, wanted: MemoryFilter, call: Call) -> MemoryList:
        return MemoryList((DISCOVERY,), 1, SEARCHED, self.state)

    def discovery(self, workspace: str | None, discovery_id: str, ref: str | None, call: Call) -> MemoryHit:
        return MemoryHit(DISCOVERY, 1.0, freshness="fresh")

    def supersede(self, workspace: str | None, discovery_id: str, by: str, call: Call) -> Discovery:
        return DISCOVERY._replace(state="superseded", superseded_by=by)

    def forget(self, workspace: str | None, discovery_id: str, call: Call) -> Discovery:
        return DISCOVERY._replace(state="forgotten")

    def export_memory(self, workspace: str | None, call: Call) -> str:
        return "# Discoveries\n"

    def import_memory(self, workspace: str | None, text: str, call: Call) -> ImportReport:
        return ImportReport(1, 0)

    def find_impacted(self, workspace: str | None, query: ImpactQuery, call: Call) -> ImpactReport:
        return ImpactReport((), 0, 1, SEARCHED, self.state)

    def memory_overview(self, workspace: str | None, ref: str | None, call: Call) -> ProjectMemory:
        return ProjectMemory("repo", 3, {"python": 3}, (), (("auth", 3),), {}, (), SEARCHED, self.state)

    def memory_module(self, workspace: str | None, name: str, ref: str | None, call: Call) -> ModuleMemory:
        return ModuleMemory(name, 3, {"python": 3}, (), ())

    def note(self, workspace: str | None, session: str, kind: str, subject: str, client: str = "") -> None:
        self.queries.append((session, kind, subject))

    def end_session(self, workspace: str | None, session: str) -> None:
        self.queries.append((session, "end"))

    def sessions(self, workspace: str | None, limit: int) -> tuple[SessionRecord, ...]:
        return ()

    def session(self, workspace: str | None, session: str) -> SessionRecord | None:
        return None

    def accesses(self, workspace: str | None, limit: int) -> tuple[FileAccess, ...]:
        return ()
