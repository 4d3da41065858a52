"""Record writer: write a record as JSON and as Markdown, and read it back from JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields

import msgspec
from blake3 import blake3

from codecompass.model.triage_values import SEVERITIES, STATUSES, Record, as_object

FORMAT = 1
CHECKSUM = "checksum"
_FIELDS = frozenset({"schema_version", *(one.name for one in fields(Record))})
_WORD = re.compile(r"(?<=[a-z0-9])([A-Z])")


def as_json(record: Record) -> bytes:
    """Format a record as JSON with a checksum; equal records give equal bytes."""
    made = as_object(record)
    assert isinstance(made, dict)
    # Characters that UTF-8 cannot represent are replaced first: the checksum covers the content of the file.
    plain = json.loads(json.dumps({"schemaVersion": FORMAT, **made}, ensure_ascii=False).encode("utf-8", "replace"))
    text = json.dumps({CHECKSUM: _checksum(plain), **plain}, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "replace") + b"\n"


def from_json(data: bytes) -> Record:
    """Read a record; ValueError when the file is not a record or is damaged."""
    return read_record(data)[0]


def read_record(data: bytes) -> tuple[Record, bool]:
    """Read a record, and whether it has a checksum: older versions wrote none."""
    try:
        found = json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or not isinstance(found.get("schemaVersion"), int):
        raise ValueError("not a record")
    if found["schemaVersion"] > FORMAT:
        raise ValueError("written by a newer version")
    proof = found.pop(CHECKSUM, None)
    if proof is not None and proof != _checksum(found):
        raise ValueError("it does not match its checksum")
    if proof is None and not _FIELDS.issuperset(_plain(found)):
        # The key of the checksum itself may be damaged.
        raise ValueError("it has no checksum, and an unknown field")
    return _record(found), proof is not None


def _checksum(found: dict[str, object]) -> str:
    """Compute the checksum of the content, independent of the layout."""
    text = json.dumps(found, sort_keys=True, separators=(",", ":"))
    return "blake3:" + blake3(text.encode("ascii")).hexdigest(length=16)


def _record(found: dict[str, object]) -> Record:
    try:
        record = msgspec.convert(_plain(found), Record)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    status = record.decision.status if record.decision else ""
    if record.vuln.severity not in SEVERITIES or status not in ("", *STATUSES):
        raise ValueError("it has an unknown severity or status")
    if record.record_type != ("decision" if record.decision else "finding"):
        raise ValueError("it is neither a finding nor a decision")
    return record


def _plain(value: dict[str, object]) -> dict[str, object]:
    """Convert the camel-case keys of a file to the field names of a record."""
    return {_WORD.sub(lambda found: "_" + found[1].lower(), str(name)): _inner(one) for name, one in value.items()}


def _inner(value: object) -> object:
    if isinstance(value, dict):
        return _plain(value)
    return [_inner(one) for one in value] if isinstance(value, list) else value


# -- Markdown ----------------------------------------------------------------------------------------------------------


def as_markdown(record: Record) -> str:
    """Format a record as Markdown, which is also the text that is searched."""
    vuln, decision = record.vuln, record.decision
    heading = f"{record.name}: {vuln.title}" if vuln.title and record.name != vuln.title else record.name
    parts = [f"# {'Decision on ' if decision else ''}{_plain_line(heading)}"]
    if vuln.description and not decision:
        parts.append(_quoted(vuln.description))
    parts += [_section("Summary", _summary(record)), _section("Package", _rows(record.package)),
              _section("Environment", _environment(record)), _section("Exposure", _rows(record.exposure)),
              _section("Asset", _rows(record.asset))]  # fmt: skip
    if record.places:
        rows = [f"- {_plain_line(one.path)}{f':{one.line}' if one.line else ''}" for one in record.places]
        parts.append("## Places\n\n" + "\n".join(rows))
    if decision is not None:
        about = {
            "Status": decision.status, "Finding": decision.finding_record_id, "Reviewer": decision.reviewer,
            "Expires": decision.expires_at, "Codes": ", ".join(decision.justification_codes),
            "Evidence": ", ".join(one.ref for one in decision.evidence_refs),
        }  # fmt: skip
        parts.append(_section("Decision", about))
        if decision.justification:
            parts.append(_quoted(decision.justification))
    if vuln.references:
        parts.append("## References\n\n" + "\n".join(f"- {_plain_line(one)}" for one in vuln.references))
    if record.parse_warnings:
        parts.append("## Parse warnings\n\n" + "\n".join(f"- {_plain_line(one)}" for one in record.parse_warnings))
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(record: Record) -> dict[str, str]:
    vuln = record.vuln
    score = "" if vuln.cvss is None else " ".join(
        str(one) for one in (vuln.cvss.score, vuln.cvss.vector) if one not in (None, "")
    )  # fmt: skip
    return {
        "Record": record.record_id, "Type": record.record_type, "Source": record.source,
        "State at source": record.source_state, "Severity": vuln.severity, "CVSS": score, "CVE": vuln.cve,
        "Aliases": ", ".join(vuln.aliases), "CWE": ", ".join(vuln.cwe), "Symbols": ", ".join(vuln.symbols),
        "Created": record.created_at, "Updated": record.updated_at,
    }  # fmt: skip


def _environment(record: Record) -> dict[str, str]:
    return {"Service": record.service, "Environment": record.env, "Team": record.team, "Owner": record.owner,
            "Repository": record.repo}  # fmt: skip


def _rows(value: object) -> dict[str, str]:
    found = as_object(value)
    assert isinstance(found, dict)
    return {
        _WORD.sub(r" \1", name).capitalize(): ", ".join(map(str, one)) if isinstance(one, list) else _said(one)
        for name, one in found.items()
    }


def _said(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _section(title: str, rows: Mapping[str, str]) -> str:
    kept = [f"- {name}: {_plain_line(text)}" for name, text in rows.items() if text]
    return f"## {title}\n\n" + "\n".join(kept) if kept else ""


def _plain_line(text: str) -> str:
    """Join the lines of a text, so that it adds no Markdown structure."""
    return " ".join(text.split())


def _quoted(text: str) -> str:
    """Format foreign text as a quotation, so that its lines cannot be mistaken for ours."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
