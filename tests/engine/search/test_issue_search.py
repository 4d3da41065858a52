"""Pasted issues: what they name is found before what only shares their words."""

from collections.abc import Iterator

import pytest

from codecompass.engine.search.issue.issue_reader import MAX_CHARS
from codecompass.model.call import Call
from codecompass.model.memory_values import MemoryQuery
from codecompass.model.queries.context_bundle import ContextBundleQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

BASKET = '''"""Baskets of the shop."""


class Basket:
    """What a customer wants to buy."""

    def __init__(self, items):
        self.items = items
        self.discount = 0

    def save(self, store):
        """Save the basket and its discount."""
        self.apply_discount(store.rules)
        store.write(self)

    def apply_discount(self, rules):
        for rule in rules:
            if rule.used:
                raise DiscountError(f"the discount {rule.name} was applied to {self} already")
            self.discount += rule.amount


class DiscountError(Exception):
    """A discount that can not be given."""
'''
STORE = '''"""Where baskets are kept."""


def write_rows(rows):
    """Write the rows of baskets that customers save, with every discount."""
    for row in rows:
        yield row


def load_rows(path):
    return open(path).readlines()
'''
TEST = '''"""Tests of baskets."""


def test_save_twice_keeps_the_discount_of_the_basket():
    """Saving the basket twice: the discount is applied to the basket already."""
    basket = make_basket()
    basket.save(store)
    basket.save(store)
    assert basket.discount == 1
'''
TRACE = """It stops when I save
Traceback (most recent call last):
  File "/srv/.venv/lib/python3.12/site-packages/shop/basket.py", line 13, in save
    self.apply_discount(store.rules)
  File "/srv/.venv/lib/python3.12/site-packages/shop/basket.py", line 19, in apply_discount
    raise DiscountError(f"...")
"""
STORY = """Saving a basket twice gives its discount twice

### Steps to reproduce
I wrote a test, and the test fails in the test run: "the discount Summer was applied to basket 7 already".

### Environment
- OS: Linux
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("issues")
    files = {"shop/basket.py": BASKET, "shop/store.py": STORE, "tests/test_basket.py": TEST}
    files |= {f"shop/page_{number}.py": f"def render_{number}(basket):\n    return basket\n" for number in range(20)}
    with desk_on(make_repo(base / "repo", files), base / "data") as desk:
        desk.index()
        yield desk


def test_the_innermost_frame_comes_first(shop: Desk) -> None:
    """QUERY-ISSUE: frames are places, the innermost first, wherever the traceback was written."""
    first, second, *_ = shop.search(TRACE).hits
    assert (first.path, first.name) == ("shop/basket.py", "apply_discount")
    assert (second.path, second.name) == ("shop/basket.py", "save")


def test_an_issue_does_not_lift_tests(shop: Desk) -> None:
    """QUERY-ISSUE: the word "test" in an issue lifts tests only from its title; a quoted text is no error."""
    found = shop.search(STORY)
    assert found.intent == "natural_language"
    assert found.hits[0].path == "shop/basket.py" and found.hits[0].name == "apply_discount"
    asked = shop.search("Test of a basket that is saved twice is missing\n\nThe basket is saved.\nAnd again, twice.")
    assert "tests/test_basket.py" in [hit.path for hit in asked.hits[:3]]


def test_what_was_ignored_and_cut_is_said(shop: Desk) -> None:
    """QUERY-ISSUE: what was cut or ignored is said in the answer."""
    assert any("were ignored" in note for note in shop.search(STORY).warnings)
    assert any(f"{MAX_CHARS:,}" in note for note in shop.search(STORY + "basket " * 4_000).warnings)


def test_a_name_in_back_ticks_is_found(shop: Desk) -> None:
    """QUERY-ISSUE: names in back-ticks and paths are looked up as what they are."""
    story = "Reading fails\n\nSince the last release `load_rows` does not close.\nSee shop/store.py for it."
    first = shop.search(story).hits[0]
    assert (first.path, first.name) == ("shop/store.py", "load_rows")


def test_the_context_of_an_issue_holds_the_function(shop: Desk) -> None:
    """QUERY-ISSUE: get_code_context packs the functions that the issue is about."""
    query = ContextBundleQuery(STORY, 2_000, freshness="best_effort")
    bundle = shop.engine.bundle(None, query, lambda piece: len(piece.code) // 3 + 40, Call())
    assert any(piece.name.endswith("apply_discount") for piece in bundle.pieces)


def test_a_long_question_to_the_memory_is_shortened_and_said(shop: Desk) -> None:
    """QUERY-ISSUE: a search of sentences asks only for the sentences, and says so."""
    found = shop.engine.recall(None, MemoryQuery(STORY * 10), Call())
    assert any("title and sentences" in note for note in found.searched.notes)
