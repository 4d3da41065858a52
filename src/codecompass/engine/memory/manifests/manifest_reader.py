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
from codecompass.engine.memory.manifests.package_manifest import PackageManifest, get_table, get_version, to_pairs
from codecompass.engine.memory.manifests.python_manifests import read_ini, read_pyproject, read_requirements, read_setup
from codecompass.engine.memory.mining.mined_item import MinedItem, make_item
from codecompass.engine.memory.mining.tool_choices import extract_tool_choices

_PACKAGE_MANAGER = re.compile(r"^([a-z]+)@")
_REQUIREMENTS_PATH = re.compile(r"(?:^|/)(?:requirements[^/]*\.txt|requirements/[^/]+\.txt)$")
MAX_SHOWN = 40


class ManifestFormat(NamedTuple):
    """One manifest format. Formats of one family share a package manager or script runner."""

    family: str
    read: Callable[[str], PackageManifest]
    """Raises ValueError or RecursionError if the text cannot be read."""
    names: str = ""
    """File names, separated by spaces."""
    endings: tuple[str, ...] = ()


def _read_json(text: str) -> PackageManifest:
    """Read a `package.json` or a file with the same structure."""
    data = json.loads(text)
    if not isinstance(data, dict):
        return PackageManifest()
    fields = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "require", "require-dev")
    packages = [pair for name in fields for pair in to_pairs(data.get(name))]
    lock = _PACKAGE_MANAGER.match(str(data.get("packageManager", "")))
    engines = dict(to_pairs(data.get("engines")))
    return PackageManifest(
        tuple(to_pairs(data.get("scripts")) or to_pairs(data.get("tasks"))),
        tuple(dict(packages).items()),
        (("JavaScript package manager", lock[1]),) if lock else (),
        f"Node {engines['node']}" if "node" in engines else "",
    )


def _read_cargo(text: str) -> PackageManifest:
    data = tomllib.loads(text)
    parts = ("dependencies", "dev-dependencies", "build-dependencies")
    tables: list[dict[str, Any]] = [get_table(data, part) for part in parts]
    tables.append(get_table(get_table(data, "workspace"), "dependencies"))
    for target in get_table(data, "target").values():
        tables += [get_table(target, part) for part in parts] if isinstance(target, dict) else []
    rows = [(key, get_version(value)) for one in tables for key, value in one.items()]
    rust = get_table(data, "package").get("rust-version")
    return PackageManifest(
        dependencies=tuple(dict(rows).items()), runtime=f"Rust {rust}" if isinstance(rust, str) else ""
    )


