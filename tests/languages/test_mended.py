"""Sources that a language allows and its grammar cannot read."""

from codecompass.languages.extraction.extractor import extract
from codecompass.languages.formats.grammar_fixups import parse_with_fixups
from codecompass.languages.registry import Language, Registry
from codecompass.model.code.facts import Facts

REGISTRY = Registry()
ONE_LINE = b"class Short { companion object { const val ONE = 0b01 } }\nfun after() = Short()\n"
HOPELESS = b"class Good { fun kept() = 1 }\nfun bad((( {\n" + b"fun later() = Good()\n"


def language(name: str) -> Language:
    found = REGISTRY.get(name)
    assert found is not None
    return found


def facts(name: str, source: bytes) -> Facts:
    return extract(language(name), source)


def test_what_a_grammar_cannot_read_is_written_over() -> None:
    """LANG-MENDS: the definitions of a mended source are found, at the places and with the text they really have."""
    assert language("kotlin").parser.parse(ONE_LINE).root_node.has_error
    found = facts("kotlin", ONE_LINE)
    assert found.parse_errors == 0
    places = {item.name: (item.name_line, item.name_col, item.signature) for item in found.definitions}
    assert places == {
        "Short": (1, 6, "class Short"),
        "ONE": (1, 43, "const val ONE = 0b01"),
        "after": (2, 4, "fun after()"),
    }


def test_a_source_that_parses_is_left_alone() -> None:
    """LANG-MENDS: a source whose tree has no errors is read as it is, whatever the patterns would find in it."""
    source = b'val text = "0b01 }"\nfun f() {\n  g()\n}\n'
    assert not parse_with_fixups(language("kotlin"), source).root_node.has_error
    assert [item.signature for item in facts("kotlin", source).definitions] == ['val text = "0b01 }"', "fun f()"]


def test_a_mend_that_does_not_help_is_dropped() -> None:
    """LANG-MENDS: where no pattern helps, the errors are counted and what can be read is found all the same."""
    found = facts("kotlin", HOPELESS)
    assert found.parse_errors > 0
    assert {"Good", "kept", "later"} <= {item.name for item in found.definitions}


def test_conditions_of_a_compiler_are_read_through() -> None:
    """LANG-MENDS: both sides of a condition for the compiler are read where the grammar gives up on it."""
    sides = b"#if DEBUG\n  func one() throws(E) {}\n#else\n  func two() {}\n#endif\n"
    source = b"struct A {\n" + sides + b"  @Option() var x: Int\n}\n"
    found = facts("swift", source)
    assert found.parse_errors == 0
    assert [(item.name, item.scope) for item in found.definitions][1:] == [("one", "A"), ("two", "A"), ("x", "A")]


def test_what_is_taken_for_something_else_is_written_over_too() -> None:
    """LANG-MENDS: what a grammar reads without an error as something else is read as what it is."""
    source = b"struct SHOP_EXPORT Till { Till(); int total = 0; };\nstruct STAT one;\nstruct STAT two = { 1 };\n"
    assert not language("cpp").parser.parse(b"struct STAT one { };\n").root_node.has_error
    found = facts("cpp", source)
    assert [(item.kind, item.name, item.scope, item.signature) for item in found.definitions] == [
        ("struct", "Till", "", "struct SHOP_EXPORT Till"),
        ("method", "Till", "Till", "Till()"),
        ("field", "total", "Till", "int total = 0"),
        ("var", "one", "", "struct STAT one"),
        ("var", "two", "", "struct STAT two"),
    ]
