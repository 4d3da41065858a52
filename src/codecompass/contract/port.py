"""EnginePort: the part of the engine that tools and surfaces call, as a Protocol so that nothing here imports it."""

from typing import Protocol

from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.query import LocateQuery, SearchQuery
from codecompass.model.result import Check, Health, Hits, Outline, ProjectStatus, ViewState


class EnginePort(Protocol):
    """Synchronous, free of protocol words; every method raises Failure and nothing else."""

    def init(self, path: str) -> ProjectStatus:
        """Register a project; doing it twice changes nothing."""

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        """One project at one ref."""

    def start_job(self, workspace: str | None, ref: str | None, *, mode: str, force: bool) -> Job:
        """Start indexing in a child process and answer at once."""

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

    def outline(
        self, workspace: str | None, path: str, ref: str | None, depth: str, call: Call, freshness: str
    ) -> Outline:
        """The symbols of one file, nested."""

    def health(self, workspace: str | None) -> Health:
        """The whole engine at one moment."""

    def doctor(self, workspace: str | None) -> tuple[Check, ...]:
        """What is in order and what is not."""

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """How far answers can be trusted; cheap, and never raises."""

    def close(self) -> None:
        """Let go of files, locks and threads."""
