"""Snapshot of all tool definitions as one committed document, and the classification of differences."""

import json
from typing import Any

from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.contract.versions import SCHEMA_VERSION

NARROWER_WHEN_LESS = ("maximum", "maxLength", "maxItems")
NARROWER_WHEN_MORE = ("minimum", "minLength", "minItems")

Difference = tuple[str, str]
"""A kind from `versions.BUMPS`, and its location."""


def build_snapshot(tools: tuple[Tool, ...]) -> dict[str, Any]:
    """Build the snapshot of the definitions that clients rely on, without the package version."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "tools": [
            {
                "name": tool.name,
                "family": tool.family,
                "schemaVersion": tool.version,
                "description": tool.summary,
                "inputSchema": input_schema(tool.params),
            }
            for tool in tools
        ],
    }


def render_snapshot(tools: tuple[Tool, ...]) -> str:
    return json.dumps(build_snapshot(tools), indent=2, ensure_ascii=False) + "\n"


def find_differences(old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    """List the differences between two snapshots, each as a kind and a location."""
    before = {tool["name"]: tool for tool in old["tools"]}
    after = {tool["name"]: tool for tool in new["tools"]}
    found: list[Difference] = [("tool removed or renamed", name) for name in before if name not in after]
    found += [("tool added", name) for name in after if name not in before]
    for name in before.keys() & after.keys():
        found += _find_tool_differences(name, before[name], after[name])
    return sorted(found)


def _find_tool_differences(name: str, old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    found: list[Difference] = []
    if new["schemaVersion"] != old["schemaVersion"]:
        found.append(("tool version raised", name))
    if (new["description"], new["family"]) != (old["description"], old["family"]):
        found.append(("wording changed", name))
    was, now = old["inputSchema"]["properties"], new["inputSchema"]["properties"]
    required = set(new["inputSchema"].get("required", ())) - set(old["inputSchema"].get("required", ()))
    found += [("parameter removed", f"{name}.{key}") for key in was if key not in now]
    found += [("parameter made required", f"{name}.{key}") for key in required]
    found += [("parameter added", f"{name}.{key}") for key in now if key not in was and key not in required]
    for key in was.keys() & now.keys():
        found += _find_parameter_differences(f"{name}.{key}", was[key], now[key])
    return found


def _find_parameter_differences(where: str, old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    if {k: v for k, v in old.items() if k != "description"} == {k: v for k, v in new.items() if k != "description"}:
        return [] if old == new else [("wording changed", where)]
    return [("parameter narrowed" if _is_narrower(old, new) else "parameter widened", where)]


def _is_narrower(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether a value that was accepted no longer is, or the default changed."""
    if not _list_types(old) <= _list_types(new) or _get_default(old) != _get_default(new):
        return True
    if new.get("pattern") not in (None, old.get("pattern")):
        return True
    if "enum" in new and not set(new["enum"]) >= set(old.get("enum", ["(anything)"])):
        return True
    less = any(key in new and new[key] < old.get(key, float("inf")) for key in NARROWER_WHEN_LESS)
    return less or any(key in new and new[key] > old.get(key, float("-inf")) for key in NARROWER_WHEN_MORE)


def _get_default(rule: dict[str, Any]) -> object:
    """Return the default of a parameter, also where the schema leaves it out (`UNSTATED_DEFAULTS`)."""
    unstated = "all" if "all" in rule.get("enum", ()) else {"boolean": False, "array": []}.get(rule.get("type", ""))
    return rule.get("default", unstated)


def _list_types(rule: dict[str, Any]) -> set[str | None]:
    """Return every type that a parameter accepts."""
    return {one.get("type") for one in rule.get("anyOf", (rule,))}
