"""Manifests: the scripts and dependencies that a project's own files name, read by small parsers of this benchmark."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from bench.memory.facts import Dependency, Script

_NUMBER = re.compile(r"\d+")
_TARGET = re.compile(r"([A-Za-z][\w.-]*)\s*:(?!=)([^=].*)?$")


def scripts_of(path: str, text: str) -> list[Script]:
    """Named commands of a `package.json`, `composer.json` or `Makefile`."""
    name = PurePosixPath(path).name
    if name in ("package.json", "composer.json"):
        runner = "npm run" if name == "package.json" else "composer"
        rows = _object(text).get("scripts")
        pairs = rows.items() if isinstance(rows, dict) else ()
        return [
            Script(f"{runner} {key}", _folded(json.dumps(value))) for key, value in pairs if not key.startswith("//")
        ]
    return _targets(text) if name in ("Makefile", "makefile", "GNUmakefile") else []


def _targets(text: str) -> list[Script]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        match = _TARGET.match(line)
        if match:
            name = match[1]
            found.setdefault(name, []).append(_folded(match[2] or ""))
        elif line.startswith("\t") and name:
            found[name].append(_folded(line))
        elif line.strip() and not line.startswith((" ", "#")):
            name = ""
    return [Script(f"make {key}", " ; ".join(lines)) for key, lines in found.items()]


def dependencies_of(path: str, text: str) -> list[Dependency]:
    """Packages that a manifest names, with the first number of their version; none where the file is no manifest."""
    name = PurePosixPath(path).name
    if name.endswith(".txt") and "require" in path:
        name = "requirements.txt"
    if name.endswith(".gemspec"):
        name = "gemspec"
    reader = _READERS.get(name)
    rows = reader(text) if reader else []
    return list({key: Dependency(key, _first_number(version)) for key, version in rows}.values())


def _package_json(text: str) -> list[tuple[str, str]]:
    whole = _object(text)
    parts = [whole.get(part) for part in ("dependencies", "devDependencies", "peerDependencies")]
    return [(key, str(value)) for rows in parts if isinstance(rows, dict) for key, value in rows.items()]


def _composer_json(text: str) -> list[tuple[str, str]]:
    whole = _object(text)
    parts = [whole.get(part) for part in ("require", "require-dev")]
    return [(key, str(value)) for rows in parts if isinstance(rows, dict) for key, value in rows.items() if "/" in key]


def _requirements(text: str) -> list[tuple[str, str]]:
    rows = (re.match(r"([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*([=<>!~][^;#]*)?", line) for line in text.splitlines())
    return [(row[1], row[2] or "") for row in rows if row]


def _pyproject(text: str) -> list[tuple[str, str]]:
    project = _table(text).get("project", {})
    return _requirements("\n".join(project.get("dependencies", []))) if isinstance(project, dict) else []


def _cargo(text: str) -> list[tuple[str, str]]:
    whole = _table(text)
    found = []
    for part in ("dependencies", "dev-dependencies"):
        for key, value in whole.get(part, {}).items():
            version = value if isinstance(value, str) else value.get("version", "") if isinstance(value, dict) else ""
            found.append((key, str(version)))
    return found


def _go_mod(text: str) -> list[tuple[str, str]]:
    return re.findall(r"(?m)^(?:require\s+|\t)([\w.-]+\.[\w./-]+) (v\d\S*)", text)


def _mix(text: str) -> list[tuple[str, str]]:
    return re.findall(r'\{:(\w+),\s*"([^"]*)"', text)


def _gemfile(text: str) -> list[tuple[str, str]]:
    return re.findall(r"""(?m)^\s*gem ['"]([\w-]+)['"](?:, *['"]([^'"]*)['"])?""", text)


def _gemspec(text: str) -> list[tuple[str, str]]:
    return re.findall(r"""add_(?:\w+_)?dependency[ (]['"]([\w-]+)['"](?:, *['"]([^'"]*)['"])?""", text)


_READERS: dict[str, Callable[[str], list[tuple[str, str]]]] = {
    "package.json": _package_json,
    "composer.json": _composer_json,
    "requirements.txt": _requirements,
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "mix.exs": _mix,
    "Gemfile": _gemfile,
    "gemspec": _gemspec,
}


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _folded(text: str) -> str:
    return " ".join(text.split())


def _first_number(version: str) -> str:
    found = _NUMBER.search(version)
    return found[0] if found else ""
