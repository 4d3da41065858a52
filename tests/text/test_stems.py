"""Stems: words of one root meet, others stay apart, and every form that is tried shares the stem."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.text.tokens import list_inflections, stem, stem_parts


@pytest.mark.parametrize(
    "family",
    [
        "validate validates validated validating validation validations validator",
        "query queries queried querying",
        "limit limits limited limiting limiter",
        "serialize serializes serialized serializing serialization serializer",
        "class classes",
        "run running",
        "cache caches cached caching",
        "format formats formatter formatters formatting",
    ],
)
def test_a_family_has_one_stem(family: str) -> None:
    """TEXT-STEMS: plurals, -ing, -ed, -er and -ation lead to one stem."""
    assert len({stem(word) for word in family.split()}) == 1


def test_strangers_stay_apart() -> None:
    """TEXT-STEMS: words of different roots keep different stems, short ones stay whole."""
    words = "token test path press process user use id os as bus class close cache parse query string server".split()
    assert len({stem(word) for word in words}) == len(words)
    assert [stem(word) for word in ("is", "os", "bus", "css")] == ["is", "os", "bus", "css"]


@given(st.text(alphabet="abcdeginorst", min_size=1, max_size=12))
def test_forms_share_the_stem(word: str) -> None:
    """TEXT-STEMS: whatever is looked for in place of a word has its stem, and the word itself comes first."""
    found = list_inflections(word)
    assert found[0] == word
    assert {stem(form) for form in found} == {stem(word)}
    assert len(found) == len(set(found)) <= 20


def test_parts_of_identifiers() -> None:
    """TEXT-STEMS: identifiers are taken apart first; single letters say nothing."""
    assert stem_parts("getHTTPResponses_v2x") == ("get", "http", "respons")
    assert stem_parts("x") == ()
