"""Record search: search the triage records of a project by the words of their Markdown and by their fields."""

import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import NamedTuple, TypeVar

from codecompass.engine.search.filters.predicates import Setting, ready
from codecompass.engine.search.query.query_tree import PlaceText, holds, holds_loosely
from codecompass.engine.search.retrieval.query_plan import Plan, plan
from codecompass.engine.triage.decisions import newest_decisions, now
from codecompass.engine.triage.record_fields import LANGUAGE, RecordFields
from codecompass.engine.triage.record_scoring import BM25, Scores, Volume, count_in
from codecompass.engine.triage.record_store import Cabinet, get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_builder import HANDLE, checked_id
from codecompass.findings.record_writer import as_markdown
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.results import Factor, Hit, HitFacts, Hits, Reasons
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.triage_values import RECORDS_FOLDER, Record
from codecompass.text.tokens import split_identifier

_SNIPPET = 160
_One = TypeVar("_One")


@dataclass(frozen=True, slots=True)
class Shelved:
    """The records that a search found."""

    hits: tuple[Hit, ...]
    total: int
    relaxed: bool
    warnings: tuple[str, ...] = ()


def record_named(handle: str | None, path: str | None, files: Container[str]) -> str:
    """Return the record id in a handle or path; empty if it refers to something else."""
    if handle is not None:
        return checked_id(handle) if handle.strip().startswith(HANDLE) else ""
    name = (path or "").strip()
    return checked_id(name) if name.startswith(RECORDS_FOLDER + "/") and name not in files else ""


def asks_records(query: SearchQuery, registry: Registry) -> bool:
    """Whether records may match: the mode is `records`, or a filter applies to records only."""
    if query.mode:
        return query.mode == "records"
    if "meta" not in query.text and not query.filters:
        return False
    return plan(query, registry).asks_records


def kept(files_relaxed: bool, any_files: bool, records: Shelved) -> tuple[bool, Shelved]:
    """Return whether to keep the files, and the records to keep.

    If one side matches all words, relaxed matches of the other side are dropped.
    """
    if records.relaxed and not files_relaxed and any_files:
        return True, Shelved((), 0, relaxed=False, warnings=records.warnings)
    return not (files_relaxed and records.hits and not records.relaxed), records


def merged(files: Iterable[_One], records: Iterable[_One], score: Callable[[_One], float]) -> list[_One]:
    """Merge two ranked lists by score; the order within each list is kept."""
    return sorted((*files, *records), key=lambda one: -score(one))


def with_records(files: Hits, found: Shelved, limit: int) -> Hits:
    """Merge file hits and record hits into one list."""
    stay, found = kept(files.relaxed, bool(files.hits), found)
    if not stay:
        files = replace(files, hits=(), total=0, relaxed=False, truncated=False)
    hits = merged(files.hits, found.hits, lambda hit: hit.score)[:limit]
    total = files.total + found.total
    relaxed = files.relaxed or found.relaxed
    cut, warnings = files.truncated or total > len(hits), (*files.warnings, *found.warnings)
    return replace(files, hits=tuple(hits), total=total, relaxed=relaxed, truncated=cut, warnings=warnings)


class _Found(NamedTuple):
    """The records that match a query, the best first."""

    made: Plan
    ranked: list[tuple[Factor, Volume, RecordFields]]
    passing: frozenset[str]
    """Ids of the records that pass the filters, regardless of their words."""
    relaxed: bool


