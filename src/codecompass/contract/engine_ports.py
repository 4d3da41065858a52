"""Engine ports: the engine's interface for tools and surfaces, as Protocols so that they do not import the engine.

A user that needs one part of the engine names its port. No port declares more than twelve methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the values of all tools take long to import, and each tool imports its own
    from collections.abc import Callable
    from typing import BinaryIO, Literal

    from codecompass.model.call import Call
    from codecompass.model.history_facts import HistoryAnswer
    from codecompass.model.job import Job
    from codecompass.model.maintenance.download_values import (
        DownloadReport,
        DownloadRequest,
        ExtensionProbeRequest,
        ExtensionReport,
        InstalledDownloads,
    )
    from codecompass.model.maintenance.maintenance_orders import (
        BootstrapReport,
        BootstrapRequest,
        BuildReport,
        BuildRequest,
        CleanRequest,
        CompactReport,
        CompactRequest,
        GcReport,
        GcRequest,
        StateBundleReport,
    )
    from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
    from codecompass.model.maintenance.workspace_usage import Capabilities, ProjectInventory, WorkspaceStatus
    from codecompass.model.memory_values import (
        Discovery,
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
        SessionRecord,
    )
    from codecompass.model.queries.context_bundle import ContextBundle, ContextBundleQuery, ContextSnippet
    from codecompass.model.queries.file_excerpt import ExcerptQuery, FileExcerpt
    from codecompass.model.queries.file_reading import FileReadResult, ReadQuery
    from codecompass.model.queries.grep_query import GrepAnswer, GrepQuery, MatchListener
    from codecompass.model.queries.navigation_queries import CallGraph, Hierarchy, ReferenceReport, SymbolTarget
    from codecompass.model.queries.results import (
        DoctorCheck,
        Explanation,
        Health,
        Hits,
        Outline,
        ProjectStatus,
        ViewState,
    )
    from codecompass.model.queries.risk_report import RiskQuery, RiskReport
    from codecompass.model.queries.search_query import (
        GraphQuery,
        HierarchyQuery,
        LocateQuery,
        ReferenceQuery,
        SearchQuery,
    )
    from codecompass.model.queries.symbol_difference import DiffQuery, SymbolDiff
    from codecompass.model.queries.symbol_inspection import DiagnosticReport, InspectQuery, SymbolInspection
    from codecompass.model.refs import RefList
    from codecompass.model.states import FindingSeverity, FindingStatus, FreshnessPolicy, JobMode, SearchMode
    from codecompass.model.triage_values import (
        ContextPackReport,
        ContextPackRequest,
        DecisionRequest,
        IngestReport,
        IngestRequest,
        RecordDetails,
        RecordedDecision,
        RecordList,
    )


class SearchPort(Protocol):
    """Search by name, by words and by meaning."""

    def locate(self, workspace: str | None, query: LocateQuery, call: Call) -> Hits:
        """Find definitions by name."""

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits:
        """Search symbols, snippets and files."""

    def search_modes(
        self, workspace: str | None, query: SearchQuery, modes: tuple[SearchMode, ...], call: Call
    ) -> tuple[Hits, ...]:
        """Search several kinds of text, all in one published generation."""

    def needs_records(self, query: SearchQuery) -> bool:
        """Whether a query without a mode has a filter that only records can match."""

    def explain(self, workspace: str | None, query: SearchQuery, target: SymbolTarget, call: Call) -> Explanation:
        """Explain the rank of one result for a query."""

    def bundle(
        self, workspace: str | None, query: ContextBundleQuery, cost: Callable[[ContextSnippet], int], call: Call
    ) -> ContextBundle:
        """Collect the code that answers a question, within a token budget."""


class NavigationPort(Protocol):
    """Relations of symbols, and differences between refs."""

    def references(self, workspace: str | None, query: ReferenceQuery, call: Call) -> ReferenceReport:
        """Find the uses of a symbol."""

    def call_graph(self, workspace: str | None, query: GraphQuery, call: Call) -> CallGraph:
        """Return callers and callees of a symbol."""

    def hierarchy(self, workspace: str | None, query: HierarchyQuery, call: Call) -> Hierarchy:
        """Return the containers of a symbol, its supertypes and its subtypes."""

    def inspect(self, workspace: str | None, query: InspectQuery, call: Call) -> SymbolInspection:
        """Return all facts of one symbol."""

    def list_diagnostics(
        self,
        workspace: str | None,
        ref: str | None,
        within: tuple[str, ...],
        limit: int,
        freshness: FreshnessPolicy,
        call: Call,
    ) -> DiagnosticReport:
        """List messages of parsers and linters about files."""

    def risks(self, workspace: str | None, query: RiskQuery, call: Call) -> RiskReport:
        """Find flows from untrusted values to dangerous calls, and calls that are dangerous by themselves."""

    def diff(self, workspace: str | None, query: DiffQuery, call: Call) -> SymbolDiff:
        """Return the symbols that differ between two refs, or between a ref and the working tree."""

    def refs(self, workspace: str | None, contains: str, limit: int, call: Call) -> RefList:
        """List refs and worktrees of the repository, and the indexed state of each."""


class FilesPort(Protocol):
    """Content, outline and history of files."""

    def outline(
        self,
        workspace: str | None,
        path: str | None,
        ref: str | None,
        depth: str,
        call: Call,
        freshness: FreshnessPolicy,
        handle: str | None = None,
    ) -> Outline:
        """Return the nested symbols of one file; with the handle of a symbol, only that symbol."""

    def excerpt(self, workspace: str | None, query: ExcerptQuery, call: Call) -> FileExcerpt:
        """Return a range of lines of one file."""

    def grep(
        self, workspace: str | None, query: GrepQuery, call: Call, on_matches: MatchListener | None = None
    ) -> GrepAnswer:
        """Find lines that match a regular expression; a listener gets them as they are found, and the answer none."""

    def read(self, workspace: str | None, query: ReadQuery, call: Call) -> FileReadResult:
        """Read a whole file, with the files that it imports."""

    def complete(
        self, workspace: str | None, kind: str, text: str, limit: int, call: Call
    ) -> tuple[tuple[str, ...], int]:
        """Return the paths or names of the working tree's view that begin with a text, and how many there are."""

    def history(
        self, workspace: str | None, path: str, ref: str | None, lines: tuple[int, int] | None, call: Call
    ) -> HistoryAnswer:
        """Return the last author of a file, its churn, and the authors of the given lines."""


