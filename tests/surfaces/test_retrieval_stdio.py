"""locate_symbol, search_code, get_file_outline and explain_ranking over stdio, row by row of documents 003 and 004."""

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.search.small_repo import FILES
from tests.repo.gitrepo import make_repo
from tests.surfaces.conftest import Shell, environment, git
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import payload, until

QUIET = {"CODECOMPASS_INDEX_AUTO_SYNC": "false", "CODECOMPASS_INDEX_WORKERS": "1"}
ASKED = {"locate_symbol": {"name": "validate_token"}, "search_code": {"query": "validate_token"}}
PLACE = {"path", "line_start", "line_end", "kind", "name"}
HANDLES = {"symbol_id", "symbol_stable_id"}
SIGNATURE = PLACE | HANDLES | {"qualified_name", "signature", "language", "visibility", "score"}


class Agent:
    """A client that asks tools."""

    def __init__(self, shell: Shell, *words: str) -> None:
        self.shell = shell
        command = [sys.executable, "-m", "codecompass", "serve-mcp", "--no-prewarm", *words]
        self.peer = Peer(command, shell.cwd, shell.env)
        self._ids = itertools.count(1)
        self.peer.open()

    def ask(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        return payload(self.peer.call(next(self._ids), tool, **arguments))

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """The result of a tool of any family."""
        return dict(self.peer.call(next(self._ids), tool, **arguments)["result"])

    def results(self, tool: str, /, **arguments: object) -> list[dict[str, Any]]:
        return list(self.ask(tool, **{**ASKED.get(tool, {}), **arguments})["results"])

    def refused(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        return dict(self.ask(tool, **arguments)["error"])


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The shop, indexed as it stands and on another branch, where a file is longer."""
    home = tmp_path_factory.mktemp("retrieval")
    repo = make_repo(home / "repo", FILES)
    git(repo, "checkout", "-q", "-b", "other")
    (repo / "src/auth/token.py").write_text("# above\n\n" + FILES["src/auth/token.py"] + "\n\ndef only_here(x): pass\n")
    git(repo, "commit", "-qam", "other")
    git(repo, "checkout", "-q", "main")
    shell = Shell(repo, environment(home) | QUIET)
    assert shell.run("index").returncode == 0
    assert shell.run("index", "--ref", "other").returncode == 0
    return shell


@pytest.fixture(scope="module")
def agent(shell: Shell) -> Iterator[Agent]:
    agent = Agent(shell)
    yield agent
    agent.peer.kill()


def test_locate_symbol_as_documented(agent: Agent) -> None:
    """D3-LOCATE-INPUT, D3-LOCATE-OUTPUT: name, kind, language, ref and limit each narrow; the documented fields."""
    answer = agent.ask("locate_symbol", name="validate_token")
    assert set(answer) == {"results", "total_candidates", "suggested_next_actions", "metadata"}
    (found,) = answer["results"]
    assert set(found) == SIGNATURE and answer["total_candidates"] == 1
    assert found | {"symbol_id": "", "symbol_stable_id": "", "score": 0} == {
        "symbol_id": "", "symbol_stable_id": "", "path": "src/auth/token.py", "line_start": 4, "line_end": 7,
        "kind": "fn", "name": "validate_token", "qualified_name": "auth.token.validate_token",
        "signature": "def validate_token(token)", "language": "python", "visibility": "public", "score": 0,
    }  # fmt: skip
    assert found["symbol_id"].startswith("sym_") and found["symbol_stable_id"].startswith("b3:")
    assert 0 < found["score"] <= 1
    assert agent.results("locate_symbol", kind="class") == []
    assert agent.results("locate_symbol", kind="function", language="py") == [found]
    assert agent.results("locate_symbol", language="rust") == []
    assert agent.results("locate_symbol", ref="other")[0]["line_start"] == 6
    many = agent.ask("locate_symbol", name="check", limit=1)
    assert len(many["results"]) == 1 < many["total_candidates"] and many["match"] == "prefix"
    assert many["metadata"]["result_completeness"] == "truncated"


def test_search_code_as_documented(agent: Agent) -> None:
    """D3-SEARCH-INPUT, D3-SEARCH-OUTPUT: query, ref, language and limit; symbols, snippets and files side by side."""
    answer = agent.ask("search_code", query="token")
    assert set(answer) == {
        "results", "query_intent", "total_candidates", "suggested_next_actions", "metadata",
    }  # fmt: skip
    kinds = {result["result_type"]: result for result in answer["results"]}
    assert set(kinds) == {"symbol", "snippet", "file"}
    assert set(kinds["symbol"]) == SIGNATURE | {"result_type"}
    documented = {"result_id", *HANDLES, "result_type", *PLACE, "qualified_name", "language", "score", "snippet"}
    joined = [result for result in answer["results"] if result["result_type"] == "snippet" and "symbol_id" in result]
    assert joined and all(set(result) == documented for result in joined)
    assert kinds["file"]["result_id"].startswith("file_") and kinds["snippet"]["result_id"].startswith("snip_")
    scores = [result["score"] for result in answer["results"]]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    assert len(agent.results("search_code", query="token", limit=2)) == 2
    assert agent.ask("search_code", query="token", limit=2)["total_candidates"] == answer["total_candidates"]
    assert {result["language"] for result in agent.results("search_code", query="open", language="c")} == {"c"}
    assert agent.results("search_code", query="only_here", ref="other")[0]["name"] == "only_here"
    assert all(result.get("name") != "only_here" for result in agent.results("search_code", query="only_here"))


@pytest.mark.parametrize(
    ("query", "intent", "first"),
    [
        ("ShoppingBasket", "symbol", "symbol"),
        ("check_rate_limit", "symbol", "symbol"),
        ("src/store/stock.go", "path", "file"),
        ("stock.go", "path", "file"),
        ('"connection refused by peer"', "error", "snippet"),
        ("ValueError: token must not be empty", "error", "snippet"),
        ("how are visitors known", "natural_language", None),
    ],
)
def test_query_intents(agent: Agent, query: str, intent: str, first: str | None) -> None:
    """D3-INTENT: identifiers, paths, errors and plain questions are told apart, and what the table says comes first."""
    answer = agent.ask("search_code", query=query)
    assert answer["query_intent"] == intent
    assert answer["results"] and (first is None or answer["results"][0]["result_type"] == first)


WRONG: list[tuple[str, dict[str, object]]] = [
    ("locate_symbol", {}), ("locate_symbol", {"name": ""}), ("locate_symbol", {"name": 7}),
    ("locate_symbol", {"name": "x", "kind": "gizmo"}), ("locate_symbol", {"name": "x", "limit": 0}),
    ("search_code", {}), ("search_code", {"query": " "}), ("search_code", {"query": "x", "kind": "fn"}),
    ("search_code", {"query": "x", "detail_level": "verbose"}), ("search_code", {"query": "x", "compact": "yes"}),
    ("search_code", {"query": "x", "freshness_policy": "now"}), ("search_code", {"query": "x", "language": "klingon"}),
    ("search_code", {"query": "x", "ranking_explain_level": "all"}), ("get_file_outline", {}),
    ("get_file_outline", {"path": "a", "depth": "some"}), ("get_file_outline", {"path": "a", "result_id": "b"}),
    ("explain_ranking", {"query": "x"}), ("explain_ranking", {"path": "a", "line": 1}),
]  # fmt: skip


def test_wrong_arguments(agent: Agent) -> None:
    """D3-RETRIEVAL-ERRORS, D4-PARAMS: what is missing, unknown or wrong is invalid_input, never a silent default."""
    for tool, raw in WRONG:
        error = agent.refused(tool, **raw)
        assert error["code"] == "invalid_input", (tool, raw, error)
    assert agent.refused("search_code", query="x", ref="no/such")["code"] == "ref_not_indexed"


def test_levels_of_detail(agent: Agent) -> None:
    """D4-DETAIL, D4-COMPACT: the three documented shapes, for both tools; absent is left out; compact keeps handles."""
    for tool in ASKED:
        more = {"result_type"} if tool == "search_code" else set()
        (location, *_) = agent.results(tool, detail_level="location")
        (signature, *_) = agent.results(tool, detail_level="signature")
        (default, *_) = agent.results(tool)
        (context, *_) = agent.results(tool, detail_level="context")
        (compact, *_) = agent.results(tool, detail_level="context", compact=True)
        assert set(location) == PLACE | HANDLES
        assert set(signature) == SIGNATURE | more and signature == default
        assert set(context) - set(signature) == {"body_preview", "related_symbols"}, "no parent, so none is shown"
        assert context["body_preview"].startswith("def validate_token(token):\n    if token is None:")
        assert all(set(near) == {"kind", "name", "path", "line"} for near in context["related_symbols"])
        assert "check_signature" in {near["name"] for near in context["related_symbols"]}
        assert set(compact) == PLACE | HANDLES | {"signature", "score"}
    (member, *_) = agent.results("locate_symbol", name="Session.open", detail_level="context")
    assert member["parent"] == {"kind": "class", "name": "Session", "path": "src/auth/session.py", "line": 4}


def test_ranking_reasons(agent: Agent) -> None:
    """D4-EXPLAIN: off by default, basic in 0..1, full with eight fields and what meaning brought, for both tools."""
    eight = {
        "result_index", "exact_match_boost", "qualified_name_boost", "path_affinity", "definition_boost", "kind_match",
        "bm25_score", "final_score",
    }  # fmt: skip
    for tool, raw in ASKED.items():
        assert "ranking_reasons" not in agent.ask(tool, **raw)["metadata"]
        assert "ranking_reasons" not in agent.ask(tool, **raw, ranking_explain_level="off")["metadata"]
        full = agent.ask(tool, **raw, ranking_explain_level="full")
        for index, numbers in enumerate(full["metadata"]["ranking_reasons"]):
            assert set(numbers) - {"semantic_score"} == eight and numbers["result_index"] == index
            assert numbers["final_score"] == full["results"][index]["score"]
        for numbers in agent.ask(tool, **raw, ranking_explain_level="basic")["metadata"]["ranking_reasons"]:
            assert all(0 <= value <= 1 for name, value in numbers.items() if name != "result_index")


def test_explain_ranking(agent: Agent) -> None:
    """C-EXPLAIN-RANKING: the numbers of the search, for a result named by its handle."""
    answer = agent.ask("search_code", query="token", ranking_explain_level="full")
    for index, result in enumerate(answer["results"]):
        name = "result_id" if "result_id" in result else "symbol_id"
        said = agent.ask("explain_ranking", query="token", **{name: result[name]})
        assert (said["rank"], said["result"]) == (index + 1, result)
        numbers = answer["metadata"]["ranking_reasons"][index]
        assert said["scoring"].pop("total") == numbers["final_score"]
        assert all(factor["value"] == numbers[name] for name, factor in said["scoring"].items())
    error = agent.refused("explain_ranking", query="zebra", path="src/auth/token.py", line=4)
    assert (error["code"], error["data"]["reason"]) == ("result_not_found", "no_matching_words")


def test_an_outline_as_documented(agent: Agent) -> None:
    """D4-OUTLINE-INPUT, D4-OUTLINE-OUTPUT: the tree of a file; depth, ref and language; a path or one handle."""
    whole = agent.ask("get_file_outline", path="src/auth/session.py")
    assert set(whole) == {"file_path", "language", "symbols", "metadata"}
    use, session = whole["symbols"]
    assert (use["kind"], use["line_start"], use["line_end"]) == ("use", 1, 1)
    assert [child["name"] for child in session["children"]] == ["open", "close"]
    assert {"kind", "name", "line_start", "line_end", "visibility", "signature", *HANDLES} <= set(session)
    assert whole["metadata"]["symbol_count"] == 4
    top = agent.ask("get_file_outline", path="src/auth/session.py", depth="top")
    assert all("children" not in node for node in top["symbols"])
    assert "not rust" in str(agent.ask("get_file_outline", path="src/auth/session.py", language="rust"))
    longer = agent.ask("get_file_outline", path="src/auth/token.py", ref="other")
    assert longer["symbols"][-1]["name"] == "only_here"
    for handle in HANDLES:
        part = agent.ask("get_file_outline", **{handle: session[handle]})
        assert part["symbols"] == [session] and part["metadata"]["symbol_count"] == 3
    flat = agent.ask("get_file_outline", symbol_id=session["symbol_id"], depth="top")["symbols"]
    assert [node["name"] for node in flat] == ["Session"] and "children" not in flat[0]


def test_errors_of_an_outline(agent: Agent) -> None:
    """D4-OUTLINE-ERRORS: file_not_found for a path, *_not_found for a handle, each with a way out."""
    for raw, code in (
        ({"path": "src/none.py"}, "file_not_found"),
        ({"path": "../../etc/passwd"}, "file_not_found"),
        ({"symbol_id": "sym_" + "7" * 15}, "symbol_not_found"),
        ({"symbol_stable_id": "b3:" + "7" * 15}, "symbol_not_found"),
        ({"result_id": "snip_" + "7" * 15}, "result_not_found"),
        ({"result_id": "file_" + "7" * 15}, "result_not_found"),
    ):
        error = agent.refused("get_file_outline", **raw)
        assert error["code"] == code and error["data"]["suggestion"]


@pytest.mark.parametrize("ref", ["main", "other"])
def test_handles_are_followed(agent: Agent, ref: str) -> None:
    """D3-HANDLES: every handle of every retrieval leads to the outline of the same thing, without a search."""
    for query in ("token", "basket", "open", "stock.go"):
        for level in ("location", "signature"):
            for result in agent.results("search_code", query=query, ref=ref, limit=30, detail_level=level):
                for name in ("result_id", "symbol_id", "symbol_stable_id"):
                    if name in result:
                        outline = agent.ask("get_file_outline", **{name: result[name]}, ref=ref)
                        assert outline["file_path"] == result["path"]
    (located, *_) = agent.results("locate_symbol", name="Session.close", ref=ref)
    (node,) = agent.ask("get_file_outline", symbol_stable_id=located["symbol_stable_id"], ref=ref)["symbols"]
    assert {key: node[key] for key in HANDLES} == {key: located[key] for key in HANDLES}


def test_suggestions_can_be_called(agent: Agent) -> None:
    """C-FOLLOW-UP: each suggested action, sent as it stands, is answered without an error."""
    answers = [agent.ask("search_code", query=query, limit=2) for query in ("token", "stock.go", "zebra", "zebra yak")]
    answers += [agent.ask("search_code", query="zebra", language="go"), agent.ask("locate_symbol", name="zebra")]
    answers += [agent.ask("locate_symbol", name=name, limit=1) for name in ("check", "validate_token")]
    answers += [agent.ask("locate_symbol", name="open", kind="struct")]
    for answer in answers:
        assert answer["suggested_next_actions"]
        for action in answer["suggested_next_actions"]:
            arguments = {name: value for name, value in action.items() if name != "tool"}
            said = json.loads(agent.call(action["tool"], **arguments)["content"][0]["text"])
            assert "error" not in said or said["error"]["code"] == "index_in_progress", (action, said)


def test_what_the_configuration_sets(shell: Shell, tmp_path: Path) -> None:
    """D4-CONFIG, D3-DEBUG: defaults of [query], the legacy switch, who wins, and the debug block."""
    config = tmp_path / "config.toml"
    both = '[query]\nranking_explain_level = "basic"\n[debug]\nranking_reasons = true\n[server]\ndebug = true\n'
    config.write_text(both)
    agent = Agent(shell, "--config", str(config))
    try:
        answer = agent.ask("search_code", query="token", limit=50)
        assert "text_match" in answer["metadata"]["ranking_reasons"][0], "the explicit level wins over the legacy one"
        asked = agent.ask("search_code", query="token", ranking_explain_level="off")
        assert "ranking_reasons" not in asked["metadata"], "and what the call says wins over both"
        places = [result for result in answer["results"] if result["result_type"] != "file"]
        joined = sum("symbol_id" in result for result in places)
        assert answer["debug"]["join_status"] == {"hits": joined, "misses": len(places) - joined}
        assert 0 < joined < len(places)
    finally:
        agent.peer.kill()
    config.write_text("[debug]\nranking_reasons = true\n")
    done = shell.run("search", "token", "--json", "--config", str(config))
    assert "bm25_score" in json.loads(done.stdout)["metadata"]["ranking_reasons"][0], "alone, legacy means full"


def test_commands_as_documented(shell: Shell) -> None:
    """D3-CLI, D4-CLI: every command of the tables with every flag they name."""
    here = str(shell.cwd)
    for words in (
        ["init"],
        ["doctor"],
        ["index", "--path", here, "--ref", "main"],
        ["sync", "--force", "--workspace", here],
        ["-v", "search", "token", "--ref", "other", "--lang", "python"],
    ):
        done = shell.run(*words)
        assert done.returncode == 0, (words, done.stderr)
    # serve-mcp with --workspace, from a directory that is no project; --no-prewarm is how every agent here starts.
    elsewhere = Agent(Shell(shell.cwd.parent, shell.env), "--workspace", here)
    try:
        assert elsewhere.results("locate_symbol")
        assert elsewhere.ask("health_check")["prewarm_status"] == "skipped"
    finally:
        elsewhere.peer.kill()


def test_the_life_of_a_project(tmp_path: Path) -> None:
    """D3-RETRIEVAL-ERRORS, D4-FRESHNESS: unknown, not indexed, fresh, stale under each policy, damaged."""
    shell = Shell(make_repo(tmp_path / "repo", FILES), environment(tmp_path) | QUIET)
    agent = Agent(shell)
    try:
        for tool, raw in (*ASKED.items(), ("get_file_outline", {"path": "src/auth/token.py"})):
            error = agent.refused(tool, **raw)
            assert error["code"] == "project_not_found" and "codecompass init" in error["data"]["suggestion"]
        assert shell.run("init").returncode == 0
        for tool, raw in ASKED.items():
            blank = agent.ask(tool, **raw)
            assert blank["results"] == [] and blank["metadata"]["indexing_status"] == "not_indexed"
            assert blank["suggested_next_actions"][0]["tool"] == "index_repo"
            assert agent.refused(tool, **raw, freshness_policy="strict")["code"] == "index_not_ready"
        assert shell.run("index").returncode == 0
        for policy in ("strict", "balanced", "best_effort"):
            for tool, raw in ASKED.items():
                assert agent.ask(tool, **raw, freshness_policy=policy)["metadata"]["freshness_status"] == "fresh"
        stale(agent)
    finally:
        agent.peer.kill()
    damaged(shell, tmp_path / "data")


def stale(agent: Agent) -> None:
    """The three rows of the table, after an edit that is not indexed."""
    path = agent.shell.cwd / "src/auth/token.py"
    path.write_text("# above\n" + path.read_text())
    jobs = len(agent.ask("index_status")["recent_jobs"])
    for tool, raw in ASKED.items():
        until(
            lambda tool=tool, raw=raw: agent.ask(tool, **raw, freshness_policy="strict").get("error", {}),  # type: ignore[misc]
            lambda error: error.get("code") == "index_stale",
        )
        error = agent.refused(tool, **raw, freshness_policy="strict")
        assert {"last_indexed_commit", "current_head", "suggestion"} <= set(error["data"])
        assert "sync_repo" in error["message"]
        answer = agent.ask(tool, **raw, freshness_policy="best_effort")
        assert answer["results"] and answer["metadata"]["freshness_status"] == "stale"
    assert len(agent.ask("index_status")["recent_jobs"]) == jobs, "neither asked for a sync"
    answer = agent.ask("search_code", query="validate_token", freshness_policy="balanced")
    assert answer["results"] and answer["metadata"]["freshness_status"] in ("stale", "syncing")
    until(
        lambda: agent.ask("locate_symbol", name="validate_token", freshness_policy="best_effort"),
        lambda said: said["metadata"]["freshness_status"] == "fresh" and said["results"][0]["line_start"] == 5,
    )


def damaged(shell: Shell, data: Path) -> None:
    """An index that cannot be read is said to be one, with the command that repairs it."""
    (database,) = data.glob("projects/*/index.db")
    database.write_bytes(b"no database at all " * 1000)
    for extra in data.glob("projects/*/index.db-*"):
        extra.unlink()
    agent = Agent(shell)
    try:
        for tool, raw in ASKED.items():
            error = agent.refused(tool, **raw)
            assert error["code"] == "index_incompatible" and "index --force" in error["data"]["suggestion"]
    finally:
        agent.peer.kill()
