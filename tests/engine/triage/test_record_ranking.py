"""Records among results: their scores are explained as those of files are, and the numbers are the ones that ranked."""

from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.tools import TOOLS
from tests.engine.triage.test_record_search import ask as search
from tests.engine.triage.triage_repo import MERGE, YAML, Bench

BY_NAME = {tool.name: tool for tool in TOOLS}
QUERIES = ("code loading", "loading", "package severity api", "prototype zebra", "engine loading pollution", "PyYAML x")


@pytest.fixture
def filled(bench: Bench) -> Bench:
    more = ({**YAML, "vulnId": f"CVE-2031-6000{number}", "title": "Loading " * number + "it"} for number in (1, 2, 3))
    bench.ingest(YAML, MERGE, *more)
    return bench


def ask(bench: Bench, name: str, /, **raw: object) -> dict[str, Any]:
    tool = BY_NAME[name]
    host = Host(bench.engine, Defaults(freshness_policy="best_effort"))
    return render_success(tool.family, tool.run(host, Call(), decode(tool.params, raw))).payload


@pytest.mark.parametrize("query", QUERIES)
def test_the_breakdown_is_the_score(filled: Bench, query: str) -> None:
    """TRIAGE-EXPLAIN: scoreBreakdown of a record has BM25 as it was summed, what it could be at most, and each word."""
    found = search(filled, query=query, mode="records", explain=True, top=50)["records"]
    records = [hit for hit in found if hit.get("kind") == "record"]
    assert records
    for hit in records:
        parts = hit["scoreBreakdown"]
        assert parts["selected"] == {"type": "bm25", "score": hit["score"]} and hit["scoreType"] == "bm25"
        sparse = parts["sparse"]
        assert sparse["type"] == "bm25" and sparse["score"] == hit["sparseScore"] == parts["blend"]["bm25"] > 0
        assert sparse["score"] / sparse["best"] == pytest.approx(hit["score"], abs=2e-4)
        assert sum(sparse["words"].values()) == pytest.approx(sparse["score"], abs=5e-4)
        assert {word.lower() for word in sparse["words"]} <= {word.lower() for word in query.split()}
        assert parts["ann"]["score"] == 0 and not any(parts["symbol"].values())
    for hit in found:
        if hit.get("kind") != "record":
            assert hit["scoreBreakdown"]["selected"]["type"] == hit["scoreType"] == "blend"


def test_filters_alone(filled: Bench) -> None:
    """TRIAGE-EXPLAIN: without words every record that passes counts the same, and that is what is said."""
    for hit in search(filled, query="meta:service=api", mode="records", explain=True)["records"]:
        assert hit["score"] == 1.0 and "sparseScore" not in hit and hit["scoreType"] == "filter"
        assert hit["scoreBreakdown"]["selected"] == {"type": "filter", "score": 1.0}
        said = ask(filled, "explain_ranking", query="meta:service=api", result_id=hit["id"])
        assert said["scoring"] == {"filters": {"value": 1.0, "weight": 1.0, "contribution": 1.0}, "total": 1.0}


@pytest.mark.parametrize("query", QUERIES)
def test_an_explanation_follows_the_list(filled: Bench, query: str) -> None:
    """TRIAGE-EXPLAIN: rank, score, total and who stands before are those of the list, log files among them."""
    found = search(filled, query=query, mode="records", top=50)
    hits = found["records"]
    for rank, hit in enumerate(hits, start=1):
        if hit.get("kind") != "record":
            continue
        for way in ({"result_id": hit["id"]}, {"path": hit["file"], "line": 1}):
            said = ask(filled, "explain_ranking", query=query, **way)
            assert (said["rank"], said["total_candidates"]) == (rank, found["stats"]["modes"]["records"]["total"])
            assert said["result"]["result_id"] == hit["id"] and said["result"]["score"] == hit["score"]
            (name,) = set(said["scoring"]) - {"total"}
            factor = said["scoring"][name]
            assert (name, said["scoring"]["total"]) == ("bm25_score", hit["score"])
            assert factor["value"] == hit["sparseScore"] and factor["contribution"] == hit["score"]
            assert factor["value"] * factor["weight"] == pytest.approx(hit["score"], abs=5e-4)
            gained = sum(part["contribution"] for part in factor["parts"].values())
            assert gained == pytest.approx(factor["value"], abs=5e-4)
            for part in factor["parts"].values():
                assert part["value"] * part["weight"] == pytest.approx(part["contribution"], abs=5e-4)
            above = said.get("beaten_by")
            assert (above["result"]["path"] if above else None) == (hits[rank - 2]["file"] if rank > 1 else None)
            assert "bm25" in said["formula"] and "record" in said["formula"]


def test_records_of_search_code(filled: Bench) -> None:
    """TRIAGE-EXPLAIN: a filter that only records pass brings them into search_code, and each is explained there."""
    query = "loading meta:service=api"
    payload = ask(filled, "search_code", query=query, limit=50, ranking_explain_level="full")
    results = payload["results"]
    assert {result["result_type"] for result in results} == {"record"} and len(results) == 4
    for rank, result in enumerate(results, start=1):
        said = ask(filled, "explain_ranking", query=query, result_id=result["result_id"])
        assert (said["rank"], said["result"], said["total_candidates"]) == (rank, result, payload["total_candidates"])
        above = said.get("beaten_by")
        assert (above["result"] if above else None) == (results[rank - 2] if rank > 1 else None)
    for numbers, result in zip(payload["metadata"]["ranking_reasons"], results, strict=True):
        assert numbers["final_score"] == result["score"]
        assert numbers["bm25_score"] / numbers["bm25_best"] == pytest.approx(result["score"], abs=2e-4)


@pytest.mark.parametrize(
    ("query", "more", "reason"),
    [
        ("zebra", {}, "no_matching_words"),
        ("package lodash", {}, "no_matching_words"),
        ("loading meta:service=web", {}, "filtered"),
        ("loading", {"language": "python"}, "language"),
        ("engine failed", {}, "no_matching_words"),
    ],
)
def test_what_is_not_found_says_why(filled: Bench, query: str, more: dict[str, object], reason: str) -> None:
    """TRIAGE-EXPLAIN: a record that does not answer says what keeps it out."""
    handle = filled.hits("CVE-2031-50005")[0].result_id
    with pytest.raises(Failure) as caught:
        ask(filled, "explain_ranking", query=query, result_id=handle, **more)
    assert (caught.value.code, caught.value.details["reason"]) == ("RESULT_NOT_FOUND", reason)
    assert caught.value.effective_hint


def test_no_such_record(filled: Bench) -> None:
    """TRIAGE-EXPLAIN: an id of no record is not found, as a handle of no symbol is."""
    for way in ({"result_id": "rec_none"}, {"path": "triage/records/none.md", "line": 1}):
        with pytest.raises(Failure) as caught:
            ask(filled, "explain_ranking", query="loading", **way)
        assert (caught.value.code, caught.value.details["reason"]) == ("RESULT_NOT_FOUND", "not_in_index")
