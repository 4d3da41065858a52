"""Package manifest: the contents of one manifest in any format, and helpers that several formats share. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_VARIABLE = re.compile(r"\$\{([\w.-]+)\}|\$\(([\w.-]+)\)|\$([A-Za-z_]\w*)")
_MAX_DEPTH = 4
"""Maximum nesting of variables."""


class PackageManifest(NamedTuple):
    """The contents of one manifest."""

    scripts: tuple[tuple[str, str], ...] = ()
    dependencies: tuple[tuple[str, str], ...] = ()
    """(name as written, version as written)."""
    slots: tuple[tuple[str, str], ...] = ()
    runtime: str = ""


def merge_versions(rows: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Merge duplicate packages; an entry without a version does not override one with a version."""
    found: dict[str, str] = {}
    for name, version in rows:
        found[name] = found.get(name) or version
    return tuple(found.items())


def expand_variables(text: str, values: Mapping[str, str]) -> str:
    """Expand `${name}`, `$(name)` and `$name` in a version; empty if a variable is unknown.

    The text is not returned then, because digits in a variable's name are not a version.
    """
    for _ in range(_MAX_DEPTH):
        if "$" not in text:
            return text.strip()
        text = _VARIABLE.sub(lambda hole: values.get(hole[hole.lastindex or 0], "$"), text)
    return "" if "$" in text else text.strip()


def get_table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a nested table; empty if the value is not a table."""
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def to_pairs(value: object) -> list[tuple[str, str]]:
    """Return the items of a table as strings."""
    return [(str(key), str(one)) for key, one in value.items()] if isinstance(value, dict) else []


def get_version(value: object) -> str:
    """Return a version given as a string or in a table."""
    return value if isinstance(value, str) else str(value.get("version", "")) if isinstance(value, dict) else ""


def collapse_lines(text: str, most: int = 200) -> str:
    """Collapse a recipe into one line."""
    return " ".join(text[: 4 * most].split())[:most]


def strip_comments(text: str, mark: str) -> str:
    """Remove comment lines and block comments, because commented-out statements do not count."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        bare = line.strip()
        if inside or bare.startswith("/*"):
            inside = "*/" not in bare
        elif not bare.startswith(mark):
            lines.append(line)
    return "\n".join(lines)
