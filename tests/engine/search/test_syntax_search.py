"""Operators in a search: what they let through, that they hold in every channel, and that they never starve."""

from collections.abc import Iterator

import pytest

from codecompass.engine.search.retrieval.query_plan import NO_WORDS
from codecompass.model.call import Call
from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import SearchQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

FILES = {
    "src/alpha.py": "def alpha():\n    return 'plain'\n",
    "src/beta.py": "def beta():\n    alpha = 1\n    return alpha\n",
    "src/gamma.py": "def handle():\n    alpha = gamma = 2\n    return alpha\n",
    "src/phrase.py": "def wrapped():\n    # the quick brown\n    # fox jumps over\n    return 'delta, epsilon'\n",
    "src/apart.py": "def apart():\n    # fox of the brown and quick kind\n    return 'epsilon and delta'\n",
    "src/cased.py": "def upper():\n    Zeta = 1\n    return Zeta\n",
    "src/lower.py": "def lower():\n    zeta = 1\n    return zeta\n",
    "src/compound.py": "def read_user_record():\n    return userRecord()\n",
    "docs/guide.md": "# Guide\n\nHow alpha and omega work.\n",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("operators")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as made:
        made.index()
        yield made


def found(desk: Desk, text: str, *, exact: bool = False) -> Hits:
    query = SearchQuery(text, limit=50, freshness="best_effort", case_tokens=exact)
    return desk.engine.search(None, query, Call())


def stems(desk: Desk, text: str, *, exact: bool = False) -> set[str]:
    return {hit.path.rsplit("/", 1)[-1].split(".")[0] for hit in found(desk, text, exact=exact).hits}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alpha -gamma", {"alpha", "beta", "guide"}),
        ("alpha NOT gamma", {"alpha", "beta", "guide"}),
        ("alpha NOT (gamma OR omega)", {"alpha", "beta"}),
        ("alpha AND gamma", {"gamma"}),
        ("gamma OR omega", {"gamma", "guide"}),
        ("(gamma OR omega) alpha", {"gamma", "guide"}),
        ("alpha (gamma OR omega) -omega", {"gamma"}),
        ('"delta, epsilon"', {"phrase"}),
        ('"brown fox"', {"phrase"}),
        ('fox -"brown fox"', {"apart"}),
        ('"quick   brown"', {"phrase"}),
        ("record -user", set()),
        ("user AND record", {"compound"}),
        ('"read_user_record"', {"compound"}),
        ('"user_record"', set()),
    ],
)
def test_operators_let_through_exactly_what_they_mean(desk: Desk, text: str, expected: set[str]) -> None:
    """Q-OPERATORS: NOT, AND, OR, groups and phrases decide what is found, whatever channel finds it."""
    assert {stem for stem in stems(desk, text) if not found(desk, text).relaxed} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fox OR lang:ruby", {"phrase", "apart"}),
        ("epsilon OR lang:ruby", set()),
        ("apart OR lang:ruby", set()),
        ("fox -epsilon", {"phrase", "apart"}),
        ('"brown fox"', {"phrase"}),
        ('"delta, epsilon" OR lang:ruby', set()),
        ("type:fn (jumps OR lang:ruby)", {"phrase"}),
    ],
)
def test_operators_of_comments_see_comments_only(desk: Desk, text: str, expected: set[str]) -> None:
    """Q-OPERATORS: in extracted prose words and phrases mean what comments say, whatever stands beside them."""
    query = SearchQuery(text, limit=50, freshness="best_effort", mode="extracted-prose")
    answer = desk.engine.search(None, query, Call())
    assert {hit.path.rsplit("/", 1)[-1].split(".")[0] for hit in answer.hits if not answer.relaxed} == expected


@pytest.mark.parametrize(
    ("text", "expected", "otherwise"),
    [
        ("Zeta", {"cased"}, {"cased", "lower"}),
        ("zeta", {"lower"}, {"cased", "lower"}),
        ("return -Zeta -alpha", {"phrase", "apart", "lower", "compound"}, {"phrase", "apart", "compound"}),
        ("userRecord", {"compound"}, {"compound"}),
        ("USERRECORD", set(), {"compound"}),
    ],
)
def test_case_is_told_where_it_is_asked_for(desk: Desk, text: str, expected: set[str], otherwise: set[str]) -> None:
    """Q-CASE: with caseTokens words are found, and excluded, in the case they are typed in."""
    assert stems(desk, text, exact=True) == expected
    assert stems(desk, text) == otherwise


