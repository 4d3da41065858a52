"""Triage of the fake engine: one finding, one decision, one pack."""

from typing import BinaryIO

from codecompass.model.call import Call
from codecompass.model.triage_values import (
    Decision,
    DecisionMade,
    DecisionOrder,
    Dossier,
    IngestOrder,
    IngestReport,
    ItemError,
    PackOrder,
    PackReport,
    Record,
    RecordList,
    Standing,
    Stored,
    Surroundings,
    Trace,
)

TIME = "2031-01-01T00:00:00Z"
STORED = Stored("r1", "added", "/data/r1.json", "/data/r1.md")


class FakeTriage:
    """What the part of the engine answers, from memory."""

    def triage_ingest(
        self, workspace: str | None, order: IngestOrder, call: Call, stream: BinaryIO | None = None
    ) -> IngestReport:
        problem = ItemError(1, "[1]", "an object was expected")
        return IngestReport(order.source, "/repo", "/data", 2, {"added": 1}, 1, (STORED,), (problem,))

    def triage_decide(self, workspace: str | None, order: DecisionOrder, call: Call) -> DecisionMade:
        record = Record("r2", "decision", "manual", TIME, TIME, decision=Decision(order.finding, order.status))
        return DecisionMade(record, STORED, "/data")

    def triage_pack(self, workspace: str | None, order: PackOrder, call: Call) -> PackReport:
        around = Surroundings(imports=(Trace("a.py", 1, "import x", "imports x"),))
        return PackReport(order.record_id, "/data/p.json", "/data/p.md", 9, 0, around, Standing())

    def triage_record(self, workspace: str | None, record_id: str) -> Dossier:
        return Dossier(Record(record_id, "finding", "generic", TIME, TIME), Standing())

    def triage_findings(
        self, workspace: str | None, status: str, severity: str, contains: str, limit: int
    ) -> RecordList:
        return RecordList((self.triage_record(workspace, "r1"),), 1)
