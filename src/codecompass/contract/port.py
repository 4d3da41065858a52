"""EnginePort: the part of the engine that tools and surfaces call, as a Protocol so that nothing here imports it."""

from collections.abc import Callable
from typing import Protocol

from codecompass.model.bundle import Bundle, BundleQuery, Piece
from codecompass.model.call import Call
from codecompass.model.custody import Abilities, Inventory, Workplace
from codecompass.model.difference import Difference, DiffQuery
from codecompass.model.excerpt import Excerpt, ExcerptQuery
from codecompass.model.exposure import RiskQuery, RiskReport
from codecompass.model.history import HistoryAnswer
from codecompass.model.inspection import Inspected, InspectQuery, Troubles
from codecompass.model.job import Job
from codecompass.model.navigation import CallGraph, Hierarchy, References, Target
from codecompass.model.portable import PortableOrder, PortableReport
from codecompass.model.query import GraphQuery, HierarchyQuery, LocateQuery, ReferenceQuery, SearchQuery
from codecompass.model.refs import RefList
from codecompass.model.result import Check, Explanation, Health, Hits, Outline, ProjectStatus, ViewState


class EnginePort(Protocol):
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

    def bundle(
        self, workspace: str | None, query: BundleQuery, cost: Callable[[Piece], int], call: Call
    ) -> Bundle:
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

    def risks(self, workspace: str | None, query: RiskQuery, call: Call) -> RiskReport:
        """What untrusted values reach, and what is dangerous by itself."""

    def build_portable(self, workspace: str | None, order: PortableOrder, call: Call) -> PortableReport:
        """Write a view out as one SQLite file."""

    def portable(self, workspace: str | None) -> PortableReport:
        """What is known of a project's own portable file."""

    def workplaces(self, workspace: str | None) -> tuple[Workplace, ...]:
        """One registered workspace, or all that may be named."""

    def inventory(self, workspace: str | None) -> Inventory:
        """What stands on disk for one project."""

    def abilities(self) -> Abilities:
        """What this installation can do."""

    def health(self, workspace: str | None) -> Health:
        """The whole engine at one moment."""

    def doctor(self, workspace: str | None) -> tuple[Check, ...]:
        """What is in order and what is not."""

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """How far answers can be trusted; cheap, and never raises."""

    def close(self) -> None:
        """Let go of files, locks and threads."""
