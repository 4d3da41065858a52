"""EnginePort: the part of the engine that tools and surfaces call, as a Protocol so that nothing here imports it."""

from collections.abc import Callable
from typing import Protocol

from codecompass.contract.triage_port import TriagePort
from codecompass.model.call import Call
from codecompass.model.history_facts import HistoryAnswer
from codecompass.model.job import Job
from codecompass.model.maintenance.download_values import (
    ExtensionReport,
    ProbeOrder,
    Supplies,
    SupplyOrder,
    SupplyReport,
)
from codecompass.model.maintenance.maintenance_orders import (
    BootstrapOrder,
    BootstrapReport,
    BuildOrder,
    BuildReport,
    CleanOrder,
    CompactOrder,
    CompactReport,
    StateReport,
    SweepOrder,
    SweepReport,
)
from codecompass.model.maintenance.portable_index import PortableOrder, PortableReport
from codecompass.model.maintenance.workspace_usage import Abilities, Inventory, Workplace
from codecompass.model.memory_values import (
    Access,
    DangerQuery,
    DangerReport,
    Discovery,
    Imported,
    MemoryAnswer,
    MemoryFilter,
    MemoryHit,
    MemoryList,
    MemoryQuery,
    ModuleMemory,
    NewDiscovery,
    ProjectMemory,
    Session,
)
from codecompass.model.queries.context_bundle import Bundle, BundleQuery, Piece
from codecompass.model.queries.file_excerpt import Excerpt, ExcerptQuery
from codecompass.model.queries.file_reading import FileReading, ReadQuery
from codecompass.model.queries.grep_query import GrepAnswer, GrepQuery
from codecompass.model.queries.navigation_queries import CallGraph, Hierarchy, References, Target
from codecompass.model.queries.results import Check, Explanation, Health, Hits, Outline, ProjectStatus, ViewState
from codecompass.model.queries.risk_report import RiskQuery, RiskReport
from codecompass.model.queries.search_query import GraphQuery, HierarchyQuery, LocateQuery, ReferenceQuery, SearchQuery
from codecompass.model.queries.symbol_difference import Difference, DiffQuery
from codecompass.model.queries.symbol_inspection import Inspected, InspectQuery, Troubles
from codecompass.model.refs import RefList


