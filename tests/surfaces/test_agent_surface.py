"""What an agent sees besides answers: titles and hints, prompts, completions, the icon, and hints it can follow."""

import base64
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.prompts import COMPLETION_TOOL, PROMPTS
from codecompass.contract.tool import TOOLSETS, Host, select_tools
from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.tools import INNER_TOOLS, TOOLS
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo
from tests.surfaces.conftest import Shell
from tests.surfaces.framed import MODES, start_peer
from tests.surfaces.stdio_client import Peer

HINTS = {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
NAME = re.compile("|".join(rf"\b{tool.name}\b" for tool in TOOLS if "_" in tool.name))
ORDINARY = {"freshness_status", "schema_status", "index_status"}
Start = Callable[..., Peer]


@pytest.fixture
def start(indexed: Shell, request: pytest.FixtureRequest) -> Start:
    def begin(mode: str, *words: str) -> Peer:
        peer = start_peer(indexed, mode, *words)
        request.addfinalizer(peer.kill)
        return peer

    return begin


@pytest.mark.parametrize("mode", MODES)
def test_tools_say_what_they_may_do(start: Start, mode: str) -> None:
    """MCP-TOOL-FACTS: all five facts of every tool, equal in both framings; two tools are loaded first."""
    peer = start(mode)
    peer.open("2025-11-25")
    listed = {tool["name"]: tool for tool in peer.ask(1, "tools/list")["result"]["tools"]}
    for tool in TOOLS:
        wanted = HINTS - {"idempotentHint"} if tool.reads_only else HINTS
        assert listed[tool.name]["annotations"] == tool.annotations and set(tool.annotations) == wanted
    loaded = {name for name, tool in listed.items() if tool["_meta"].get("anthropic/alwaysLoad")}
    assert loaded == {"search_code", "locate_symbol"}


@pytest.mark.parametrize("mode", MODES)
def test_the_server_has_one_icon(start: Start, mode: str) -> None:
    """MCP-TOOL-FACTS: a small SVG in the handshake; capabilities tell of prompts and completions."""
    result = start(mode).open("2025-11-25")["result"]
    (icon,) = result["serverInfo"]["icons"]
    kind, _, data = icon["src"].partition(",")
    assert kind == "data:image/svg+xml;base64" and len(data) < 500
    assert base64.b64decode(data).startswith(b"<svg ")
    assert result["capabilities"]["prompts"] == {"listChanged": False} and result["capabilities"]["completions"] == {}


@pytest.mark.parametrize("mode", MODES)
def test_prompts(start: Start, mode: str) -> None:
    """MCP-PROMPTS: five, with their arguments in place; a line about an argument that is not given is left out."""
    peer = start(mode, "--toolset", "agent")
    peer.open()
    listed = peer.ask(1, "prompts/list")["result"]["prompts"]
    assert [row["name"] for row in listed] == [prompt.name for prompt in PROMPTS] and len(listed) == 5
    given = {"symbol": "validate_token"}
    got = peer.ask(2, "prompts/get", {"name": "impact_of_change", "arguments": given})["result"]
    text = got["messages"][0]["content"]["text"]
    assert "validate_token" in text and "find_references" in text and "defined in" not in text and "{" not in text
    more = {"name": "impact_of_change", "arguments": given | {"path": "src/auth.py"}}
    assert "src/auth.py" in peer.ask(3, "prompts/get", more)["result"]["messages"][0]["content"]["text"]
    refused: tuple[dict[str, Any], ...] = (
        {"name": "no_such"}, {"name": "impact_of_change"}, {"name": "onboard_me", "arguments": {"zzz": "1"}},
    )  # fmt: skip
    for number, wrong in enumerate(refused, 10):
        error = peer.ask(number, "prompts/get", wrong)["error"]
        assert error["code"] == -32602 and error["data"]["code"] == "INVALID_REQUEST", wrong


@pytest.mark.parametrize("mode", MODES)
def test_completions(start: Start, mode: str) -> None:
    """MCP-COMPLETIONS: names, paths, refs and modules; free text has none; wrong requests are refused."""
    peer = start(mode, "--toolset", "agent")
    peer.open()
    asked = iter(range(1, 99))

    def complete(prompt: str, argument: str, value: str) -> dict[str, Any]:
        ref = {"type": "ref/prompt", "name": prompt}
        return peer.ask(
            next(asked), "completion/complete", {"ref": ref, "argument": {"name": argument, "value": value}}
        )

    def values(prompt: str, argument: str, value: str) -> list[str]:
        found: list[str] = complete(prompt, argument, value)["result"]["completion"]["values"]
        return found

    assert values("find_where", "what", "VALID") == ["validate_token"]
    assert values("onboard_me", "area", "src/") == values("onboard_me", "area", "au") == ["src/auth.py"]
    assert "main" in values("review_diff", "base", "ma")
    assert values("impact_of_change", "change", "any") == [] == values("find_where", "what", "")
    template = {"type": "ref/resource", "uri": "context://module/{name}"}
    got = peer.ask(90, "completion/complete", {"ref": template, "argument": {"name": "name", "value": "zzz"}})
    assert got["result"]["completion"] == {"values": [], "total": 0, "hasMore": False}
    for prompt, argument in (("no_such", "what"), ("find_where", "no_such")):
        assert complete(prompt, argument, "x")["error"]["code"] == -32602
    assert peer.ask(91, "completion/complete", {"ref": {"type": "ref/prompt"}})["error"]["code"] == -32602


def test_long_completions_are_cut(tmp_path: Path) -> None:
    """MCP-COMPLETIONS: modules by their beginning; of many names the first 100, and how many there are."""
    files = {"shop/cart.py": "".join(f"def pay_{number}(): ...\n" for number in range(150)), "web/app.py": "x = 1\n"}
    with desk_on(make_repo(tmp_path / "repo", files), tmp_path / "data") as desk:
        desk.index()
        dispatch = Dispatch(TOOLS, Host(desk.engine), Log("error", io.StringIO()), inner=INNER_TOOLS)
        try:
            found = {
                (kind, text): dispatch.submit_inner(COMPLETION_TOOL, {"kind": kind, "values": [text]}, Call())
                .future.result()
                .payload
                for kind, text in (("module", "sh"), ("name", "pay_"), ("path", "web"))
            }
        finally:
            dispatch.close()
    assert found["module", "sh"]["values"] == ["shop"] and found["path", "web"]["values"] == ["web/app.py"]
    names = found["name", "pay_"]
    assert len(names["values"]) == 100 and names["total"] == 150 and names["hasMore"] and names["values"][0] == "pay_0"


def test_hints_name_what_can_be_done(start: Start) -> None:
    """MCP-SERVED-NAMES: where a tool is not served, its hint gives the command; in the full set it names the tool."""
    said = {}
    for toolset in ("agent", "all"):
        peer = start("sdk", "--toolset", toolset)
        peer.open()
        missing = peer.call(1, "get_file_outline", path="no/such.py")["result"]["structuredContent"]["error"]
        unknown = peer.call(2, "search_code", query="x", ref="no-such")["result"]["structuredContent"]["error"]
        lost = peer.call(3, "read_file", path="no/such.py")["result"]["structuredContent"]
        said[toolset] = str([missing, unknown, lost])
    served = {tool.name for tool in select_tools(TOOLS, ("agent",))}
    assert set(NAME.findall(said["agent"])) <= served and "'codecompass sync'" in said["agent"]
    assert {"sync_repo", "list_refs"} <= set(NAME.findall(said["all"])) and "codecompass sync" not in said["all"]


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_descriptions_and_prompts_name_served_tools(toolset: str) -> None:
    """MCP-SERVED-NAMES: of the tools of every set, except the name that an alias stands for."""
    tools = select_tools(TOOLS, (toolset,))
    served = {tool.name for tool in tools}
    for tool in tools:
        assert set(NAME.findall(tool.summary)) - ORDINARY <= served, tool.name
    for prompt in PROMPTS:
        assert prompt.tools <= {tool.name for tool in TOOLS} and prompt.tools, prompt.name
