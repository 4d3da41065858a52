"""Record builder: convert items of any source to records with ids, dates and routing."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from codecompass.errors import Failure
from codecompass.findings import dependabot, generic, inspector, osv, sarif
from codecompass.findings.draft import Draft, Unfit
from codecompass.findings.item_reader import Item
from codecompass.findings.raw_item import Raw
from codecompass.model.queries.filters import wrong_value
from codecompass.model.triage_values import EXPOSURE, ROUTING, Exposure, Record

READERS: dict[str, Callable[[Item, list[str]], Iterator[Draft]]] = {
    "dependabot": dependabot.drafts,
    "aws_inspector": inspector.drafts,
    "generic": generic.drafts,
    "manual": generic.drafts,
    "sarif": sarif.drafts,
    "osv": osv.drafts,
}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
HANDLE = "rec_"
NO_KEY = "it has no stable identifier: its id is a hash of its content, so changed content makes another record"

Meta = tuple[tuple[str, str], ...]


def record_id(source: str, key: str) -> str:
    """Compute the id of a finding: the same source and key always give the same id."""
    return hashlib.sha1(f"{source}:{key}".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def checked_id(text: str) -> str:
    """Parse a record id from a caller, also in the form of a search handle or a path."""
    name = text.strip().removeprefix("triage/records/").removesuffix(".md").removeprefix(HANDLE)
    if not _ID.fullmatch(name) or ".." in name:
        raise Failure("INVALID_REQUEST", f"{ascii(text[:80])} is not a record id.",
                      hint="Copy a recordId from triage_ingest or from search with mode records.")  # fmt: skip
    return name


def records(item: Item, source: str, meta: Meta, now: str) -> Iterator[Record]:
    """Yield the records of one item; UnfitItemError when it is not a finding of that source."""
    if item.trouble:
        raise Unfit(item.trouble)
    if not isinstance(item.value, dict):
        raise Unfit("an object was expected")
    warnings = list(item.warnings)
    # A parser may add warnings after its first draft, so all drafts are read before any record is built.
    for draft in list(READERS[source](item, warnings)):
        yield _finished(draft, source, meta, now, warnings, item.value)


def _finished(
    draft: Draft, source: str, meta: Meta, now: str, warnings: list[str], value: Mapping[str, object]
) -> Record:
    messages = list(warnings)
    key = draft.key
    if not key:
        key = hashlib.sha1(repr(value).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        messages.append(NO_KEY)
    given = draft.record_id
    if given and (not _ID.fullmatch(given) or ".." in given):
        messages.append("its recordId is not a valid id, so a new one was made")
        given = ""
    routing = {**dict(draft.routing), **{name: text for name, text in meta if name in ROUTING}}
    record = Record(
        record_id=given or record_id("generic" if source == "manual" else source, key),
        record_type="finding",
        source=source,
        created_at=draft.created_at or now,
        updated_at=draft.updated_at or draft.created_at or now,
        source_state=draft.state,
        vuln=draft.vuln,
        package=draft.package,
        asset=draft.asset,
        exposure=exposed(draft.exposure, meta),
        places=draft.places,
        parse_warnings=tuple(dict.fromkeys(messages)),
    )
    return replace(record, **routing)  # type: ignore[arg-type]


def exposed(exposure: Exposure, meta: Meta) -> Exposure:
    """Merge the caller's metadata into the exposure."""
    raw = Raw({name.removeprefix("exposure."): text for name, text in meta})
    controls = re.split(r"[,;]", raw.text("compensatingControls"))
    flag = raw.flag("internetExposed")
    if flag is None and raw.at("internetExposed").value is not None:
        raise wrong_value("meta", "type", "internetExposed must be true or false")
    return Exposure(
        internet_exposed=exposure.internet_exposed if flag is None else flag,
        public_endpoint=raw.text("publicEndpoint") or exposure.public_endpoint,
        data_sensitivity=raw.text("dataSensitivity") or exposure.data_sensitivity,
        business_criticality=raw.text("businessCriticality") or exposure.business_criticality,
        compensating_controls=tuple(word.strip() for word in controls if word.strip())
        or exposure.compensating_controls,
    )


def checked_meta(meta: Mapping[str, object] | None) -> Meta:
    """Check routing and exposure metadata and convert it to text; unknown keys are refused."""
    known = {*ROUTING, *EXPOSURE, *(f"exposure.{name}" for name in EXPOSURE)}
    found: dict[str, str] = {}
    for name, value in (meta or {}).items():
        if name == "exposure" and isinstance(value, Mapping):
            found |= dict(checked_meta({f"exposure.{inner}": one for inner, one in value.items()}))
            continue
        if name not in known:
            known_keys = ", ".join((*ROUTING, *EXPOSURE))
            raise wrong_value("meta", "additionalProperties", f"unknown key {ascii(name[:60])}; known are {known_keys}")
        found[name] = _meta_text(name, value)
    return tuple(found.items())


def _meta_text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return Raw(",".join(value)).text()
    if not isinstance(value, str | int | float):
        raise wrong_value("meta", "type", f"{name} must be a string, a number, or true or false")
    return Raw(value).text()
