"""Hit details: byte offsets, documentation, context lines, traits and history of a result."""

from dataclasses import replace
from typing import NamedTuple

from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.results.file_diagnostics import read_diagnostics, select_risks
from codecompass.engine.results.hits import make_preview
from codecompass.engine.search.pipeline import RankedCandidate
from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.model.code.traits import Traits
from codecompass.model.queries.results import Hit, HitDetails
from codecompass.model.queries.search_query import SearchQuery

MAX_LINES = 40
"""Maximum lines of the result itself when context lines are requested."""
MAX_LINE_CHARS = 400
"""Maximum characters of a context line; longer lines are data."""


def add_details(
    view: PinnedView,
    reader: ContentReader,
    items: list[RankedCandidate],
    hits: tuple[Hit, ...],
    query: SearchQuery,
    history: ViewHistory | None,
) -> tuple[Hit, ...]:
    """Add the details that the query asks for; `history` is given if git facts are among them."""
    if history is not None:
        history.count_changes(sorted({item.candidate.path for item in items}))
    return tuple(
        _add_hit_details(view, reader, item, hit, query, history) for item, hit in zip(items, hits, strict=True)
    )


def _add_hit_details(
    view: PinnedView,
    reader: ContentReader,
    item: RankedCandidate,
    hit: Hit,
    query: SearchQuery,
    history: ViewHistory | None,
) -> Hit:
    path, position = item.candidate.path, _definition_position(view, item)
    source = reader.read_lines(view, path) or []
    definition = view.facts(path).definitions[position] if position >= 0 else None
    first, last = max(hit.line_start, 1), hit.line_end
    around = query.context_lines
    if source and not source[-1]:
        # The text after the final newline is not a line.
        source = source[:-1]
    own = _select_lines(source[first - 1 : last], hit.snippet) if around else _SelectedLines([], 0)
    facts = HitDetails(
        byte_start=_byte_offset(source, first - 1),
        byte_end=_byte_offset(source, last),
        doc=definition.doc if definition else "",
        before=_truncate_lines(source[max(0, first - 1 - around) : first - 1]),
        lines=_truncate_lines(own.lines),
        lines_skipped=own.skipped,
        after=_truncate_lines(source[last : last + around]),
    )
    if query.facts != "whole":
        return replace(hit, facts=facts)
    insight = view.snapshot.analysis(view.entries[path].blob)
    messages, _ = read_diagnostics(view, path)
    facts = replace(
        facts,
        decorators=definition.decorators if definition else (),
        traits=next((row for row in insight.traits if row.at == position), Traits(position)),
        diagnostics=tuple(row for row in messages if first <= row.line <= last),
        risks=select_risks(insight.risks, position),
        history=history.file_history(path) if history is not None else None,
    )
    return replace(hit, facts=facts, body_preview=make_preview(source[first - 1 : last]))


def _definition_position(view: PinnedView, item: RankedCandidate) -> int:
    """Return the position of the definition that a result is or belongs to; -1 for none."""
    candidate = item.candidate
    if candidate.position >= 0 or candidate.whole_file:
        return candidate.position
    return view.facts(candidate.path).chunks[candidate.ordinal].owner


def _byte_offset(source: list[str], line: int) -> int:
    """Return the byte offset of a line."""
    before = source[:line]
    return len("\n".join(before).encode("utf-8", "surrogatepass")) + 1 if before else 0


class _SelectedLines(NamedTuple):
    """Lines of a result, and how many of it come before them."""

    lines: list[str]
    skipped: int


def _select_lines(lines: list[str], best: str) -> _SelectedLines:
    """Return the lines of a result; a long one is cut around its best line, with the number of missing lines."""
    if len(lines) <= MAX_LINES:
        return _SelectedLines(lines, 0)
    wanted = best.removesuffix("…")
    at = next((number for number, line in enumerate(lines) if wanted and wanted in " ".join(line.split())), 0)
    start = min(max(0, at - MAX_LINES // 2), len(lines) - MAX_LINES)
    end = start + MAX_LINES
    above = [f"… {start} more lines"] if start else []
    below = [f"… {len(lines) - end} more lines"] if end < len(lines) else []
    return _SelectedLines([*above, *lines[start:end], *below], start)


def _truncate_lines(lines: list[str]) -> tuple[str, ...]:
    return tuple(line if len(line) <= MAX_LINE_CHARS else line[: MAX_LINE_CHARS - 1] + "…" for line in lines)
