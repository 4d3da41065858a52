"""Ranking: files first, their best places shown; roles, forms and names count as they should; every number adds up."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.engine.search.paths.path_roles import (
    ROLES,
    compute_role_prior,
    find_newest_versions,
    find_outdated_roles,
    find_roles,
    get_role_weight,
    is_test,
)
from codecompass.engine.search.ranking.scorer import (
    BLENDS,
    REPEAT_FILE_WEIGHT,
    WEIGHTS,
    CandidateFeatures,
    Features,
    RawFeatures,
    blend,
    list_factors,
    scale,
    score,
    score_candidate,
    score_file,
)
from codecompass.model.states import INTENTS, Intent
from tests.engine.search.goldenset import QUESTIONS, rankings, stored
from tests.engine.search.ranking_repo import FILES
from tests.engine.search.test_explain import ask
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

SHARE = st.floats(0.0, 1.0)
SIGNALS = st.builds(RawFeatures, *[SHARE] * (len(RawFeatures._fields) - 1), st.floats(0.0, 90.0))
INTENT = st.sampled_from(INTENTS)
GOLDEN_HINT = "python -m tests.engine.search.goldenset writes them again"


@pytest.fixture(scope="module")
def depot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("depot")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as desk:
        desk.index()
        yield desk


@pytest.mark.parametrize("query", QUESTIONS["shop"])
def test_golden_rankings_of_the_shop(shop: Desk, query: str) -> None:
    """RANK-GOLDEN: the first results of fixed questions are those in git; a change of ranking is seen."""
    assert rankings(shop, "shop")[query] == stored("shop")[query], GOLDEN_HINT


@pytest.mark.parametrize("query", QUESTIONS["depot"])
def test_golden_rankings_of_the_depot(depot: Desk, query: str) -> None:
    """RANK-GOLDEN: the same where tests, documents and an old version compete."""
    assert rankings(depot, "depot")[query] == stored("depot")[query], GOLDEN_HINT


@pytest.mark.parametrize("query", ["parcel address", "how is the price of a parcel computed", "parcel", "price"])
def test_one_result_for_each_file(depot: Desk, query: str) -> None:
    """RANK-FILES: the files of an answer come first with one place each; further places of a file follow."""
    paths = [hit.path for hit in depot.search(query, limit=100).hits]
    first = len(set(paths))
    assert len(paths) > first and len(set(paths[: first - 1])) >= first - 2
    assert paths[0] not in paths[1:3]


def test_definitions_that_are_asked_for_are_all_shown(depot: Desk) -> None:
    """RANK-FILES: who asks for methods gets every one, side by side with others of its file."""
    payload = ask(depot, "search_code", query="address", filters={"type": "method"}, ranking_explain_level="full")
    names = [one["name"] for one in payload["results"]]
    assert {"invalidate", "lookup", "print_label", "render"} <= set(names)
    scores = {one["name"]: one["score"] for one in payload["results"]}
    assert min(scores["invalidate"], scores["lookup"]) > REPEAT_FILE_WEIGHT * max(scores.values())


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("shipping price", "depot/tariff.py"),
        ("test the shipping price", "tests/test_tariff.py"),
        ("legacy shipping price", "depot/legacy/tariff.py"),
    ],
)
def test_source_before_everything_else_unless_asked(depot: Desk, query: str, path: str) -> None:
    """RANK-ROLES: tests, documents, examples and old versions stand back until the question names them."""
    assert depot.paths(query)[0] == path


@pytest.mark.parametrize(("word", "path"), [("documentation", "docs/shipping.md"), ("example", "examples/send.py")])
def test_a_role_that_is_asked_for_comes_forward(depot: Desk, word: str, path: str) -> None:
    """RANK-ROLES: the word for a role lifts files of that role over those that say as much."""
    plain, asked = (depot.paths(query) for query in ("price of shipping", f"{word} price of shipping"))
    assert asked.index(path) < plain.index(path) and asked.index(path) <= 2


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("where are addresses validated", "depot/validation.py"),
        ("validation of an address", "depot/validation.py"),
        ("printing of labels", "depot/labels.py"),
        ("who invalidates cached routes", "depot/routing/cache.py"),
        ("planning routes for delivery", "depot/routing/__init__.py"),
    ],
)
def test_other_forms_of_a_word_are_found(depot: Desk, query: str, path: str) -> None:
    """RANK-FORMS: a sentence finds its words in any form; a package's file goes by the name of its directory."""
    found = depot.search(query)
    assert found.hits[0].path == path


def test_a_name_is_found_as_it_is_written(depot: Desk) -> None:
    """RANK-FORMS: who types one word means that word, not its relatives."""
    assert depot.paths("validation") == ["depot/validation.py"]
    assert all(hit.result_type == "file" for hit in depot.search("validation").hits)


def test_references_count_in_their_own_branch(tmp_path_factory: pytest.TempPathFactory) -> None:
    """RANK-BRANCH: who mentions a definition in another branch lifts it there and not here."""
    base = tmp_path_factory.mktemp("branches")
    repo = make_repo(base / "repo", FILES)

    def referred(desk: Desk, ref: str) -> float:
        said = ask(desk, "explain_ranking", query="LabelPrinter", path="depot/labels.py", line=4, ref=ref)
        value: float = said["scoring"]["definition_boost"]["parts"]["referred"]["value"]
        return value

    with desk_on(repo, base / "data") as desk:
        desk.index()
        git(repo, "checkout", "-qb", "busy")
        text = "from depot.labels import LabelPrinter\n\nrun = LabelPrinter().print_label\n"
        commit(repo, {f"depot/caller{at}.py": text + f"at = {at}\n" for at in range(9)})
        git(repo, "checkout", "-q", "main")
        before = referred(desk, "main")
        desk.index("busy")
        assert referred(desk, "main") == before < referred(desk, "busy")


