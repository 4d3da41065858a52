"""Recording: from an item of any source to records with ids, dates and routing."""

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
NO_KEY = "nothing in it names it for good: its id was made from its content, and a changed content makes another record"

Meta = tuple[tuple[str, str], ...]


def record_id(source: str, key: str) -> str:
    """The identity of a finding: the same source and key give the same id each time."""
    return hashlib.sha1(f"{source}:{key}".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def checked_id(text: str) -> str:
    """A record id that a caller named, also as the handle of a search hit or a path in answers."""
    name = text.strip().removeprefix("triage/records/").removesuffix(".md").removeprefix(HANDLE)
    if not _ID.fullmatch(name) or ".." in name:
        raise Failure("INVALID_REQUEST", f"{ascii(text[:80])} is no record id.",
                      hint="Copy a recordId from triage_ingest or from search with mode records.")  # fmt: skip
    return name


def records(item: Item, source: str, meta: Meta, now: str) -> Iterator[Record]:
    """The records of one item; Unfit when it is no finding of that source."""
    if item.trouble:
        raise Unfit(item.trouble)
    if not isinstance(item.value, dict):
        raise Unfit("an object was expected")
    warnings = list(item.warnings)
    # A generator may read on after its first draft, so all are read before any is finished.
    for draft in list(READERS[source](item, warnings)):
        yield _finished(draft, source, meta, now, warnings, item.value)


def _finished(
    draft: Draft, source: str, meta: Meta, now: str, warnings: list[str], value: Mapping[str, object]
) -> Record:
    said = list(warnings)
    key = draft.key
    if not key:
        key = hashlib.sha1(repr(value).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        said.append(NO_KEY)
    given = draft.record_id
    if given and (not _ID.fullmatch(given) or ".." in given):
        said.append("its recordId is no possible id, so another was made")
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
        parse_warnings=tuple(dict.fromkeys(said)),
    )
    return replace(record, **routing)  # type: ignore[arg-type]


def exposed(exposure: Exposure, meta: Meta) -> Exposure:
    """The exposure with what the caller says of it."""
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
    """Routing and exposure as text; a key that means nothing is refused, with those that do."""
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
