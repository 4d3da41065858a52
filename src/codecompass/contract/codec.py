"""Codec for tool arguments and payloads: strict decoding into params, encoding to compact JSON."""

import math
import re
from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from codecompass.contract.encoding import encode
from codecompass.contract.fields import LOOKED_UP
from codecompass.contract.json_schema import get_validator
from codecompass.contract.tool import Params
from codecompass.errors import Failure

P = TypeVar("P", bound=Params)

_MAX_DEPTH = 64
"""Deepest nesting of arguments; no tool needs more than a few levels, and the validator fails at some hundreds."""
MAX_VIOLATIONS = 20
"""Most violations listed, so that a hostile call cannot produce a long answer."""

MAX_TEXT = 4_096
"""Most characters of a text that is looked up, such as a ref or a directory."""

# Parameters of a violation under the names that JavaScript validators use; never the value that the caller sent.
_PARAM_NAMES = {
    "limit": "limit", "options": "allowedValues", "pattern": "pattern", "property": "missingProperty", "types": "type",
}  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")


def encode_payload(payload: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Return the payload and its JSON. Names that are not valid Unicode (file names can be) are escaped in both."""
    try:
        return payload, encode(payload)
    except UnicodeEncodeError:
        clean: dict[str, Any] = _escape_surrogates(payload)
        return clean, encode(clean)


def _escape_surrogates(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return _SURROGATE.sub(_escape_surrogate, value)
    if isinstance(value, dict):
        return {_escape_surrogates(key): _escape_surrogates(item) for key, item in value.items()}
    return [_escape_surrogates(item) for item in value] if isinstance(value, list | tuple) else value


def _escape_surrogate(match: re.Match[str]) -> str:
    """Write an undecodable byte as `\\xNN` and any other lone surrogate as `\\uNNNN`."""
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def make_violation(path: str, keyword: str, message: str, **params: object) -> dict[str, object]:
    """Build one entry of the list of violations, in the shape that every family shows."""
    return {"instancePath": path, "keyword": keyword, "message": message, "params": params}


def to_invalid_request(violations: list[dict[str, object]]) -> Failure:
    """Build the INVALID_REQUEST failure that lists these violations; its message is the first one."""
    first = violations[0]
    where = str(first["instancePath"]).lstrip("/").replace("/", ".")
    message = f"{where}: {first['message']}" if where else str(first["message"])
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    return Failure("INVALID_REQUEST", f"Invalid arguments: {message}{more}.", {"violations": violations})


def decode(params: type[P], raw: object) -> P:
    """Decode arguments into the tool's params; raise INVALID_REQUEST with every violation listed."""
    if isinstance(raw, bytes | bytearray):
        try:
            raw = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise to_invalid_request(
                [make_violation("", "json", f"not valid JSON: {_sanitize_message(str(error))}")]
            ) from None
    if not isinstance(raw, dict):
        raise to_invalid_request([make_violation("", "type", "arguments must be an object", type="object")])
    if _is_too_deep(raw):
        raise to_invalid_request([make_violation("", "maxDepth", "is nested too deeply", limit=_MAX_DEPTH)])
    try:
        encode(raw)
    except (UnicodeEncodeError, RecursionError, TypeError, ValueError) as error:
        raise to_invalid_request(
            [make_violation("", "encoding", f"cannot be written as JSON: {type(error).__name__}")]
        ) from None
    found = _find_violations(params, raw) or _find_wrong_texts(params, raw)
    if found:
        raise to_invalid_request(found)
    return _build(params, raw)


def _is_too_deep(raw: dict[str, Any]) -> bool:
    """Whether objects and lists are nested deeper than the limit. Level by level, because recursion would overflow."""
    level: list[Any] = [raw]
    for _ in range(_MAX_DEPTH):
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value)
            if isinstance(item, dict | list | tuple)
        ]
        if not level:
            return False
    return True


def _build(params: type[P], raw: dict[str, Any]) -> P:
    """Build the params of arguments that passed the schema. The schema alone validates; nothing is checked here."""
    makers = _get_converters(params)
    return params(**{attribute: make(raw[name]) for name, (attribute, make) in makers.items() if name in raw})