class SessionPort(Protocol):
    """What sessions did, and which files they read."""

    def note(self, workspace: str | None, session: str, kind: str, subject: str, client: str = "") -> None:
        """Record an event of a session; the first event starts it. A full disk is not a failure here."""

    def end_session(self, workspace: str | None, session: str) -> None:
        """Mark a session as ended."""

    def sessions(self, workspace: str | None, limit: int) -> tuple[SessionRecord, ...]:
        """List sessions with their newest events, newest first."""

    def session(self, workspace: str | None, session: str) -> SessionRecord | None:
        """Return one session with its events."""

    def accesses(self, workspace: str | None, limit: int) -> tuple[FileAccess, ...]:
        """List files that were read (events of kind `read`), highest score first."""


class MemoryPort(SessionPort, Protocol):
    """Discoveries: record, search, check and exchange them."""

    def remember(self, workspace: str | None, new: NewDiscovery, call: Call) -> Discovery:
        """Record a discovery without its secrets and mark what it supersedes. The same text twice is one discovery."""

    def recall(self, workspace: str | None, query: MemoryQuery, call: Call) -> MemoryAnswer:
        """Search discoveries and check whether each still holds; no hits when nothing is recorded."""

    def discoveries(self, workspace: str | None, wanted: MemoryFilter, call: Call) -> MemoryList:
        """List discoveries, newest first, without ranking or checking them."""

    def discovery(self, workspace: str | None, discovery_id: str, ref: str | None, call: Call) -> MemoryHit:
        """Return one discovery with its verdicts; RESULT_NOT_FOUND when the id is unknown."""

    def supersede(self, workspace: str | None, discovery_id: str, by: str, call: Call) -> Discovery:
        """Mark one discovery as replaced by another; both must exist."""

    def forget(self, workspace: str | None, discovery_id: str, call: Call) -> Discovery:
        """Hide a discovery permanently, also after it is mined again."""

    def export_memory(self, workspace: str | None, call: Call) -> str:
        """Export recorded, superseded and forgotten discoveries as Markdown that `import_memory` reads."""

    def import_memory(self, workspace: str | None, text: str, call: Call) -> ImportReport:
        """Import an export; discoveries that exist already are unchanged."""

    def find_impacted(self, workspace: str | None, query: ImpactQuery, call: Call) -> ImpactReport:
        """Find the discoveries that a change puts at risk, with the reasons."""

    def memory_overview(self, workspace: str | None, ref: str | None, call: Call) -> ProjectMemory:
        """Return an overview of the project and its discoveries."""

    def memory_module(self, workspace: str | None, name: str, ref: str | None, call: Call) -> ModuleMemory:
        """Return one module and its discoveries; RESULT_NOT_FOUND when the name is unknown."""


