"""Dotnet: what projects, shared versions and lists of packages of .NET say. Pure."""

import json

from codecompass.engine.memory.manifests.package_manifest import Manifest, filled, folded, versions_of
from codecompass.engine.memory.manifests.xml_tree import Element, read_markup

_REFERENCES = ("PackageReference", "PackageVersion", "GlobalPackageReference", "DotNetCliToolReference")
_FRAMEWORKS = ("TargetFramework", "TargetFrameworks", "TargetFrameworkVersion")


def read_project(text: str) -> Manifest:
    """A project, or properties that several share: packages, targets with what they run, the framework."""
    project = read_markup(text)
    if project.name != "Project":
        return Manifest()
    said = {one.name: one.text.strip() for group in project.all("PropertyGroup") for one in group.children}
    rows = []
    for one in project.all(*_REFERENCES):
        version = one.said("VersionOverride") or one.said("Version")
        rows += [
            (name.strip(), filled(version, said))
            for name in (one.said("Include") or one.said("Update")).split(";")
            if name.strip() and "$" not in name
        ]
    if sdk := project.attributes.get("Sdk", ""):
        name, _, version = sdk.partition("/")
        rows += [(name, version)] if version else []
    framework = next((value for key in _FRAMEWORKS if (value := filled(said.get(key, ""), said))), "")
    scripts = tuple((one.said("Name"), _commands(one)) for one in project.all("Target") if one.said("Name"))
    return Manifest(scripts, versions_of(rows), runtime=f".NET {framework}" if framework else "")


def _commands(target: Element) -> str:
    return folded("; ".join(filter(None, (one.said("Command") for one in target.all("Exec")))))


def read_packages(text: str) -> Manifest:
    """`packages.config` of older projects, and the dependencies of a package's own description."""
    listed = read_markup(text)
    return Manifest(dependencies=versions_of(
        (one.said("id"), one.said("version")) for one in listed.all("package", "dependency") if one.said("id")
    ))  # fmt: skip


def read_sdk(text: str) -> Manifest:
    """`global.json` and `dotnet-tools.json`: which kit builds it, and with which tools."""
    data = json.loads(text)
    if not isinstance(data, dict):
        return Manifest()
    kits, tools, sdk = (_object(data.get(key)) for key in ("msbuild-sdks", "tools", "sdk"))
    rows = [(name, str(version)) for name, version in kits.items()]
    rows += [(name, str(_object(one).get("version", ""))) for name, one in tools.items()]
    version = str(sdk.get("version", ""))
    return Manifest(dependencies=versions_of(rows), runtime=f".NET SDK {version}" if version else "")


def _object(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}
