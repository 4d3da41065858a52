"""Library: the records of a project as a search finds them — by the words of their Markdown, and by their fields."""

import math
import re
import time
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock

from codecompass.engine.query.matching import PlaceText, holds, holds_loosely
from codecompass.engine.query.plan import Plan, plan
from codecompass.engine.query.predicates import Setting, ready
from codecompass.engine.triage.cabinet import Cabinet
from codecompass.engine.triage.fields import LANGUAGE, RecordFields
from codecompass.engine.triage.rulings import newest_decisions, now
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.query import SearchQuery
from codecompass.model.result import Hit, HitFacts, Hits, Reasons
from codecompass.model.triage import RECORDS_FOLDER, Record, as_object
from codecompass.text.stems import stems
from codecompass.text.tokens import split_identifier
from codecompass.triage.recording import HANDLE, checked_id
from codecompass.triage.writing import as_markdown

K1, B = 1.2, 0.75
"""BM25, as the text index has it."""
_SNIPPET = 160
_WORD = re.compile(r"\w{1,100}")


@dataclass
class Volume:
    """One record as text; cut into words when somebody first asks."""

    record: Record

    @cached_property
    def text(self) -> str:
        return as_markdown(self.record)

    def fields(self) -> Mapping[str, object]:
        """Every field by its name, as the JSON file has them."""
        return self._fields

    @cached_property
    def _fields(self) -> Mapping[str, object]:
        whole = as_object(self.record)
        assert isinstance(whole, dict)
        return whole

    @cached_property
    def place(self) -> PlaceText:
        return PlaceText(self.text)

    @cached_property
    def counts(self) -> Counter[str]:
        """Stem → how often it stands there."""
        found: Counter[str] = Counter()
        for word, times in Counter(_WORD.findall(self.text)).items():
            for one in stems(word):
                found[one] += times
        return found

    @property
    def path(self) -> str:
        return f"{RECORDS_FOLDER}/{self.record.record_id}.md"


@dataclass(frozen=True, slots=True)
class Shelved:
    """What a search found among records."""

    hits: tuple[Hit, ...]
    total: int
    relaxed: bool


def record_named(handle: str | None, path: str | None, files: Container[str]) -> str:
    """The id in the handle or the path of a record; empty when a file or anything else is meant."""
    if handle is not None:
        return checked_id(handle) if handle.strip().startswith(HANDLE) else ""
    name = (path or "").strip()
    return checked_id(name) if name.startswith(RECORDS_FOLDER + "/") and name not in files else ""


def asks_records(query: SearchQuery, registry: Registry) -> bool:
    """Whether records may answer: they were asked for, or a filter that only they can pass was given."""
    if query.mode:
        return query.mode == "records"
    if "meta" not in query.text and not query.filters:
        return False
    return any(row.scope == "record" for row, _ in plan(query, registry).filters)


def with_records(files: Hits, found: Shelved, limit: int) -> Hits:
    """Files and records in one list by score; where one side has all the words, the other's looser finds are left."""
    if found.relaxed and not files.relaxed and files.hits:
        return files
    if files.relaxed and found.hits and not found.relaxed:
        files = replace(files, hits=(), total=0, relaxed=False, truncated=False)
    hits = sorted((*files.hits, *found.hits), key=lambda hit: (-hit.score, hit.path))[:limit]
    total = files.total + found.total
    relaxed = files.relaxed or found.relaxed
    return replace(
        files, hits=tuple(hits), total=total, relaxed=relaxed, truncated=files.truncated or total > len(hits)
    )


