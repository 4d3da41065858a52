"""Navigation through a real server on a real repository: every tool, every answer with its metadata."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.tools import TOOLS
from tests.surfaces.conftest import Shell, environment, git
from tests.surfaces.stdio_client import Peer

FILES = {
    "shop/__init__.py": "from .orders import Order\n",
    "shop/orders.py": "class Order:\n    def pay(self, amount):\n        return check(amount)\n\n\n"
    "def check(amount):\n    return amount > 0\n",
    "main.py": "from shop import Order\n\n\ndef run():\n    order = Order()\n    return order.pay(1)\n",
}
SIX = {
    "codecompass_protocol_version": {"1.0"},
    "freshness_status": {"fresh", "stale", "syncing"},
    "indexing_status": {"not_indexed", "indexing", "ready", "failed"},
    "result_completeness": {"complete", "partial", "truncated"},
    "schema_status": {"compatible", "not_indexed", "reindex_required", "corrupt_manifest"},
}
ARGUMENTS: dict[str, dict[str, object]] = {
    "locate_symbol": {"name": "pay"},
    "search_code": {"query": "check amount"},
    "get_file_outline": {"path": "main.py"},
    "find_references": {"name": "check"},
    "get_call_graph": {"name": "Order.pay", "depth": 2},
    "get_symbol_hierarchy": {"name": "Order"},
    "inspect_symbol": {"name": "check"},
    "get_code_context": {"query": "how is an order paid"},
    "explain_ranking": {"query": "check amount", "path": "shop/orders.py", "line": 6},
    "context_record": {"content": "Amounts are checked before an order is paid.", "type": "rule"},
}


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    home = tmp_path_factory.mktemp("home")
    root = home / "repo"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    shell = Shell(root, environment(home))
    assert shell.run("index").returncode == 0
    found = serve(root, shell)
    yield found
    found.kill()


def serve(root: Path, shell: Shell) -> Peer:
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(root)], root, shell.env)
    peer.open()
    return peer


def ask(peer: Peer, tool: str, **arguments: object) -> dict[str, Any]:
    result = peer.call(f"{tool}-{len(peer.seen)}", tool, **arguments)["result"]
    return {**result["structuredContent"], "isError": result["isError"]}


def check_metadata(payload: dict[str, Any]) -> None:
    meta = payload["metadata"]
    assert set(SIX) | {"ref"} <= set(meta)
    for key, allowed in SIX.items():
        assert meta[key] in allowed, (key, meta[key])


def test_every_tool_carries_all_metadata(peer: Peer) -> None:
    """D3-METADATA: six true fields in every answer and in every error, whatever the tool of the family."""
    listed = {tool["name"] for tool in peer.ask("list", "tools/list")["result"]["tools"]}
    tools = [tool.name for tool in TOOLS if tool.family == "compass"]
    assert len(tools) > 15 and listed.issuperset(tools)
    for tool in tools:
        if tool in ("index_repo", "sync_repo", "cancel_job"):
            continue
        good = ask(peer, tool, **ARGUMENTS.get(tool, {}))
        assert not good["isError"], (tool, good)
        check_metadata(good)
        assert good["metadata"]["freshness_status"] == "fresh" and good["metadata"]["indexing_status"] == "ready"
        bad = ask(peer, tool, no_such_field=1)
        assert bad["isError"] and bad["error"]["code"] == "invalid_input"
        check_metadata(bad)
        elsewhere = ask(peer, tool, **ARGUMENTS.get(tool, {}), workspace="/")
        assert elsewhere["isError"] and elsewhere["error"]["message"]
        check_metadata(elsewhere)


def test_one_search_then_only_handles(peer: Peer) -> None:
    """NAV-TARGET: what one answer names, every other tool takes: no search is repeated."""
    found = ask(peer, "locate_symbol", name="check")["results"][0]
    for key in ("symbol_id", "symbol_stable_id"):
        handle = {key: found[key]}
        uses = ask(peer, "find_references", **handle)
        assert [use["text"] for use in uses["references"]] == ["return check(amount)"]
        assert uses["references"][0] | {"in": ""} == {
            "path": "shop/orders.py", "line": 3, "column": 16, "kind": "call", "in": "", "text": "return check(amount)",
        }  # fmt: skip
        graph = ask(peer, "get_call_graph", **handle, direction="callers", depth=3)
        assert [edge["symbol"]["name"] for edge in graph["callers"]] == ["shop.orders.Order.pay", "main.run"]
        assert ask(peer, "get_symbol_hierarchy", **handle)["symbol"]["symbol_id"] == found["symbol_id"]
        assert ask(peer, "get_file_outline", **handle)["file_path"] == "shop/orders.py"
    snippet = ask(peer, "search_code", query="return amount greater")["results"][0]
    assert ask(peer, "find_references", result_id=snippet["result_id"])["symbol"]["path"] == snippet["path"]


def test_suggested_calls_can_be_made(peer: Peer) -> None:
    """NAV-BUDGET: every suggested action is a call that works as it stands."""
    for tool, arguments in ARGUMENTS.items():
        for action in ask(peer, tool, **arguments).get("suggested_next_actions", []):
            name = action.pop("tool")
            assert not ask(peer, name, **action)["isError"], (tool, name, action)


def test_unknown_symbols_are_said(peer: Peer) -> None:
    """NAV-TARGET: a name or handle nobody has is an error with a way out."""
    for arguments in ({"name": "nobody"}, {"symbol_id": "sym_123456789012345"}, {"path": "none.py", "line": 1}):
        answer = ask(peer, "find_references", **arguments)
        assert answer["isError"] and answer["error"]["code"].endswith("_not_found")
        assert answer["error"]["data"]["suggestion"]
