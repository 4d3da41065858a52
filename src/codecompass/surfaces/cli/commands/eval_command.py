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
from codecompass.surfaces.cli.output import note, show_failure, write_json
from codecompass.surfaces.cli.ranking_measures import (
    BUDGETS,
    BYTES_OF_TOKEN,
    DEPTH,
    Measured,
    Place,
    Target,
    mean,
    measure,
)
from codecompass.surfaces.cli.views.render import console
from codecompass.surfaces.cli.views.terminal_text import visible

Ask = Callable[[str, dict[str, Any], Call], Reply]

RESULTS = 50
"""Results requested for each query, enough to reach two thousand tokens."""
_PLACE = re.compile(r"(?s)(.+?):(\d{1,9})(?:-(\d{1,9}))?")
_EXAMPLE = '{"query": "where are tokens checked", "relevant": ["src/auth.py", "src/token.py:10-40"]}'
_HINT = f"Each line is an object such as {_EXAMPLE}; 'category' is optional."
EVERYTHING = "all"


class Question(NamedTuple):
    """One line of the query file."""

    text: str
    targets: tuple[Target, ...]
    category: str


def evaluate(args: argparse.Namespace, ask: Ask) -> int:
    """Run every query, then show the mean measures as a table, or all measures as JSON."""
    queries = list(read_questions(Path(args.queries)))
    rows: list[tuple[Question, Measured]] = []
    for query in queries:
        raw: dict[str, Any] = {"query": query.text, "limit": RESULTS}
        reply = ask("search_code", raw | ({"ref": args.ref} if args.ref else {}), Call(id="cli"))
        if reply.failure is not None:
            note(f"While running: {visible(query.text)}")
            return show_failure(reply.failure)
        rows.append((query, measure(_places(reply.payload["results"]), query.targets)))
    if args.json:
        write_json(as_payload(rows))
    else:
        show(rows)
    return 0


def _places(results: list[dict[str, Any]]) -> list[Place]:
    return [
        Place(one["path"], one["line_start"], one["line_end"], -(-len(encode(one)) // BYTES_OF_TOKEN))
        for one in results
    ]


# -- the query file ----------------------------------------------------------------------------------------------------


def read_questions(path: Path) -> Iterator[Question]:
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
            yield _question(json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise Failure("INVALID_REQUEST", f"Line {number} of {path} is not a valid query.", hint=_HINT) from error


def _question(row: Any) -> Question:  # noqa: ANN401 - whatever the line holds
    if not isinstance(row, dict):
        raise TypeError
    places = [*row["relevant"], *row.get("secondary", ())]
    if not isinstance(row["query"], str) or not row["query"].strip() or not places:
        raise ValueError
    return Question(row["query"], tuple(map(_target, places)), str(row.get("category", "")))


def _target(given: Any) -> Target:  # noqa: ANN401 - a string or an object
    if isinstance(given, str):
        found = _PLACE.fullmatch(given)
        if found is None:
            return Target(given)
        return Target(found[1], int(found[2]), int(found[3] or found[2]))
    if not isinstance(given, dict):
        raise TypeError
    start = int(given.get("start", 0))
    return Target(str(given["path"]), start, int(given.get("end", start)))


# -- output ------------------------------------------------------------------------------------------------------------


def _groups(rows: list[tuple[Question, Measured]]) -> dict[str, list[Measured]]:
    """Group the measures by category, and add the group of all queries."""
    groups: dict[str, list[Measured]] = {}
    for query, found in rows:
        if query.category:
            groups.setdefault(query.category, []).append(found)
    return {**dict(sorted(groups.items())), EVERYTHING: [found for _, found in rows]}


def as_payload(rows: list[tuple[Question, Measured]]) -> dict[str, Any]:
    """Build the JSON: mean measures, by category, and of each query."""
    groups = _groups(rows)
    return {
        "queries": len(rows),
        **_figures(mean(groups[EVERYTHING])),
        "categories": {
            name: {"queries": len(found), **_figures(mean(found))}
            for name, found in groups.items()
            if name != EVERYTHING
        },
        "per_query": [{"query": query.text, **_figures(found)} for query, found in rows],
    }


def _figures(found: Measured) -> dict[str, Any]:
    recall = {str(budget): round(share, 4) for budget, share in zip(BUDGETS, found.recall, strict=True)}
    return {f"ndcg{DEPTH}": round(found.ndcg, 4), "mrr": round(found.mrr, 4), "recall_within_tokens": recall}


def show(rows: list[tuple[Question, Measured]]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("queries")
    for head in ("", f"NDCG@{DEPTH}", "MRR", *(f"R@{budget:,}" for budget in BUDGETS)):
        table.add_column(head, justify="right")
    for name, found in _groups(rows).items():
        means = mean(found)
        figures = (means.ndcg, means.mrr, *means.recall)
        table.add_row(visible(name), str(len(found)), *(f"{figure:.3f}" for figure in figures))
    out = console()
    out.print(table)
    note_on_recall = f"R@N: share of targets within the first N tokens of an answer, {BYTES_OF_TOKEN} bytes per token."
    out.print(note_on_recall, style="dim")
