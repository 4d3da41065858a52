"""Generated documents are current, the tool list is cheap, and a change of a definition names its price."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.export import build_documents, render_map_page
from codecompass.contract.tool import TOOLSETS, select_tools
from codecompass.contract.tool_snapshot import build_snapshot, find_differences
from codecompass.contract.versions import SCHEMA_VERSION, find_bump, is_bumped
from codecompass.errors import CODES_BY_NAME, Failure
from codecompass.settings import SETTINGS
from codecompass.tools import TOOLS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", build_documents(TOOLS, SETTINGS))
def test_generated_documents_are_current(name: str) -> None:
    """C-DOCS-CURRENT: tables and documents say the same."""
    assert (ROOT / name).read_text() == build_documents(TOOLS, SETTINGS)[name], (
        "run: make snapshots (codecompass snapshots)"
    )


def test_map_is_current() -> None:
    """C-DOCS-CURRENT: docs/building/map.md lists every package and module with the first line of its docstring."""
    page = (ROOT / "docs/building/map.md").read_text(encoding="utf-8")
    assert page == render_map_page(ROOT / "src/codecompass"), "run: make snapshots (codecompass snapshots)"


def test_a_difference_from_the_snapshot_names_its_bump() -> None:
    """C-SNAPSHOT: compare with the committed definitions; a raised schemaVersion must be raised far enough."""
    committed = json.loads((ROOT / "docs/contracts/mcp-tools.schema.json").read_text())
    found = find_differences(committed, build_snapshot(TOOLS))
    bump = find_bump(found)
    wanted = f"{found} need a {bump} bump of SCHEMA_VERSION above {committed['schemaVersion']}; then: make snapshots"
    assert is_bumped(committed["schemaVersion"], SCHEMA_VERSION, bump), wanted
    assert not found, wanted


def changed(edit: str) -> dict[str, Any]:
    new = copy.deepcopy(build_snapshot(TOOLS))
    search = next(tool for tool in new["tools"] if tool["name"] == "search_code")
    properties = search["inputSchema"]["properties"]
    if edit == "remove tool":
        new["tools"].pop()
    elif edit == "add parameter":
        properties["extra"] = {"type": "string"}
    elif edit == "remove parameter":
        del properties["compact"]
    elif edit == "require":
        search["inputSchema"]["required"] = ["query", "ref"]
    elif edit == "narrow":
        properties["limit"]["maximum"] = 50
    elif edit == "widen":
        properties["limit"]["maximum"] = 500
    elif edit == "allow null":
        properties["compact"] = {"anyOf": [properties["compact"], {"type": "null"}], "default": False}
    elif edit == "other type":
        properties["limit"] = {"type": "null", "default": properties["limit"]["default"]}
    elif edit == "wording":
        search["description"] = "other"
    return new


@pytest.mark.parametrize(
    ("edit", "bump"),
    [
        ("nothing", "none"),
        ("remove tool", "major"),
        ("add parameter", "minor"),
        ("remove parameter", "major"),
        ("require", "major"),
        ("narrow", "major"),
        ("widen", "minor"),
        ("allow null", "minor"),
        ("other type", "major"),
        ("wording", "patch"),
    ],
)
def test_each_kind_of_change_has_its_price(edit: str, bump: str) -> None:
    """C-SNAPSHOT: breaking, compatible and cosmetic changes are told apart."""
    assert find_bump(find_differences(build_snapshot(TOOLS), changed(edit))) == bump


def test_a_bump_must_be_large_enough() -> None:
    """C-SNAPSHOT: a minor bump does not pay for a major change."""
    assert is_bumped("1.2.3", "2.0.0", "major") and is_bumped("1.2.3", "1.3.0", "minor")
    assert not is_bumped("1.2.3", "1.3.0", "major") and not is_bumped("1.2.3", "1.2.4", "minor")


def test_toolsets() -> None:
    """C-TOOLSETS: subsets keep the order, and an unknown set is an error."""
    names = [tool.name for tool in TOOLS]
    assert [tool.name for tool in select_tools(TOOLS, ())] == names
    agent = [tool.name for tool in select_tools(TOOLS, ("agent",))]
    assert agent == [name for name in names if name in agent]
    assert set(agent) == {
        "locate_symbol", "search_code", "index_status", "get_file_outline", "find_references", "get_code_context",
        "diff_context", "context_search", "read_file", "grep_codebase",
    }  # fmt: skip
    cleats = select_tools(TOOLS, ("cleats",))
    assert {"search", "show_file"} <= {tool.name for tool in cleats}
    # The one tool that stands in both documents.
    assert [tool.name for tool in cleats if tool.family != "cleats"] == ["index_status"]
    with pytest.raises(Failure):
        select_tools(TOOLS, ("nope",))
    assert set(TOOLSETS) >= {name for tool in TOOLS for name in tool.toolsets}


def test_tools_are_defined_consistently() -> None:
    """C-TOOLS-ORDER: the documented order; every error a tool names is in the table."""
    assert [tool.name for tool in TOOLS][:7] == [
        "index_repo", "sync_repo", "locate_symbol", "search_code", "index_status", "get_file_outline", "health_check",
    ]  # fmt: skip
    assert all(code in CODES_BY_NAME for tool in TOOLS for code in tool.errors)
    assert all(tool.positional in ("", *tool.params.__struct_fields__) for tool in TOOLS)
