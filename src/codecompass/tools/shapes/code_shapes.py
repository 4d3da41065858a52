"""JSON shapes of detail level `code`: little besides the code itself, within a token budget for the whole answer."""

from typing import Any

from codecompass.contract.encoding import encode
from codecompass.model.queries.results import Hit
from codecompass.tools.shapes.token_budget import cut_lines, drop_empty_fields, estimate_tokens

CODE_TOKENS = 240
"""Tokens of an answer for each result that was asked for."""
MIN_CODE_TOKENS = 40
"""Code that would be shorter than this is left out: the location says more."""
LEAD_SHARE = 2.5
"""A result may use this many times its equal share of what is left, so that the best ones are whole."""

Span = tuple[str, int, int]


def shape_code_hits(hits: tuple[Hit, ...], limit: int, *, compact: bool) -> list[dict[str, Any]]:
    """Shape results with their code (without it if `compact`). The best get most room; no lines are shown twice."""
    room = CODE_TOKENS * max(1, min(limit, len(hits)))
    shown: list[Span] = []
    results = []
    for index, hit in enumerate(hits):
        result = _shape_place(hit)
        room -= _estimate(result)
        share = int(room / (len(hits) - index) * LEAD_SHARE)
        code = "" if compact or _is_shown(hit, shown) else _cut_code(hit, min(share, room))
        if code:
            result["code"] = code
            room -= estimate_tokens(encode(code).decode(), names=False)
            shown.append((hit.path, hit.line_start, hit.line_start + _count_lines(hit, code) - 1))
        results.append(result)
    return results


def _shape_place(hit: Hit) -> dict[str, Any]:
    """Shape location and one handle: every tool that takes a handle takes this one."""
    handle = {"symbol_id": hit.symbol_id} if hit.result_type == "symbol" else {"result_id": hit.result_id}
    place = {"path": hit.path, "line_start": hit.line_start, "line_end": hit.line_end}
    return drop_empty_fields({**place, "kind": hit.kind, "name": hit.name, **handle})


def _cut_code(hit: Hit, room: int) -> str:
    text = hit.body_preview or hit.signature or hit.snippet
    if room < MIN_CODE_TOKENS:
        return ""
    return cut_lines(text, hit.line_end - hit.line_start + 1 if hit.body_preview else text.count("\n") + 1, room)


def _count_lines(hit: Hit, code: str) -> int:
    """Return how many lines of the source a code shows."""
    whole = hit.line_end - hit.line_start + 1
    lines = code.count("\n") + 1
    return lines - 1 if lines <= whole and code.rpartition("\n")[2].startswith("… ") else lines


def _is_shown(hit: Hit, shown: list[Span]) -> bool:
    return any(path == hit.path and first <= hit.line_start and hit.line_end <= last for path, first, last in shown)


def _estimate(value: object) -> int:
    return estimate_tokens(encode(value).decode(), names=True) + 1
