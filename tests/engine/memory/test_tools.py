"""context_search and context_record through the real dispatch, on a repository whose memory says something."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.contract.encoding import encode
from tests.engine.memory.memory_engine import Counter, counter_on
from tests.engine.memory.memorylab import put

QUESTION = "what must payments go through"


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counter]:
    with counter_on(tmp_path_factory.mktemp("tools")) as made:
        yield made


def test_the_documented_payload(counter: Counter) -> None:
    """CTX-SEARCH: the documented fields, and ours beside them."""
    payload = counter.ask("context_search", query=QUESTION)
    assert payload["query"] == QUESTION and payload["totalFound"] >= 1 and payload["searchTime"] >= 0
    first = payload["results"][0]
    assert "parse_order" in first["content"] and first["type"] == "rule" and first["source"] == "discovery"
    assert 0 < first["score"] <= 1 and first["id"].startswith("disc_") and first["date"]
    assert first["freshness"] == "fresh" and first["untrusted"] is True
    assert first["origin"]["path"] == "AGENTS.md" and first["origin"]["kind"] == "agent_file"
    assert payload["searched"]["items"]["agent_file"] >= 2 and payload["searched"]["complete"]


def test_filters_and_limit(counter: Counter) -> None:
    """CTX-SEARCH: type and module narrow, limit cuts, the total does not."""
    assert {row["type"] for row in counter.ask("context_search", query="token", type="rule")["results"]} <= {"rule"}
    found = counter.ask("context_search", query="never log the token", module="auth")["results"]
    assert found and all(row["module"] == "auth" for row in found)
    assert counter.ask("context_search", query="never log the token", module="shop")["results"] == []
    few = counter.ask("context_search", query="the parser and the retry limit", limit=1)
    assert len(few["results"]) <= 1 <= few["totalFound"]


def test_nothing_recorded(counter: Counter) -> None:
    """CTX-NOTHING: no weak guess; it says what was searched and what to try."""
    payload = counter.ask("context_search", query="kubernetes autoscaling of gpu nodes", type="decision")
    assert payload["results"] == [] and payload["totalFound"] == 0 and payload["message"] == "Nothing recorded."
    assert "grep_codebase" in payload["suggestion"] and payload["searched"]["items"] is not None


@pytest.mark.parametrize("query", ["", "a", "ab"])
def test_a_short_query(counter: Counter, query: str) -> None:
    """CTX-ERRORS: the document's own words."""
    said = counter.refused("context_search", query=query)
    assert said["error"] == "Query must be at least 3 characters" and said["details"][0]["keyword"] == "minLength"


@pytest.mark.parametrize(
    "raw", [{"query": "x" * 20_001}, {"query": "abc", "limit": 21}, {"query": "abc", "limit": 0},
            {"query": "abc", "type": "fact"}, {"query": "abc", "topK": 3}, {}],
)  # fmt: skip
def test_wrong_arguments(counter: Counter, raw: dict[str, object]) -> None:
    """CTX-ERRORS, C-ARGS-FAMILIES: error and details."""
    said = counter.refused("context_search", **raw)
    assert said["error"] and said["details"]


def test_failures_name_the_other_way(counter: Counter) -> None:
    """CTX-ERRORS: `fallback` says what works without memory; a ref without an index answers with nothing."""
    said = counter.refused("context_search", query="anything", workspace="/nowhere")
    assert said["fallback"] == "Use grep_codebase for text search"
    nothing = counter.ask("context_search", query="anything", ref="no-such-branch")
    assert nothing["results"] == [] and not nothing["searched"]["complete"]


def test_what_is_recorded_is_found(counter: Counter) -> None:
    """CTX-RECORD: with its session, its module and its symbols; the same again is the same."""
    content = "Refunds are rounded half to even, because the bank does so."
    made = counter.ask("context_record", content=content, type="decision", module="shop", symbols=["parse_order"])
    assert made["discovery"]["id"].startswith("disc_") and made["redacted"] is False and made["metadata"]
    assert counter.ask("context_record", content=content)["discovery"]["id"] == made["discovery"]["id"]
    (found, *_) = counter.ask("context_search", query="how are refunds rounded")["results"]
    assert found["id"] == made["discovery"]["id"] and found["session"] == "ses_test" and found["module"] == "shop"
    assert found["origin"]["kind"] == "recorded" and found["symbols"] == ["parse_order"]


