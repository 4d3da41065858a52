"""Python manifests: read requirements files, `pyproject.toml`, `setup.py` and INI files. Pure; nothing is run."""

import ast
import re
import tomllib
import warnings
from collections.abc import Iterator

from codecompass.engine.memory.manifests.package_manifest import PackageManifest, get_table, get_version, to_pairs

_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*([<>=!~][^;#\n]*)?")
_ENVIRONMENT = re.compile(r"^\[(?:testenv|tool:nox|flake8)?:?([^\]]*)\]")
_REQUIRES = ("install_requires", "extras_require", "tests_require", "setup_requires")
_EXTRAS = "options.extras_require"


def read_requirements(text: str) -> PackageManifest:
    rows = (_REQUIREMENT.match(line) for line in text.split("\n") if not line.lstrip().startswith(("#", "-")))
    return PackageManifest(dependencies=tuple((row[1], (row[2] or "").strip()) for row in rows if row))


def read_pyproject(text: str) -> PackageManifest:
    """Read a `pyproject.toml` of any tool, or a `Pipfile`."""
    data = tomllib.loads(text)
    project, tool = get_table(data, "project"), get_table(data, "tool")
    poetry = get_table(tool, "poetry")
    rows = []
    lists = [project.get("dependencies", ()), *get_table(project, "optional-dependencies").values()]
    lists += list(get_table(data, "dependency-groups").values())
    for one in lists:
        for line in one if isinstance(one, list) else ():
            match = _REQUIREMENT.match(line) if isinstance(line, str) else None
            rows += [(match[1], (match[2] or "").strip())] if match else []
    groups = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    groups += [data.get("packages", {}), data.get("dev-packages", {})]
    groups += [
        get_table(group, "dependencies") for group in get_table(poetry, "group").values() if isinstance(group, dict)
    ]
    rows += [(key, get_version(value)) for group in groups if isinstance(group, dict) for key, value in group.items()]
    scripts = [*to_pairs(project.get("scripts")), *to_pairs(poetry.get("scripts"))]
    for runner, key in (("pdm", "scripts"), ("poe", "tasks"), ("taskipy", "tasks")):
        scripts += to_pairs(get_table(tool, runner).get(key))
    for environment in get_table(get_table(tool, "hatch"), "envs").values():
        scripts += to_pairs(environment.get("scripts")) if isinstance(environment, dict) else []
    python = str(project.get("requires-python") or dict(rows).get("python", ""))
    manager = next((one for one in ("poetry", "pdm", "uv") if one in tool), "")
    slots = (("Python package manager", manager),) if manager else ()
    packages = {key: value for key, value in rows if key != "python"}
    return PackageManifest(tuple(scripts), tuple(packages.items()), slots, f"Python {python}" if python else "")


def read_setup(text: str) -> PackageManifest:
    """Read a `setup.py` from its syntax tree."""
    return PackageManifest(dependencies=tuple(_parse_setup_requirements(text)))


def _parse_setup_requirements(text: str) -> Iterator[tuple[str, str]]:
    """Yield the packages of `install_requires` and similar arguments; lists in module variables are followed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the file
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lists: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            lists[node.targets[0].id] = node.value
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in _REQUIRES:
            value = lists.get(node.value.id, node.value) if isinstance(node.value, ast.Name) else node.value
            for row in _iter_requirement_strings(value, lists):
                if match := _REQUIREMENT.match(row):
                    yield match[1], (match[2] or "").strip()


def _iter_requirement_strings(value: ast.expr, lists: dict[str, ast.expr]) -> Iterator[str]:
    """Yield the strings of a list, of concatenated lists, or of the lists in a dict."""
    if isinstance(value, ast.Dict):
        for one in value.values:
            yield from _iter_requirement_strings(one, {})
    elif isinstance(value, ast.BinOp):
        yield from _iter_requirement_strings(value.left, lists)
        yield from _iter_requirement_strings(value.right, lists)
    elif isinstance(value, ast.Name) and value.id in lists:
        yield from _iter_requirement_strings(lists[value.id], {})
    elif isinstance(value, ast.List | ast.Tuple | ast.Set):
        yield from (one.value for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str))


def read_ini(text: str) -> PackageManifest:
    """Read tox environments with their commands, and the packages of `install_requires` and extras."""
    scripts: dict[str, list[str]] = {}
    packages: dict[str, str] = {}
    section, key = "", ""
    for line in text.split("\n"):
        head = _ENVIRONMENT.match(line)
        if head:
            section, key = head[1] or "default", ""
            continue
        if line[:1].strip() and "=" in line:
            key, _, value = (part.strip() for part in line.partition("="))
        else:
            value = line.strip()
        if not value or value.startswith("#"):
            continue
        if key == "commands":
            scripts.setdefault(section, []).append(value)
        elif (key in _REQUIRES or section == _EXTRAS) and (match := _REQUIREMENT.match(value)):
            packages[match[1]] = (match[2] or "").strip()
    return PackageManifest(tuple((name, "; ".join(lines)) for name, lines in scripts.items()), tuple(packages.items()))
