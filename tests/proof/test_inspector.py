"""The Inspector itself is run by `make inspector`; what judges it is tested here, on the real tool list."""

from pathlib import Path

from codecompass.contract.json_schema import input_schema
from codecompass.tools import TOOLS
from tests.proof import inspector


def test_every_input_schema_fits_the_metaschema() -> None:
    """P-INSPECTOR: every inputSchema is a schema of Draft 2020-12 without open references."""
    tools = [{"name": tool.name, "inputSchema": input_schema(tool.params)} for tool in TOOLS]
    assert inspector.bad_schemas(tools) == []


def test_a_schema_that_is_none_is_seen() -> None:
    """P-INSPECTOR: a wrong type and a dangling reference, which the Inspector lets pass, are found."""
    wrong_type = {"name": "a", "inputSchema": {"type": "strng"}}
    dangling = {"name": "b", "inputSchema": {"properties": {"x": {"$ref": "#/$defs/none"}}}}
    assert [line[0] for line in inspector.bad_schemas([wrong_type, dangling])] == ["a", "b"]


def test_every_tool_that_needs_arguments_has_some() -> None:
    """P-INSPECTOR: the table of arguments covers every tool that cannot be called without."""
    needy = {tool.name for tool in TOOLS if input_schema(tool.params).get("required")}
    assert needy <= set(inspector.ARGUMENTS)


def test_no_proof_names_a_registry() -> None:
    """P-INSPECTOR: lock files hold versions and hashes, never the address of a registry."""
    for lock in Path(__file__).parents[2].glob("proof/*/package-lock.json"):
        text = lock.read_text(encoding="utf-8")
        assert '"integrity"' in text and '"resolved"' not in text