class TriagePort(Protocol):
    """Findings and decisions."""

    def triage_ingest(
        self, workspace: str | None, order: IngestRequest, call: Call, stream: BinaryIO | None = None
    ) -> IngestReport:
        """Ingest findings from the order's path or from a stream; items that cannot be read are reported one by one."""

    def triage_decide(self, workspace: str | None, order: DecisionRequest, call: Call) -> RecordedDecision:
        """Record a decision about a finding; earlier decisions are kept."""

    def triage_pack(self, workspace: str | None, order: ContextPackRequest, call: Call) -> ContextPackReport:
        """Write a context pack: a finding, its history and related code."""

    def triage_record(self, workspace: str | None, record_id: str) -> RecordDetails:
        """Return one record with its decision status; NOT_FOUND when the id is unknown."""

    def triage_findings(
        self,
        workspace: str | None,
        status: FindingStatus | Literal[""],
        severity: FindingSeverity | Literal[""],
        contains: str,
        limit: int,
    ) -> RecordList:
        """List findings by status (empty: any), minimum severity and text, most severe first."""


class JobPort(Protocol):
    """Projects, their state, and the jobs that index them."""

    def init(self, path: str) -> ProjectStatus:
        """Register a project; idempotent."""

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        """Return the status of one project at one ref."""

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """Return the freshness and state of a view; cheap, and never raises."""

    def health(self, workspace: str | None) -> Health:
        """Return the health of the engine and its projects."""

    def list_workspaces(self, workspace: str | None) -> tuple[WorkspaceStatus, ...]:
        """List one registered workspace, or all that the caller may name."""

    def inventory(self, workspace: str | None, *, everything: bool = False) -> ProjectInventory:
        """Report disk usage of one project, and with `everything` of all other projects."""

    def get_capabilities(self) -> Capabilities:
        """Return the capabilities of this installation."""

    def start_job(self, workspace: str | None, ref: str | None, *, mode: JobMode, force: bool) -> Job:
        """Start indexing in a child process and return at once."""

    def cancel_job(self, workspace: str | None, job_id: str | None) -> Job:
        """Cancel a job and its processes; without an id, the active one. JOB_NOT_FOUND when it is not active."""

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
        """Index in this process; progress goes to `call.report`. Without `register` the project must be registered."""


class DownloadPort(Protocol):
    """Models, word lists and extensions."""

    def download_models(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Download embedding models."""

    def download_dictionaries(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Download word lists."""

    def download_extensions(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Download an SQLite extension."""

    def verify_extension(self, workspace: str | None, order: ExtensionProbeRequest) -> ExtensionReport:
        """Check whether the vector extension is installed and works."""

    def list_downloads(self, workspace: str | None) -> InstalledDownloads:
        """List installed models and word lists."""


class MaintenancePort(JobPort, DownloadPort, Protocol):
    """Build, check, compact, clean and exchange the data of projects."""

    def build_portable(self, workspace: str | None, order: PortableBuildRequest, call: Call) -> PortableReport:
        """Write a view as one SQLite file."""

    def portable(self, workspace: str | None) -> PortableReport:
        """Return the state of a project's own portable file."""

    def build(self, workspace: str | None, order: BuildRequest, call: Call) -> BuildReport:
        """Index in a child process and wait for it."""

    def compact(self, workspace: str | None, order: CompactRequest, call: Call) -> CompactReport:
        """Rewrite databases without their free pages."""

    def sweep(self, workspace: str | None, order: GcRequest, call: Call) -> GcReport:
        """Remove derived data of unused projects."""

    def clean(self, workspace: str | None, order: CleanRequest, call: Call) -> GcReport:
        """Remove the derived data of one project or of all."""

    def bootstrap(self, workspace: str | None, order: BootstrapRequest, call: Call) -> BootstrapReport:
        """Prepare a new workspace, step by step."""

    def export_state(self, workspace: str | None, ref: str | None, target: str, call: Call) -> StateBundleReport:
        """Export the published index as one file."""

    def import_state(self, workspace: str | None, source: str, call: Call) -> StateBundleReport:
        """Import an exported index, then sync what differs."""

    def doctor(self, workspace: str | None, *, read_data: bool = False) -> tuple[DoctorCheck, ...]:
        """Run all health checks."""

    def close(self) -> None:
        """Release files, locks and threads."""


class EnginePort(SearchPort, NavigationPort, FilesPort, MemoryPort, TriagePort, MaintenancePort, Protocol):
    """The whole engine. Synchronous and without protocol terms; every method raises Failure and nothing else."""
