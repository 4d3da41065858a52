"""Payload of grep: matching lines and totals, as the tool and the command line return them."""

from typing import Any

from codecompass.contract.encoding import encode
from codecompass.model.queries.grep_query import GrepAnswer, GrepMatch

FRAME_BYTES = 300
"""Bytes reserved for fields that are added after measuring."""
NO_MATCHES = "No matches found for pattern '{}'"
ONE_LINE_HINT = "A pattern matches within one line; look for its parts."


def build_payload(found: GrepAnswer, pattern: str, max_bytes: int) -> dict[str, Any]:
    """Build the payload, with as many matches as fit."""
    payload = _build_frame(found, pattern)
    rows = _take_fitting(found.matches, max_bytes - len(encode(payload)) - FRAME_BYTES)
    payload["matches"] = rows
    if len(rows) < found.total:
        payload["truncated"] = True
    if not found.total:
        payload["message"] = NO_MATCHES.format(pattern)
        if "\\n" in pattern or "\n" in pattern:
            payload["suggestion"] = ONE_LINE_HINT
    elif not found.complete:
        payload["message"] = "Time was up: totalMatches is a lower bound. Narrow with filePattern or a longer pattern."
    elif len(rows) < len(found.matches):
        payload["message"] = f"Cut to the size of an answer: {len(rows)} of {len(found.matches)} matches are shown."
    return payload


def _build_frame(found: GrepAnswer, pattern: str) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "matches": [],
        "pattern": pattern,
        "totalMatches": found.total,
        "filesSearched": found.searched,
        "searchTime": round(found.milliseconds),
        "ref": found.state.ref,
        "freshness": found.state.freshness,
    }
    if found.commit:
        payload["asOf"] = found.commit
    if not found.complete or found.cut_files:
        payload["complete"] = False
    if found.notes:
        payload["warnings"] = list(found.notes)
    return payload


def _take_fitting(matches: tuple[GrepMatch, ...], room: int) -> list[dict[str, Any]]:
    """Return as many of the first matches as fit."""
    rows: list[dict[str, Any]] = []
    for match in matches:
        row = _shape_match(match)
        room -= len(encode(row)) + 1
        if room < 0:
            break
        rows.append(row)
    return rows


def _shape_match(match: GrepMatch) -> dict[str, Any]:
    row: dict[str, Any] = {
        "file": match.path,
        "line": match.line,
        "column": match.column,
        "text": match.text,
        "context": {"before": list(match.before), "after": list(match.after)},
    }
    if match.cut:
        row["cut"] = True
    return row
