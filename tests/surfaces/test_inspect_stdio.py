"""inspect_symbol and get_diagnostics through a real server, and the same questions on the command line."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.surfaces.conftest import Shell, environment, git
from tests.surfaces.stdio_client import Peer

SOURCE = '''"""Shop."""
import json
from shop.wire import Client


class Cart(Base):
    async def pay(self, amount: int, currency="EUR") -> bool:
        """Pays."""
        client = Client(amount)
        if amount < 0:
            raise ValueError(amount)
        self.paid = amount
        unused = json.loads("1")
        await client.send(amount)
        return True
'''


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Peer, Shell]]:
    home = tmp_path_factory.mktemp("home")
    root = home / "repo"
    root.mkdir()
    (root / "cart.py").write_text(SOURCE)
    (root / "page.ts").write_text("export function page(): string {\n  return (;\n}\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    shell = Shell(root, environment(home))
    assert shell.run("index").returncode == 0
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(root)], root, shell.env)
    peer.open()
    yield peer, shell
    peer.kill()


def payload_of(peer: Peer, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = peer.call(f"{tool}{arguments}", tool, **arguments)["result"]
    assert not result["isError"], result
    return dict(json.loads(result["content"][0]["text"]))


def test_all_facts_of_a_symbol(served: tuple[Peer, Shell]) -> None:
    """INSPECT-FACTS: one call tells all facts of a symbol, its lint and its history, with the metadata."""
    peer, _ = served
    payload = payload_of(peer, "inspect_symbol", {"name": "Cart.pay", "authors": True})
    facts = payload["facts"]
    assert facts["parameters"] == [
        {"name": "self"},
        {"name": "amount", "type": "int"},
        {"name": "currency", "default": '"EUR"'},
    ]
    assert facts["returns"] == "bool" and facts["marks"] == ["async"] and facts["doc"] == "Pays."
    assert facts["throws"] == ["ValueError"] and facts["awaits"] == ["client.send"]
    assert facts["calls"] == ["Client", "client.send", "json.loads"]
    assert facts["imports"] == ["json", "shop.wire"]
    assert facts["mutations"] == ["self.paid"] and facts["aliases"] == ["self.paid=amount"]
    assert {"name": "client", "type": "Client", "how": "constructor"} in facts["types"]
    assert facts["control_flow"] == {"branches": 1, "returns": 1}
    assert [row["code"] for row in payload["diagnostics"]] == ["F841"] and payload["linted"] is True
    assert payload["history"]["commits"] == 1 and payload["history"]["churn"] > 10
    assert sum(row["lines"] for row in payload["authors"]) == 9
    assert payload["metadata"]["freshness_status"] == "fresh"


def test_authors_only_on_request(served: tuple[Peer, Shell]) -> None:
    """INSPECT-FACTS: the authors of lines are read only when they are asked for."""
    peer, _ = served
    assert "authors" not in payload_of(peer, "inspect_symbol", {"path": "cart.py", "line": 8})


def test_diagnostics_of_every_language(served: tuple[Peer, Shell]) -> None:
    """LINT-MESSAGES: messages come by file, with code, place and definition; a path narrows, a limit cuts."""
    peer, _ = served
    payload = payload_of(peer, "get_diagnostics", {})
    assert payload["by_code"] == {"F841": 1, "F821": 1, "syntax-error": 1} | payload["by_code"]
    assert {row["path"] for row in payload["diagnostics"]} == {"cart.py", "page.ts"}
    one = payload_of(peer, "get_diagnostics", {"path": "page.ts", "limit": 1})
    assert [row["in"] for row in one["diagnostics"]] == ["page"]
    cut = payload_of(peer, "get_diagnostics", {"limit": 1})
    assert len(cut["diagnostics"]) == 1 and cut["metadata"]["result_completeness"] == "truncated"


def test_the_same_answer_on_the_command_line(served: tuple[Peer, Shell]) -> None:
    """INSPECT-FACTS: the command gives the tool's payload as JSON, and a picture for people."""
    peer, shell = served
    asked = payload_of(peer, "inspect_symbol", {"name": "Cart.pay"})
    told = json.loads(shell.run("inspect", "Cart.pay", "--json").stdout)
    assert told["facts"] == asked["facts"] and told["history"] == asked["history"]
    picture = shell.run("inspect", "Cart.pay", "--authors").stdout
    assert "client: Client (constructor)" in picture and "F841" in picture and "author" in picture
    lint = shell.run("lint", "cart.py").stdout
    assert "F841" in lint and "in Cart.pay" in lint and "page.ts" not in lint
