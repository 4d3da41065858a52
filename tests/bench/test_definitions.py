"""Definitions of two sides: how they are matched, counted and explained."""

from pathlib import Path

import pytest
from bench.definitions.compare import Agreement, Difference, Found, Kinds, by_kind, compare, explain
from bench.definitions.plan import read_plan

from codecompass.languages.registry import Registry
from codecompass.model.code.kinds import KINDS as KNOWN

KINDS = Kinds(ours=frozenset({"fn", "class"}), ctags=frozenset({"function", "class"}))


def no_text(_: Found) -> str:
    return ""


def ours(*rows: tuple[str, int, str], path: str = "a.x") -> list[Found]:
    return [Found(path, line, name, kind) for kind, line, name in rows]


def matched(mine: list[Found], theirs: list[Found], kinds: Kinds = KINDS) -> Agreement:
    return compare(mine, theirs, kinds, no_text)


def test_one_definition_is_the_same_on_the_next_line_and_not_further() -> None:
    """BENCH-DEFINITIONS: two definitions are the same if path and name are and the lines lie at most one apart."""
    mine = ours(("fn", 1, "a"), ("fn", 5, "b"), ("fn", 9, "c"))
    theirs = ours(("function", 2, "a"), ("function", 7, "b"), ("function", 9, "c"))
    found = matched(mine, theirs)
    assert found.both == 2
    assert [item.name for item in (*found.only_ours, *found.only_ctags)] == ["b", "b"]
    assert found.f1 == pytest.approx(2 * 2 / 6)
    assert matched(mine[:1], [theirs[0]._replace(path="b.x")]).both == 0


def test_the_same_line_is_taken_before_a_near_one() -> None:
    """BENCH-DEFINITIONS: where a name stands on lines in a row, each is paired with its own."""
    mine = ours(("fn", 1, "a"), ("fn", 2, "a"), ("fn", 3, "a"))
    theirs = ours(("function", 2, "a"), ("function", 3, "a"), ("function", 4, "a"))
    found = matched(mine, theirs)
    assert found.both == 2
    assert found.elsewhere == {mine[0], theirs[2]}
    assert [item.line for item in found.only_ours] == [1]
    assert [item.line for item in found.only_ctags] == [4]


def test_a_name_counts_once_in_a_line() -> None:
    """BENCH-DEFINITIONS: several kinds of one name on one line are one definition."""
    mine = ours(("class", 1, "a"), ("fn", 1, "a"))
    assert matched(mine, ours(("class", 1, "a"))) == Agreement(1, (), ())


def test_kinds_that_are_not_compared_pair_but_do_not_count_alone() -> None:
    """BENCH-DEFINITIONS: what one side lists on purpose pairs with the other's, and says nothing when it is alone."""
    mine = ours(("fn", 1, "a"), ("key", 3, "b"), ("key", 5, "c"))
    theirs = ours(("prototype", 1, "a"), ("local", 7, "d"), ("local", 5, "c"))
    assert matched(mine, theirs) == Agreement(1, (), ())


@pytest.mark.parametrize(
    ("kinds", "mine", "theirs"),
    [
        (Kinds(KINDS.ours, KINDS.ctags, strip="$"), "$size", "size"),
        (Kinds(KINDS.ours, KINDS.ctags, joint=".:"), "close", "Till.drawer:close"),
        (Kinds(KINDS.ours, KINDS.ctags, until=":"), "add", "add:to:"),
        (KINDS, "operator ==", "operator=="),
    ],
)
def test_names_are_compared_without_what_only_one_side_keeps(kinds: Kinds, mine: str, theirs: str) -> None:
    """BENCH-DEFINITIONS: signs, paths and blanks that one side counts to a name do not make it another."""
    assert matched(ours(("fn", 1, mine)), ours(("function", 1, theirs)), kinds).both == 1


def test_locals_of_ctags_are_not_held_against_us() -> None:
    """BENCH-DEFINITIONS: a kind that ctags gives to locals too counts alone only where the line is not indented."""
    kinds = Kinds(KINDS.ours, frozenset({"constant"}), outermost=frozenset({"constant"}))
    theirs = ours(("constant", 1, "a"), ("constant", 2, "b"), ("constant", 3, "c"))
    texts = {1: "const a", 2: "  const b", 3: "  const c"}
    found = compare(ours(("fn", 3, "c")), theirs, kinds, lambda item: texts[item.line])
    assert found == Agreement(1, (), (theirs[0],))


def test_what_the_other_side_has_elsewhere_is_known() -> None:
    """BENCH-DEFINITIONS: a name that the other side has on another line of the file can be told from one it lacks."""
    mine, theirs = ours(("fn", 1, "a")), ours(("function", 1, "a"), ("function", 9, "a"), ("function", 20, "b"))
    found = matched(mine, theirs)
    assert found.elsewhere == {theirs[1]}
    again = Difference("x", "ctags", "both", "again", elsewhere=True)
    classes, rest = explain(found, [again], no_text)
    assert (classes[again], rest["ctags"]) == ([theirs[1]], [theirs[2]])


def test_every_disagreement_is_of_the_first_class_that_fits() -> None:
    """BENCH-DEFINITIONS: a class is recognised by side, kind, name, line and path; the rest stands apart."""
    first = Difference("x", "ctags", "ours", "loops", kinds=frozenset({"function"}), line=r"^\s*for\b")
    second = Difference("x", "ctags", "both", "tests", path="^tests/")
    places = (("a.x", 1, "i"), ("tests/b.x", 2, "t"), ("a.x", 3, "f"))
    theirs = tuple(Found(path, line, name, "function") for path, line, name in places)
    mine = (Found("tests/b.x", 9, "m", "fn"),)
    lines = {1: "for i in x", 2: "for t in y", 3: "def f"}
    classes, rest = explain(Agreement(0, mine, theirs), [first, second], lambda item: lines.get(item.line, ""))
    assert [[item.name for item in items] for items in classes.values()] == [["i", "t"], []]
    assert rest == {"ours": [mine[0]], "ctags": [theirs[2]]}
    assert by_kind((*mine, *theirs)) == "3 function, 1 fn"
    assert by_kind(()) == "–"


def test_the_tables_name_what_exists() -> None:
    """BENCH-DEFINITIONS: every language has a repository at a commit; the tables name kinds and languages we have."""
    plan = read_plan()
    languages = set(Registry().languages)
    assert {one.language for one in plan.examples} == languages
    assert all(len(one.commit) == 40 and one.name.count("/") == 1 for one in plan.examples)
    assert set(plan.peers) <= languages
    assert {kind for peer in plan.peers.values() for kind in peer.kinds.ours} <= set(KNOWN)
    for one in plan.differences:
        kinds = plan.peers[one.language].kinds
        assert one.kinds <= (kinds.ours if one.side == "ours" else kinds.ctags), one


def test_a_missing_checkout_says_how_to_get_it() -> None:
    """BENCH-DEFINITIONS: where a repository is looked for and how it is put there."""
    example = read_plan().examples[0]
    place = Path("work") / example.name.replace("/", "+")
    assert example.root(Path("work")) == place
    assert example.command(Path("work")).endswith(f"{place} checkout {example.commit}")
