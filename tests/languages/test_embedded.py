"""Languages inside one another: places, nesting, what one program sees, bounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.languages.extraction.extractor import extract
from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.formats.embedded_spans import MAX_PROGRAMS, MAX_SPANS
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Definition, Facts
from tests.properties.test_extract_property import assert_consistent

REGISTRY = Registry()
NAMES = st.sampled_from(["area", "Größe", "x1", "_private", "LIMIT", "draw", "total"])
WORDS = st.lists(st.sampled_from(["words", "naïve", "`code`", "a < b", "| x |", "日本語"]), max_size=6).map(" ".join)


def read(name: str, source: str) -> Facts:
    language = REGISTRY.get(name)
    assert language is not None
    facts = extract_with_embedded(REGISTRY, language, source.encode())
    assert_consistent(facts, source.encode())
    return facts


def alone(name: str, source: str) -> Facts:
    language = REGISTRY.get(name)
    assert language is not None
    return extract(language, source.encode())


def named(facts: Facts, name: str) -> Definition:
    (found,) = [item for item in facts.definitions if item.name == name]
    return found


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, str]:
    """A small program and its language."""
    language = draw(st.sampled_from(["python", "javascript"]))
    parts = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=4)):
        shape = draw(st.integers(0, 3))
        if language == "python":
            parts.append(
                [
                    f"def {name}(a, b=1):\n    return other(a)\n",
                    f"class {name}:\n    size = 1\n\n    def grow(self):\n        return self.size\n",
                    f"{name} = make()\n",
                    f"import os.path as {name}\n\n@{name}.x\ndef wrapped(): pass\n",
                ][shape]
            )
        else:
            parts.append(
                [
                    f"function {name}(a, b) {{\n  return other(a)\n}}\n",
                    f"class {name} {{\n  grow() {{ return this.size }}\n}}\n",
                    f"const {name} = make();\n",
                    f'import {{ {name} }} from "./x"\n// words\n',
                ][shape]
            )
    return language, "\n".join(parts)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(WORDS, programs(), st.sampled_from(["```", "~~~~", "`````"])), min_size=1, max_size=5))
def test_a_fence_says_what_its_program_says(blocks: list[tuple[str, tuple[str, str], str]]) -> None:
    """EMBED-PLACES: what is found in a fence is what the program alone says, on the lines of the document."""
    document, expected = "# Title\n\n", []
    for words, (language, program), fence in blocks:
        document += f"{words}\n\n{fence}{language} title=x\n"
        line, byte = document.count("\n"), len(document.encode())
        facts = alone(language, program)
        expected += [
            (item.kind, item.name, item.scope, item.signature, item.line_start + line, item.line_end + line,
             item.byte_start + byte, item.byte_end + byte, item.name_line + line, item.name_col)
            for item in facts.definitions
        ]  # fmt: skip
        document += f"{program}{fence}\n\n"
    facts = read("markdown", document)
    found = [
        (item.kind, item.name, item.scope, item.signature, item.line_start, item.line_end,
         item.byte_start, item.byte_end, item.name_line, item.name_col)
        for item in facts.definitions
        if item.kind != "section"
    ]  # fmt: skip
    assert found == expected
    assert facts.parse_errors == 0


@settings(max_examples=30, deadline=None, derandomize=True)
@given(programs())
def test_references_and_imports_move_with_their_program(pair: tuple[str, str]) -> None:
    """EMBED-PLACES: so are its references, imports, comments and bindings, and owners are the same definitions."""
    language, program = pair
    head = f"words\n\n```{language}\n"
    facts, inner = read("markdown", f"{head}{program}```\n"), alone(language, program)
    # Without a heading around them the definitions of the only program are all there are, in the same order.
    assert [item.parent for item in facts.definitions] == [item.parent for item in inner.definitions]
    assert [item._replace(line=item.line + 3) for item in inner.references] == list(facts.references)
    assert [item._replace(line=item.line + 3) for item in inner.imports] == list(facts.imports)
    assert [item._replace(line=item.line + 3) for item in inner.bindings] == list(facts.bindings)
    assert [item.byte_start + len(head) for item in inner.comments] == [item.byte_start for item in facts.comments]
    assert inner.insight == facts.insight


def test_a_sample_stands_in_its_section() -> None:
    """EMBED-NESTING: the definition around is the innermost heading, the scope only what the program says."""
    facts = read("markdown", "# One\n\n## Two\n\n```python\nclass A:\n    def f(self): pass\n```\n\n# Three\n")
    two, klass, method = named(facts, "Two"), named(facts, "A"), named(facts, "f")
    assert facts.definitions[klass.parent] == two
    assert facts.definitions[method.parent] == klass
    assert (klass.scope, method.scope, two.scope) == ("", "A", "One")
    assert [(item.language, item.line_start, item.line_end) for item in facts.segments] == [("python", 6, 7)]


def test_scripts_of_a_page_are_one_program() -> None:
    """EMBED-SHARED: a name that one script defines is known in another and in an event; samples share nothing."""
    page = '<script>\nconst shared = 1\n</script>\n<p onclick="use(shared)">\n<script>\nuse(shared)\n</script>\n'
    reads = [(item.line, item.name) for item in read("html", page).references if item.role == "read"]
    assert reads == [(4, "shared"), (6, "shared")]
    fences = "```js\nconst shared = 1\n```\n\n```js\nuse(shared)\n```\n"
    assert not [item for item in read("markdown", fences).references if item.role == "read"]


def test_a_broken_expression_spoils_nothing() -> None:
    """EMBED-SHARED: an expression of a template that is no program is left out, the script and the others stay."""
    page = '<template>\n  <p :a="keep(">{{ keep }}</p>\n</template>\n<script>\nfunction keep() {}\n</script>\n'
    facts = read("vue", page)
    assert named(facts, "keep").line_start == 5
    assert [(item.role, item.line, item.col) for item in facts.references] == [("read", 2, 19)]
    assert facts.parse_errors == 0


def test_a_language_in_a_language_in_a_language() -> None:
    """EMBED-BOUNDS: a script in markup in prose is read, one level deeper nothing is."""
    facts = read("markdown", "<div>\n<script>\nfunction near() {}\n</script>\n</div>\n")
    assert [item.name for item in facts.definitions] == ["near"]
    deeper = "````markdown\n# Inner\n\n<div>\n<script>\nfunction far() {}\n</script>\n</div>\n````\n"
    assert [item.name for item in read("markdown", deeper).definitions] == ["Inner"]


@pytest.mark.parametrize(
    ("name", "text", "most"),
    [
        ("markdown", "```python\ndef f(): pass\n```\n\n" * 10_000, MAX_PROGRAMS),
        ("html", "<script>\nvar a\n</script>\n" * 5_000, MAX_SPANS),
        ("html", "<script>var a</script>\n" * 5_000, MAX_PROGRAMS),
        ("vue", "<template>" + "<p>{{ a }}</p>\n" * 5_000 + "</template>\n", MAX_SPANS),
    ],
)
def test_many_programs_are_too_many(name: str, text: str, most: int) -> None:
    """EMBED-BOUNDS: of very many programs the first are read, and the rest stays text."""
    assert len(read(name, text).segments) == most


def test_the_script_is_read_before_what_may_be_left_out() -> None:
    """EMBED-BOUNDS: a template of thousands of expressions does not push out its script."""
    page = "<template>" + "<p>{{ a }}</p>\n" * 5_000 + "</template>\n<script>\nfunction kept() {}\n</script>\n"
    assert named(read("vue", page), "kept").line_start == 5_003


@pytest.mark.parametrize("marker", [">", "> ", "- ", "1. "])
def test_nesting_that_kills_a_parser_is_left_alone(marker: str) -> None:
    """EMBED-BOUNDS: prose nested a thousand times deep is text; nesting that a person writes is read."""
    assert not read("markdown", f"# A\n\n{marker * 1000}x\n").definitions
    assert not read("markdown", "# A\n\n```md\n" + marker * 1000 + "x\n```\n").segments
    assert read("markdown", f"# A\n\n{marker * 20}x\n").definitions


def test_lists_that_are_indented_without_end() -> None:
    """EMBED-BOUNDS: the same holds for lists that nest by indentation."""
    text = "# A\n\n" + "".join("  " * depth + "- x\n" for depth in range(400))
    assert not read("markdown", text).definitions


def test_a_parser_forgets_the_ranges_of_a_span() -> None:
    """EMBED-PLACES: a file that is parsed after a document with a sample is read from its first byte to its last."""
    program = "def whole():\n    return 1\n"
    before = alone("python", program)
    read("markdown", "words\n\n```python\ndef sample(): pass\n```\n")
    assert alone("python", program) == before


def test_samples_that_are_no_programs() -> None:
    """EMBED-SAMPLES: a sample most of which cannot be parsed gives nothing, and no error is counted for any."""
    facts = read("markdown", "```python\n>>> f(...\ndef x(\n```\n\n```js\nfunction ok() {}\n}}}\n```\n")
    assert [item.name for item in facts.definitions] == ["ok"]
    assert facts.parse_errors == 0 and not facts.insight.diagnostics


@pytest.mark.parametrize(
    "info", ["python", "py", "Python", "python title=x", "{.python}", "{.py .wide}", "{python}", "{python, echo=FALSE}"]
)
def test_how_a_fence_names_its_language(info: str) -> None:
    """EMBED-SAMPLES: the first word of the line counts, in any spelling a language has, bare or in braces."""
    assert [item.name for item in read("markdown", f"```{info}\ndef f(): pass\n```\n").definitions] == ["f"]
