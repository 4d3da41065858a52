"""Record search: search the triage records of a project by the words of their Markdown and by their fields."""

import heapq
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import NamedTuple, TypeVar

from codecompass.engine.search.filters.predicates import FilterValueContext, prepare_value
from codecompass.engine.search.query.query_tree import CandidateText, matches_relaxed, matches_tree
from codecompass.engine.search.retrieval.query_plan import QueryPlan, plan_query
from codecompass.engine.triage.decisions import find_newest_decisions
from codecompass.engine.triage.record_fields import LANGUAGE, RecordFields
from codecompass.engine.triage.record_scoring import BM25, RecordDocument, RecordScorer, count_word
from codecompass.engine.triage.record_store import RecordStore, get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_builder import RECORD_HANDLE_PREFIX, parse_record_id
from codecompass.findings.record_writer import to_markdown
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.results import Hit, HitDetails, Hits, Reasons, ScoreFactor
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.timestamp import utc_timestamp
from codecompass.model.triage_values import RECORDS_FOLDER, TriageRecord
from codecompass.text.tokens import split_identifier

_MAX_SNIPPET = 160
_One = TypeVar("_One")


@dataclass(frozen=True, slots=True)
class RecordHits:
    """The records that a search found."""

    hits: tuple[Hit, ...]
    total: int
    relaxed: bool
    warnings: tuple[str, ...] = ()


def parse_record_target(handle: str | None, path: str | None, files: Container[str]) -> str:
    """Return the record id in a handle or path; empty if it refers to something else."""
    if handle is not None:
        return parse_record_id(handle) if handle.strip().startswith(RECORD_HANDLE_PREFIX) else ""
    name = (path or "").strip()
    return parse_record_id(name) if name.startswith(RECORDS_FOLDER + "/") and name not in files else ""


def may_match_records(query: SearchQuery, registry: Registry) -> bool:
    """Whether records may match: the mode is `records`, or a filter applies to records only."""
    if query.mode:
        return query.mode == "records"
    if "meta" not in query.text and not query.filters:
        return False
    return plan_query(query, registry).wants_records


def keep_stricter(files_relaxed: bool, any_files: bool, records: RecordHits) -> tuple[bool, RecordHits]:
    """Return whether to keep the files, and the records to keep.

    If one side matches all words, relaxed matches of the other side are dropped.
    """
    if records.relaxed and not files_relaxed and any_files:
        return True, RecordHits((), 0, relaxed=False, warnings=records.warnings)
    return not (files_relaxed and records.hits and not records.relaxed), records


def merge_by_score(files: Iterable[_One], records: Iterable[_One], score: Callable[[_One], float]) -> list[_One]:
    """Merge two ranked lists by score; the order within each list is kept."""
    return list(heapq.merge(files, records, key=lambda one: -score(one)))


def merge_records(files: Hits, found: RecordHits, limit: int) -> Hits:
    """Merge file hits and record hits into one list."""
    stay, found = keep_stricter(files.relaxed, bool(files.hits), found)
    if not stay:
        files = replace(files, hits=(), total=0, relaxed=False, truncated=False)
    hits = merge_by_score(files.hits, found.hits, lambda hit: hit.score)[:limit]
    total = files.total + found.total
    relaxed = files.relaxed or found.relaxed
    cut, warnings = files.truncated or total > len(hits), (*files.warnings, *found.warnings)
    return replace(files, hits=tuple(hits), total=total, relaxed=relaxed, truncated=cut, warnings=warnings)


class _RankedRecords(NamedTuple):
    """The records that match a query, the best first."""

    plan: QueryPlan
    ranked: list[tuple[ScoreFactor, RecordDocument, RecordFields]]
    passing_ids: frozenset[str]
    """Ids of the records that pass the filters, regardless of their words."""
    relaxed: bool