@cache
def _get_converters(params: type[Params]) -> dict[str, tuple[str, Callable[[Any], Any]]]:
    """Map each argument to its attribute and to the function that converts its JSON value."""
    info = msgspec.inspect.type_info(params)
    assert isinstance(info, msgspec.inspect.StructType)
    return {field.encode_name: (field.name, _get_converter(field.type)) for field in info.fields}


def _get_converter(kind: msgspec.inspect.Type) -> Callable[[Any], Any]:
    """Return the conversion of a field. JSON has one number type and one list type: `2.0` may be an integer."""
    if isinstance(kind, msgspec.inspect.Metadata):
        return _get_converter(kind.type)
    if isinstance(kind, msgspec.inspect.IntType):
        return int
    if isinstance(kind, msgspec.inspect.FloatType):
        return float
    return tuple if isinstance(kind, msgspec.inspect.VarTupleType) else _return_unchanged


def _return_unchanged(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    return value


def _find_violations(params: type[Params], raw: dict[str, Any]) -> list[dict[str, object]]:
    """List everything in the arguments that violates the schema."""
    checker, value = get_validator(params), _replace_non_finite(raw)
    found: list[dict[str, object]] = []
    if checker.is_valid(value):
        return found
    for item in islice(checker.iter_errors(value), MAX_VIOLATIONS):
        path = "".join(f"/{_sanitize_message(str(step))}" for step in item.instance_path)
        facts = item.kind.as_dict()
        if item.kind.name == "additionalProperties":
            names = [_sanitize_message(name) for name in facts["unexpected"][:MAX_VIOLATIONS]]
            found += [
                make_violation(path, "additionalProperties", f"unknown field '{name}'", additionalProperty=name)
                for name in names
            ]
        else:
            shown = {_PARAM_NAMES[key]: value for key, value in facts.items() if key in _PARAM_NAMES}
            found.append(make_violation(path, item.kind.name, _format_violation(item.message, shown), **shown))
    return found


def _find_wrong_texts(params: type[Params], raw: dict[str, Any]) -> list[dict[str, object]]:
    """List the looked-up texts that break the rules which schemas do not repeat in every tool."""
    found: list[dict[str, object]] = []
    for name in _get_looked_up_fields(params) & raw.keys():
        if raw[name] == "":
            found.append(make_violation(f"/{name}", "minLength", "must not be empty", limit=1))
        elif len(raw[name]) > MAX_TEXT:
            found.append(make_violation(f"/{name}", "maxLength", f"longer than {MAX_TEXT} characters", limit=MAX_TEXT))
    return found


@cache
def _get_looked_up_fields(params: type[Params]) -> frozenset[str]:
    """Return the arguments whose type is marked `LOOKED_UP`."""
    info = msgspec.inspect.type_info(params)
    assert isinstance(info, msgspec.inspect.StructType)
    return frozenset(field.encode_name for field in info.fields if _is_looked_up(field.type))


def _is_looked_up(kind: msgspec.inspect.Type) -> bool:
    if isinstance(kind, msgspec.inspect.UnionType):
        return any(map(_is_looked_up, kind.types))
    return isinstance(kind, msgspec.inspect.Metadata) and kind.extra == LOOKED_UP


def _format_violation(message: str, shown: dict[str, Any]) -> str:
    """Describe a violation; an enum violation names all allowed values."""
    if shown.get("pattern") == r"\S":
        return "must not be blank"
    if "allowedValues" in shown:
        return f"must be one of {', '.join(map(str, shown['allowedValues']))}"
    return _sanitize_message(message)


def _replace_non_finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Replace NaN and infinity by strings: the validator cannot represent them, and a string violates the same rule."""
    if isinstance(value, dict):
        return {key: _replace_non_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_non_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _sanitize_message(text: str) -> str:
    """Make a validator message safe to send: valid Unicode and short. The reason is at its end, so both ends stay."""
    cleaned = text.encode("utf-8", "replace").decode()
    return cleaned if len(cleaned) <= 300 else f"{cleaned[:199]}…{cleaned[-100:]}"
