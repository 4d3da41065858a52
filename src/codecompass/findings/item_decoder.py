"""Item decoder: decode the JSON bytes of one item strictly and within limits, with warnings."""

import json
from typing import NamedTuple

MAX_DIGITS = 400
"""Digits of one integer; no scanner writes longer ones."""


class DecodedItem(NamedTuple):
    """A decoded value with warnings, or the reason why it could not be decoded."""

    value: object = None
    warnings: tuple[str, ...] = ()
    error: str = ""


def decode_item(raw: bytes) -> DecodedItem:
    """Decode one JSON value. Duplicate keys and invalid UTF-8 are warnings; NaN and Infinity are refused."""
    warnings: dict[str, None] = {}
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        warnings["some bytes are not UTF-8 and were replaced"] = None

    def pairs(found: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(found)
        if len(made) < len(found):
            names = [name for name, _ in found]
            twice = next(name for name in names if names.count(name) > 1)
            warnings[f"the key '{twice[:60]}' occurs twice; the last one counts"] = None
        return made

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=_reject_constant, parse_int=_parse_int)
    except (ValueError, RecursionError) as error:
        return DecodedItem(error=_describe_error(error))
    return DecodedItem(value, tuple(warnings))


def _reject_constant(word: str) -> float:
    raise ValueError(f"{word} is not a number in JSON")


def _parse_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def _describe_error(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not valid JSON: {error.msg} at character {error.pos + 1}"
    return f"not valid JSON: {error}" if isinstance(error, ValueError) else "not valid JSON: nested too deeply"