class EnginePort(TriagePort, Protocol):
    """Synchronous, free of protocol words; every method raises Failure and nothing else."""

    def init(self, path: str) -> ProjectStatus:
        """Register a project; doing it twice changes nothing."""

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        """One project at one ref."""

    def start_job(self, workspace: str | None, ref: str | None, *, mode: str, force: bool) -> Job:
        """Start indexing in a child process and answer at once."""

    def cancel_job(self, workspace: str | None, job_id: str | None) -> Job:
        """End a job and its processes; without an id the one at work. JOB_NOT_FOUND when it is not at work."""

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
        """Index in this process; progress goes to `call.report`. Without `register` the project must be known."""

    def locate(self, workspace: str | None, query: LocateQuery, call: Call) -> Hits:
        """Definitions with that name."""

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits:
        """Whatever answers the words."""

    def search_modes(
        self, workspace: str | None, query: SearchQuery, modes: tuple[str, ...], call: Call
    ) -> tuple[Hits, ...]:
        """The same in several kinds of text, all of one published state."""

    def asks_records(self, query: SearchQuery) -> bool:
        """Whether a filter that only records can pass stands in a query for which no kind of text was named."""

    def explain(self, workspace: str | None, query: SearchQuery, target: Target, call: Call) -> Explanation:
        """Where one result stands in the answer to a query, and why."""

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
        """The symbols of one file, nested; with a handle of a symbol, that symbol alone."""

    def diff(self, workspace: str | None, query: DiffQuery, call: Call) -> Difference:
        """Symbols that differ between two refs, or a ref and the working tree."""

    def refs(self, workspace: str | None, contains: str, limit: int, call: Call) -> RefList:
        """Refs and worktrees of the repository, and what is indexed of each."""

    def history(
        self, workspace: str | None, path: str, ref: str | None, lines: tuple[int, int] | None, call: Call
    ) -> HistoryAnswer:
        """Who changed a file last, how much it changes, and who wrote the lines that are named."""

    def bundle(self, workspace: str | None, query: BundleQuery, cost: Callable[[Piece], int], call: Call) -> Bundle:
        """The code that answers a question within its budget."""

    def references(self, workspace: str | None, query: ReferenceQuery, call: Call) -> References:
        """Where a symbol is used."""

    def call_graph(self, workspace: str | None, query: GraphQuery, call: Call) -> CallGraph:
        """Who calls a symbol, and whom it calls."""

    def hierarchy(self, workspace: str | None, query: HierarchyQuery, call: Call) -> Hierarchy:
        """What a symbol stands in, and the types above and below it."""

    def inspect(self, workspace: str | None, query: InspectQuery, call: Call) -> Inspected:
        """All that is known of one symbol."""

    def troubles(
        self, workspace: str | None, ref: str | None, within: tuple[str, ...], limit: int, freshness: str, call: Call
    ) -> Troubles:
        """What parsers and linters say of files."""

    def excerpt(self, workspace: str | None, query: ExcerptQuery, call: Call) -> Excerpt:
        """Some lines of one file."""

    def grep(self, workspace: str | None, query: GrepQuery, call: Call) -> GrepAnswer:
        """Lines that a pattern matches."""

    def read(self, workspace: str | None, query: ReadQuery, call: Call) -> FileReading:
        """One file whole, with the files that it needs."""

    def risks(self, workspace: str | None, query: RiskQuery, call: Call) -> RiskReport:
        """What untrusted values reach, and what is dangerous by itself."""

    # -- memory ----------------------------------------------------------------------------------------------------

    def remember(self, workspace: str | None, new: NewDiscovery, call: Call) -> Discovery:
        """Record a statement, secrets taken out; what it supersedes is marked so. The same text twice is one."""

    def recall(self, workspace: str | None, query: MemoryQuery, call: Call) -> MemoryAnswer:
        """What is recorded about something, with whether it still holds; no hits when nothing is."""

    def discoveries(self, workspace: str | None, wanted: MemoryFilter, call: Call) -> MemoryList:
        """Discoveries as a list, newest first, unranked and unchecked."""

    def discovery(self, workspace: str | None, discovery_id: str, ref: str | None, call: Call) -> MemoryHit:
        """One discovery with its verdicts; RESULT_NOT_FOUND when there is none of that id."""

    def supersede(self, workspace: str | None, discovery_id: str, by: str, call: Call) -> Discovery:
        """Mark one discovery as replaced by another; both must be there."""

    def forget(self, workspace: str | None, discovery_id: str, call: Call) -> Discovery:
        """Show a discovery no more, also after it is mined again."""

    def export_memory(self, workspace: str | None, call: Call) -> str:
        """What was recorded, superseded and forgotten as Markdown that `import_memory` reads back."""

    def import_memory(self, workspace: str | None, text: str, call: Call) -> Imported:
        """Take in what `export_memory` wrote; what is known already stays as it is."""

    def endangered(self, workspace: str | None, query: DangerQuery, call: Call) -> DangerReport:
        """Which discoveries a change puts at risk, and why."""

    def memory_overview(self, workspace: str | None, ref: str | None, call: Call) -> ProjectMemory:
        """What is known of the project as a whole."""

    def memory_module(self, workspace: str | None, name: str, ref: str | None, call: Call) -> ModuleMemory:
        """What is known of one module; RESULT_NOT_FOUND when there is none of that name."""

    def note(self, workspace: str | None, session: str, kind: str, subject: str, client: str = "") -> None:
        """Write down what a session did; the first note begins it. A full disk is no failure: notes are a courtesy."""

    def end_session(self, workspace: str | None, session: str) -> None:
        """A session is over."""

    def sessions(self, workspace: str | None, limit: int) -> tuple[Session, ...]:
        """Sessions with their newest events, the newest first."""

    def session(self, workspace: str | None, session: str) -> Session | None:
        """One session with its events."""

    def accesses(self, workspace: str | None, limit: int) -> tuple[Access, ...]:
        """Files that were read (notes of kind `read`), the highest score first."""

    # -- custody ---------------------------------------------------------------------------------------------------

    def build_portable(self, workspace: str | None, order: PortableOrder, call: Call) -> PortableReport:
        """Write a view out as one SQLite file."""

    def portable(self, workspace: str | None) -> PortableReport:
        """What is known of a project's own portable file."""

    def workplaces(self, workspace: str | None) -> tuple[Workplace, ...]:
        """One registered workspace, or all that may be named."""

    def inventory(self, workspace: str | None, *, everything: bool = False) -> Inventory:
        """What stands on disk for one project, and with `everything` for each of the others."""

    def abilities(self) -> Abilities:
        """What this installation can do."""

    def download_models(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Fetch embedding models."""

    def download_dictionaries(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Fetch word lists."""

    def download_extensions(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Fetch an extension of SQLite."""

    def verify_extension(self, workspace: str | None, order: ProbeOrder) -> ExtensionReport:
        """Whether the vector extension is there and works."""

    def supplies(self, workspace: str | None) -> Supplies:
        """Models and word lists that are there."""

    def health(self, workspace: str | None) -> Health:
        """The whole engine at one moment."""

    def build(self, workspace: str | None, order: BuildOrder, call: Call) -> BuildReport:
        """Index in a child process and wait for it."""

    def compact(self, workspace: str | None, order: CompactOrder, call: Call) -> CompactReport:
        """Write databases anew without their free pages."""

    def sweep(self, workspace: str | None, order: SweepOrder, call: Call) -> SweepReport:
        """Remove derived data of projects that nobody uses."""

    def clean(self, workspace: str | None, order: CleanOrder, call: Call) -> SweepReport:
        """Remove the derived data of one project or of all."""

    def bootstrap(self, workspace: str | None, order: BootstrapOrder, call: Call) -> BootstrapReport:
        """Everything a new working place needs, step by step."""

    def export_state(self, workspace: str | None, ref: str | None, target: str, call: Call) -> StateReport:
        """Write the published index out as one file."""

    def import_state(self, workspace: str | None, source: str, call: Call) -> StateReport:
        """Begin from such a file, then sync what differs."""

    def doctor(self, workspace: str | None, *, read_data: bool = False) -> tuple[Check, ...]:
        """What is in order and what is not."""

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """How far answers can be trusted; cheap, and never raises."""

    def close(self) -> None:
        """Let go of files, locks and threads."""
