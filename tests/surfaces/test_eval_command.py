"""`codecompass eval`: the figures of a file of questions, and clear words about a file that holds none."""

import json
import math
from pathlib import Path

import pytest

from codecompass.surfaces.cli.commands.ranking_measures import (
    ExpectedLocation,
    RankedLocation,
    average_measures,
    compute_measures,
    matches_location,
)
from tests.surfaces.conftest import Shell

QUESTIONS = (
    {"query": "validate_token", "relevant": ["src/auth.py:4-5"], "category": "symbol"},
    {"query": "limit the rate of requests", "relevant": [{"path": "src/auth.py"}], "category": "words"},
    {"query": "auth", "relevant": ["src/auth.py", "src/nothing.py"]},
)


def written(directory: Path, *rows: object) -> str:
    path = directory / "queries.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n")
    return str(path)


def test_figures_of_a_file(indexed: Shell, tmp_path: Path) -> None:
    """CLI-EVAL: NDCG@10, MRR and recall by tokens, of all questions, each category and each question."""
    done = indexed.run("eval", written(tmp_path, *QUESTIONS), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["queries"], set(found["categories"])) == (3, {"symbol", "words"})
    each = found["per_query"]
    assert [one["mrr"] for one in each] == [1.0, 1.0, 1.0]
    half = 1 / (1 + 1 / math.log2(3))
    assert [one["ndcg10"] for one in each] == [1.0, 1.0, round(half, 4)]
    assert [one["recall_within_tokens"]["500"] for one in each] == [1.0, 1.0, 0.5]
    assert found["ndcg10"] == pytest.approx((2 + half) / 3, abs=1e-4)
    table = indexed.run("eval", written(tmp_path, *QUESTIONS)).stdout
    assert "NDCG@10" in table and "symbol" in table and "all" in table and f"{(2 + half) / 3:.3f}" in table


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"query": "x"}', '{"query": "", "relevant": ["a"]}',
                                  '{"query": "x", "relevant": []}', '{"query": "x", "relevant": [4]}'])  # fmt: skip
def test_a_line_that_is_no_question(indexed: Shell, tmp_path: Path, line: str) -> None:
    """CLI-EVAL, CLI-EXIT-CODES: the line is named and an example shown; there is no traceback."""
    done = indexed.run("eval", written(tmp_path, QUESTIONS[0], line))
    assert done.returncode != 0 and "Line 2 of" in done.stderr and '"relevant"' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_none(indexed: Shell, tmp_path: Path) -> None:
    """CLI-EVAL: a missing file, an empty one and bytes are errors with a way out."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").write_text("\n")
    for name in ("missing", "bytes", "empty"):
        done = indexed.run("eval", str(tmp_path / name))
        assert done.returncode != 0 and "error:" in done.stderr and "hint:" in done.stderr


def test_measures_by_hand() -> None:
    """CLI-EVAL: gain once for each target and each result, at the first place that shows it."""
    places = [
        RankedLocation("a.py", 1, 9, 400),
        RankedLocation("b.py", 5, 8, 400),
        RankedLocation("lib/c.py", 1, 2, 400),
    ]
    found = compute_measures(places, [ExpectedLocation("b.py", 8, 20), ExpectedLocation("c.py")])
    ideal = 1 + 1 / math.log2(3)
    assert found.ndcg == pytest.approx((1 / math.log2(3) + 1 / math.log2(4)) / ideal)
    assert (found.mrr, found.recall) == (0.5, (0.0, 0.5, 1.0))
    assert compute_measures(places, [ExpectedLocation("d.py")]) == (0.0, 0.0, (0.0, 0.0, 0.0))
    assert not matches_location(places[1], ExpectedLocation("b.py", 9, 20)) and not matches_location(
        places[2], ExpectedLocation("bc.py")
    )
    assert average_measures([found, compute_measures([], [ExpectedLocation("d.py")])]).mrr == 0.25