def test_superseding(counter: Counter) -> None:
    """CTX-RECORD, CTX-SEARCH: what was replaced stands below and says by what."""
    old = counter.ask("context_record", content="Invoices are numbered per customer.")["discovery"]["id"]
    new = counter.ask("context_record", content="Invoices are numbered per year.", supersedes=[old])["discovery"]["id"]
    rows = {row["id"]: row for row in counter.ask("context_search", query="how are invoices numbered")["results"]}
    assert rows[old]["supersededBy"] == new and rows[old]["state"] == "superseded"
    assert list(rows).index(new) < list(rows).index(old)
    said = counter.refused("context_record", content="Invoices are not numbered.", supersedes=["disc_none"])
    assert said["error"]["code"] == "result_not_found"


def test_secrets_and_control_characters(counter: Counter) -> None:
    """CTX-UNTRUSTED: taken out and said so; what acts on a terminal is spelled out."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0"
    content = f"The robot signs in with {token} \x1b[2J\u202e and never by hand."
    made = counter.ask("context_record", content=content)
    assert made["redacted"] is True and "secret" in made["metadata"]["warnings"][0]
    text = encode(counter.ask("context_search", query="how does the robot sign in")).decode()
    assert "never by hand" in text and token not in text
    assert "\x1b" not in text and "\\u001b" not in text and "\u202e" not in text and "\\\\x1b" in text


@pytest.mark.parametrize(
    "raw", [{}, {"content": "short"}, {"content": "x" * 1_001}, {"content": "long enough", "type": "fact"},
            {"content": "long enough", "symbols": ["x"] * 21}, {"content": "long enough", "symbols": [""]}],
)  # fmt: skip
def test_strict_limits(counter: Counter, raw: dict[str, object]) -> None:
    """CTX-RECORD: too short, too long, of no known type: refused in the words of the family."""
    said = counter.refused("context_record", **raw)
    assert said["error"]["code"] == "invalid_input" and said["error"]["data"]["violations"]


def test_staleness_is_told(tmp_path: Path) -> None:
    """CTX-STALE, DIFF-ENDANGERED: changed, with what it was and is; the diff and its check name it beforehand."""
    with counter_on(tmp_path) as made:
        put(made.lab.repo, {"src/shop/orders.py": "RETRY_LIMIT = 9\n"})
        made.lab.index()
        risks = made.ask("diff_context")["endangered_discoveries"]
        assert risks["total"] >= 2 and {row["severity"] for row in risks["list"]} == {"broken"}
        assert all(row["why"] and row["origin"]["kind"] for row in risks["list"])
        made.lab.commit({"message": "fewer retries", "files": {}})
        (limit, *_) = made.ask("context_search", query="what is the retry limit")["results"]
        assert limit["freshness"] == "changed"
        verdict = limit["verdicts"][0]
        assert verdict["status"] == "changed" and "3" in verdict["was"] and "9" in verdict["now"]
        (gone, *_) = made.ask("context_search", query=QUESTION)["results"]
        assert gone["freshness"] == "gone" and gone["verdicts"][0]["commit"] == made.lab.commits[-1][:12]
        assert "endangered_discoveries" not in made.ask("diff_context")


def test_the_byte_budget(counter: Counter) -> None:
    """C-BYTE-BUDGET: results that do not fit are left out and counted."""
    with counter.like(max_bytes=3_000) as made:
        for number in range(8):
            text = f"The ledger keeps account {number} apart, because auditors ask for account {number} alone. "
            made.ask("context_record", content=text * 8)
        reply = made.reply("context_search", query="why does the ledger keep accounts apart", limit=20)
        assert len(reply.body) <= 3_000 and reply.payload["results"] and reply.payload["omitted"] >= 1
        assert reply.payload["totalFound"] == len(reply.payload["results"]) + reply.payload["omitted"]


def test_rate_limits_apply(counter: Counter) -> None:
    """CTX-RATE, R-RATE-LIMIT: each name has its own minute."""
    with counter.like(limits={"context_search": 1, "read_file": 2}) as made:
        made.ask("context_search", query="anything")
        assert "error" in made.refused("context_search", query="anything")
        made.ask("read_file", path="AGENTS.md")
        made.ask("read_file", path="AGENTS.md")
        assert made.reply("read_file", path="AGENTS.md").code == "RATE_LIMITED"