FORMATS = (
    ManifestFormat("JavaScript", _read_json, "package.json deno.json"),
    ManifestFormat("PHP", _read_json, "composer.json"),
    ManifestFormat("Python", read_pyproject, "pyproject.toml Pipfile"),
    ManifestFormat("Python", read_setup, "setup.py"),
    ManifestFormat("Python", read_ini, "setup.cfg tox.ini"),
    ManifestFormat("Rust", _read_cargo, "Cargo.toml"),
    ManifestFormat("Go", read_go, "go.mod"),
    ManifestFormat("Ruby", read_gems, "Gemfile"),
    ManifestFormat("Ruby", read_gemspec, endings=(".gemspec",)),
    ManifestFormat("Elixir", read_mix, "mix.exs"),
    ManifestFormat("JVM", read_maven, "pom.xml"),
    ManifestFormat("JVM", read_gradle, endings=(".gradle", ".gradle.kts")),
    ManifestFormat("JVM", read_catalog, endings=(".versions.toml",)),
    ManifestFormat("JVM", read_sbt, "Dependencies.scala", (".sbt",)),
    ManifestFormat(".NET", read_project, "Directory.Packages.props Directory.Build.props Directory.Build.targets",
           (".csproj", ".fsproj", ".vbproj")),
    ManifestFormat(".NET", read_packages, "packages.config", (".nuspec",)),
    ManifestFormat(".NET", read_sdk, "global.json dotnet-tools.json"),
    ManifestFormat("Swift", read_swift, "Package.swift"),
    ManifestFormat("CocoaPods", read_pods, "Podfile"),
    ManifestFormat("CMake", read_cmake, "CMakeLists.txt"),
    ManifestFormat("vcpkg", read_vcpkg, "vcpkg.json"),
    ManifestFormat("make", read_make, "Makefile makefile GNUmakefile"),
    ManifestFormat("just", read_make, "Justfile justfile"),
)  # fmt: skip
_REQUIREMENTS = ManifestFormat("Python", read_requirements)
RUNNERS = {
    "JavaScript": ("npm", "pnpm", "yarn", "bun"), "PHP": ("composer",), "make": ("make",), "just": ("just",),
    "Python": ("tox", "nox", "poe", "pdm", "hatch", "task"), "JVM": ("gradle", "gradlew", "mvn", "mvnw", "sbt"),
    "Elixir": ("mix",), "CMake": ("cmake",), ".NET": ("dotnet", "msbuild"),
}  # fmt: skip
"""Family → the commands that run its scripts."""
_BY_NAME = {name: one for one in FORMATS for name in one.names.split()}
_BY_ENDING = {ending: one for one in FORMATS for ending in one.endings}
_ENDINGS = (".txt", *_BY_ENDING)


def _find_format(path: str) -> ManifestFormat | None:
    # Called for every path of a view: most are decided by their file name.
    name = path.rpartition("/")[2]
    known = _BY_NAME.get(name)
    if known is not None or not name.endswith(_ENDINGS):
        return known
    if name.endswith(".txt"):
        return _REQUIREMENTS if _REQUIREMENTS_PATH.search(path) else None
    return next(one for ending, one in _BY_ENDING.items() if name.endswith(ending))


def is_manifest(path: str) -> bool:
    return _find_format(path) is not None


def get_family(path: str) -> str:
    """Return the family of a manifest by its path; empty if it is not a manifest."""
    known = _find_format(path)
    return known.family if known is not None else ""


def get_runner_family(command: str) -> str:
    """Return the family whose scripts a command runs; empty if unknown."""
    tool = command.split(None, 1)[0] if command.strip() else ""
    return next((family for family, tools in RUNNERS.items() if tool.removeprefix("./") in tools), "")


def read_manifest(path: str, text: str) -> PackageManifest:
    """Read a manifest; empty if the file is not one or cannot be read."""
    known = _find_format(path)
    try:
        return known.read(text) if known is not None else PackageManifest()
    except (ValueError, RecursionError):
        return PackageManifest()


def mine_manifest(path: str, text: str) -> Iterator[MinedItem]:
    """Mine a manifest as statements about packages, scripts and the runtime."""
    found = read_manifest(path, text)
    name = path.rpartition("/")[2]
    last = text.rstrip().count("\n") + 1
    if found.dependencies or found.runtime:
        rows = [f"{key} {value}".strip() for key, value in found.dependencies[:MAX_SHOWN]]
        more = len(found.dependencies) - len(rows)
        head = f"{name} requires {found.runtime}. " if found.runtime else f"{name}. "
        content = head + (
            f"Depends on: {', '.join(rows)}" + (f" and {more} more." if more > 0 else ".") if rows else ""
        )
        item = make_item("pattern", "manifest", content, f"Dependencies in {path}", lines=(1, last), key=f"dep {path}")
        yield item._replace(slots=found.slots)
    if found.scripts:
        rows = [f"{key}: {value[:160]}" for key, value in found.scripts[:MAX_SHOWN]]
        content = f"Scripts of {name}\n" + "\n".join(rows)
        item = make_item("pattern", "manifest", content, f"Commands in {path}", lines=(1, last), key=f"run {path}")
        yield item._replace(slots=extract_tool_choices("\n".join(f"run {value}" for _, value in found.scripts)))
