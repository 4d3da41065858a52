"""Names of tools in what an agent reads: only tools that the server has."""

import io
import re
from pathlib import Path

import pytest

from codecompass.contract.tool import Host, select_tools
from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.surfaces.mcp.server_info import build_instructions
from codecompass.tools import TOOLS
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo

MAX_INSTRUCTIONS = 1_000
NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@pytest.mark.parametrize("toolset", ("all", "agent"))
def test_instructions_name_served_tools(toolset: str) -> None:
    """MCP-SERVED-NAMES: the instructions fit the set of tools, and are short."""
    tools = select_tools(TOOLS, (toolset,))
    text = build_instructions(tools)
    named = set(NAME.findall(text.replace("freshness_status", ""))) & {tool.name for tool in TOOLS}
    assert len(text) <= MAX_INSTRUCTIONS and {"search_code", "locate_symbol"} <= named
    assert named <= {tool.name for tool in tools}


def test_suggested_actions_are_served(tmp_path: Path) -> None:
    """MCP-SERVED-NAMES: a search without a hit suggests `sync_repo` only where it can be called."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def pay():\n    return 1\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.engine.index(None, None, force=False, call=Call())
        suggested = {}
        for toolset in ("all", "agent"):
            tools = select_tools(TOOLS, (toolset,))
            dispatch = Dispatch(tools, Host(desk.engine), Log("error", io.StringIO()))
            try:
                found = dispatch.call("search_code", {"query": "zzznothing"}).payload["suggested_next_actions"]
            finally:
                dispatch.close()
            suggested[toolset] = [row["tool"] for row in found]
    assert "sync_repo" in suggested["all"]
    assert suggested["agent"] == [name for name in suggested["all"] if name != "sync_repo"]
