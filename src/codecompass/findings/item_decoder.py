"""Decoding: from the bytes of one item to a value, strictly and within limits; what is odd is said, not guessed at."""

import json
from typing import NamedTuple

MOST_DIGITS = 400
"""Of one whole number; a longer one is no number that a scanner means."""


class Decoded(NamedTuple):
    """An item as a value with what was odd about it, or why it is none."""

    value: object = None
    warnings: tuple[str, ...] = ()
    trouble: str = ""


def decoded(raw: bytes) -> Decoded:
    """One JSON value. Keys that occur twice and bytes that are no UTF-8 are warnings; NaN and the like are refused."""
    warnings: dict[str, None] = {}
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        warnings["some bytes are no UTF-8 and were replaced"] = None

    def pairs(found: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(found)
        if len(made) < len(found):
            names = [name for name, _ in found]
            twice = next(name for name in names if names.count(name) > 1)
            warnings[f"the key '{twice[:60]}' occurs twice; the last one counts"] = None
        return made

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=_no_number, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        return Decoded(trouble=_said(error))
    return Decoded(value, tuple(warnings))


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number in JSON")


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def _said(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no valid JSON: {error.msg} at character {error.pos + 1}"
    return f"no valid JSON: {error}" if isinstance(error, ValueError) else "no valid JSON: nested too deeply"
