"""Hit details: byte offsets, documentation, context lines, traits and history of a result."""

from dataclasses import replace

from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.results.file_diagnostics import file_messages, risks_of
from codecompass.engine.results.hits import opening
from codecompass.engine.search.pipeline import Ranked
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.traits import Traits
from codecompass.model.queries.results import Hit, HitFacts
from codecompass.model.queries.search_query import SearchQuery

MOST_LINES = 40
"""Maximum lines of the result itself when context lines are requested."""
LONGEST_LINE = 400
"""Maximum characters of a context line; longer lines are data."""


def told(
    view: PinnedView,
    reader: ContentReader,
    items: list[Ranked],
    hits: tuple[Hit, ...],
    query: SearchQuery,
    history: ViewHistory | None,
) -> tuple[Hit, ...]:
    """Add the details that the query asks for; `history` is given if git facts are among them."""
    if not query.facts:
        return hits
    if history is not None:
        history.count(sorted({item.candidate.path for item in items}))
    return tuple(_told(view, reader, item, hit, query, history) for item, hit in zip(items, hits, strict=True))


def _told(
    view: PinnedView,
    reader: ContentReader,
    item: Ranked,
    hit: Hit,
    query: SearchQuery,
    history: ViewHistory | None,
) -> Hit:
    path, position = item.candidate.path, _position(view, item)
    source = reader.lines(view, path) or []
    definition = view.facts(path).definitions[position] if position >= 0 else None
    first, last = max(hit.line_start, 1), hit.line_end
    around = query.context_lines
    if source and not source[-1]:
        # The text after the final newline is not a line.
        source = source[:-1]
    facts = HitFacts(
        byte_start=_offset(source, first - 1),
        byte_end=_offset(source, last),
        doc=definition.doc if definition else "",
        before=_short(source[max(0, first - 1 - around) : first - 1]),
        lines=_short(_window(source[first - 1 : last], hit.snippet)) if around else (),
        after=_short(source[last : last + around]),
    )
    if query.facts != "whole":
        return replace(hit, facts=facts)
    insight = view.snapshot.insight(view.entries[path].blob)
    messages, _ = file_messages(view, path)
    facts = replace(
        facts,
        decorators=definition.decorators if definition else (),
        traits=next((row for row in insight.traits if row.at == position), Traits(position)),
        diagnostics=tuple(row for row in messages if first <= row.line <= last),
        risks=risks_of(insight.risks, position),
        history=history.file(path) if history is not None else None,
    )
    return replace(hit, facts=facts, body_preview=opening(source[first - 1 : last]))


def _position(view: PinnedView, item: Ranked) -> int:
    """Return the position of the definition that a result is or belongs to; -1 for none."""
    candidate = item.candidate
    if candidate.position >= 0 or candidate.whole_file:
        return candidate.position
    return view.facts(candidate.path).chunks[candidate.ordinal].owner


def _offset(source: list[str], line: int) -> int:
    """Return the byte offset of a line."""
    before = source[:line]
    return len("\n".join(before).encode("utf-8", "surrogatepass")) + 1 if before else 0


def _window(lines: list[str], best: str) -> list[str]:
    """Return the lines of a result; a long one is cut around its best line, with the number of missing lines."""
    if len(lines) <= MOST_LINES:
        return lines
    wanted = best.removesuffix("…")
    at = next((number for number, line in enumerate(lines) if wanted and wanted in " ".join(line.split())), 0)
    start = min(max(0, at - MOST_LINES // 2), len(lines) - MOST_LINES)
    end = start + MOST_LINES
    above = [f"… {start} more lines"] if start else []
    below = [f"… {len(lines) - end} more lines"] if end < len(lines) else []
    return [*above, *lines[start:end], *below]


def _short(lines: list[str]) -> tuple[str, ...]:
    return tuple(line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…" for line in lines)