@dataclass
class Library:
    """Searches a cabinet; keeps the words of records that have not changed."""

    cabinet: Cabinet
    _volumes: dict[str, Volume] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def search(self, query: SearchQuery, registry: Registry, call: Call) -> Shelved:
        """The best records. All words of the query must be in one; where none has all, any of them counts."""
        records = self.cabinet.records()[1]
        made = plan(query, registry)
        if query.language not in (None, LANGUAGE) or not records:
            return Shelved((), 0, relaxed=False)
        passing = self._passing(query, made, records, registry, call)
        found = [(volume, fields) for volume, fields in passing if _has_all(made, volume, query, fields)]
        relaxed = not found and bool(made.question.words)
        if relaxed:
            found = [(volume, fields) for volume, fields in passing if _has_any(made, volume, query, fields)]
        scores = _Scores(made, [volume for volume, _ in passing])
        ranked = sorted(((scores.of(volume), volume, fields) for volume, fields in found), key=_order)
        hits = tuple(_hit(query, made, *one) for one in ranked[: query.limit])
        return Shelved(hits, len(ranked), relaxed and bool(ranked))

    def text(self, record_id: str) -> str:
        """A record as its Markdown file has it."""
        return as_markdown(self.cabinet.get(record_id))

    def _passing(
        self, query: SearchQuery, made: Plan, records: Mapping[str, Record], registry: Registry, call: Call
    ) -> list[tuple[Volume, RecordFields]]:
        """The records that pass the filters of the caller and of the query."""
        newest, moment = newest_decisions(records.values()), now()
        setting = Setting(registry, time.time(), query.case_file)
        wanted = [(row.field, ready(row.field, value, setting)) for row, value in made.filters]
        barred = [(row.field, ready(row.field, value, setting)) for row, value in made.without]
        found = []
        for volume in self._all(records):
            call.check()
            fields = RecordFields(volume.record, volume.path, volume.fields, newest, moment, setting)
            if all(fields.hold(*one) for one in wanted) and not any(fields.hold(*one) for one in barred):
                found.append((volume, fields))
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


def _has_all(made: Plan, volume: Volume, query: SearchQuery, fields: RecordFields) -> bool:
    if made.tree is not None:
        return holds(made.tree, _place(volume, query), fields.test)
    return all(_count(volume, word) for word in made.question.words)


def _has_any(made: Plan, volume: Volume, query: SearchQuery, fields: RecordFields) -> bool:
    if made.tree is not None:
        return holds_loosely(made.tree, _place(volume, query), fields.test)
    return any(_count(volume, word) for word in made.question.words)


def _place(volume: Volume, query: SearchQuery) -> PlaceText:
    return PlaceText(volume.text, exact=True) if query.case_tokens else volume.place


def _count(volume: Volume, word: str) -> int:
    """How often a word stands in a record: all its parts, so the one that is there least."""
    parts = stems(word)
    if not parts:
        return int(volume.place.has_word(word))
    return min(volume.counts[part] for part in parts)


class _Scores:
    """BM25 over the records that pass the filters, as a share of what a perfect match would have."""

    def __init__(self, made: Plan, volumes: list[Volume]) -> None:
        words = made.question.words
        self._words = {}
        if not words:
            return
        sizes = [volume.counts.total() for volume in volumes]
        self._mean = sum(sizes) / len(sizes) if sizes else 1.0
        for word in words:
            holders = sum(1 for volume in volumes if _count(volume, word))
            self._words[word] = math.log(1 + (len(volumes) - holders + 0.5) / (holders + 0.5))

    def of(self, volume: Volume) -> float:
        if not self._words:
            return 1.0
        norm = K1 * (1 - B + B * volume.counts.total() / (self._mean or 1.0))
        gained = sum(
            rarity * count * (K1 + 1) / (count + norm)
            for word, rarity in self._words.items()
            if (count := _count(volume, word))
        )
        return gained / (sum(self._words.values()) * (K1 + 1) or 1.0)


def _order(one: tuple[float, Volume, RecordFields]) -> tuple[float, str, str]:
    """The best first, among equals the newest."""
    score, volume, _ = one
    return -round(score, 9), "".join(chr(0x10FFFF - ord(sign)) for sign in volume.record.updated_at), volume.path


def _hit(query: SearchQuery, made: Plan, score: float, volume: Volume, fields: RecordFields) -> Hit:
    record, lines = volume.record, volume.text.rstrip("\n").split("\n")
    size = len(volume.text.encode("utf-8", "replace"))
    words = bool(made.question.words)
    facts = None
    if query.facts:
        doc = record.vuln.title or record.vuln.description[:300]
        facts = HitFacts(0, size, doc, record=tuple(fields.short.items()))
    parts = made.question.parts
    best = max(lines, key=lambda line: len(parts & frozenset(split_identifier(line)))) if parts else lines[0]
    return Hit(
        result_type="record",
        result_id=HANDLE + record.record_id,
        path=volume.path,
        line_start=1,
        line_end=len(lines),
        language=LANGUAGE,
        score=score,
        reasons=Reasons(bm25_score=score if words else 0.0, final_score=score),
        kind="record",
        name=record.name,
        snippet=" ".join(best.split())[:_SNIPPET],
        body_preview=volume.text[:2_400] if query.detail == "context" or query.facts == "whole" else "",
        facts=facts,
    )
