"""Properties of identity: handles are functions of what they name, and survive what does not change it."""

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.languages.extract import extract
from codecompass.languages.names import module_name, qualified_name
from codecompass.languages.registry import Registry
from codecompass.model.code import Definition
from codecompass.model.ids import file_id, project_id, snippet_id, symbol_id, symbol_stable_id
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo

MANY = settings(max_examples=200, deadline=None, derandomize=True)
PART = st.one_of(
    st.text(st.sampled_from("a,:|/.\0 1"), max_size=4), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
NUMBER = st.integers(0, 12)
HANDLE = re.compile(r"^(?:sym_|b3:|snip_|file_)[0-9a-f]{16}$")
PYTHON = Registry().languages["python"]


@MANY
@given(st.tuples(PART, PART, PART, NUMBER), st.tuples(PART, PART, PART, NUMBER))
def test_symbol_ids_differ_as_symbols_do(one: tuple[str, str, str, int], two: tuple[str, str, str, int]) -> None:
    """ID-INJECTIVE: equal facts give equal handles and different facts different ones, whatever marks stand in them."""
    assert (symbol_id(*one) == symbol_id(*two)) == (one == two)
    shifted = (one[0] + one[1][:1], one[1][1:], one[2], one[3])
    assert (symbol_id(*shifted) == symbol_id(*one)) == (shifted == one)
    assert HANDLE.match(symbol_id(*one))


@MANY
@given(st.tuples(PART, PART, PART, PART, NUMBER), st.tuples(PART, PART, PART, PART, NUMBER))
def test_stable_ids_ignore_only_blanks_of_the_signature(
    one: tuple[str, str, str, str, int], two: tuple[str, str, str, str, int]
) -> None:
    """ID-INJECTIVE: a stable handle depends on everything but the white space of the signature."""

    def essence(facts: tuple[str, str, str, str, int]) -> tuple[object, ...]:
        return (*facts[:3], "".join(facts[3].split()), facts[4])

    assert (symbol_stable_id(*one) == symbol_stable_id(*two)) == (essence(one) == essence(two))
    assert HANDLE.match(symbol_stable_id(*one))


@MANY
@given(PART, NUMBER, NUMBER, PART)
def test_handles_have_their_prefix_and_length(path: str, first: int, last: int, blob: str) -> None:
    """ID-FORM: each kind of handle has its prefix and sixteen hexadecimal digits, and kinds never coincide."""
    made = [snippet_id(path, first, last, blob), file_id(path), symbol_id(path, "fn", blob, first)]
    assert all(HANDLE.match(item) for item in made)
    assert len({item[-16:] for item in [*made, project_id(path)]}) == 4
    assert made == [snippet_id(path, first, last, blob), file_id(path), symbol_id(path, "fn", blob, first)]


NAMES = st.lists(st.sampled_from(["load", "save", "open", "close", "run", "stop"]), min_size=1, max_size=4, unique=True)


@st.composite
def two_layouts(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """One module written twice: other indentation, blank lines, comments, bodies and unrelated functions around it."""
    functions, methods = draw(NAMES), draw(NAMES)

    def write(unrelated: str) -> str:
        pad = draw(st.sampled_from(["  ", "    ", "\t"]))
        gap = st.integers(0, 3).map(lambda count: "\n" * count)
        parts = [f"def {name}(a, b=1):\n{pad}return {draw(NUMBER)}\n" for name in functions]
        body = "".join(f"{draw(gap)}{pad}def {name}(self):\n{pad}{pad}pass\n" for name in methods)
        parts.append(f"class Thing:\n{pad}'''{unrelated}'''\n{body}")
        parts.insert(draw(st.integers(0, len(parts))), f"# {unrelated}\ndef {unrelated}():\n{pad}pass\n")
        return "".join(draw(gap) + part for part in parts)

    kept = [*functions, *(f"Thing.{name}" for name in methods), "Thing"]
    return write("alpha"), write("beta"), kept


def stable_ids(source: str) -> dict[str, str]:
    facts = extract(PYTHON, source.encode())
    module = module_name(PYTHON.spec, "pkg/mod.py", facts.package)

    def made(item: Definition) -> str:
        return symbol_stable_id("python", item.kind, qualified_name(PYTHON.spec, module, item), item.signature, 0)

    return {f"{item.scope}.{item.name}".strip("."): made(item) for item in facts.definitions}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(two_layouts())
def test_a_stable_id_survives_reformatting(layouts: tuple[str, str, list[str]]) -> None:
    """ID-STABLE: indentation, blank lines, bodies and unrelated code do not change a stable handle."""
    one, two, kept = layouts
    before, after = stable_ids(one), stable_ids(two)
    assert {name: before[name] for name in kept} == {name: after[name] for name in kept}
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
