"""Triage of the fake engine: one finding, one decision, one pack."""

from typing import BinaryIO

from codecompass.model.call import Call
from codecompass.model.triage_values import (
    ContextPackReport,
    ContextPackRequest,
    Decision,
    DecisionRequest,
    DecisionStatus,
    EvidenceLine,
    IngestItemError,
    IngestReport,
    IngestRequest,
    RecordDetails,
    RecordedDecision,
    RecordList,
    RepositoryEvidence,
    StoredRecord,
    TriageRecord,
)

TIME = "2031-01-01T00:00:00Z"
STORED = StoredRecord("r1", "added", "/data/r1.json", "/data/r1.md")


class FakeTriage:
    """What the part of the engine answers, from memory."""

    def triage_ingest(
        self, workspace: str | None, order: IngestRequest, call: Call, stream: BinaryIO | None = None
    ) -> IngestReport:
        problem = IngestItemError(1, "[1]", "an object was expected")
        return IngestReport(order.source, "/repo", "/data", 2, {"added": 1}, 1, (STORED,), (problem,))

    def triage_decide(self, workspace: str | None, order: DecisionRequest, call: Call) -> RecordedDecision:
        record = TriageRecord("r2", "decision", "manual", TIME, TIME, decision=Decision(order.finding, order.status))
        return RecordedDecision(record, STORED, "/data")

    def triage_pack(self, workspace: str | None, order: ContextPackRequest, call: Call) -> ContextPackReport:
        around = RepositoryEvidence(imports=(EvidenceLine("a.py", 1, "import x", "imports x"),))
        return ContextPackReport(order.record_id, "/data/p.json", "/data/p.md", 9, 0, around, DecisionStatus())

    def triage_record(self, workspace: str | None, record_id: str) -> RecordDetails:
        return RecordDetails(TriageRecord(record_id, "finding", "generic", TIME, TIME), DecisionStatus())

    def triage_findings(
        self, workspace: str | None, status: str, severity: str, contains: str, limit: int
    ) -> RecordList:
        return RecordList((self.triage_record(workspace, "r1"),), 1)
