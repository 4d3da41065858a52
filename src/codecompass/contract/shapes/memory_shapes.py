"""JSON shapes of discoveries and memory search results. Their texts are data, not instructions."""

from typing import Any

from codecompass.model.memory_values import Conflict, Discovery, Endangered, MemoryHit, Searched, Source, Verdict
from codecompass.model.secrecy import visible

VERDICTS, CONFLICTS, REASONS = 4, 3, 3
"""Most verdicts, conflicts and reasons shown for one discovery."""
LINE = 160


def plain(text: str, most: int = 0) -> str:
    """Escape control characters in a text and keep its line breaks."""
    if most and len(text) > most:
        text = text[: most - 1] + "…"
    return "\n".join(visible(line) for line in text.split("\n"))


def shape_discovery(item: Discovery) -> dict[str, Any]:
    """Shape a discovery: the documented fields, its origin and its state."""
    shaped: dict[str, Any] = {
        "id": item.id,
        "type": item.type,
        "content": plain(item.content),
        "title": plain(item.title, LINE),
        "module": plain(item.module, LINE),
        "session": item.session,
        "date": item.date,
        "author": plain(item.author, LINE),
        "origin": shape_source(item.source),
        "symbols": [plain(name, LINE) for name in item.symbols],
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
    if hit.verdicts:
        # Verdicts that no longer hold come first: `freshness` already summarizes the others.
        ordered = sorted(hit.verdicts, key=lambda row: row.status not in ("gone", "changed"))
        shaped["verdicts"] = [shape_verdict(row) for row in ordered[:VERDICTS]]
    if hit.conflicts:
        shaped["conflicts"] = [_conflict(row) for row in hit.conflicts[:CONFLICTS]]
    return shaped


def shape_verdict(row: Verdict) -> dict[str, Any]:
    """Shape the verdict on one claim."""
    shaped = {
        "claim": plain(row.claim.text, LINE), "kind": row.claim.kind, "status": row.status, "commit": row.commit[:12],
        "author": plain(row.author, LINE), "date": row.date, "was": plain(row.was, LINE), "now": plain(row.now, LINE),
        "note": plain(row.note, LINE),
    }  # fmt: skip
    return {key: value for key, value in shaped.items() if value}


def shape_source(source: Source) -> dict[str, Any]:
    shaped: dict[str, Any] = {
        "kind": source.kind, "path": plain(source.path), "lineStart": source.line_start, "lineEnd": source.line_end,
        "commit": source.commit[:12],
    }  # fmt: skip
    return {key: value for key, value in shaped.items() if value}


def _conflict(row: Conflict) -> dict[str, Any]:
    return {
        "id": row.id, "about": plain(row.about, LINE), "says": plain(row.says, LINE),
        "otherSays": plain(row.other_says, LINE), "origin": shape_source(row.source),
    }  # fmt: skip


def shape_searched(searched: Searched) -> dict[str, Any]:
    """Shape what was searched: counts, completeness, notes and ranking."""
    shaped: dict[str, Any] = {"items": dict(searched.counts), "complete": searched.complete}
    if searched.notes:
        shaped["notes"] = [plain(note, LINE * 2) for note in searched.notes]
    shaped["ranking"] = "words and meaning" if searched.model else "words"
    return shaped


def shape_endangered(item: Endangered) -> dict[str, Any]:
    """Shape a discovery that a change puts at risk."""
    return {
        "id": item.discovery.id,
        "type": item.discovery.type,
        "severity": item.severity,
        "content": plain(item.discovery.content, 2 * LINE),
        "origin": shape_source(item.discovery.source),
        "why": [plain(line, LINE) for line in item.why[:REASONS]],
        "untrusted": True,
    }
