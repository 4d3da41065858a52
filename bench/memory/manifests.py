"""Manifests: the scripts and dependencies that a project's own files name, read by small parsers of this benchmark."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from bench.memory.facts import Dependency, Script

_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?")
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
            found[name].append(_folded(line).lstrip("@-"))
        elif line.strip() and not line.startswith((" ", "#")):
            name = ""
    return [Script(f"make {key}", " ; ".join(filter(None, lines))) for key, lines in found.items()]


def dependencies_of(path: str, text: str) -> list[Dependency]:
    """Packages that a manifest names, with what their version promises; none where the file is no manifest."""
    reader = _READERS.get(_sort(path))
    rows = reader(text) if reader else []
    return list({key: Dependency(key, _promise(version)) for key, version in rows}.values())


def manager_of(path: str) -> str:
    """Which package manager reads a manifest, told by its name."""
    sort = _sort(path)
    return _TOGETHER.get(sort, sort)


def _sort(path: str) -> str:
    name = PurePosixPath(path).name
    if name.endswith(".txt") and "require" in path:
        return "requirements.txt"
    return "gemspec" if name.endswith(".gemspec") else name


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
    if not isinstance(project, dict):
        return []
    extras = [row for rows in project.get("optional-dependencies", {}).values() for row in rows]
    return _requirements("\n".join([*project.get("dependencies", []), *extras]))


def _setup_py(text: str) -> list[tuple[str, str]]:
    """Texts in quotes that stand alone on their line and look like a requirement."""
    rows = re.findall(
        r"""(?m)^\s*['"]([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*([=<>!~][^'";]*)?(?:;[^'"]*)?['"],?\s*$""", text
    )
    return [(name, version) for name, version in rows]


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
    "setup.py": _setup_py,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "mix.exs": _mix,
    "Gemfile": _gemfile,
    "gemspec": _gemspec,
}


_TOGETHER = {"pyproject.toml": "pip", "setup.py": "pip", "requirements.txt": "pip", "Gemfile": "gem", "gemspec": "gem"}


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


def _promise(version: str) -> str:
    """The part of a version that promises compatibility: the first number, of 0.x the second too."""
    found = _NUMBER.search(version)
    if not found:
        return ""
    return found[0] if found[1] == "0" else found[1]
