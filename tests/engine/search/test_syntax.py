"""Syntax: operators make a tree, everything else is text, and no string is an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.engine.search.query.query_syntax import (
    AndNode,
    FieldNode,
    NotNode,
    OrNode,
    ParsedQuery,
    PhraseNode,
    SyntaxNode,
    WordNode,
    format_query,
    parse,
)
from codecompass.engine.search.query.query_terms import tokenize_query
from codecompass.text.tokens import split_query_words


def accept(name: str, value: str) -> FieldNode | None:
    """Three filters: `lang`, `path` and, for numbers only, `loopsMin`; and `meta` with a key."""
    if name.startswith("meta."):
        return FieldNode("meta", f"{name[5:]}={value}")
    if name == "loopsMin":
        return FieldNode(name, value) if value.isdigit() else None
    return FieldNode(name, value) if name in ("lang", "path") else None


def understood(text: str) -> ParsedQuery:
    return parse(text, accept)


def words(*texts: str) -> SyntaxNode:
    return AndNode(tuple(WordNode(text) for text in texts))


A, B, C, D = WordNode("aa"), WordNode("bb"), WordNode("cc"), WordNode("dd")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("aa", A),
        ("aa bb", AndNode((A, B))),
        ("aa AND bb", AndNode((A, B))),
        ("aa OR bb", OrNode((A, B))),
        ("aa bb OR cc dd", OrNode((AndNode((A, B)), AndNode((C, D))))),
        ("aa (bb OR cc)", AndNode((A, OrNode((B, C))))),
        ("(aa OR bb) (cc OR dd)", AndNode((OrNode((A, B)), OrNode((C, D))))),
        ("((aa))", A),
        ("aa NOT bb", AndNode((A, NotNode(B)))),
        ("aa -bb", AndNode((A, NotNode(B)))),
        ("aa AND NOT bb", AndNode((A, NotNode(B)))),
        ("aa NOT NOT bb", AndNode((A, B))),
        ("aa -(bb cc)", AndNode((A, NotNode(AndNode((B, C)))))),
        ("aa -std::io", AndNode((A, NotNode(words("std", "io"))))),
        ('aa -"bb cc"', AndNode((A, NotNode(PhraseNode("bb cc"))))),
        ('"aa  bb"', PhraseNode("aa bb")),
        ('("aa bb" OR cc) dd', AndNode((OrNode((PhraseNode("aa bb"), C)), D))),
        ("lang:go aa", AndNode((FieldNode("lang", "go"), A))),
        ("meta.vuln.id:xx OR aa", OrNode((FieldNode("meta", "vuln.id=xx"), A))),
        ('meta.team:"x y" aa', AndNode((FieldNode("meta", "team=x y"), A))),
        ("aa -path:tests", AndNode((A, NotNode(FieldNode("path", "tests"))))),
        ('path:"my dir" aa', AndNode((FieldNode("path", "my dir"), A))),
        ("(lang:go OR lang:rust) aa", AndNode((OrNode((FieldNode("lang", "go"), FieldNode("lang", "rust"))), A))),
        ("path:/a(b)c/ aa", AndNode((FieldNode("path", "/a(b)c/"), A))),
        ("loopsMin:3 aa", AndNode((FieldNode("loopsMin", "3"), A))),
    ],
)
def test_operators_make_a_tree(text: str, tree: SyntaxNode) -> None:
    """Q-SYNTAX: words, phrases, NOT, AND, OR, parentheses and fields; NOT before AND before OR."""
    assert understood(text).tree == tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("std::io::Error", ["std", "io", "Error"]),
        ("foo(bar)", ["foo", "bar"]),
        ("foo(bar, baz)", ["foo", "bar", "baz"]),
        ("a:b:c", ["a", "b", "c"]),
        ('"unbalanced phrase', ["unbalanced", "phrase"]),
        ('say "hi"there', ["say", "hi", "there"]),
        ("(unbalanced group", ["unbalanced", "group"]),
        ("unbalanced) group", ["unbalanced", "group"]),
        ("foo -( bar", ["foo", "bar"]),
        ("foo -() bar", ["foo", "bar"]),
        ("C++", ["C"]),
        ("-> Result<T>", ["Result", "T"]),
        ("x-y", ["x", "y"]),
        ("rm -r --force", ["rm", "r", "force"]),
        ("http://example.org/a?b=c", ["http", "example", "org", "a", "b", "c"]),
        ("file:///etc/hosts", ["file", "etc", "hosts"]),
        (r"C:\Users\me", ["C", "Users", "me"]),
        ("path::join", ["path", "join"]),
        ("lang: go", ["lang", "go"]),
        ("colour:red", ["colour", "red"]),
        ("loopsMin:many", ["loopsMin", "many"]),
        ("AND foo", ["and", "foo"]),
        ("foo OR", ["foo", "or"]),
        ("foo NOT", ["foo", "not"]),
        ("-excluded", ["excluded"]),
        ("NOT this", ["not", "this"]),
        ("foo && bar", ["foo", "bar"]),
        ("foo and bar or not baz", ["foo", "and", "bar", "or", "not", "baz"]),
        ("it's \"", ["it", "s"]),
    ],
)
def test_what_is_no_operator_is_text(text: str, expected: list[str]) -> None:
    """Q-TEXT: signs that no operator needs, operators without operands, unknown fields, values no filter takes."""
    found = understood(text)
    leaves = found.tree.items if isinstance(found.tree, AndNode) else (found.tree,)
    assert [leaf.text for leaf in leaves if isinstance(leaf, WordNode)] == expected
    assert len(leaves) == len(expected)
    if "AND" not in text.split() and "OR" not in text.split() and "(" not in text:
        assert found.plain


@pytest.mark.parametrize("text", ["", "  ", "&&", "()", '""', "- -", "-()", '"?"', "((("])
def test_no_words_are_no_tree(text: str) -> None:
    """Q-TEXT: what holds no word asks for nothing."""
    assert understood(text) == ParsedQuery(text, None, plain=True) or understood(text).tree is None


PIECES = st.lists(
    st.sampled_from(
        ["aa", "B", "_c", "AND", "OR", "NOT", "(", ")", "-", '"', " ", "  ", "\t", ":", "lang:", "path:", "go", "::",
         "//", "é", "\u00a0", "loopsMin:3", '"x y"', '-"x y"', "-(", "\x1f", "\x00"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(st.one_of(st.text(max_size=200), PIECES))
def test_every_string_has_a_meaning_that_can_be_printed(text: str) -> None:
    """Q-SYNTAX-PROPERTY: parsing never fails; a printed tree parses to itself."""
    tree = understood(text).tree
    assert (tree is None) == (not split_query_words(text))
    if tree is not None:
        assert understood(format_query(tree)).tree == tree


@given(st.lists(st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=8), min_size=1, max_size=6))
def test_plain_words_mean_the_words(texts: list[str]) -> None:
    """Q-PLAIN: a query without operators asks for the words of its text, the same ones as ever."""
    texts = [text for text in texts if text not in ("AND", "OR", "NOT")] or ["word"]
    found = understood(" ".join(texts))
    assert found.plain
    assert found.tree is not None
    leaves = found.tree.items if isinstance(found.tree, AndNode) else (found.tree,)
    assert [leaf.text for leaf in leaves if isinstance(leaf, WordNode)] == split_query_words(" ".join(texts))
    assert set(tokenize_query(found.text).words) <= {leaf.text for leaf in leaves if isinstance(leaf, WordNode)}


@pytest.mark.parametrize("text", ["(" * 5000, ")" * 5000, "(" * 3000 + "x" + ")" * 3000, "NOT " * 5000 + "x",
                                  "-(" * 2000 + "x y" + ")" * 2000, "a OR " * 3000, '"' * 4001])  # fmt: skip
def test_depth_is_bounded(text: str) -> None:
    """Q-SYNTAX-PROPERTY: groups within groups cost no stack."""
    found = understood(text)
    assert found.tree is None or understood(format_query(found.tree)).tree == found.tree
