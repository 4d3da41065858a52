"""Manifest reader: read the dependencies and commands of a project from manifests of all formats. Pure.

A file that does not parse yields an empty manifest; no manifest is ever executed.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from codecompass.engine.memory.manifests.build_scripts import (
    read_cmake,
    read_gems,
    read_gemspec,
    read_go,
    read_make,
    read_mix,
    read_pods,
    read_swift,
    read_vcpkg,
)
from codecompass.engine.memory.manifests.dotnet_manifests import read_packages, read_project, read_sdk
from codecompass.engine.memory.manifests.jvm_manifests import read_catalog, read_gradle, read_maven, read_sbt
from codecompass.engine.memory.manifests.package_manifest import Manifest, table, texts, version_in
from codecompass.engine.memory.manifests.python_manifests import read_ini, read_pyproject, read_requirements, read_setup
from codecompass.engine.memory.mining.mined_item import Item, make_item
from codecompass.engine.memory.mining.tool_choices import slots_in

_LOCKS = re.compile(r"^([a-z]+)@")
_LISTED = re.compile(r"(?:^|/)(?:requirements[^/]*\.txt|requirements/[^/]+\.txt)$")
MOST_SHOWN = 40


class Format(NamedTuple):
    """One manifest format. Formats of one family share a package manager or script runner."""

    family: str
    read: Callable[[str], Manifest]
    """Raises ValueError or RecursionError if the text cannot be read."""
    names: str = ""
    """File names, separated by spaces."""
    endings: tuple[str, ...] = ()


def _read_json(text: str) -> Manifest:
    """Read a `package.json` or a file with the same structure."""
    data = json.loads(text)
    if not isinstance(data, dict):
        return Manifest()
    fields = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "require", "require-dev")
    packages = [pair for name in fields for pair in texts(data.get(name))]
    lock = _LOCKS.match(str(data.get("packageManager", "")))
    engines = dict(texts(data.get("engines")))
    return Manifest(
        tuple(texts(data.get("scripts")) or texts(data.get("tasks"))),
        tuple(dict(packages).items()),
        (("JavaScript package manager", lock[1]),) if lock else (),
        f"Node {engines['node']}" if "node" in engines else "",
    )


def _read_cargo(text: str) -> Manifest:
    data = tomllib.loads(text)
    parts = ("dependencies", "dev-dependencies", "build-dependencies")
    tables: list[dict[str, Any]] = [table(data, part) for part in parts]
    tables.append(table(table(data, "workspace"), "dependencies"))
    for target in table(data, "target").values():
        tables += [table(target, part) for part in parts] if isinstance(target, dict) else []
    rows = [(key, version_in(value)) for one in tables for key, value in one.items()]
    rust = table(data, "package").get("rust-version")
    return Manifest(dependencies=tuple(dict(rows).items()), runtime=f"Rust {rust}" if isinstance(rust, str) else "")


FORMATS = (
    Format("JavaScript", _read_json, "package.json deno.json"),
    Format("PHP", _read_json, "composer.json"),
    Format("Python", read_pyproject, "pyproject.toml Pipfile"),
    Format("Python", read_setup, "setup.py"),
    Format("Python", read_ini, "setup.cfg tox.ini"),
    Format("Rust", _read_cargo, "Cargo.toml"),
    Format("Go", read_go, "go.mod"),
    Format("Ruby", read_gems, "Gemfile"),
    Format("Ruby", read_gemspec, endings=(".gemspec",)),
    Format("Elixir", read_mix, "mix.exs"),
    Format("JVM", read_maven, "pom.xml"),
    Format("JVM", read_gradle, endings=(".gradle", ".gradle.kts")),
    Format("JVM", read_catalog, endings=(".versions.toml",)),
    Format("JVM", read_sbt, "Dependencies.scala", (".sbt",)),
    Format(".NET", read_project, "Directory.Packages.props Directory.Build.props Directory.Build.targets",
           (".csproj", ".fsproj", ".vbproj")),
    Format(".NET", read_packages, "packages.config", (".nuspec",)),
    Format(".NET", read_sdk, "global.json dotnet-tools.json"),
    Format("Swift", read_swift, "Package.swift"),
    Format("CocoaPods", read_pods, "Podfile"),
    Format("CMake", read_cmake, "CMakeLists.txt"),
    Format("vcpkg", read_vcpkg, "vcpkg.json"),
    Format("make", read_make, "Makefile makefile GNUmakefile"),
    Format("just", read_make, "Justfile justfile"),
)  # fmt: skip
_REQUIREMENTS = Format("Python", read_requirements)
RUNNERS = {
    "JavaScript": ("npm", "pnpm", "yarn", "bun"), "PHP": ("composer",), "make": ("make",), "just": ("just",),
    "Python": ("tox", "nox", "poe", "pdm", "hatch", "task"), "JVM": ("gradle", "gradlew", "mvn", "mvnw", "sbt"),
    "Elixir": ("mix",), "CMake": ("cmake",), ".NET": ("dotnet", "msbuild"),
}  # fmt: skip
"""Family → the commands that run its scripts."""
_BY_NAME = {name: one for one in FORMATS for name in one.names.split()}
_BY_ENDING = {ending: one for one in FORMATS for ending in one.endings}
_ENDINGS = (".txt", *_BY_ENDING)


def _format(path: str) -> Format | None:
    # Called for every path of a view: most are decided by their file name.
    name = path.rpartition("/")[2]
    known = _BY_NAME.get(name)
    if known is not None or not name.endswith(_ENDINGS):
        return known
    if name.endswith(".txt"):
        return _REQUIREMENTS if _LISTED.search(path) else None
    return next(one for ending, one in _BY_ENDING.items() if name.endswith(ending))


def is_manifest(path: str) -> bool:
    return _format(path) is not None


def family_of(path: str) -> str:
    """Return the family of a manifest by its path; empty if it is not a manifest."""
    known = _format(path)
    return known.family if known is not None else ""


def runs_scripts_of(command: str) -> str:
    """Return the family whose scripts a command runs; empty if unknown."""
    tool = command.split(None, 1)[0] if command.strip() else ""
    return next((family for family, tools in RUNNERS.items() if tool.removeprefix("./") in tools), "")


def read_manifest(path: str, text: str) -> Manifest:
    """Read a manifest; empty if the file is not one or cannot be read."""
    known = _format(path)
    try:
        return known.read(text) if known is not None else Manifest()
    except (ValueError, RecursionError):
        return Manifest()


def mine_manifest(path: str, text: str) -> Iterator[Item]:
    """Mine a manifest as statements about packages, scripts and the runtime."""
    found = read_manifest(path, text)
    name = path.rpartition("/")[2]
    last = text.rstrip().count("\n") + 1
    if found.dependencies or found.runtime:
        rows = [f"{key} {value}".strip() for key, value in found.dependencies[:MOST_SHOWN]]
        more = len(found.dependencies) - len(rows)
        head = f"{name} requires {found.runtime}. " if found.runtime else f"{name}. "
        content = head + (
            f"Depends on: {', '.join(rows)}" + (f" and {more} more." if more > 0 else ".") if rows else ""
        )
        item = make_item("pattern", "manifest", content, f"Dependencies in {path}", lines=(1, last), key=f"dep {path}")
        yield item._replace(slots=found.slots)
    if found.scripts:
        rows = [f"{key}: {value[:160]}" for key, value in found.scripts[:MOST_SHOWN]]
        content = f"Scripts of {name}\n" + "\n".join(rows)
        item = make_item("pattern", "manifest", content, f"Commands in {path}", lines=(1, last), key=f"run {path}")
        yield item._replace(slots=slots_in("\n".join(f"run {value}" for _, value in found.scripts)))