@pytest.mark.parametrize("intent", INTENTS)
def test_weights_and_shares_add_up(intent: str) -> None:
    """RANK-SUM: the weights of an intent and the shares of each feature add up to 1, and name signals that exist."""
    assert sum(WEIGHTS[intent].values()) == pytest.approx(1.0)
    assert set(WEIGHTS[intent]) == set(Features._fields) == {*BLENDS[intent], "bm25"}
    for parts in BLENDS[intent].values():
        assert not parts or sum(parts.values()) == pytest.approx(1.0)
        assert set(parts) <= set(RawFeatures._fields)


@settings(max_examples=200, deadline=None)
@given(SIGNALS, INTENT, st.sampled_from((1.0, REPEAT_FILE_WEIGHT)))
def test_the_sum_that_ranks_is_the_sum_that_is_told(signals: RawFeatures, intent: Intent, share: float) -> None:
    """RANK-SUM: the quick way over files and places gives the score of the documented numbers, which lies in 0..1."""
    spot = CandidateFeatures(*(getattr(signals, name) for name in CandidateFeatures._fields))
    file = signals._replace(**dict.fromkeys(CandidateFeatures._fields, 0.0))
    told = score(scale(blend(signals, intent), share), intent)
    assert 0.0 <= told <= 1.0
    assert share * score_file(file, intent) + score_candidate(spot, intent, share) == pytest.approx(told, abs=1e-9)
    assert sum(factor.contribution for factor in list_factors(signals, intent, share)) == pytest.approx(told, abs=1e-9)


@pytest.mark.parametrize("query", ["Parcel", "how is the price of a parcel computed", "depot/tariff.py"])
def test_explanations_go_down_to_the_signals(depot: Desk, query: str) -> None:
    """RANK-PARTS: each factor that is made of several signals shows them, and their sum is its value."""
    results = ask(depot, "search_code", query=query, limit=50)["results"]
    for result in (results[0], results[-1]):
        handle = next(key for key in ("result_id", "symbol_id") if key in result)
        said = ask(depot, "explain_ranking", query=query, **{handle: result[handle]})
        factors_said = {name: one for name, one in said["scoring"].items() if name != "total"}
        assert set(factors_said) == set(ask_names())
        for name, one in factors_said.items():
            if name != "bm25_score":
                parts = one.get("parts", {}).values()
                assert sum(part["contribution"] for part in parts) == pytest.approx(one["value"], abs=3e-4), name
                assert all(0.0 <= part["value"] <= 1.0 for part in parts)
    assert json.dumps(said)


def ask_names() -> tuple[str, ...]:
    return (
        "exact_match_boost", "qualified_name_boost", "path_affinity", "definition_boost", "kind_match",
        "semantic_score", "bm25_score",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("src/auth/token.py", ()),
        ("tests/test_token.py", ("test",)),
        ("src/token.test.ts", ("test",)),
        ("spec/models/user_spec.rb", ("test",)),
        ("docs/guide.md", ("documentation", "documentation directory")),
        ("package.json", ("documentation",)),
        ("examples/docs/a.py", ("aside", "documentation directory")),
        ("db/migrations/0001_first.py", ("build",)),
        ("Tests/SessionTests.swift", ("test",)),
        ("src/login-spec.js", ("test",)),
        ("src/v3/types.ts", ()),
        ("src/compat/types.ts", ("legacy",)),
        ("include/parser.h", ("header",)),
        ("src/Contracts/Queue.php", ("interface",)),
        ("src/latest.py", ()),
        ("src/contest.go", ()),
    ],
)
def test_roles_of_paths(path: str, names: tuple[str, ...]) -> None:
    """RANK-ROLES: a path tells the role of its file; a role that was asked for costs nothing."""
    found = find_roles(path)
    assert tuple(role.name for role in found) == names
    assert compute_role_prior(found, frozenset()) == pytest.approx(max(0.0, 1.0 - sum(role.penalty for role in found)))
    every = frozenset().union(*(role.query_stems for role in ROLES))
    assert compute_role_prior(found, every) == 1.0
    assert get_role_weight(path) == min((role.weight for role in found), default=1.0)
    assert get_role_weight(path, every) == 1.0 and is_test(path) == ("test" in names)


def test_a_version_is_old_beside_a_newer_one() -> None:
    """RANK-ROLES: of versions side by side the newest is the source, until the question names another."""
    every = ("src/v9/types.ts", "src/v10/types.ts", "src/v9/old.ts", "api/v1/routes.py", "wire_v1.go", "wire_v2.go")
    newest = find_newest_versions(every)
    for path, old in (
        ("src/v9/types.ts", True), ("src/v10/types.ts", False), ("api/v1/routes.py", False), ("wire_v1.go", True),
        ("wire_v2.go", False), ("src/v9x/types.ts", False),
    ):  # fmt: skip
        found = find_outdated_roles(path, newest)
        assert (compute_role_prior(found, frozenset()) < 1.0) is old, path
    found = find_outdated_roles("src/v9/types.ts", newest)
    assert [compute_role_prior(found, frozenset({word})) for word in ("v9", "v10", "legacy")] == [1.0, 0.5, 1.0]
