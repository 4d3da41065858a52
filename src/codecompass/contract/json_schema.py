"""JSON Schema of a tool's arguments, derived from its params and made small: no titles, no references."""

from functools import cache
from typing import Any

import jsonschema_rs
import msgspec

from codecompass.contract.tool import Params

_PREFIX = "#/$defs/"


def _inlined(node: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """A schema with every reference replaced by what it names; titles and class docstrings are left out."""
    if "$ref" in node:
        return _inlined(parts[node["$ref"].removeprefix(_PREFIX)], parts)
    slim: dict[str, Any] = {}
    for key, value in node.items():
        if key == "title" or (key == "description" and "properties" in node) or (key == "required" and not value):
            continue
        if key == "properties":
            # Here the keys are names of parameters, whatever they are called.
            slim[key] = {name: _inlined(schema, parts) for name, schema in value.items()}
        elif key in ("anyOf", "prefixItems"):
            slim[key] = [_inlined(schema, parts) for schema in value]
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            slim[key] = _inlined(value, parts)
        else:
            # JSON knows no tuples: a schema must equal itself after a round trip.
            slim[key] = list(value) if isinstance(value, tuple) else value
    return slim


@cache
def input_schema(params: type[Params]) -> dict[str, Any]:
    """The compact 2020-12 schema of one params struct. Shared: callers must not change it."""
    (root,), parts = msgspec.json.schema_components((params,), ref_template=_PREFIX + "{name}")
    return _inlined(root, parts)


@cache
def validator(params: type[Params]) -> jsonschema_rs.Draft202012Validator:
    """The judge of arguments, which lists every violation."""
    return jsonschema_rs.Draft202012Validator(input_schema(params))
