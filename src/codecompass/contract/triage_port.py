"""TriagePort: what tools and surfaces ask of findings and decisions; part of `EnginePort`."""

from typing import BinaryIO, Protocol

from codecompass.model.call import Call
from codecompass.model.triage_values import (
    DecisionMade,
    DecisionOrder,
    Dossier,
    IngestOrder,
    IngestReport,
    PackOrder,
    PackReport,
    RecordList,
)


class TriagePort(Protocol):
    """Raises Failure and nothing else, as the whole port does."""

    def triage_ingest(
        self, workspace: str | None, order: IngestOrder, call: Call, stream: BinaryIO | None = None
    ) -> IngestReport:
        """Take findings in, from the order's path or from a stream; what cannot be read is told item by item."""

    def triage_decide(self, workspace: str | None, order: DecisionOrder, call: Call) -> DecisionMade:
        """Record a decision about a finding, beside the earlier ones."""

    def triage_pack(self, workspace: str | None, order: PackOrder, call: Call) -> PackReport:
        """Write a finding with its history and what the repository says about it."""

    def triage_record(self, workspace: str | None, record_id: str) -> Dossier:
        """One record with where it stands; NOT_FOUND when there is none of that id."""

    def triage_findings(
        self, workspace: str | None, status: str, severity: str, contains: str, limit: int
    ) -> RecordList:
        """Findings of a status (empty: any), of at least a severity, that contain a word; the worst first."""
