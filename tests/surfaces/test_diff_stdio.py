"""diff_context and list_refs through a real server over stdio."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.surfaces.conftest import Shell, git
from tests.surfaces.stdio_client import Peer

SIX = {
    "codecompass_protocol_version", "freshness_status", "indexing_status", "result_completeness", "ref",
    "schema_status",
}  # fmt: skip


def payload(answer: dict[str, Any]) -> dict[str, Any]:
    result = answer["result"]
    found = json.loads(result["content"][0]["text"])
    assert result["structuredContent"] == found and set(found["metadata"]) >= SIX
    return dict(found)


@pytest.fixture
def server(fresh: Shell, connect: Callable[..., Peer]) -> Peer:
    """A server over a repository with a branch that is not indexed and an edit that is."""
    git(fresh.cwd, "branch", "release")
    source = fresh.cwd / "src" / "auth.py"
    source.write_text(source.read_text().replace("def rate_limit(request: object)", "def rate_limit(request: str)"))
    done = fresh.run("index")
    assert done.returncode == 0, done.stderr
    return connect(shell=fresh)


def test_differences_and_refs_over_stdio(server: Peer, fresh: Shell) -> None:
    """DIFF-SURFACE: the same tool answers over the wire and at the command line, errors in the family's words."""
    found = payload(server.call(1, "diff_context"))
    assert "error" not in found, found
    (change,) = found["changes"]
    assert change["change"] == "modified" and change["signature_changed"] and not change["body_changed"]
    assert (change["before"]["signature"], change["after"]["signature"]) == (
        "def rate_limit(request: object) -> object", "def rate_limit(request: str) -> object",
    )  # fmt: skip
    assert found["head"]["live"] and found["metadata"]["freshness_status"] == "fresh"
    same = payload(server.call(2, "diff_context", head_ref="release"))
    assert same["changes"] == [] and same["merge_base"] == same["head"]["commit"]
    refs = payload(server.call(3, "list_refs"))
    assert [(item["name"], item["indexed"]) for item in refs["refs"]] == [
        ("live", True), ("main", True), ("release", False),
    ]  # fmt: skip
    wrong = server.call(4, "diff_context", base_ref="nope")
    assert wrong["result"]["isError"] and payload(wrong)["error"]["code"] == "ref_not_indexed"
    assert payload(server.call(5, "diff_context", include="files"))["error"]["code"] == "invalid_input"
    assert server.is_alive()
