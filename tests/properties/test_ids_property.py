"""Properties of identity: handles are functions of what they name, and survive what does not change it."""

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.model.call import Call
from codecompass.model.ids import (
    classify_handle,
    hash_lookup_key,
    hash_path_key,
    make_file_id,
    make_project_id,
    make_snippet_id,
    make_stable_id,
    make_symbol_id,
    normalize_signature,
    read_lookup_key,
    read_path_key,
)
from codecompass.model.queries.results import OutlineNode
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

MANY = settings(max_examples=200, deadline=None, derandomize=True)
PART = st.one_of(
    st.text(st.sampled_from("a,:|/.\0 1"), max_size=4), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
NUMBER = st.integers(0, 12)
HANDLE = re.compile(r"^(?:sym_|b3:|snip_|file_)[0-9]{15}$")


@MANY
@given(st.tuples(PART, PART, PART, PART, NUMBER), st.tuples(PART, PART, PART, PART, NUMBER))
def test_symbol_ids_differ_as_symbols_do(
    one: tuple[str, str, str, str, int], two: tuple[str, str, str, str, int]
) -> None:
    """ID-INJECTIVE: equal facts give equal handles and different facts different ones, whatever marks stand in them."""
    assert (make_symbol_id(*one) == make_symbol_id(*two)) == (one == two)
    shifted = (one[0], one[1] + one[2][:1], one[2][1:], one[3], one[4])
    assert (make_symbol_id(*shifted) == make_symbol_id(*one)) == (shifted == one)
    assert HANDLE.match(make_symbol_id(*one))


@MANY
@given(st.tuples(PART, PART, PART, PART, PART, NUMBER), st.tuples(PART, PART, PART, PART, PART, NUMBER))
def test_stable_ids_ignore_only_the_form_of_the_signature(
    one: tuple[str, str, str, str, str, int], two: tuple[str, str, str, str, str, int]
) -> None:
    """ID-INJECTIVE: a stable handle depends on everything but what formatters change."""

    def facts(made: tuple[str, str, str, str, str, int]) -> tuple[object, ...]:
        return (*made[:4], normalize_signature(made[4]), made[5])

    assert (make_stable_id(*one) == make_stable_id(*two)) == (facts(one) == facts(two))
    assert HANDLE.match(make_stable_id(*one))


@pytest.mark.parametrize(
    ("plain", "formatted"),
    [
        ("def load(a, b=1)", "def load(\n    a,\n    b = 1,\n)"),
        ("fn new<T>(a: T) -> Self", "fn new<T,>( a: T, )->Self"),
        ("int f(char *a)", "int f(char *a /* the text */)"),
    ],
)
def test_the_essence_of_a_signature(plain: str, formatted: str) -> None:
    """ID-STABLE: white space, trailing commas and comments inside are form."""
    assert normalize_signature(plain) == normalize_signature(formatted)
    assert normalize_signature(plain) != normalize_signature(plain.replace("a", "z"))


@MANY
@given(PART, NUMBER, NUMBER, PART)
def test_handles_have_their_prefix_and_length(path: str, first: int, last: int, blob: str) -> None:
    """ID-FORM: each kind of handle has its prefix and fifteen digits, and kinds never coincide."""

    def make() -> list[str]:
        stable = make_stable_id("c", "fn", blob, path, blob, first)
        return [
            make_snippet_id(path, first, last, blob),
            make_file_id(path),
            make_symbol_id(path, "fn", blob, path, first),
            stable,
        ]

    made = make()
    assert all(HANDLE.match(item) for item in made)
    assert [classify_handle(item) for item in made] == ["snippet", "file", "symbol", "stable"]
    assert len({item[-15:] for item in [*made, make_project_id(path)]}) == 5
    assert made == make()


@MANY
@given(PART, PART, NUMBER)
def test_handles_say_where_to_look(path: str, name: str, ordinal: int) -> None:
    """ID-LOOKUP: the first digits are those of the name or the path, so that no table of handles is needed."""
    symbol = make_symbol_id(path, "fn", name, "q", ordinal)
    assert (
        read_lookup_key(symbol)
        == read_lookup_key(make_stable_id("c", "fn", name, "q", "", ordinal))
        == hash_lookup_key(name)
    )
    assert read_path_key(symbol) == hash_path_key(path)
    assert (
        read_lookup_key(make_snippet_id(path, 1, 2, "b"))
        == read_lookup_key(make_file_id(path))
        == hash_lookup_key(path)
    )


@MANY
@given(st.text(max_size=24))
def test_no_other_text_is_a_handle(text: str) -> None:
    """ID-FORM: only the documented forms are taken for handles."""
    assert classify_handle(text) == ""
    assert (
        classify_handle(f"sym_{'1' * 15}\n")
        == classify_handle(f"sym_{'1' * 14}")
        == classify_handle(f"sym_{'١' * 15}")
        == ""
    )


NAMES = st.lists(st.sampled_from(["load", "save", "open", "close", "run", "stop"]), min_size=1, max_size=4, unique=True)


class Writer:
    """Writes one module in many layouts: what it says stays, how it is laid out is drawn anew each time."""

    def __init__(self, draw: st.DrawFn, note: str) -> None:
        self.draw = draw
        self.note = note

    def gap(self) -> str:
        return self.draw(st.sampled_from(["", "\n", "\n\n\n", f"{self.note} a remark\n"]))

    def arguments(self, parts: list[str]) -> str:
        """`(a, b)` on one line, or wrapped with a trailing comma and comments inside."""
        if self.draw(st.booleans()):
            return f"({', '.join(parts)})"
        comment = self.draw(st.sampled_from(["", f"  {self.note} why"]))
        return "(\n" + "".join(f"        {part},{comment}\n" for part in parts) + "    )"


def python_layout(draw: st.DrawFn, functions: list[str], methods: list[str], unrelated: str) -> str:
    writer = Writer(draw, "#")
    pad = draw(st.sampled_from(["  ", "    ", "\t"]))
    inside = f":\n{pad}return {draw(NUMBER)}\n"
    parts = [f"def {name}{writer.arguments(['a', 'b: int = 1'])} -> None{inside}" for name in functions]
    heads = [f"{writer.gap()}{pad}def {name}{writer.arguments(['self'])}:\n{pad}{pad}pass\n" for name in methods]
    parts.append(f"class Thing:\n{pad}'{unrelated}'\n" + "".join(heads))
    parts.insert(draw(st.integers(0, len(parts))), f"def {unrelated}(){inside}")
    return "".join(writer.gap() + part for part in parts)


def brace_layout(draw: st.DrawFn, functions: list[str], methods: list[str], unrelated: str) -> str:
    writer = Writer(draw, "//")
    opening = draw(st.sampled_from([" {", "\n{"]))
    inside = f"{opening}\n return {draw(NUMBER)};\n}}\n"
    parts = [f"export function {name}{writer.arguments(['a: number', 'b?: T[]'])}: T{inside}" for name in functions]
    body = "".join(f"{writer.gap()}  {name}{writer.arguments(['x: number'])}: number{inside}" for name in methods)
    parts.append(f"export class Thing extends Base{opening}\n{body}}}\n")
    parts.insert(draw(st.integers(0, len(parts))), f"function {unrelated}(){inside}")
    return "".join(writer.gap() + part for part in parts)


Layout = Callable[[st.DrawFn, list[str], list[str], str], str]


@st.composite
def two_layouts(draw: st.DrawFn, write: Layout) -> tuple[str, str, list[str]]:
    """One module written twice: other lines, wrapping, comments, bodies, and other unrelated functions around it."""
    functions, methods = draw(NAMES), draw(NAMES)
    kept = [*functions, *(f"Thing.{name}" for name in methods), "Thing"]
    return write(draw, functions, methods, "alpha"), write(draw, functions, methods, "beta"), kept


def stable_ids(desk: Desk, path: str) -> dict[str, str]:
    """Scoped name → stable handle of everything an outline of the file shows."""
    found: dict[str, str] = {}

    def walk(nodes: tuple[OutlineNode, ...], above: str) -> None:
        for node in nodes:
            found[above + node.name] = node.symbol_stable_id
            walk(node.children, f"{above}{node.name}.")

    walk(desk.engine.outline(None, path, None, "all", Call(), "best_effort").nodes, "")
    return found


@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    st.lists(two_layouts(python_layout), min_size=8, max_size=8),
    st.lists(two_layouts(brace_layout), min_size=8, max_size=8),
)
def test_a_stable_id_survives_reformatting(
    indented: list[tuple[str, str, list[str]]], braced: list[tuple[str, str, list[str]]]
) -> None:
    """ID-STABLE: layout, wrapped heads, trailing commas, comments, bodies, unrelated code: none changes a handle."""
    layouts = {f"p{number}/mod.py": layout for number, layout in enumerate(indented)}
    layouts |= {f"t{number}/mod.ts": layout for number, layout in enumerate(braced)}
    seen: list[dict[str, dict[str, str]]] = []
    with TemporaryDirectory() as base:
        for side in (0, 1):
            sources = {path: (one, two)[side] for path, (one, two, _) in layouts.items()}
            repo = make_repo(Path(base) / f"repo{side}", sources)
            with desk_on(repo, Path(base) / f"data{side}") as desk:
                desk.index()
                seen.append({path: stable_ids(desk, path) for path in layouts})
    for path, (_, _, kept) in layouts.items():
        before, after = (handles[path] for handles in seen)
        assert {symbol: before[symbol] for symbol in kept} == {symbol: after[symbol] for symbol in kept}
        assert len(set(before.values())) == len(before)


