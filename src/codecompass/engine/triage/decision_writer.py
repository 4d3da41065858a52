"""Decision writer: record a decision about a finding, with verified evidence, beside earlier decisions."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from secrets import token_hex

from codecompass.engine.navigation.symbols.target import find_path, find_targets
from codecompass.engine.triage.decisions import decision_status, find_newest_decisions
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.raw_item import LONG, MANY, SHORT, RawItem, to_iso_time
from codecompass.findings.record_builder import (
    RECORD_HANDLE_PREFIX,
    Meta,
    check_meta,
    make_record_id,
    merge_exposure,
    parse_record_id,
)
from codecompass.model.ids import classify_handle
from codecompass.model.path_text import display_path
from codecompass.model.queries.filters import make_invalid_value
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.timestamp import utc_timestamp
from codecompass.model.triage_values import ROUTING, Decision, DecisionRequest, Evidence, RecordedDecision, TriageRecord

_LINES = re.compile(r"(?s)(.+?):(\d{1,9})(?:-(\d{1,9}))?")
_URL = re.compile(r"https?://[^\s/]+\S*")
_RECORD = re.compile(rf"(?:{RECORD_HANDLE_PREFIX})?[0-9a-f]{{40}}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def decide(project: Project, order: DecisionRequest) -> RecordedDecision:
    """Record a decision; nothing is written unless the finding, the date and all evidence are valid."""
    store, moment = get_record_store(project), utc_timestamp()
    finding = store.get(parse_record_id(order.finding))
    if finding.decision is not None:
        raise Failure("INVALID_REQUEST", f"{finding.record_id} is a decision; decisions are made about findings.",
                      hint=f"Decide about {finding.decision.finding_record_id} instead.")  # fmt: skip
    _check_lengths(order)
    expires = _parse_expiry(order.expires, moment)
    meta = check_meta(order.meta)
    evidence = _check_evidence(project, order.evidence)
    raw = RawItem({"why": order.justification, "by": order.reviewer, "codes": list(order.codes)})
    decision = Decision(
        finding_record_id=finding.record_id,
        status=order.status,
        justification=raw.get_text("why", most=LONG),
        justification_codes=raw.get_texts("codes"),
        reviewer=raw.get_text("by"),
        expires_at=expires,
        evidence_refs=evidence,
    )
    before = decision_status(finding.record_id, find_newest_decisions(store.get_records()[1].values()), moment)
    record = _make_record(project, finding, decision, meta, moment)
    stored = store.add(record)
    replaced = "" if before.expired else before.decision_id
    return RecordedDecision(record, stored, str(store.records_directory), replaced, store.describe_damage())


def _check_lengths(order: DecisionRequest) -> None:
    """Reject texts and lists that are too long; they are not truncated."""
    limits = {"justification": (order.justification, LONG), "reviewer": (order.reviewer, SHORT)}
    for name, (text, most) in limits.items():
        if len(text) > most:
            raise make_invalid_value(name, "maxLength", f"must have at most {most:,} characters, but has {len(text):,}")
    for name, words in (("codes", order.codes), ("evidence", order.evidence)):
        if len(words) > MANY or any(len(word) > SHORT for word in words):
            raise make_invalid_value(name, "maxItems", f"must have at most {MANY} entries of {SHORT} characters each")


def _make_record(project: Project, finding: TriageRecord, decision: Decision, meta: Meta, moment: str) -> TriageRecord:
    """Make a new record with the fields of the finding; its id is unique even for an equal decision."""
    known = get_record_store(project).get_records()[1]
    about = [one for one in known.values() if one.decision and one.decision.finding_record_id == finding.record_id]
    newest = max((one.created_at for one in about), default="")
    # Timestamps are increased so that two decisions within one second stay ordered.
    created = moment if moment > newest else _add_second(newest)
    routing = {name: text for name, text in meta if name in ROUTING}
    made = replace(
        finding,
        record_id=make_record_id("decision", f"{finding.record_id}:{decision.status}:{created}:{token_hex(8)}"),
        record_type="decision",
        source="manual",
        created_at=created,
        updated_at=created,
        exposure=merge_exposure(finding.exposure, meta),
        decision=decision,
        parse_warnings=(),
    )
    return replace(made, **routing)  # type: ignore[arg-type]


def _add_second(moment: str) -> str:
    return utc_timestamp(datetime.fromisoformat(moment) + timedelta(seconds=1))


def _parse_expiry(text: str, moment: str) -> str:
    """Parse an expiry; a date means the end of that day. A past time is rejected: the decision would have no effect."""
    if not text:
        return ""
    written = text.strip()
    found = to_iso_time(f"{written}T23:59:59Z" if _DAY.fullmatch(written) else written)
    if not found:
        raise make_invalid_value("expires", "format", "must be an ISO date or time, such as 2027-01-31")
    if found <= moment:
        raise make_invalid_value(
            "expires", "minimum", f"{found} is in the past, so the decision would never be in force"
        )
    return found


# -- evidence ----------------------------------------------------------------------------------------------------------


def _check_evidence(project: Project, refs: tuple[str, ...]) -> tuple[Evidence, ...]:
    """Resolve each reference; all unknown references are reported in one error."""
    plain = [ref.strip() for ref in refs if ref.strip()]
    found: dict[str, Evidence] = {}
    missing: list[str] = []
    rest = []
    for ref in dict.fromkeys(plain):
        if _URL.fullmatch(ref):
            found[ref] = Evidence(ref, "url")
        elif _RECORD.fullmatch(ref):
            record = get_record_store(project).get_records()[1].get(ref.removeprefix(RECORD_HANDLE_PREFIX))
            if record is None:
                missing.append(ref)
            else:
                found[ref] = Evidence(ref, "record", name=record.name)
        else:
            rest.append(ref)
    if rest:
        with project.open_view(project.resolve_ref(None)) as view:
            for ref in rest:
                one = _find_in_view(view, ref)
                if one is None:
                    missing.append(ref)
                else:
                    found[ref] = one
    if missing:
        names = ", ".join(ascii(one[:80]) for one in missing[:5])
        raise Failure(
            "INVALID_REQUEST",
            f"Evidence not found: {names}{f' and {len(missing) - 5} more' if len(missing) > 5 else ''}."
            " Nothing was recorded.",
            {"missing": [one[:200] for one in missing]},
            hint="Evidence is a path, path:line, path:first-last, a symbol, a handle of an answer, a record id or a"
            " URL; if the file is new, call sync_repo first.",
        )
    return tuple(found[ref] for ref in dict.fromkeys(plain))


def _find_in_view(view: PinnedView, ref: str) -> Evidence | None:
    """Resolve a reference to a file, lines of a file, or a definition in the view."""
    kind = classify_handle(ref)
    choices = [(ref, 0, 0)]
    if lines := _LINES.fullmatch(ref):
        choices.append((lines[1], int(lines[2]), int(lines[3] or lines[2])))
    for path, first, last in () if kind else choices:
        try:
            real = find_path(view, path)
        except Failure:
            continue
        if path != ref and not 0 < first <= last <= view.facts(real).line_count:
            return None
        return Evidence(ref, "lines" if first else "file", display_path(real), first)
    try:
        symbol = find_targets(view, SymbolTarget(handle=ref) if kind else SymbolTarget(name=ref))[0]
    except Failure as failure:
        # The handle of a file or a snippet resolves to a location, not to a definition.
        path_detail = failure.details.get("path")
        return Evidence(ref, "file", path_detail) if kind and isinstance(path_detail, str) else None
    return Evidence(ref, "symbol", display_path(symbol.path), symbol.definition.line_start, symbol.qualified_name)
