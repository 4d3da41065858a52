"""Command `eval QUERIES.jsonl`: measure the ranking of search_code on queries with known results."""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.surfaces.cli.commands.ranking_measures import (
    BUDGETS,
    BYTES_PER_TOKEN,
    DEPTH,
    ExpectedLocation,
    RankedLocation,
    RankingMeasures,
    average_measures,
    compute_measures,
)
from codecompass.surfaces.cli.output import print_note, show_failure, write_json
from codecompass.surfaces.cli.views.terminal import console
from codecompass.surfaces.cli.views.terminal_text import escape

CallTool = Callable[[str, dict[str, Any], Call], Reply]

RESULT_LIMIT = 50
"""Results requested for each query, enough to reach two thousand tokens."""
_PLACE = re.compile(r"(?s)(.+?):(\d{1,9})(?:-(\d{1,9}))?")
_EXAMPLE = '{"query": "where are tokens checked", "relevant": ["src/auth.py", "src/token.py:10-40"]}'
_HINT = f"Each line is an object such as {_EXAMPLE}; 'category' is optional."
ALL_QUERIES = "all"


class EvalQuery(NamedTuple):
    """One line of the query file."""

    text: str
    targets: tuple[ExpectedLocation, ...]
    category: str


def evaluate(args: argparse.Namespace, ask: CallTool) -> int:
    """Run every query, then show the mean measures as a table, or all measures as JSON."""
    queries = list(read_queries(Path(args.queries)))
    rows: list[tuple[EvalQuery, RankingMeasures]] = []
    for query in queries:
        raw: dict[str, Any] = {"query": query.text, "limit": RESULT_LIMIT}
        reply = ask("search_code", raw | ({"ref": args.ref} if args.ref else {}), Call(id="cli"))
        if reply.failure is not None:
            print_note(f"While running: {escape(query.text)}")
            return show_failure(reply.failure)
        rows.append((query, compute_measures(_to_locations(reply.payload["results"]), query.targets)))
    if args.json:
        write_json(build_payload(rows))
    else:
        show_measures(rows)
    return 0


def _to_locations(results: list[dict[str, Any]]) -> list[RankedLocation]:
    return [
        RankedLocation(one["path"], one["line_start"], one["line_end"], -(-len(encode(one)) // BYTES_PER_TOKEN))
        for one in results
    ]


# -- the query file ----------------------------------------------------------------------------------------------------


def read_queries(path: Path) -> Iterator[EvalQuery]:
    """Read the queries of a file; the error names a line that is not valid."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read as text."
        raise Failure("INVALID_REQUEST", message, hint="Name a file of JSON lines.") from error
    found = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise Failure("INVALID_REQUEST", f"{path} has no queries.", hint=_HINT)
    for number, line in found:
        try:
            yield _parse_query(json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise Failure("INVALID_REQUEST", f"Line {number} of {path} is not a valid query.", hint=_HINT) from error


def _parse_query(row: Any) -> EvalQuery:  # noqa: ANN401 - whatever the line holds
    if not isinstance(row, dict):
        raise TypeError
    places = [*row["relevant"], *row.get("secondary", ())]
    if not isinstance(row["query"], str) or not row["query"].strip() or not places:
        raise ValueError
    return EvalQuery(row["query"], tuple(map(_parse_location, places)), str(row.get("category", "")))


def _parse_location(given: Any) -> ExpectedLocation:  # noqa: ANN401 - a string or an object
    if isinstance(given, str):
        found = _PLACE.fullmatch(given)
        if found is None:
            return ExpectedLocation(given)
        return ExpectedLocation(found[1], int(found[2]), int(found[3] or found[2]))
    if not isinstance(given, dict):
        raise TypeError
    start = int(given.get("start", 0))
    return ExpectedLocation(str(given["path"]), start, int(given.get("end", start)))


# -- output ------------------------------------------------------------------------------------------------------------


def _group_by_category(rows: list[tuple[EvalQuery, RankingMeasures]]) -> dict[str, list[RankingMeasures]]:
    """Group the measures by category, and add the group of all queries."""
    groups: dict[str, list[RankingMeasures]] = {}
    for query, found in rows:
        if query.category:
            groups.setdefault(query.category, []).append(found)
    return {**dict(sorted(groups.items())), ALL_QUERIES: [found for _, found in rows]}


def build_payload(rows: list[tuple[EvalQuery, RankingMeasures]]) -> dict[str, Any]:
    """Build the JSON: mean measures, by category, and of each query."""
    groups = _group_by_category(rows)
    return {
        "queries": len(rows),
        **_shape_measures(average_measures(groups[ALL_QUERIES])),
        "categories": {
            name: {"queries": len(found), **_shape_measures(average_measures(found))}
            for name, found in groups.items()
            if name != ALL_QUERIES
        },
        "per_query": [{"query": query.text, **_shape_measures(found)} for query, found in rows],
    }


def _shape_measures(found: RankingMeasures) -> dict[str, Any]:
    recall = {str(budget): round(share, 4) for budget, share in zip(BUDGETS, found.recall, strict=True)}
    return {f"ndcg{DEPTH}": round(found.ndcg, 4), "mrr": round(found.mrr, 4), "recall_within_tokens": recall}


def show_measures(rows: list[tuple[EvalQuery, RankingMeasures]]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("queries")
    for head in ("", f"NDCG@{DEPTH}", "MRR", *(f"R@{budget:,}" for budget in BUDGETS)):
        table.add_column(head, justify="right")
    for name, found in _group_by_category(rows).items():
        means = average_measures(found)
        figures = (means.ndcg, means.mrr, *means.recall)
        table.add_row(escape(name), str(len(found)), *(f"{figure:.3f}" for figure in figures))
    out = console()
    out.print(table)
    note_on_recall = f"R@N: share of targets within the first N tokens of an answer, {BYTES_PER_TOKEN} bytes per token."
    out.print(note_on_recall, style="dim")
