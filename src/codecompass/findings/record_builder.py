"""Record builder: convert items of any source to records with ids, dates and routing."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from codecompass.errors import Failure
from codecompass.findings import dependabot, generic, inspector, osv, sarif
from codecompass.findings.draft import FindingDraft, UnfitItemError
from codecompass.findings.item_reader import ScannerItem
from codecompass.findings.raw_item import RawItem
from codecompass.model.queries.filters import make_invalid_value
from codecompass.model.states import FindingSource
from codecompass.model.triage_values import EXPOSURE, ROUTING, AssetExposure, TriageRecord

FINDING_PARSERS: dict[str, Callable[[ScannerItem, list[str]], Iterator[FindingDraft]]] = {
    "dependabot": dependabot.parse_findings,
    "aws_inspector": inspector.parse_findings,
    "generic": generic.parse_findings,
    "manual": generic.parse_findings,
    "sarif": sarif.parse_findings,
    "osv": osv.parse_findings,
}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
RECORD_HANDLE_PREFIX = "rec_"
NO_KEY_WARNING = "it has no stable identifier: its id is a hash of its content, so changed content makes another record"

Meta = tuple[tuple[str, str], ...]


def make_record_id(source: str, key: str) -> str:
    """Compute the id of a finding: the same source and key always give the same id."""
    return hashlib.sha1(f"{source}:{key}".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def parse_record_id(text: str) -> str:
    """Parse a record id from a caller, also in the form of a search handle or a path."""
    name = text.strip().removeprefix("triage/records/").removesuffix(".md").removeprefix(RECORD_HANDLE_PREFIX)
    if not _ID.fullmatch(name) or ".." in name:
        raise Failure("INVALID_REQUEST", f"{ascii(text[:80])} is not a record id.",
                      hint="Copy a recordId from triage_ingest or from search with mode records.")  # fmt: skip
    return name


def build_records(item: ScannerItem, source: FindingSource, meta: Meta, now: str) -> Iterator[TriageRecord]:
    """Yield the records of one item; UnfitItemError when it is not a finding of that source."""
    if item.error:
        raise UnfitItemError(item.error)
    if not isinstance(item.value, dict):
        raise UnfitItemError("an object was expected")
    warnings = list(item.warnings)
    # A parser may add warnings after its first draft, so all drafts are read before any record is built.
    for draft in list(FINDING_PARSERS[source](item, warnings)):
        yield _build_record(draft, source, meta, now, warnings, item.value)


def _build_record(
    draft: FindingDraft, source: FindingSource, meta: Meta, now: str, warnings: list[str], value: Mapping[str, object]
) -> TriageRecord:
    messages = list(warnings)
    key = draft.key
    if not key:
        key = hashlib.sha1(repr(value).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        messages.append(NO_KEY_WARNING)
    given = draft.record_id
    if given and (not _ID.fullmatch(given) or ".." in given):
        messages.append("its recordId is not a valid id, so a new one was made")
        given = ""
    routing = {**dict(draft.routing), **{name: text for name, text in meta if name in ROUTING}}
    record = TriageRecord(
        record_id=given or make_record_id("generic" if source == "manual" else source, key),
        record_type="finding",
        source=source,
        created_at=draft.created_at or now,
        updated_at=draft.updated_at or draft.created_at or now,
        source_state=draft.state,
        vuln=draft.vuln,
        package=draft.package,
        asset=draft.asset,
        exposure=merge_exposure(draft.exposure, meta),
        places=draft.places,
        parse_warnings=tuple(dict.fromkeys(messages)),
    )
    return replace(record, **routing)  # type: ignore[arg-type]


def merge_exposure(exposure: AssetExposure, meta: Meta) -> AssetExposure:
    """Merge the caller's metadata into the exposure."""
    raw = RawItem({name.removeprefix("exposure."): text for name, text in meta})
    controls = re.split(r"[,;]", raw.get_text("compensatingControls"))
    flag = raw.get_flag("internetExposed")
    if flag is None and raw.get("internetExposed").value is not None:
        raise make_invalid_value("meta", "type", "internetExposed must be true or false")
    return AssetExposure(
        internet_exposed=exposure.internet_exposed if flag is None else flag,
        public_endpoint=raw.get_text("publicEndpoint") or exposure.public_endpoint,
        data_sensitivity=raw.get_text("dataSensitivity") or exposure.data_sensitivity,
        business_criticality=raw.get_text("businessCriticality") or exposure.business_criticality,
        compensating_controls=tuple(word.strip() for word in controls if word.strip())
        or exposure.compensating_controls,
    )


def check_meta(meta: Mapping[str, object] | None) -> Meta:
    """Check routing and exposure metadata and convert it to text; unknown keys are refused."""
    known = {*ROUTING, *EXPOSURE, *(f"exposure.{name}" for name in EXPOSURE)}
    found: dict[str, str] = {}
    for name, value in (meta or {}).items():
        if name == "exposure" and isinstance(value, Mapping):
            found |= dict(check_meta({f"exposure.{inner}": one for inner, one in value.items()}))
            continue
        if name not in known:
            known_keys = ", ".join((*ROUTING, *EXPOSURE))
            raise make_invalid_value(
                "meta", "additionalProperties", f"unknown key {ascii(name[:60])}; known are {known_keys}"
            )
        found[name] = _format_meta(name, value)
    return tuple(found.items())


def _format_meta(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return RawItem(",".join(value)).get_text()
    if not isinstance(value, str | int | float):
        raise make_invalid_value("meta", "type", f"{name} must be a string, a number, or true or false")
    return RawItem(value).get_text()
