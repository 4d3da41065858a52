"""TriagePort: the triage part of `EnginePort`."""

from typing import BinaryIO, Protocol

from codecompass.model.call import Call
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


class TriagePort(Protocol):
    """Findings and decisions; every method raises Failure and nothing else."""

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
        self, workspace: str | None, status: str, severity: str, contains: str, limit: int
    ) -> RecordList:
        """List findings by status (empty: any), minimum severity and text, most severe first."""
