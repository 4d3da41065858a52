"""Build scripts: read manifests that are programs or plain lists, line by line. Pure."""

import json
import re
from collections.abc import Iterator

from codecompass.engine.memory.manifests.package_manifest import (
    PackageManifest,
    collapse_lines,
    merge_versions,
    strip_comments,
)

_TARGET = re.compile(r"^([A-Za-z0-9][\w./-]*)\s*:(?!=)([^=\n]*)$")
_GO_REQUIREMENT = re.compile(r"^[ \t]*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+(v\S+)", re.MULTILINE)
_GO_VERSION = re.compile(r"^go\s+(\S+)", re.MULTILINE)
_GEM = re.compile(r"^[ \t]*gem\s+['\"]([^'\"]+)['\"](?:\s*,\s*['\"]([^'\"]+)['\"])?", re.MULTILINE)
_RUBY = re.compile(r"^[ \t]*ruby\s+['\"]([^'\"]+)['\"]", re.MULTILINE)
_SPEC = re.compile(r"\badd_(?:\w+_)?dependency[ (]+['\"]([^'\"]+)['\"](?:\s*,\s*['\"]([^'\"]+)['\"])?")
_POD = re.compile(r"^[ \t]*pod\s+['\"]([^'\"]+)['\"](?:\s*,\s*['\"]([^'\"]+)['\"])?", re.MULTILINE)
_HEX = re.compile(r"\{:(\w+),\s*(?:\"([^\"]+)\"|(?:git|github|path|in_umbrella)\b)")
_ELIXIR = re.compile(r"\belixir:\s*\"([^\"]+)\"")
_ALIASES = re.compile(r"\bdefp?\s+aliases\b[^\[]{0,40}\[")
_ALIAS = re.compile(r"^[ \t]*\"?([a-z][\w.]*)\"?:[ \t]*(\[[^\]]*\]|\"[^\"\n]*\")", re.MULTILINE)
_LONGEST_ALIASES = 8_000
_PACKAGE = re.compile(r"\.package\s*\([^()]{0,200}?\burl:\s*\"([^\"\s]+)\"\s*,?([^\n]{0,160})")
_NUMBER = re.compile(r"\"(\d[\w.+-]*)\"")
_SWIFT = re.compile(r"swift-tools-version:\s*(\d[\d.]*)")
_FOUND = re.compile(r"\bfind_package\s*\(\s*([\w.+-]+)(?:\s+(\d[\d.]*))?", re.IGNORECASE)
_FETCHED = re.compile(r"\b(?:FetchContent_Declare|ExternalProject_Add)\s*\(\s*([\w.+-]+)([^()]{0,1000})", re.IGNORECASE)
_TAG = re.compile(r"\bGIT_TAG\s+\"?(v?\d[\w.-]*)", re.IGNORECASE)
_VERSIONED = re.compile(r"v?\d{1,8}(?:\.[\w.-]+)?$")
"""A tag that is a version and not a commit id."""
_CUSTOM = re.compile(r"\badd_custom_target\s*\(\s*([\w.+-]+)([^()]{0,1000})", re.IGNORECASE)
_COMMAND = re.compile(
    r"\bCOMMAND\s+(.{1,400}?)(?=\s(?:COMMAND|DEPENDS|COMMENT|WORKING_DIRECTORY|VERBATIM|USES_TERMINAL)\b|$)", re.DOTALL
)
_CMAKE = re.compile(r"\bcmake_minimum_required\s*\(\s*VERSION\s+(\d[\d.]*)", re.IGNORECASE)


def read_make(text: str) -> PackageManifest:
    return PackageManifest(scripts=tuple(_parse_targets(text)))


def _parse_targets(text: str) -> Iterator[tuple[str, str]]:
    """Yield targets with their prerequisites and recipes."""
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


def read_go(text: str) -> PackageManifest:
    found = _GO_VERSION.search(text)
    return PackageManifest(dependencies=tuple(_GO_REQUIREMENT.findall(text)), runtime=f"Go {found[1]}" if found else "")


def read_gems(text: str) -> PackageManifest:
    """Read a `Gemfile`."""
    ruby = _RUBY.search(text)
    return PackageManifest(dependencies=tuple(_GEM.findall(text)), runtime=f"Ruby {ruby[1]}" if ruby else "")


def read_gemspec(text: str) -> PackageManifest:
    return PackageManifest(dependencies=tuple(_SPEC.findall(text)))


def read_pods(text: str) -> PackageManifest:
    """Read a `Podfile`; a subspec counts as its pod."""
    return PackageManifest(
        dependencies=merge_versions((name.partition("/")[0], version) for name, version in _POD.findall(text))
    )


def read_mix(text: str) -> PackageManifest:
    """Read a `mix.exs` of Elixir; aliases are scripts."""
    plain = strip_comments(text, "#")
    elixir, aliases = _ELIXIR.search(plain), _ALIASES.search(plain)
    named = plain[aliases.end() : aliases.end() + _LONGEST_ALIASES].partition("\n  end")[0] if aliases else ""
    scripts = tuple((name, collapse_lines(does.strip('[]" \n'))) for name, does in _ALIAS.findall(named))
    return PackageManifest(
        scripts, merge_versions(_HEX.findall(plain)), runtime=f"Elixir {elixir[1]}" if elixir else ""
    )


def read_swift(text: str) -> PackageManifest:
    """Read a `Package.swift`; dependencies are named by the last part of their URL."""
    tools = _SWIFT.search(text)
    rows = []
    for address, rest in _PACKAGE.findall(strip_comments(text, "//")):
        number = _NUMBER.search(rest)
        rows.append((address.rstrip("/").rpartition("/")[2].removesuffix(".git"), number[1] if number else ""))
    return PackageManifest(dependencies=merge_versions(rows), runtime=f"Swift {tools[1]}" if tools else "")


def read_cmake(text: str) -> PackageManifest:
    """Read a `CMakeLists.txt`: packages found or fetched, custom targets, and the minimum CMake version."""
    plain = strip_comments(text, "#")
    rows = _FOUND.findall(plain)
    for name, rest in _FETCHED.findall(plain):
        tag = _TAG.search(rest)
        rows.append((name, tag[1] if tag and _VERSIONED.match(tag[1]) else ""))
    scripts = tuple((name, collapse_lines("; ".join(_COMMAND.findall(rest)))) for name, rest in _CUSTOM.findall(plain))
    needed = _CMAKE.search(plain)
    return PackageManifest(scripts, merge_versions(rows), runtime=f"CMake {needed[1]}" if needed else "")


def read_vcpkg(text: str) -> PackageManifest:
    """Read a `vcpkg.json`: names, or objects with a name."""
    data = json.loads(text)
    listed = data.get("dependencies") if isinstance(data, dict) else None
    rows = []
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            rows.append((str(one.get("name", "")), str(one.get("version>=", ""))))
        elif isinstance(one, str):
            rows.append((one, ""))
    return PackageManifest(dependencies=merge_versions(row for row in rows if row[0]))
