"""Manifests and CI files: which packages a project depends on, and which commands it runs. Pure.

What cannot be read as the format says is read as far as its lines go, or not at all; no manifest is ever executed.
"""

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from codecompass.engine.memory.item import Item, make_item
from codecompass.engine.memory.slots import slots_in

_NAMES = frozenset(
    "package.json composer.json pyproject.toml Cargo.toml go.mod Gemfile mix.exs Makefile makefile GNUmakefile justfile"
    " Justfile Pipfile tox.ini setup.cfg setup.py deno.json".split()
)
_LISTED = re.compile(r"(?:^|/)(?:requirements[^/]*\.txt|requirements/[^/]+\.txt|[^/]+\.gemspec)$")
_CI = re.compile(
    r"(?:^|/)(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.travis\.yml|\.circleci/config\.yml"
    r"|azure-pipelines\.yml|\.cirrus\.yml|appveyor\.yml|bitbucket-pipelines\.yml|Jenkinsfile|\.drone\.yml)$"
)
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*([<>=!~][^;#\n]*)?")
_TARGET = re.compile(r"^([A-Za-z0-9][\w./-]*)\s*:(?!=)([^=\n]*)$")
_GO = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+(v\S+)", re.MULTILINE)
_GEM = re.compile(r"^\s*gem\s+['\"]([^'\"]+)['\"](?:\s*,\s*['\"]([^'\"]+)['\"])?", re.MULTILINE)
_SPEC = re.compile(r"\badd_(?:\w+_)?dependency[ (]+['\"]([^'\"]+)['\"](?:\s*,\s*['\"]([^'\"]+)['\"])?")
_HEX = re.compile(r"\{:(\w+),\s*\"([^\"]+)\"")
_RUN = re.compile(r"^(\s*)-?\s*(?:run|script|command)\s*:\s*(.*)$")
_STEP = re.compile(r"^\s*-\s+(?![\w.-]+\s*:)(\S.*)$")
_ENVIRONMENT = re.compile(r"^\[(?:testenv|tool:nox|flake8)?:?([^\]]*)\]")
_REQUIRES = ("install_requires", "extras_require", "tests_require", "setup_requires")
_EXTRAS = "options.extras_require"
_LOCKS = re.compile(r"^([a-z]+)@")
MOST_SHOWN = 40
_FAMILIES = (
    ("JavaScript", ("package.json", "deno.json")), ("PHP", ("composer.json",)), ("Rust", ("Cargo.toml",)),
    ("Go", ("go.mod",)), ("Ruby", ("Gemfile", ".gemspec")), ("Elixir", ("mix.exs",)),
    ("make", ("Makefile", "makefile")), ("just", ("justfile", "Justfile")),
)  # fmt: skip
_RUNNERS = {
    "JavaScript": ("npm", "pnpm", "yarn", "bun"), "PHP": ("composer",), "make": ("make",), "just": ("just",),
    "Python": ("tox", "nox", "poe", "pdm", "hatch", "task"),
}  # fmt: skip
"""Family → the commands that run its scripts."""


class Manifest(NamedTuple):
    """What one manifest says."""

    scripts: tuple[tuple[str, str], ...] = ()
    dependencies: tuple[tuple[str, str], ...] = ()
    """(name as written, version as written)."""
    slots: tuple[tuple[str, str], ...] = ()
    runtime: str = ""
    lines: tuple[tuple[str, int], ...] = ()


def is_manifest(path: str) -> bool:
    # Every path of a view is asked about: most are settled by their last name.
    return path.rpartition("/")[2] in _NAMES or path.endswith((".txt", ".gemspec")) and _LISTED.search(path) is not None


def family_of(path: str) -> str:
    """Manifests of one family list packages for one manager, or scripts for one runner."""
    return next((name for name, ends in _FAMILIES if path.endswith(ends)), "Python")


def runs_scripts_of(command: str) -> str:
    """The family whose scripts a command runs; empty for none that is known."""
    tool = command.split(None, 1)[0] if command.strip() else ""
    return next((family for family, tools in _RUNNERS.items() if tool in tools), "")


def is_ci(path: str) -> bool:
    return _CI.search(path) is not None


def read_manifest(path: str, text: str) -> Manifest:
    """The scripts and dependencies of a file; empty when it is none or cannot be read."""
    name = path.rpartition("/")[2]
    try:
        if name.endswith(".json"):
            return _json(json.loads(text))
        if name.endswith((".toml", "Pipfile")):
            return _toml(name, tomllib.loads(text))
    except (ValueError, RecursionError):
        return Manifest()
    if name.lower() in ("makefile", "gnumakefile", "justfile"):
        return Manifest(scripts=tuple(_targets(text)))
    if name == "go.mod":
        found = re.search(r"^go\s+(\S+)", text, re.MULTILINE)
        return Manifest(dependencies=tuple(_GO.findall(text)), runtime=f"Go {found[1]}" if found else "")
    if name == "Gemfile":
        return Manifest(dependencies=tuple(_GEM.findall(text)))
    if name.endswith(".gemspec"):
        return Manifest(dependencies=tuple(_SPEC.findall(text)))
    if name == "setup.py":
        return Manifest(dependencies=tuple(_setup_py(text)))
    if name == "mix.exs":
        return Manifest(dependencies=tuple(_HEX.findall(text)))
    if name.endswith(".txt"):
        rows = (_REQUIREMENT.match(line) for line in text.split("\n") if not line.lstrip().startswith(("#", "-")))
        return Manifest(dependencies=tuple((row[1], (row[2] or "").strip()) for row in rows if row))
    return _ini(text)


def _texts(value: object) -> list[tuple[str, str]]:
    return [(str(key), str(one)) for key, one in value.items()] if isinstance(value, dict) else []


def _json(data: object) -> Manifest:
    if not isinstance(data, dict):
        return Manifest()
    fields = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "require", "require-dev")
    packages = [pair for name in fields for pair in _texts(data.get(name))]
    lock = _LOCKS.match(str(data.get("packageManager", "")))
    engines = dict(_texts(data.get("engines")))
    return Manifest(
        tuple(_texts(data.get("scripts")) or _texts(data.get("tasks"))),
        tuple(dict(packages).items()),
        (("JavaScript package manager", lock[1]),) if lock else (),
        f"Node {engines['node']}" if "node" in engines else "",
    )


def _toml(name: str, data: dict[str, Any]) -> Manifest:
    if name == "Cargo.toml":
        tables = [data.get(key, {}) for key in ("dependencies", "dev-dependencies", "build-dependencies")]
        tables.append(data.get("workspace", {}).get("dependencies", {}))
        rows = [(key, _version(value)) for table in tables if isinstance(table, dict) for key, value in table.items()]
        package = data.get("package", {})
        rust = package.get("rust-version") if isinstance(package, dict) else None
        return Manifest(dependencies=tuple(dict(rows).items()), runtime=f"Rust {rust}" if isinstance(rust, str) else "")
    project, tool = _table(data, "project"), _table(data, "tool")
    poetry = _table(tool, "poetry")
    rows = []
    lists = [project.get("dependencies", ()), *_table(project, "optional-dependencies").values()]
    lists += list(_table(data, "dependency-groups").values())
    for one in lists:
        for line in one if isinstance(one, list) else ():
            match = _REQUIREMENT.match(line) if isinstance(line, str) else None
            rows += [(match[1], (match[2] or "").strip())] if match else []
    groups = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    groups += [data.get("packages", {}), data.get("dev-packages", {})]
    groups += [_table(group, "dependencies") for group in _table(poetry, "group").values() if isinstance(group, dict)]
    rows += [(key, _version(value)) for table in groups if isinstance(table, dict) for key, value in table.items()]
    scripts = [*_texts(project.get("scripts")), *_texts(poetry.get("scripts"))]
    for runner, key in (("pdm", "scripts"), ("poe", "tasks"), ("taskipy", "tasks")):
        scripts += _texts(_table(tool, runner).get(key))
    for environment in _table(_table(tool, "hatch"), "envs").values():
        scripts += _texts(environment.get("scripts")) if isinstance(environment, dict) else []
    python = str(project.get("requires-python") or dict(rows).get("python", ""))
    manager = next((one for one in ("poetry", "pdm", "uv") if one in tool), "")
    slots = (("Python package manager", manager),) if manager else ()
    packages = {key: value for key, value in rows if key != "python"}
    return Manifest(tuple(scripts), tuple(packages.items()), slots, f"Python {python}" if python else "")


def _setup_py(text: str) -> Iterator[tuple[str, str]]:
    """What `install_requires` and its like list, read from the syntax; lists under a name of the file are followed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in somebody else's file
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
            for row in _rows(value, lists):
                if match := _REQUIREMENT.match(row):
                    yield match[1], (match[2] or "").strip()


def _rows(value: ast.expr, lists: dict[str, ast.expr]) -> Iterator[str]:
    """The texts of a list, of lists that are added, or of the lists in a table."""
    if isinstance(value, ast.Dict):
        for one in value.values:
            yield from _rows(one, {})
    elif isinstance(value, ast.BinOp):
        yield from _rows(value.left, lists)
        yield from _rows(value.right, lists)
    elif isinstance(value, ast.Name) and value.id in lists:
        yield from _rows(lists[value.id], {})
    elif isinstance(value, ast.List | ast.Tuple | ast.Set):
        yield from (one.value for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _table(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _version(value: object) -> str:
    return value if isinstance(value, str) else str(value.get("version", "")) if isinstance(value, dict) else ""


def _targets(text: str) -> Iterator[tuple[str, str]]:
    """Targets with their recipes, prerequisites first."""
    name, recipe = "", list[str]()
    for line in text.split("\n"):
        found = _TARGET.match(line) if line[:1] not in ("\t", " ", "#", ".") else None
        if found:
            if name:
                yield name, "; ".join(recipe)
            name, recipe = found[1], [found[2].strip()] if found[2].strip() else []
        elif name and line[:1] in ("\t", " ") and line.strip():
            recipe.append(line.strip().lstrip("@-"))
    if name:
        yield name, "; ".join(recipe)


def _ini(text: str) -> Manifest:
    """Environments of tox with their commands, and what `install_requires` and the extras list."""
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
    return Manifest(tuple((name, "; ".join(lines)) for name, lines in scripts.items()), tuple(packages.items()))


# -- items ---------------------------------------------------------------------------------------------------------


def mine_manifest(path: str, text: str) -> Iterator[Item]:
    """What a manifest says as statements: the packages, the scripts, the runtime."""
    found = read_manifest(path, text)
    name = path.rpartition("/")[2]
    last = text.count("\n") + 1
    if found.dependencies or found.runtime:
        rows = [f"{key} {value}".strip() for key, value in found.dependencies[:MOST_SHOWN]]
        more = len(found.dependencies) - len(rows)
        head = f"{name} requires {found.runtime}. " if found.runtime else f"{name}. "
        said = head + (f"Depends on: {', '.join(rows)}" + (f" and {more} more." if more > 0 else ".") if rows else "")
        item = make_item("pattern", "manifest", said, f"Dependencies in {path}", lines=(1, last), key=f"dep {path}")
        yield item._replace(slots=found.slots)
    if found.scripts:
        rows = [f"{key}: {value[:160]}" for key, value in found.scripts[:MOST_SHOWN]]
        said = f"Scripts of {name}\n" + "\n".join(rows)
        item = make_item("pattern", "manifest", said, f"Commands in {path}", lines=(1, last), key=f"run {path}")
        yield item._replace(slots=slots_in("\n".join(f"run {value}" for _, value in found.scripts)))


def mine_ci(path: str, text: str) -> Iterator[Item]:
    """The commands that CI runs."""
    commands = list(dict.fromkeys(_commands(text)))[:MOST_SHOWN]
    if commands:
        said = f"CI ({path}) runs:\n" + "\n".join(commands)
        lines = (1, text.count("\n") + 1)
        item = make_item("pattern", "ci", said, f"CI commands in {path}", lines=lines, key=f"ci {path}")
        yield item._replace(slots=slots_in("\n".join(f"run {line}" for line in commands)))


def _commands(text: str) -> Iterator[str]:
    depth = -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if depth >= 0 and line.strip():
            if indent > depth:
                step = _STEP.match(line)
                yield (step[1] if step else line.strip())[:200]
                continue
            depth = -1
        found = _RUN.match(line)
        if found:
            said = found[2].strip()
            if said in ("|", ">", "|-", ">-", ""):
                depth = len(found[1])
            elif not said.startswith(("[", "{", "&", "*")):
                yield said.strip("'\"")[:200]
