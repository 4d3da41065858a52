"""Record writer: write a record as JSON and as Markdown, and read it back from JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields

import msgspec
from blake3 import blake3

from codecompass.model.triage_values import TriageRecord, to_json_object

FORMAT = 1
CHECKSUM = "checksum"
_FIELDS = frozenset({"schema_version", *(one.name for one in fields(TriageRecord))})
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def to_json(record: TriageRecord) -> bytes:
    """Format a record as JSON with a checksum; equal records give equal bytes."""
    made = to_json_object(record)
    assert isinstance(made, dict)
    # Characters that UTF-8 cannot represent are replaced first: the checksum covers the content of the file.
    plain = json.loads(json.dumps({"schemaVersion": FORMAT, **made}, ensure_ascii=False).encode("utf-8", "replace"))
    text = json.dumps({CHECKSUM: _compute_checksum(plain), **plain}, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "replace") + b"\n"


def read_record(data: bytes) -> tuple[TriageRecord, bool]:
    """Read a record, and whether it has a checksum: older versions wrote none.

    Raises ValueError when the file is not a record or is damaged.
    """
    try:
        found = json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or not isinstance(found.get("schemaVersion"), int):
        raise ValueError("not a record")
    if found["schemaVersion"] > FORMAT:
        raise ValueError("written by a newer version")
    proof = found.pop(CHECKSUM, None)
    if proof is not None and proof != _compute_checksum(found):
        raise ValueError("it does not match its checksum")
    if proof is None and not _FIELDS.issuperset(_to_snake_case(found)):
        # The key of the checksum itself may be damaged.
        raise ValueError("it has no checksum, and an unknown field")
    return _convert_record(found), proof is not None


def _compute_checksum(found: dict[str, object]) -> str:
    """Compute the checksum of the content, independent of the layout."""
    text = json.dumps(found, sort_keys=True, separators=(",", ":"))
    return "blake3:" + blake3(text.encode("ascii")).hexdigest(length=16)


def _convert_record(found: dict[str, object]) -> TriageRecord:
    try:
        record = msgspec.convert(_to_snake_case(found), TriageRecord)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    if record.record_type != ("decision" if record.decision else "finding"):
        raise ValueError("it is neither a finding nor a decision")
    return record


def _to_snake_case(value: dict[str, object]) -> dict[str, object]:
    """Convert the camel-case keys of a file to the field names of a record."""
    return {
        _CAPITAL.sub(lambda found: "_" + found[1].lower(), str(name)): _convert_inner(one)
        for name, one in value.items()
    }


def _convert_inner(value: object) -> object:
    if isinstance(value, dict):
        return _to_snake_case(value)
    return [_convert_inner(one) for one in value] if isinstance(value, list) else value


# -- Markdown ----------------------------------------------------------------------------------------------------------


def to_markdown(record: TriageRecord) -> str:
    """Format a record as Markdown, which is also the text that is searched."""
    vuln, decision = record.vuln, record.decision
    heading = f"{record.name}: {vuln.title}" if vuln.title and record.name != vuln.title else record.name
    parts = [f"# {'Decision on ' if decision else ''}{_to_one_line(heading)}"]
    if vuln.description and not decision:
        parts.append(_quote_block(vuln.description))
    parts += [
        _format_section("Summary", _summarize(record)),
        _format_section("Package", _list_rows(record.package)),
        _format_section("Environment", _describe_environment(record)),
        _format_section("Exposure", _list_rows(record.exposure)),
        _format_section("Asset", _list_rows(record.asset)),
    ]
    if record.places:
        rows = [f"- {_to_one_line(one.path)}{f':{one.line}' if one.line else ''}" for one in record.places]
        parts.append("## Places\n\n" + "\n".join(rows))
    if decision is not None:
        about = {
            "Status": decision.status, "Finding": decision.finding_record_id, "Reviewer": decision.reviewer,
            "Expires": decision.expires_at, "Codes": ", ".join(decision.justification_codes),
            "Evidence": ", ".join(one.ref for one in decision.evidence_refs),
        }  # fmt: skip
        parts.append(_format_section("Decision", about))
        if decision.justification:
            parts.append(_quote_block(decision.justification))
    if vuln.references:
        parts.append("## References\n\n" + "\n".join(f"- {_to_one_line(one)}" for one in vuln.references))
    if record.parse_warnings:
        parts.append("## Parse warnings\n\n" + "\n".join(f"- {_to_one_line(one)}" for one in record.parse_warnings))
    return "\n\n".join(part for part in parts if part) + "\n"


def _summarize(record: TriageRecord) -> dict[str, str]:
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


def _describe_environment(record: TriageRecord) -> dict[str, str]:
    return {"Service": record.service, "Environment": record.env, "Team": record.team, "Owner": record.owner,
            "Repository": record.repo}  # fmt: skip


def _list_rows(value: object) -> dict[str, str]:
    found = to_json_object(value)
    assert isinstance(found, dict)
    return {
        _CAPITAL.sub(r" \1", name).capitalize(): ", ".join(map(str, one))
        if isinstance(one, list)
        else _format_value(one)
        for name, one in found.items()
    }


def _format_value(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _format_section(title: str, rows: Mapping[str, str]) -> str:
    kept = [f"- {name}: {_to_one_line(text)}" for name, text in rows.items() if text]
    return f"## {title}\n\n" + "\n".join(kept) if kept else ""


def _to_one_line(text: str) -> str:
    """Join the lines of a text, so that it adds no Markdown structure."""
    return " ".join(text.split())


def _quote_block(text: str) -> str:
    """Format foreign text as a quotation, so that its lines cannot be mistaken for ours."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
