"""Record fields: match filters against a record. `meta` matches any field by dotted name, and some by short name."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.search.filters.predicates import FilterValueContext, prepare_value
from codecompass.engine.search.query.query_syntax import FieldNode
from codecompass.engine.search.retrieval.query_plan import field_filter
from codecompass.engine.triage.decisions import decision_status, summarize_decision
from codecompass.model.triage_values import TriageRecord

LANGUAGE = "markdown"


def collect_short_fields(record: TriageRecord, newest: Mapping[str, TriageRecord], moment: str) -> dict[str, object]:
    """Return the fields with short names; the status of a finding is that of the decision in force."""
    found: dict[str, object] = {
        "recordType": record.record_type, "source": record.source, "recordId": record.record_id,
        "service": record.service, "env": record.env, "team": record.team, "owner": record.owner, "repo": record.repo,
        "vulnId": record.vuln.vuln_id, "cve": record.vuln.cve, "packageName": record.package.name,
        "packageEcosystem": record.package.ecosystem, "severity": record.vuln.severity,
        "assetId": record.asset.asset_id,
    }  # fmt: skip
    if record.decision is not None:
        made = summarize_decision(record, newest, moment)
        found |= {"status": made.status, "findingId": made.finding_id, "inForce": made.in_force}
    else:
        stands = decision_status(record.record_id, newest, moment)
        found |= {"status": stands.status} | ({"decisionExpired": True} if stands.expired else {})
    return {name: value for name, value in found.items() if value != ""}


@dataclass
class RecordFields:
    """The filterable fields of one record; code filters never match."""

    record: TriageRecord
    path: str
    read_all: Callable[[], Mapping[str, object]]
    """Returns all fields of the record; called only if a short name is not enough."""
    newest: Mapping[str, TriageRecord]
    moment: str
    setting: FilterValueContext

    @cached_property
    def short(self) -> dict[str, object]:
        return collect_short_fields(self.record, self.newest, self.moment)

    def matches(self, name: str, value: object) -> bool:
        """Whether the record matches one filter with a prepared value."""
        path = self.path
        match name, value:
            case (("meta" | "metaJson"), tuple(pairs)):
                return all(
                    _has_value(self.short if key in self.short else self.read_all(), key, text) for key, text in pairs
                )
            case "lang", frozenset(languages):
                return LANGUAGE in languages
            case "path", tuple(tests):
                return any(test(path) for test in tests)
            case "file", tuple(tests):
                return any(test(path) or test(path.rpartition("/")[2]) for test in tests)
            case "ext", tuple(endings):
                return path.endswith(endings)
            case _:
                return False

    def matches_field(self, item: FieldNode) -> bool:
        """Whether the record matches a filter inside a query expression."""
        return all(
            self.matches(row.field, prepare_value(row.field, value, self.setting)) for row, value in field_filter(item)
        )


def _has_value(fields: object, key: str, text: str) -> bool:
    """Whether a dotted key has a non-empty value that contains the text, ignoring case."""
    if isinstance(fields, Mapping) and key in fields:
        return _contains(fields[key], text)
    head, dot, rest = key.partition(".")
    if not isinstance(fields, Mapping) or head not in fields or not dot:
        return False
    inner = fields[head]
    return any(_has_value(one, rest, text) for one in (inner if isinstance(inner, list) else (inner,)))


def _contains(value: object, text: str) -> bool:
    if isinstance(value, list):
        return any(_contains(one, text) for one in value)
    if value in (None, "", {}):
        return False
    plain = json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping | bool) else str(value)
    return text.lower() in plain.lower()
