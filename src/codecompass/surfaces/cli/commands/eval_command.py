"""`codecompass eval QUERIES.jsonl`: how well search_code answers questions of which the answers are known."""

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
"""Asked for, so that two thousand tokens are reached."""
_PLACE = re.compile(r"(?s)(.+?):(\d{1,9})(?:-(\d{1,9}))?")
_EXAMPLE = '{"query": "where are tokens checked", "relevant": ["src/auth.py", "src/token.py:10-40"]}'
_HINT = f"Each line is an object such as {_EXAMPLE}; 'category' is optional."
EVERYTHING = "all"


class Question(NamedTuple):
    """One line of the file."""

    text: str
    targets: tuple[Target, ...]
    category: str


def evaluate(args: argparse.Namespace, ask: Ask) -> int:
    """Ask every question, then show the means: a table for people, everything as JSON."""
    questions = list(read_questions(Path(args.queries)))
    rows: list[tuple[Question, Measured]] = []
    for question in questions:
        raw: dict[str, Any] = {"query": question.text, "limit": RESULTS}
        reply = ask("search_code", raw | ({"ref": args.ref} if args.ref else {}), Call(id="cli"))
        if reply.failure is not None:
            note(f"While asking: {visible(question.text)}")
            return show_failure(reply.failure)
        rows.append((question, measure(_places(reply.payload["results"]), question.targets)))
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


# -- the file ----------------------------------------------------------------------------------------------------------


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a file; a line that is none is named."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read as text."
        raise Failure("INVALID_REQUEST", message, hint="Name a file of JSON lines.") from error
    found = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise Failure("INVALID_REQUEST", f"{path} holds no questions.", hint=_HINT)
    for number, line in found:
        try:
            yield _question(json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise Failure("INVALID_REQUEST", f"Line {number} of {path} is no question.", hint=_HINT) from error


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


# -- what is shown -----------------------------------------------------------------------------------------------------


def _groups(rows: list[tuple[Question, Measured]]) -> dict[str, list[Measured]]:
    """Measures by category, where there are any, and of all."""
    groups: dict[str, list[Measured]] = {}
    for question, found in rows:
        if question.category:
            groups.setdefault(question.category, []).append(found)
    return {**dict(sorted(groups.items())), EVERYTHING: [found for _, found in rows]}


def as_payload(rows: list[tuple[Question, Measured]]) -> dict[str, Any]:
    """All figures, and those of each question."""
    groups = _groups(rows)
    return {
        "queries": len(rows),
        **_figures(mean(groups[EVERYTHING])),
        "categories": {
            name: {"queries": len(found), **_figures(mean(found))}
            for name, found in groups.items()
            if name != EVERYTHING
        },
        "per_query": [{"query": question.text, **_figures(found)} for question, found in rows],
    }


def _figures(found: Measured) -> dict[str, Any]:
    recall = {str(budget): round(share, 4) for budget, share in zip(BUDGETS, found.recall, strict=True)}
    return {f"ndcg{DEPTH}": round(found.ndcg, 4), "mrr": round(found.mrr, 4), "recall_within_tokens": recall}


def show(rows: list[tuple[Question, Measured]]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("questions")
    for head in ("", f"NDCG@{DEPTH}", "MRR", *(f"R@{budget:,}" for budget in BUDGETS)):
        table.add_column(head, justify="right")
    for name, found in _groups(rows).items():
        means = mean(found)
        figures = (means.ndcg, means.mrr, *means.recall)
        table.add_row(visible(name), str(len(found)), *(f"{figure:.3f}" for figure in figures))
    out = console()
    out.print(table)
    said = f"Recall: what stands within the first so many tokens of an answer, {BYTES_OF_TOKEN} bytes to a token."
    out.print(said, style="dim")
