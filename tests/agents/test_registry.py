"""Distribution: server.json, the MCP bundle and the README agree with the package."""

import importlib.util
import json
import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from codecompass import __version__
from codecompass.agents.agents_page import render_agents_page

ROOT = Path(__file__).parents[2]
NAME = "io.github.codecompass/codecompass"
TEXT = {"type": "string", "minLength": 1}
ARGUMENT = {
    "type": "object", "required": ["type"],
    "properties": {"type": {"enum": ["positional", "named"]}, "name": TEXT, "value": TEXT, "description": TEXT,
                   "format": {"enum": ["string", "number", "boolean", "filepath"]}, "isRequired": {"type": "boolean"}},
    "additionalProperties": False,
    "if": {"properties": {"type": {"const": "named"}}}, "then": {"required": ["name"]},
}  # fmt: skip
SERVER_SCHEMA = {
    "type": "object", "required": ["$schema", "name", "description", "version", "packages"],
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
        "title": TEXT | {"maxLength": 100}, "description": TEXT | {"maxLength": 100}, "version": TEXT,
        "repository": {"type": "object", "required": ["url", "source"]},
        "packages": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["registryType", "identifier", "version", "transport"],
            "properties": {
                "registryType": {"enum": ["pypi", "npm", "oci", "nuget", "mcpb"]}, "identifier": TEXT, "version": TEXT,
                "runtimeHint": TEXT, "transport": {"type": "object", "properties": {"type": {"const": "stdio"}}},
                "packageArguments": {"type": "array", "items": ARGUMENT}},
            "additionalProperties": False}},
    },
    "additionalProperties": False,
}  # fmt: skip
MANIFEST_SCHEMA = {
    "type": "object", "required": ["manifest_version", "name", "version", "description", "author", "server"],
    "properties": {
        "manifest_version": {"const": "0.4"}, "name": TEXT, "display_name": TEXT, "version": TEXT, "description": TEXT,
        "author": {"type": "object", "required": ["name"]}, "license": TEXT, "keywords": {"type": "array"},
        "tools_generated": {"type": "boolean"},
        "server": {
            "type": "object", "required": ["type", "entry_point", "mcp_config"], "additionalProperties": False,
            "properties": {
                "type": {"const": "uv"}, "entry_point": TEXT,
                "mcp_config": {"type": "object", "required": ["command", "args"],
                               "properties": {"command": TEXT, "args": {"type": "array", "items": TEXT}}}}},
        "user_config": {"type": "object", "additionalProperties": {
            "type": "object", "required": ["type", "title", "description"],
            "properties": {"type": {"enum": ["string", "number", "boolean", "directory", "file"]}}}},
        "compatibility": {"type": "object"},
    },
    "additionalProperties": False,
}  # fmt: skip


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / name).read_text())
    return found


@pytest.mark.parametrize(
    ("name", "schema"), [("server.json", SERVER_SCHEMA), ("packaging/mcpb/manifest.json", MANIFEST_SCHEMA)]
)
def test_files_are_valid(name: str, schema: dict[str, Any]) -> None:
    """AGENT-REGISTRY: both files follow their schemas; a wrong one would not."""
    jsonschema_rs.validate(schema, load(name))
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(schema, load(name) | {"description": "", "unknown": 1})


def test_the_version_is_the_same_everywhere() -> None:
    """AGENT-REGISTRY: package, server.json, manifest and the bundle's environment name one version."""
    server, manifest = load("server.json"), load("packaging/mcpb/manifest.json")
    project = tomllib.loads((ROOT / "packaging/mcpb/pyproject.toml").read_text())["project"]
    found = [server["version"], *(package["version"] for package in server["packages"]), manifest["version"]]
    assert {*found, project["version"]} == {__version__}
    assert project["dependencies"] == [f"codecompass=={__version__}"]


def test_the_readme_carries_the_name() -> None:
    """AGENT-REGISTRY: the registry looks for the name in the README of the package."""
    assert f"<!-- mcp-name: {NAME} -->" in (ROOT / "README.md").read_text() and load("server.json")["name"] == NAME


def test_the_bundle(tmp_path: Path) -> None:
    """AGENT-REGISTRY: `make bundle` builds an archive with the manifest and its entry point, the same each time."""
    spec = importlib.util.spec_from_file_location("build_mcpb", ROOT / "packaging/build_mcpb.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("one.mcpb", "two.mcpb"):
        module.build_bundle(tmp_path / name)
    assert (tmp_path / "one.mcpb").read_bytes() == (tmp_path / "two.mcpb").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.mcpb") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest == load("packaging/mcpb/manifest.json")
        assert {manifest["server"]["entry_point"], "pyproject.toml"} <= set(archive.namelist())


def test_the_official_validator_accepts_the_manifest(tmp_path: Path) -> None:
    """AGENT-REGISTRY: npm's @anthropic-ai/mcpb agrees, where npm can fetch it."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: @anthropic-ai/mcpb did not check the manifest")
    words = [npm, "install", "--silent", "--no-audit", "--prefix", str(tmp_path), "@anthropic-ai/mcpb@2.1.2"]
    if subprocess.run(words, capture_output=True, timeout=90, check=False).returncode != 0:
        pytest.skip("npm cannot fetch @anthropic-ai/mcpb: it did not check the manifest")
    program = tmp_path / "node_modules" / ".bin" / "mcpb"
    done = subprocess.run(
        [str(program), "validate", str(ROOT / "packaging/mcpb/manifest.json")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_is_current() -> None:
    """C-DOCS-CURRENT: docs/agents.md says what the table says."""
    page = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
    assert page == render_agents_page(), "run: make snapshots (codecompass snapshots)"
