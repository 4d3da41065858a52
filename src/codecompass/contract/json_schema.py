"""JSON Schema of a tool's arguments, derived from its params; compact, without titles and references."""

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from codecompass.contract.tool import Params

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_PREFIX = "#/$defs/"
UNSTATED_DEFAULTS: tuple[object, ...] = ((), [], "all")
"""Defaults that a schema does not state: what everyone assumes of a list or a choice (or a flag) that is left out."""


def _inline_refs(node: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Replace every reference in a schema by its target; drop titles and class docstrings."""
    if "$ref" in node:
        return _inline_refs(parts[node["$ref"].removeprefix(_PREFIX)], parts)
    slim: dict[str, Any] = {}
    for key, value in node.items():
        if key == "title" or (key == "description" and "properties" in node) or (key == "required" and not value):
            continue
        if key == "default" and (value is False or value in UNSTATED_DEFAULTS):
            continue
        if key == "properties":
            # Here the keys are names of parameters, so a parameter may be called `title`.
            slim[key] = {name: _inline_refs(schema, parts) for name, schema in value.items()}
        elif key in ("anyOf", "prefixItems"):
            slim[key] = [_inline_refs(schema, parts) for schema in value]
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            slim[key] = _inline_refs(value, parts)
        else:
            # JSON has no tuples: a schema must equal itself after a round trip.
            slim[key] = list(value) if isinstance(value, tuple) else value
    return slim


@cache
def input_schema(params: type[Params]) -> dict[str, Any]:
    """Return the compact 2020-12 schema of a params struct. It is cached: callers must not change it."""
    (root,), parts = msgspec.json.schema_components((params,), ref_template=_PREFIX + "{name}")
    return _inline_refs(root, parts)


@cache
def get_validator(params: type[Params]) -> "Draft202012Validator":
    """Return the cached validator of arguments, which lists every violation."""
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - slow to import, and not every command has arguments to check

    return Draft202012Validator(input_schema(params))
