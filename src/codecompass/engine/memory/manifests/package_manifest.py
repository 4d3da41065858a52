"""Roster: what one manifest says, whatever its format; and what several formats have in common. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_HOLE = re.compile(r"\$\{([\w.-]+)\}|\$\(([\w.-]+)\)|\$([A-Za-z_]\w*)")
_DEPTH = 4
"""How often a value that stands for another value is followed."""


class Manifest(NamedTuple):
    """What one manifest says."""

    scripts: tuple[tuple[str, str], ...] = ()
    dependencies: tuple[tuple[str, str], ...] = ()
    """(name as written, version as written)."""
    slots: tuple[tuple[str, str], ...] = ()
    runtime: str = ""


def versions_of(rows: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Each package once; a file that lists it again without a version takes none away."""
    found: dict[str, str] = {}
    for name, version in rows:
        found[name] = found.get(name) or version
    return tuple(found.items())


def filled(text: str, values: Mapping[str, str]) -> str:
    """A version with what the file itself says of `${name}`, `$(name)` and `$name`; empty where that is not all.

    A name may have digits of its own, and those are no version.
    """
    for _ in range(_DEPTH):
        if "$" not in text:
            return text.strip()
        text = _HOLE.sub(lambda hole: values.get(hole[hole.lastindex or 0], "$"), text)
    return "" if "$" in text else text.strip()


def table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A table inside a table; an empty one where something else stands there."""
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def texts(value: object) -> list[tuple[str, str]]:
    """The rows of a table as texts."""
    return [(str(key), str(one)) for key, one in value.items()] if isinstance(value, dict) else []


def version_in(value: object) -> str:
    """A version that is written by itself or among other things."""
    return value if isinstance(value, str) else str(value.get("version", "")) if isinstance(value, dict) else ""


def folded(text: str, most: int = 200) -> str:
    """A recipe in one line."""
    return " ".join(text[: 4 * most].split())[:most]


def uncommented(text: str, mark: str) -> str:
    """A text without the lines that are a comment: what stands there is switched off, or never was a statement."""
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        bare = line.strip()
        if inside or bare.startswith("/*"):
            inside = "*/" not in bare
        elif not bare.startswith(mark):
            kept.append(line)
    return "\n".join(kept)
