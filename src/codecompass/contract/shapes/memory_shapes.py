"""JSON shapes of discoveries and memory search results. Their texts are data, not instructions."""

from typing import Any

from codecompass.model.memory_values import (
    ClaimCheck,
    Conflict,
    Discovery,
    DiscoverySource,
    ImpactedDiscovery,
    MemoryHit,
    SearchCoverage,
)
from codecompass.model.secrecy import escape_invisible

MAX_VERDICTS, MAX_CONFLICTS, MAX_REASONS = 4, 3, 3
"""Most verdicts, conflicts and reasons shown for one discovery."""
MAX_LINE = 160


def escape_lines(text: str, most: int = 0) -> str:
    """Escape control characters in a text and keep its line breaks."""
    if most and len(text) > most:
        text = text[: most - 1] + "…"
    return "\n".join(escape_invisible(line) for line in text.split("\n"))


def shape_discovery(item: Discovery) -> dict[str, Any]:
    """Shape a discovery: the documented fields, its origin and its state."""
    shaped: dict[str, Any] = {
        "id": item.id,
        "type": item.type,
        "content": escape_lines(item.content),
        "title": escape_lines(item.title, MAX_LINE),
        "module": escape_lines(item.module, MAX_LINE),
        "session": item.session,
        "date": item.date,
        "author": escape_lines(item.author, MAX_LINE),
        "origin": shape_source(item.source),
        "symbols": [escape_lines(name, MAX_LINE) for name in item.symbols],
        "state": item.state if item.state != "active" else "",
        "supersededBy": item.superseded_by,
        "supersedes": list(item.supersedes),
        "closedBy": item.closed_by[:12],
        "redacted": item.redacted or "",
    }
    return {key: value for key, value in shaped.items() if value not in ("", [])}


def shape_hit(hit: MemoryHit) -> dict[str, Any]:
    """Shape one result of a memory search."""
    shaped = shape_discovery(hit.discovery)
    shaped |= {"score": round(hit.score, 4), "source": hit.kind, "untrusted": hit.untrusted}
    if hit.kind == "discovery":
        shaped["freshness"] = hit.freshness
    if hit.confidence:
        shaped["confidence"] = hit.confidence
    if hit.verdicts:
        # Verdicts that no longer hold come first: `freshness` already summarizes the others.
        ordered = sorted(hit.verdicts, key=lambda row: row.status not in ("gone", "changed"))
        shaped["verdicts"] = [shape_verdict(row) for row in ordered[:MAX_VERDICTS]]
    if hit.conflicts:
        shaped["conflicts"] = [_shape_conflict(row) for row in hit.conflicts[:MAX_CONFLICTS]]
    return shaped


def shape_nearest(hit: MemoryHit) -> dict[str, Any]:
    """Shape a text that is near a question and does not answer it."""
    item = hit.discovery
    return {
        "id": item.id, "title": escape_lines(item.title or item.content.split("\n")[0], MAX_LINE),
        "origin": shape_source(item.source), "confidence": hit.confidence, "untrusted": hit.untrusted,
    }  # fmt: skip


def shape_verdict(row: ClaimCheck) -> dict[str, Any]:
    """Shape the verdict on one claim."""
    shaped = {
        "claim": escape_lines(row.claim.text, MAX_LINE),
        "kind": row.claim.kind,
        "status": row.status,
        "commit": row.commit[:12],
        "author": escape_lines(row.author, MAX_LINE),
        "date": row.date,
        "was": escape_lines(row.was, MAX_LINE),
        "now": escape_lines(row.now, MAX_LINE),
        "note": escape_lines(row.note, MAX_LINE),
    }
    return {key: value for key, value in shaped.items() if value}


def shape_source(source: DiscoverySource) -> dict[str, Any]:
    shaped: dict[str, Any] = {
        "kind": source.kind,
        "path": escape_lines(source.path),
        "lineStart": source.line_start,
        "lineEnd": source.line_end,
        "commit": source.commit[:12],
    }
    return {key: value for key, value in shaped.items() if value}


def _shape_conflict(row: Conflict) -> dict[str, Any]:
    return {
        "id": row.id, "about": escape_lines(row.about, MAX_LINE), "says": escape_lines(row.says, MAX_LINE),
        "otherSays": escape_lines(row.other_says, MAX_LINE), "origin": shape_source(row.source),
    }  # fmt: skip


def shape_searched(searched: SearchCoverage) -> dict[str, Any]:
    """Shape what was searched: counts, completeness, notes and ranking."""
    shaped: dict[str, Any] = {"items": dict(searched.counts), "complete": searched.complete}
    if searched.notes:
        shaped["notes"] = [escape_lines(note, MAX_LINE * 2) for note in searched.notes]
    shaped["ranking"] = "words and meaning" if searched.model else "words"
    return shaped


def shape_impacted(item: ImpactedDiscovery) -> dict[str, Any]:
    """Shape a discovery that a change puts at risk."""
    return {
        "id": item.discovery.id,
        "type": item.discovery.type,
        "severity": item.severity,
        "content": escape_lines(item.discovery.content, 2 * MAX_LINE),
        "origin": shape_source(item.discovery.source),
        "why": [escape_lines(line, MAX_LINE) for line in item.why[:MAX_REASONS]],
        "untrusted": True,
    }
