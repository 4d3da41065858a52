"""Triage service: ingests findings, records decisions, and builds context packs."""

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol

from codecompass.engine.options import EngineOptions
from codecompass.engine.triage.context_pack import pack
from codecompass.engine.triage.decision_writer import decide
from codecompass.engine.triage.decisions import dossier, newest_decisions, now, standing
from codecompass.engine.triage.evidence import HITS, Gatherer
from codecompass.engine.triage.ingestion import ingest
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import Opener
from codecompass.errors import Failure
from codecompass.findings.record_builder import checked_id
from codecompass.model.call import Call
from codecompass.model.queries.results import Hits, ViewState
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.triage_values import (
    SEVERITIES,
    DecisionMade,
    DecisionOrder,
    Dossier,
    IngestOrder,
    IngestReport,
    PackOrder,
    PackReport,
    Record,
    RecordList,
    Surroundings,
)

_NO_VIEW = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")


class Searcher(Protocol):
    """Searches a workspace."""

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits: ...


class Triaging:
    """Records are owned data: only calls to this service write them, and nothing deletes them."""

    def __init__(self, access: Opener, options: EngineOptions, searcher: Searcher) -> None:
        self._opener = access
        self._options = options
        self._searcher = searcher

    def ingest(
        self, workspace: str | None, order: IngestOrder, call: Call, stream: BinaryIO | None = None
    ) -> IngestReport:
        return ingest(self._opener.project(workspace), self._options.allowed_roots, order, call, stream)

    def decide(self, workspace: str | None, order: DecisionOrder, call: Call) -> DecisionMade:
        call.check()
        return decide(self._opener.project(workspace), order)

    def context_pack(self, workspace: str | None, order: PackOrder, call: Call) -> PackReport:
        project = self._opener.project(workspace)
        roots = (project.workspace.root, *map(Path, self._options.allowed_roots))
        return pack(project, roots, order, lambda record: self._surroundings(workspace, project, record, call))

    def _surroundings(
        self, workspace: str | None, project: Project, record: Record, call: Call
    ) -> tuple[Surroundings, ViewState | None]:
        def ask(words: str, mode: str) -> Hits:
            query = SearchQuery(words, limit=HITS, freshness="best_effort", mode=mode, facts="brief")
            return self._searcher.search(workspace, query, call)

        ref = project.effective_ref(None)
        try:
            with project.pinned(ref) as view:
                found = Gatherer(project, view, record, call).gather(ask)
                return found, self._opener.state(project, view, ref, "best_effort", ())
        except Failure as failure:
            if failure.code not in _NO_VIEW:
                raise
            message = f"The repository has no context yet: {failure.message} {failure.advice}".strip()
            return Surroundings(warnings=(message,)), None

    def record(self, workspace: str | None, record_id: str) -> Dossier:
        """Return one record with its decision status."""
        store = get_record_store(self._opener.project(workspace))
        found = dossier(store.get(checked_id(record_id)), store.records()[1], now())
        return replace(found, warnings=store.warnings())

    def findings(self, workspace: str | None, status: str, severity: str, contains: str, limit: int) -> RecordList:
        """List findings with a status, a minimum severity, and a word in ids, package or title; the worst first."""
        store = get_record_store(self._opener.project(workspace))
        records = store.records()[1]
        newest, moment = newest_decisions(records.values()), now()
        lowest = SEVERITIES.index(severity) if severity else len(SEVERITIES)
        found = []
        for record in records.values():
            if record.record_type != "finding" or SEVERITIES.index(record.vuln.severity) > lowest:
                continue
            decision = standing(record.record_id, newest, moment)
            if (not status or decision.status == status) and contains.lower() in _words(record):
                found.append(Dossier(record, decision))
        found.sort(key=lambda one: (SEVERITIES.index(one.record.vuln.severity), one.record.name, one.record.record_id))
        return RecordList(tuple(found[: max(limit, 0)]), len(found), store.damaged())


def _words(record: Record) -> str:
    vuln, package = record.vuln, record.package
    return " ".join((record.record_id, vuln.vuln_id, vuln.cve, *vuln.aliases, vuln.title, package.name)).lower()
