"""What the benchmark takes for true, and how it reads the text around a place."""

from pathlib import Path

import pytest
from bench.accuracy.baselines import Grep
from bench.accuracy.definitions import questions
from bench.accuracy.identifiers import Identifiers
from bench.accuracy.places import is_call, is_implied_call, shape
from bench.accuracy.sources import Place
from bench.accuracy.truth import Truth, load

from codecompass.languages.registry import Registry
from tests.bench.scipfile import PROJECT, Mention, mention, write_index

SHAPES = """\
from typing import overload

class Shape:
    @overload
    def area(self, unit): ...
    def area(self, unit=None):
        def inner():
            return 1
        return inner()

limit = 1
limit = 2
# Shape and area in prose
"""
USER = """\
from demo.shapes import Shape as Form
from nowhere import thing

def total(é, other):
    return Form().area() + other.area() + thing()
"""
CLASS = PROJECT + "`demo.shapes`/Shape#"
AREA = PROJECT + "`demo.shapes`/Shape#area()."
INNER = PROJECT + "`demo.shapes`/Shape#inner()."
LIMIT = PROJECT + "`demo.shapes`/limit."
TOTAL = PROJECT + "`demo.user`/total()."


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    root = tmp_path / "repo"
    (root / "demo").mkdir(parents=True)
    (root / "demo" / "shapes.py").write_text(SHAPES, encoding="utf-8")
    (root / "demo" / "user.py").write_text(USER, encoding="utf-8")
    shapes = [
        mention(SHAPES, "Shape", CLASS, defines=True),
        mention(SHAPES, "area", AREA),
        mention(SHAPES, "area", AREA, nth=1, defines=True),
        mention(SHAPES, "inner", INNER, defines=True),
        mention(SHAPES, "inner", INNER, nth=1),
        mention(SHAPES, "limit", LIMIT, defines=True),
        mention(SHAPES, "limit", LIMIT, nth=1),
    ]
    user = [
        mention(USER, "Shape", CLASS),
        mention(USER, "Form", CLASS, nth=1),
        mention(USER, "area", AREA),
        mention(USER, "total", TOTAL, defines=True),
        mention(USER, "thing", "local 3"),
        Mention(0, 5, 16, PROJECT + "`demo.shapes`/__init__:"),
    ]
    index = write_index(tmp_path / "demo.scip", {"demo/shapes.py": shapes, "demo/user.py": user})
    return load("demo", "python", root, index)


def test_definitions_and_uses_are_told_apart(truth: Truth) -> None:
    """BENCH-TRUTH: overloads and repeated assignments define, uses under another name use, nested ones are marked."""
    shape_class, area = truth.symbols[CLASS], truth.symbols[AREA]
    assert shape_class.definitions == {Place("demo/shapes.py", 3, 6)}
    assert {(place.line, truth.word(place)) for place in shape_class.uses} == {(1, "Shape"), (5, "Form")}
    assert {place.line for place in area.definitions} == {5, 6}
    assert {place.line for place in truth.symbols[LIMIT].definitions} == {11, 12}
    assert truth.symbols[INNER].named.kind == "nested" and area.named.kind == "method"


def test_what_led_nowhere_is_silent(truth: Truth) -> None:
    """BENCH-TRUTH: a name whose import the indexer could not follow is no statement about that place."""
    place = Place("demo/user.py", 5, USER.splitlines()[4].rindex("thing"))
    assert not truth.spoken(place)
    names = Identifiers(truth.sources, Registry())
    assert names.has(place)
    assert not names.has(Place("demo/shapes.py", 13, 2))


def test_questions_are_as_short_as_they_may_be(truth: Truth) -> None:
    """BENCH-TRUTH: a definition is asked for with its scope and no more of its module than makes it the only one."""
    assert {item.text for item in questions(truth)} == {"Shape", "Shape.area", "limit", "total"}


def test_a_word_search_finds_every_word(truth: Truth) -> None:
    """BENCH-TRUTH: the baseline sees prose and strangers too, and leaves out the definition only."""
    grep = Grep(truth)
    area = truth.symbols[AREA]
    assert {(place.path, place.line) for place in grep.places(area)} == {("demo/shapes.py", 13), ("demo/user.py", 5)}
    assert len(grep.calls(area)) == 2


LINES = {
    "python": [
        ("name(1)", "call", "bare name"),
        ("x = self.name (1)", "call", "self.x"),
        ("value.name", "no", "var.x"),
        ("make().name(2)", "call", "chain call"),
        ("self.held.name()", "call", "self.a.x"),
        ("@name", "implied", "decorator"),
        ("@tool.name(3)", "call", "decorator"),
        ("raise name", "implied", "bare name"),
        ("raise name('x')", "call", "bare name"),
        ("from m import name", "no", "import"),
        ("print(name)", "no", "bare name"),
    ],
    "typescript": [
        ("name<Map<string, number>>(1)", "call", "bare name"),
        ("const x = new name", "call", "bare name"),
        ("this.name?.(1)", "call", "self.x"),
        ("let y: name<string> = z", "no", "bare name"),
        ("import { name } from './m'", "no", "import"),
        ("name<{ a: string; b: () => void }>(true)", "call", "bare name"),
        ("  async name(...all: any[]): any {", "no", "bare name"),
        ("  name(value) {", "no", "bare name"),
        ("if (name < 3 && b > (4)) {}", "no", "bare name"),
    ],
}


@pytest.mark.parametrize("language", LINES)
def test_calls_are_read_from_the_text(tmp_path: Path, language: str) -> None:
    """BENCH-TRUTH: brackets after white space and type arguments make a call; decorators and raise imply one."""
    lines = LINES[language]
    path = "a.py" if language == "python" else "a.ts"
    (tmp_path / path).write_text("\n".join(line for line, _, _ in lines), encoding="utf-8")
    truth = load("demo", language, tmp_path, write_index(tmp_path / "x.scip", {path: []}))
    for number, (line, expected, form) in enumerate(lines, 1):
        place = Place(path, number, line.index("name"))
        found = "call" if is_call(truth, place) else "implied" if is_implied_call(truth, place) else "no"
        assert (found, shape(truth, place)) == (expected, form), line