@dataclass
class Library:
    """Searches a record store; caches the tokens of unchanged records."""

    cabinet: Cabinet
    _volumes: dict[str, Volume] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def search(self, query: SearchQuery, registry: Registry, call: Call) -> Shelved:
        """Return the best records that contain all words of the query; if none does, those that contain any."""
        found = self._found(query, registry, call)
        hits = tuple(_hit(query, found.made, *one) for one in found.ranked[: query.limit])
        return Shelved(hits, len(found.ranked), found.relaxed and bool(hits), self.cabinet.warnings())

    def absence(self, query: SearchQuery, record_id: str, registry: Registry, call: Call) -> Failure:
        """Explain why a search does not find a record."""
        document = Volume(self.cabinet.get(record_id))
        found = self._found(query, registry, call)
        if query.language not in (None, LANGUAGE):
            message = f"The search was for {query.language} only, and a record is {LANGUAGE}."
            return _absent(message, "language", "Ask again without `language`.", language=LANGUAGE)
        if record_id not in found.passing:
            return _absent("The filters of the search exclude that record.", "filtered", "Ask again without filters.")
        missing = [word for word in found.made.question.words if not count_in(document, word)]
        message = "The record does not contain all words of the query, and other results do."
        if len(missing) == len(found.made.question.words):
            message = "The record does not contain any word of the query."
        return _absent(message, "no_matching_words", "Use words that the record contains.", missing=missing[:20])

    def _found(self, query: SearchQuery, registry: Registry, call: Call) -> "_Found":
        records = self.cabinet.records()[1]
        made = plan(query, registry)
        if query.language not in (None, LANGUAGE) or not records:
            return _Found(made, [], frozenset(), relaxed=False)
        passing = self._passing(query, made, records, registry, call)
        found = [(document, fields) for document, fields in passing if _has_all(made, document, query, fields)]
        relaxed = not found and bool(made.question.words)
        if relaxed:
            found = [(document, fields) for document, fields in passing if _has_any(made, document, query, fields)]
        scores = Scores(made.question.words, [document for document, _ in passing])
        ranked = sorted(((scores.of(document), document, fields) for document, fields in found), key=_order)
        return _Found(made, ranked, frozenset(document.record.record_id for document, _ in passing), relaxed=relaxed)

    def text(self, record_id: str) -> str:
        """Return the Markdown of a record."""
        return as_markdown(self.cabinet.get(record_id))

    def _passing(
        self, query: SearchQuery, made: Plan, records: Mapping[str, Record], registry: Registry, call: Call
    ) -> list[tuple[Volume, RecordFields]]:
        """Return the records that pass the filters of the caller and of the query."""
        newest, moment = newest_decisions(records.values()), now()
        setting = Setting(registry, time.time(), query.case_file)
        wanted = [(row.field, ready(row.field, value, setting)) for row, value in made.filters]
        barred = [(row.field, ready(row.field, value, setting)) for row, value in made.without]
        found = []
        for document in self._all(records):
            call.check()
            fields = RecordFields(document.record, document.path, document.fields, newest, moment, setting)
            if all(fields.hold(*one) for one in wanted) and not any(fields.hold(*one) for one in barred):
                found.append((document, fields))
        return found

    def _all(self, records: Mapping[str, Record]) -> list[Volume]:
        with self._lock:
            known = self._volumes
            self._volumes = {
                name: known[name] if name in known and known[name].record is record else Volume(record)
                for name, record in records.items()
            }
            return list(self._volumes.values())


# -- words -------------------------------------------------------------------------------------------------------------


def _has_all(made: Plan, document: Volume, query: SearchQuery, fields: RecordFields) -> bool:
    if made.tree is not None:
        return holds(made.tree, _place(document, query), fields.test)
    return all(count_in(document, word) for word in made.question.words)


def _has_any(made: Plan, document: Volume, query: SearchQuery, fields: RecordFields) -> bool:
    if made.tree is not None:
        return holds_loosely(made.tree, _place(document, query), fields.test)
    return any(count_in(document, word) for word in made.question.words)


def _place(document: Volume, query: SearchQuery) -> PlaceText:
    return PlaceText(document.text, exact=True) if query.case_tokens else document.place


def _absent(message: str, reason: str, hint: str, **more: object) -> Failure:
    return Failure("RESULT_NOT_FOUND", message, {"reason": reason, **more}, hint)


def _order(one: tuple[Factor, Volume, RecordFields]) -> tuple[float, str, str]:
    """Sort by score, then the newest first."""
    factor, document, _ = one
    newest = "".join(chr(0x10FFFF - ord(sign)) for sign in document.record.updated_at)
    return -round(factor.contribution, 9), newest, document.path


def _hit(query: SearchQuery, made: Plan, factor: Factor, document: Volume, fields: RecordFields) -> Hit:
    record, lines = document.record, document.text.rstrip("\n").split("\n")
    size = len(document.text.encode("utf-8", "replace"))
    score = factor.contribution
    facts = None
    if query.facts:
        doc = record.vuln.title or record.vuln.description[:300]
        facts = HitFacts(0, size, doc, record=tuple(fields.short.items()))
    parts = made.question.parts
    best = max(lines, key=lambda line: len(parts & frozenset(split_identifier(line)))) if parts else lines[0]
    return Hit(
        result_type="record",
        result_id=HANDLE + record.record_id,
        path=document.path,
        line_start=1,
        line_end=len(lines),
        language=LANGUAGE,
        score=score,
        reasons=Reasons(bm25_score=factor.value if factor.name == BM25 else 0.0, final_score=score),
        factors=(factor,),
        kind="record",
        name=record.name,
        snippet=" ".join(best.split())[:_SNIPPET],
        body_preview=document.text[:2_400] if query.detail == "context" or query.facts == "whole" else "",
        facts=facts,
    )


def get_record_search(project: Project) -> Library:
    """The search over the records of a project."""
    store = get_record_store(project)
    return project.caches.part(Library, lambda: Library(store))