def test_what_nothing_satisfies_is_asked_more_loosely_and_said_so(desk: Desk) -> None:
    """Q-RELAXED: all words first, then any of them, ranked and flagged; what is excluded stays excluded."""
    answer = found(desk, "gamma AND omega")
    assert answer.relaxed
    assert {hit.path for hit in answer.hits} == {"src/gamma.py", "docs/guide.md"}
    barred = found(desk, "gamma AND omega NOT guide")
    assert barred.relaxed
    assert {hit.path for hit in barred.hits} == {"src/gamma.py"}
    phrase = found(desk, '"epsilon delta"')
    assert phrase.relaxed
    assert {hit.path for hit in phrase.hits} == {"src/phrase.py", "src/apart.py"}
    assert not found(desk, "alpha -gamma").relaxed


@pytest.mark.parametrize(
    "text",
    ["lang:klingon alpha", "loopsMin:many alpha", "type:nonsense alpha", "path:/[/ alpha", "file:{a alpha"],
)
def test_a_filter_that_takes_no_such_value_is_text_and_said_to_be(desk: Desk, text: str) -> None:
    """Q-TEXT: no shorthand is ever an error."""
    answer = found(desk, text)
    assert any(text.split()[0] in warning and "read as text" in warning for warning in answer.warnings)
    assert "src/alpha.py" in {hit.path for hit in answer.hits}


@pytest.mark.parametrize("text", ["-", "()", "&& ||", "\N{SLIGHTLY SMILING FACE}", '""'])
def test_a_query_without_words_is_said_to_be_one(desk: Desk, text: str) -> None:
    """Q-TEXT: signs are no error, and what is listed for them is no answer to them."""
    assert found(desk, text).warnings == (NO_WORDS,)
    assert not found(desk, f"{text} path:src").warnings
    assert not found(desk, f"{text} alpha").warnings


@pytest.mark.parametrize("text", ["alpha", "where is alpha handled", "beta alpha", "read (user record)"])
def test_plain_words_are_answered_as_ever(desk: Desk, text: str) -> None:
    """Q-PLAIN: parentheses and signs around plain words change nothing in what is found."""
    plain = [hit.result_id for hit in found(desk, text).hits]
    assert plain
    assert sorted(hit.result_id for hit in found(desk, f"{text} ->").hits) == sorted(plain)


def test_filters_beside_plain_words_leave_them_plain(desk: Desk) -> None:
    """Q-FIELDS, Q-PLAIN: a sentence with a filter is a sentence; answers with most of its words are still there."""
    sentence = "where does the beta code read alpha values"
    plain, narrowed = found(desk, sentence), found(desk, f"{sentence} lang:python")
    assert narrowed.relaxed == plain.relaxed
    assert [hit.result_id for hit in narrowed.hits] == [hit.result_id for hit in plain.hits if hit.language == "python"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lang:markdown", {"guide"}),
        ("lang:python -path:src", set()),
        ("path:compound", {"compound"}),
        ("lang:python path:/b.*a/", {"beta"}),
        ("ext:py -zeta -alpha", {"phrase", "apart", "compound"}),
        ("(path:compound OR path:cased)", {"compound", "cased"}),
        ("alpha (path:beta OR lang:markdown)", {"beta", "guide"}),
        ("alpha NOT (path:beta OR lang:markdown)", {"alpha", "gamma"}),
        ("path:alpha OR omega", {"alpha", "guide"}),
        ("type:section OR returns:false", {"guide"}),
    ],
)
def test_filters_answer_by_themselves(desk: Desk, text: str, expected: set[str]) -> None:
    """Q-FIELDS: a query of filters alone finds what passes them; filters may be denied, joined and grouped."""
    assert stems(desk, text) == expected


def test_a_rare_phrase_is_found_however_deep_it_stands(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Q-NEVER-STARVES: hundreds of better word matches do not hide the one place that has the phrase."""
    base = tmp_path_factory.mktemp("many")
    files = {f"m{number}.py": f"def f{number}():\n    return 'needle in needle hay hay'\n" for number in range(300)}
    files["z_last.py"] = "def g():\n    " + "x = 1\n    " * 20 + "return 'one hay needle two'\n"
    with desk_on(make_repo(base / "repo", files), base / "data") as made:
        made.index()
        answer = found(made, '"hay needle"')
        assert [hit.path for hit in answer.hits] == ["z_last.py"]
        assert answer.total == 1
        assert not answer.relaxed
