"""Explanations: every number that is reported is one that ranked, and one result can be followed to its place."""

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.contract.codec import decode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.engine.search.ranking.scorer import BM25_HALF, FORMULA, WEIGHTS
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.tools import TOOLS
from tests.engine.search.small_repo import FILES
from tests.engine.search.test_search import QUERIES
from tests.engine.support import Desk

BY_NAME = {tool.name: tool for tool in TOOLS}
WORDS = sorted({word for text in FILES.values() for word in re.findall(r"[A-Za-z_]{3,}", text)})
WEIGHT_OF = {
    "exact_match_boost": "exact", "qualified_name_boost": "qualified", "path_affinity": "path",
    "definition_boost": "definition", "kind_match": "kind", "semantic_score": "semantic", "bm25_score": "bm25",
}  # fmt: skip
NUMBERS = {"result_index", *WEIGHT_OF, "final_score"}
"""The eight that are documented, and what meaning brought."""
QUESTION = st.one_of(
    st.sampled_from(WORDS),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" ".join),
    st.sampled_from(sorted(FILES)),
    st.sampled_from(WORDS).map(lambda word: f'"{word} failed"'),
)


def ask(shop: Desk, name: str, /, **raw: object) -> dict[str, Any]:
    tool = BY_NAME[name]
    host = Host(shop.engine, Defaults(freshness_policy="best_effort"))
    return render_success(tool.family, tool.run(host, Call(), decode(tool.params, raw))).payload


def summed(numbers: dict[str, float], intent: str) -> float:
    """The final score by the formula the documents state."""
    parts = {name: numbers[name] for name in WEIGHT_OF}
    parts["bm25_score"] /= parts["bm25_score"] + BM25_HALF
    return sum(WEIGHTS[intent][WEIGHT_OF[name]] * value for name, value in parts.items())


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTION)
def test_reported_numbers_add_up(shop: Desk, query: str) -> None:
    """RANK-SUM: for both tools the numbers of `full` give final_score by the formula, and final_score ranks."""
    for name, raw in (("search_code", {"query": query}), ("locate_symbol", {"name": query})):
        payload = ask(shop, name, **raw, limit=50, ranking_explain_level="full")
        reasons = payload["metadata"].get("ranking_reasons", [])
        intent = payload.get("query_intent", "symbol")
        assert len(reasons) == len(payload["results"])
        for index, (numbers, result) in enumerate(zip(reasons, payload["results"], strict=True)):
            numbers.setdefault("semantic_score", 0.0)
            assert set(numbers) == NUMBERS and numbers["result_index"] == index
            assert numbers["final_score"] == result["score"]
            assert numbers["final_score"] == pytest.approx(summed(numbers, intent), abs=2e-4)
        finals = [numbers["final_score"] for numbers in reasons]
        assert finals == sorted(finals, reverse=True)


@pytest.mark.parametrize("query", QUERIES)
def test_basic_reasons_are_normalized(shop: Desk, query: str) -> None:
    """RANK-BASIC: few factors, each in 0..1, in the order of the results."""
    payload = ask(shop, "search_code", query=query, limit=50, ranking_explain_level="basic")
    for index, numbers in enumerate(payload["metadata"]["ranking_reasons"]):
        assert numbers.pop("result_index") == index
        assert set(numbers) == {"exact_match", "path_boost", "definition_boost", "text_match", "final_score"}
        assert all(0 <= value <= 1 for value in numbers.values())


@pytest.mark.parametrize("query", QUERIES)
def test_an_explanation_says_what_the_search_said(shop: Desk, query: str) -> None:
    """C-EXPLAIN-RANKING: rank, score and every factor equal those of search_code, whatever its limit."""
    payload = ask(shop, "search_code", query=query, limit=100, ranking_explain_level="full")
    shown = list(zip(payload["results"], payload["metadata"]["ranking_reasons"], strict=True))
    for rank, (result, numbers) in enumerate(shown[:12], start=1):
        handle = {key: result[key] for key in ("result_id", "symbol_id") if key in result}
        said = ask(shop, "explain_ranking", query=query, **dict([next(iter(handle.items()))]))
        assert (said["rank"], said["result"]) == (rank, result)
        assert said["total_candidates"] == payload["total_candidates"]
        assert said["query_intent"] == payload["query_intent"]
        factors = dict(said["scoring"])
        assert factors.pop("total") == result["score"]
        assert {name: factor["value"] for name, factor in factors.items()} == {
            name: numbers.get(name, 0.0) for name in WEIGHT_OF
        }
        assert {name: factor["weight"] for name, factor in factors.items()} == {
            name: WEIGHTS[said["query_intent"]][key] for name, key in WEIGHT_OF.items()
        }
        assert sum(factor["contribution"] for factor in factors.values()) == pytest.approx(result["score"], abs=5e-4)
        above = said.get("beaten_by")
        assert (above["result"] if above else None) == (shown[rank - 2][0] if rank > 1 else None)
        assert said["formula"] == FORMULA


def test_a_result_can_be_named_in_every_way(shop: Desk) -> None:
    """C-EXPLAIN-RANKING: by either handle and by a place lead to one explanation."""
    top = ask(shop, "search_code", query="validate_token")["results"][0]
    ways = [
        {"symbol_id": top["symbol_id"]},
        {"symbol_stable_id": top["symbol_stable_id"]},
        {"result_id": top["symbol_id"]},
        {"path": top["path"], "line": top["line_start"] + 1},
    ]
    said = [ask(shop, "explain_ranking", query="validate_token", **way) for way in ways]
    assert said[0]["rank"] == 1 and "beaten_by" not in said[0]
    assert all(other == said[0] for other in said)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"query": "validate_token", "path": "src/auth/token.py", "line": 4, "language": "rust"}, "language"),
        ({"query": "wishlistmarker", "path": "src/auth/token.py", "line": 4}, "no_matching_words"),
        ({"query": "token", "path": "src/auth/none.py", "line": 4}, "not_in_index"),
        ({"query": "token", "path": "src/auth/token.py", "line": 4_000}, "not_in_index"),
        ({"query": "token", "symbol_id": "sym_" + "1" * 15}, "not_in_index"),
        ({"query": "token", "result_id": "snip_" + "1" * 15}, "not_in_index"),
    ],
)
def test_what_is_not_found_says_why(shop: Desk, raw: dict[str, object], reason: str) -> None:
    """C-EXPLAIN-RANKING: result_not_found names the reason and what to do."""
    with pytest.raises(Failure) as caught:
        ask(shop, "explain_ranking", **raw)
    assert (caught.value.code, caught.value.details["reason"]) == ("RESULT_NOT_FOUND", reason)
    assert caught.value.effective_hint


def test_no_handle_is_invalid(shop: Desk) -> None:
    """C-EXPLAIN-RANKING: words that are no handle are refused as such."""
    with pytest.raises(Failure) as caught:
        ask(shop, "explain_ranking", query="token", symbol_id="validate_token")
    assert caught.value.code == "INVALID_REQUEST"
