"""Notebooks: programs in the cells of a JSON file, read where they stand."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.languages.extraction.extractor import extract
from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Facts
from codecompass.store.fact_codec import unpack_facts
from tests.engine.support import desk_on
from tests.properties.test_extract_property import assert_consistent
from tests.repo.gitrepo import make_repo

REGISTRY = Registry()
IMAGE = "iVBORw0KGgo" + "Zq9x" * 3000


def code(*lines: str, kind: str = "code") -> dict[str, object]:
    written = [line + "\n" for line in lines[:-1]] + list(lines[-1:])
    return {"cell_type": kind, "metadata": {}, "source": written}


def notebook(*cells: dict[str, object], language: str = "python", indent: int | None = 1) -> str:
    about = {"kernelspec": {"display_name": "x", "language": language, "name": "x"}} if language else {}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4}, indent=indent) + "\n"


def read(text: str) -> Facts:
    language = REGISTRY.get("notebook")
    assert language is not None
    facts = extract_with_embedded(REGISTRY, language, text.encode())
    assert_consistent(facts, text.encode())
    return facts


def names(facts: Facts) -> list[str]:
    return [item.name for item in facts.definitions]


LINES = st.sampled_from(
    [
        "def f(a, b=\"x\"):", "    return 'it\\'s' + \"\\n\"", '    """A doc: "quoted" \\\\ end."""',
        "x = {'a': [1, 2]}", "text = f\"{x}\\t\"", "y = x + \\", "    2", "class A:", "    size = 'ü☃𝄞'", "import os",
        "", "    def m(self): pass", "# words \"here\"", "pattern = r'\\d+\\\\'",
    ]
)  # fmt: skip


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(LINES, min_size=1, max_size=12), st.booleans())
def test_a_cell_says_what_its_program_says(lines: list[str], ascii_only: bool) -> None:
    """NOTEBOOK-CELLS: whatever is escaped in them, the lines of a cell are the program that was typed."""
    cells = {"cells": [code(*lines)], "metadata": {}, "nbformat": 4}
    text = json.dumps(cells, indent=1, ensure_ascii=ascii_only) + "\n"
    python = REGISTRY.get("python")
    assert python is not None
    inner = extract(python, ("\n".join(lines) + "\n").encode())
    facts = read(text)
    if inner.parse_errors:  # what a parser makes of errors depends on every blank
        return
    first = text[: text.index('"source": [')].count("\n") + 1
    assert [(item.kind, item.name, item.scope, item.line_start - first, item.line_end - first)
            for item in facts.definitions] == [
        (item.kind, item.name, item.scope, item.line_start, item.line_end) for item in inner.definitions
    ]  # fmt: skip
    rows = text.split("\n")
    for item in facts.definitions:
        assert rows[item.name_line - 1].encode()[item.name_col :].startswith(item.name.encode())
    assert facts.parse_errors == 0


def test_cells_of_a_notebook_are_one_program() -> None:
    """NOTEBOOK-CELLS: a name that one cell defines is known in the next; a broken cell takes nothing with it."""
    text = notebook(code("LIMIT = 1"), code("def f(", "x ="), code("def g():", "    return LIMIT"))
    facts = read(text)
    assert names(facts) == ["LIMIT", "g"]
    assert [item.name for item in facts.references if item.role == "read"] == ["LIMIT"]
    assert facts.parse_errors


def test_the_language_of_the_kernel() -> None:
    """NOTEBOOK-CELLS: code is in the language the notebook names, or else the usual one; a cell may name its own."""
    assert names(read(notebook(code("function f() {}"), language="javascript"))) == ["f"]
    assert names(read(notebook(code("def f(): pass"), language=""))) == ["f"]
    facts = read(notebook(code("%%javascript", "function g() {}"), code("%%time", "h = 1"), code("%%unheard", "i = 1")))
    assert names(facts) == ["g", "h"]


def test_lines_for_the_surroundings_are_no_code() -> None:
    """NOTEBOOK-CELLS: magic lines, commands and questions are blank, with the lines that go on from them."""
    text = notebook(code("%load x", "!run a \\", "  b", "f?", "  ?g", "x = 1"))
    facts = read(text)
    assert names(facts) == ["x"] and not facts.parse_errors


def test_a_notebook_written_with_tabs() -> None:
    """NOTEBOOK-CELLS: indentation by tabs nests as it was typed."""
    facts = read(notebook(code("class A:", "\tdef f(self):", "\t\treturn 1", "x = 1")))
    assert [(item.name, item.scope) for item in facts.definitions] == [("A", ""), ("f", "A"), ("x", "")]


def test_headings_hold_the_cells_below_them() -> None:
    """NOTEBOOK-CELLS: a heading in a text cell reaches over the code cells to the next heading."""
    text = notebook(code("# One", kind="markdown"), code("a = 1"), code("## Two", kind="markdown"), code("b = 2"))
    facts = read(text)
    assert [(item.name, item.parent) for item in facts.definitions] == [("One", -1), ("a", 0), ("Two", 0), ("b", 2)]


@pytest.mark.parametrize("indent", [None, 1])
def test_cells_without_lines_stay_text(indent: int | None) -> None:
    """NOTEBOOK-INLINE: a cell that is one string with line breaks, or shares its line, has no places and is noted."""
    cell: dict[str, object] = {"cell_type": "code", "source": "def f():\n    return 1"}
    text = notebook(cell, cell, indent=indent)
    assert not read(text).definitions
    parsed = parse_blob(ParserContext(REGISTRY), ParseTask("notebook", "a.ipynb", (), text.encode()))
    assert "inline_cells" in parsed.notes
    assert any("return 1" in document.body for document in parsed.documents)


def test_what_is_no_notebook() -> None:
    """NOTEBOOK-INLINE: JSON of another shape, or none at all, gives nothing and breaks nothing."""
    for text in ("", "[]", "{}", '{"cells": 3}', '{"cells": [1, {"source": 2}, {"source": []}]}', '{"cells": [{"so'):
        assert not read(text).definitions


def test_outputs_are_not_indexed(tmp_path: Path) -> None:
    """NOTEBOOK-OUTPUTS: words of cells are found, those of outputs are not, and an image does not hide the cells."""
    cell = {
        **code("def plotted():", "    return 'shownword'"),
        "outputs": [{"data": {"image/png": IMAGE, "text/plain": ["outputword def nowhere(): pass"]}}],
    }
    repo = make_repo(tmp_path / "repo", {"a.ipynb": notebook(cell)})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.places("plotted") == {"a.ipynb:7"}
        assert desk.paths("shownword") == ["a.ipynb"]
        assert not desk.paths("outputword")
        assert not desk.places("nowhere")


def test_a_notebook_of_one_long_image_is_read() -> None:
    """NOTEBOOK-OUTPUTS: long lines of outputs are no reason to take a notebook for minified."""
    cell = {**code("kept = 1"), "outputs": [{"data": {"image/png": IMAGE}}]}
    parsed = parse_blob(ParserContext(REGISTRY), ParseTask("notebook", "a.ipynb", (), notebook(cell).encode()))
    assert "minified" not in parsed.notes
    assert [item.name for item in unpack_facts(parsed.packs[0]).definitions] == ["kept"]
    assert not any("Zq9x" in document.body for document in parsed.documents)
