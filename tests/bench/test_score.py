"""Scores, and the call edges of a small project."""

from pathlib import Path

import pytest
from bench.accuracy.edges import our_edges, same_name_edges
from bench.accuracy.ours import indexed
from bench.accuracy.prepare import repository
from bench.accuracy.score import Counts, Score, compare
from bench.accuracy.sources import Place

MAIN = """\
from lib import Tool, helper


class Special(Tool):
    def run(self):
        return helper()


def start():
    tool = Special()
    return tool.run()


start()
"""
LIB = """\
class Tool:
    def __init__(self):
        self.size = 1


def helper():
    return 1


def run():
    return 2
"""


def test_counts_add_up() -> None:
    """BENCH-SCORE: precision, recall and F1 over all places and by symbol."""
    a, b, c = (Place("a.py", line, 0) for line in (1, 2, 3))
    half = compare({a, c}, {a, b})
    assert (half, half.precision, half.recall, half.f1) == (Counts(1, 1, 1), 0.5, 0.5, 0.5)
    assert compare(set(), set()).f1 == 1.0
    assert compare(set(), {a}).f1 == 0.0
    whole = Score((half, Counts(8, 0, 0)))
    assert whole.micro == Counts(9, 1, 1)
    assert whole.micro.f1 == pytest.approx(0.9)
    assert whole.macro_f1 == pytest.approx(0.75)


def test_edges_of_a_project(tmp_path: Path) -> None:
    """BENCH-EDGES: callers are functions or modules, a call of a class is one of its constructor, inherited or not."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "main.py").write_text(MAIN, encoding="utf-8")
    (root / "lib.py").write_text(LIB, encoding="utf-8")
    true = {
        ("main.Special.run", "lib.helper"),
        ("main.start", "lib.Tool.__init__"),
        ("main.start", "main.Special.run"),
        ("main", "main.start"),
    }
    with indexed(root, tmp_path / "data") as ours:
        assert our_edges(ours, ["lib.py", "main.py"], ("resolved",)) == true
    by_name = same_name_edges(root, ["lib.py", "main.py"])
    assert by_name == (true - {("main.start", "lib.Tool.__init__")}) | {("main.start", "lib.run")}


def test_repositories_are_named_in_one_form() -> None:
    """BENCH-SCORE: a repository is given as name, language and path, and nothing else passes."""
    known = repository("demo:python=somewhere")
    assert (known.name, known.language, known.root.name) == ("demo", "python", "somewhere")
    for wrong in ("demo=somewhere", "demo:cobol=somewhere", "demo:python", ":python=somewhere"):
        with pytest.raises(ValueError, match="NAME:LANGUAGE=PATH"):
            repository(wrong)