def test_handles_of_an_index_survive_an_edit(tmp_path: Path) -> None:
    """ID-STABLE: after a reformatting sync symbols keep their handles; a new signature gets a new one."""
    repo = make_repo(tmp_path / "repo", {"pkg/mod.py": "def load(a, b=1):\n  return 1\n\ndef save(x):\n  pass\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        before = {name: desk.locate(name).hits[0] for name in ("load", "save")}
        edited = "\n\n# moved\ndef other():\n    pass\n\n\ndef save(x, y):\n    pass\n"
        edited += "\n\ndef load(a,  b = 1):\n    return 2\n"
        (repo / "pkg/mod.py").write_text(edited)
        desk.index()
        after = {name: desk.locate(name).hits[0] for name in ("load", "save")}
    assert after["load"].line_start != before["load"].line_start
    assert after["load"].symbol_stable_id == before["load"].symbol_stable_id
    assert {name: hit.symbol_id for name, hit in after.items()} == {name: hit.symbol_id for name, hit in before.items()}
    assert after["save"].symbol_stable_id != before["save"].symbol_stable_id


def test_twins_are_told_apart(tmp_path: Path) -> None:
    """ID-TWINS: equal names in one file have handles of their own; overloads keep theirs when they change places."""
    one = "def load(a): pass\n\ndef load(a): pass\n\ndef load(b): pass\n"
    two = "def load(b): pass\n\ndef load(a): pass\n\ndef load(a): pass\n"
    repo = make_repo(tmp_path / "repo", {"mod.py": one, "other.py": one})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        before = {(hit.path, hit.line_start): hit for hit in desk.locate("load").hits}
        assert len({hit.symbol_id for hit in before.values()}) == 6
        assert len({hit.symbol_stable_id for hit in before.values()}) == 6, "modules differ, so nothing coincides"
        (repo / "mod.py").write_text(two)
        desk.index()
        after = {(hit.path, hit.line_start): hit for hit in desk.locate("load").hits}
    assert after["mod.py", 1].symbol_stable_id == before["mod.py", 5].symbol_stable_id
    assert after["mod.py", 3].symbol_stable_id == before["mod.py", 1].symbol_stable_id
