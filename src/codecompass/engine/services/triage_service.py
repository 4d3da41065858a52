"""Triage service: ingests findings, records decisions, and builds context packs."""

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from codecompass.engine.options import EngineOptions
from codecompass.engine.triage.context_pack import write_context_pack
from codecompass.engine.triage.decision_writer import decide
from codecompass.engine.triage.decisions import decision_status, find_newest_decisions, record_details
from codecompass.engine.triage.evidence import MAX_HITS, EvidenceGatherer
from codecompass.engine.triage.ingestion import ingest
from codecompass.engine.triage.record_store import RecordStore, get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import ErrorCode, Failure
from codecompass.findings.record_builder import parse_record_id
from codecompass.model.call import Call
from codecompass.model.queries.results import Hits, ViewState
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import FindingSeverity, FindingStatus, TextMode
from codecompass.model.timestamp import utc_timestamp
from codecompass.model.triage_values import (
    SEVERITIES,
    ContextPackReport,
    ContextPackRequest,
    DecisionRequest,
    IngestReport,
    IngestRequest,
    RecordDetails,
    RecordedDecision,
    RecordList,
    RepositoryEvidence,
    TriageRecord,
)

_NO_VIEW: tuple[ErrorCode, ...] = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")


class TextSearcher(Protocol):
    """Searches a workspace."""

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits: ...


class TriageService:
    """Records are owned data: only calls to this service write them, and nothing deletes them."""

    def __init__(self, access: ProjectAccess, options: EngineOptions, searcher: TextSearcher) -> None:
        self._access = access
        self._options = options
        self._searcher = searcher

    def ingest(
        self, workspace: str | None, order: IngestRequest, call: Call, stream: BinaryIO | None = None
    ) -> IngestReport:
        with self._access.project(workspace) as project:
            return ingest(project, self._options.allowed_roots, order, call, stream)

    def decide(self, workspace: str | None, order: DecisionRequest, call: Call) -> RecordedDecision:
        call.check()
        with self._access.project(workspace) as project:
            return decide(project, order)

    def context_pack(self, workspace: str | None, order: ContextPackRequest, call: Call) -> ContextPackReport:
        with self._access.project(workspace) as project:
            roots = (project.workspace.root, *map(Path, self._options.allowed_roots))
            return write_context_pack(
                project, roots, order, lambda record: self._gather_surroundings(workspace, project, record, call)
            )

    def _gather_surroundings(
        self, workspace: str | None, project: Project, record: TriageRecord, call: Call
    ) -> tuple[RepositoryEvidence, ViewState | None]:
        def ask(words: str, mode: TextMode) -> Hits:
            query = SearchQuery(words, limit=MAX_HITS, freshness="best_effort", mode=mode, facts="brief")
            return self._searcher.search(workspace, query, call)

        try:
            with self._access.pin(project, project.resolve_ref(None)) as opened:
                found = EvidenceGatherer(project, opened.view, record, call).gather(ask)
                return found, self._access.state(opened, "best_effort", ())
        except Failure as failure:
            if failure.code not in _NO_VIEW:
                raise
            message = f"The repository has no context yet: {failure.message} {failure.effective_hint}".strip()
            return RepositoryEvidence(warnings=(message,)), None

    def record(self, workspace: str | None, record_id: str) -> RecordDetails:
        """Return one record with its decision status."""
        with self._access.project(workspace) as project:
            store = get_record_store(project)
            found = record_details(store.get(parse_record_id(record_id)), store.get_records()[1], utc_timestamp())
            return replace(found, warnings=store.describe_damage())

    def findings(
        self,
        workspace: str | None,
        status: FindingStatus | Literal[""],
        severity: FindingSeverity | Literal[""],
        contains: str,
        limit: int,
    ) -> RecordList:
        """List findings with a status, a minimum severity, and a word in ids, package or title; the worst first."""
        with self._access.project(workspace) as project:
            store = get_record_store(project)
            return _list_findings(store, status, severity, contains, limit)


def _list_findings(
    store: RecordStore,
    status: FindingStatus | Literal[""],
    severity: FindingSeverity | Literal[""],
    contains: str,
    limit: int,
) -> RecordList:
    records = store.get_records()[1]
    newest, moment = find_newest_decisions(records.values()), utc_timestamp()
    lowest = SEVERITIES.index(severity) if severity else len(SEVERITIES)
    found = []
    for record in records.values():
        if record.record_type != "finding" or SEVERITIES.index(record.vuln.severity) > lowest:
            continue
        decision = decision_status(record.record_id, newest, moment)
        if (not status or decision.status == status) and contains.lower() in _get_searchable_text(record):
            found.append(RecordDetails(record, decision))
    found.sort(key=lambda one: (SEVERITIES.index(one.record.vuln.severity), one.record.name, one.record.record_id))
    return RecordList(tuple(found[: max(limit, 0)]), len(found), store.list_damaged())


def _get_searchable_text(record: TriageRecord) -> str:
    vuln, package = record.vuln, record.package
    return " ".join((record.record_id, vuln.vuln_id, vuln.cve, *vuln.aliases, vuln.title, package.name)).lower()