@dataclass
class RecordSearch:
    """Searches a record store; caches the tokens of unchanged records."""

    store: RecordStore
    _documents: dict[str, RecordDocument] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def search(self, query: SearchQuery, registry: Registry, call: Call) -> RecordHits:
        """Return the best records that contain all words of the query; if none does, those that contain any."""
        found = self._find_records(query, registry, call)
        hits = tuple(_make_hit(query, found.plan, *one) for one in found.ranked[: query.limit])
        return RecordHits(hits, len(found.ranked), found.relaxed and bool(hits), self.store.describe_damage())

    def explain_absence(self, query: SearchQuery, record_id: str, registry: Registry, call: Call) -> Failure:
        """Explain why a search does not find a record."""
        document = RecordDocument(self.store.get(record_id))
        found = self._find_records(query, registry, call)
        if query.language not in (None, LANGUAGE):
            message = f"The search was for {query.language} only, and a record is {LANGUAGE}."
            return _make_absence(message, "language", "Ask again without `language`.", language=LANGUAGE)
        if record_id not in found.passing_ids:
            return _make_absence(
                "The filters of the search exclude that record.", "filtered", "Ask again without filters."
            )
        missing = [word for word in found.plan.question.words if not count_word(document, word)]
        message = "The record does not contain all words of the query, and other results do."
        if len(missing) == len(found.plan.question.words):
            message = "The record does not contain any word of the query."
        return _make_absence(message, "no_matching_words", "Use words that the record contains.", missing=missing[:20])

    def _find_records(self, query: SearchQuery, registry: Registry, call: Call) -> "_RankedRecords":
        records = self.store.get_records()[1]
        made = plan_query(query, registry)
        if query.language not in (None, LANGUAGE) or not records:
            return _RankedRecords(made, [], frozenset(), relaxed=False)
        passing = self._filter_records(query, made, records, registry, call)
        found = [(document, fields) for document, fields in passing if _has_all(made, document, query, fields)]
        relaxed = not found and bool(made.question.words)
        if relaxed:
            found = [(document, fields) for document, fields in passing if _has_any(made, document, query, fields)]
        scores = RecordScorer(made.question.words, [document for document, _ in passing])
        ranked = sorted(((scores.score(document), document, fields) for document, fields in found), key=_make_sort_key)
        return _RankedRecords(
            made, ranked, frozenset(document.record.record_id for document, _ in passing), relaxed=relaxed
        )

    def read_markdown(self, record_id: str) -> str:
        """Return the Markdown of a record."""
        return to_markdown(self.store.get(record_id))

    def _filter_records(
        self, query: SearchQuery, made: QueryPlan, records: Mapping[str, TriageRecord], registry: Registry, call: Call
    ) -> list[tuple[RecordDocument, RecordFields]]:
        """Return the records that pass the filters of the caller and of the query."""
        newest, moment = find_newest_decisions(records.values()), utc_timestamp()
        setting = FilterValueContext(registry, time.time(), query.case_file)
        wanted = [(row.field, prepare_value(row.field, value, setting)) for row, value in made.filters]
        barred = [(row.field, prepare_value(row.field, value, setting)) for row, value in made.without]
        found = []
        for document in self._load_documents(records):
            call.check()
            fields = RecordFields(document.record, document.path, document.get_fields, newest, moment, setting)
            if all(fields.matches(*one) for one in wanted) and not any(fields.matches(*one) for one in barred):
                found.append((document, fields))
        return found

    def _load_documents(self, records: Mapping[str, TriageRecord]) -> list[RecordDocument]:
        with self._lock:
            known = self._documents
            self._documents = {
                name: known[name] if name in known and known[name].record is record else RecordDocument(record)
                for name, record in records.items()
            }
            return list(self._documents.values())


# -- words -------------------------------------------------------------------------------------------------------------


def _has_all(made: QueryPlan, document: RecordDocument, query: SearchQuery, fields: RecordFields) -> bool:
    if made.tree is not None:
        return matches_tree(made.tree, _get_place_text(document, query), fields.matches_field)
    return all(count_word(document, word) for word in made.question.words)


def _has_any(made: QueryPlan, document: RecordDocument, query: SearchQuery, fields: RecordFields) -> bool:
    if made.tree is not None:
        return matches_relaxed(made.tree, _get_place_text(document, query), fields.matches_field)
    return any(count_word(document, word) for word in made.question.words)


def _get_place_text(document: RecordDocument, query: SearchQuery) -> CandidateText:
    return CandidateText(document.text, case_sensitive=True) if query.case_tokens else document.place_text


def _make_absence(message: str, reason: str, hint: str, **more: object) -> Failure:
    return Failure("RESULT_NOT_FOUND", message, {"reason": reason, **more}, hint)


def _make_sort_key(one: tuple[ScoreFactor, RecordDocument, RecordFields]) -> tuple[float, str, str]:
    """Sort by score, then the newest first."""
    factor, document, _ = one
    newest = "".join(chr(0x10FFFF - ord(sign)) for sign in document.record.updated_at)
    return -round(factor.contribution, 9), newest, document.path


def _make_hit(
    query: SearchQuery, made: QueryPlan, factor: ScoreFactor, document: RecordDocument, fields: RecordFields
) -> Hit:
    record, lines = document.record, document.text.rstrip("\n").split("\n")
    size = len(document.text.encode("utf-8", "replace"))
    score = factor.contribution
    facts = None
    if query.facts:
        doc = record.vuln.title or record.vuln.description[:300]
        facts = HitDetails(0, size, doc, record=tuple(fields.short.items()))
    parts = made.question.parts
    best = max(lines, key=lambda line: len(parts & frozenset(split_identifier(line)))) if parts else lines[0]
    return Hit(
        result_type="record",
        result_id=RECORD_HANDLE_PREFIX + record.record_id,
        path=document.path,
        line_start=1,
        line_end=len(lines),
        language=LANGUAGE,
        score=score,
        reasons=Reasons(bm25_score=factor.value if factor.name == BM25 else 0.0, final_score=score),
        factors=(factor,),
        kind="record",
        name=record.name,
        snippet=" ".join(best.split())[:_MAX_SNIPPET],
        body_preview=document.text[:2_400] if query.detail == "context" or query.facts == "whole" else "",
        facts=facts,
    )


def get_record_search(project: Project) -> RecordSearch:
    """The search over the records of a project."""
    store = get_record_store(project)
    return project.caches.get_permanent(RecordSearch, lambda: RecordSearch(store))
