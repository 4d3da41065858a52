""".NET manifests: read project files, central package versions and package lists. Pure."""

import json

from codecompass.engine.memory.manifests.package_manifest import (
    PackageManifest,
    collapse_lines,
    expand_variables,
    merge_versions,
)
from codecompass.engine.memory.manifests.xml_tree import XmlElement, parse_xml

_REFERENCES = ("PackageReference", "PackageVersion", "GlobalPackageReference", "DotNetCliToolReference")
_FRAMEWORKS = ("TargetFramework", "TargetFrameworks", "TargetFrameworkVersion")


def read_project(text: str) -> PackageManifest:
    """Read a project or shared properties: packages, targets with their commands, the framework."""
    project = parse_xml(text)
    if project.name != "Project":
        return PackageManifest()
    properties = {one.name: one.text.strip() for group in project.find_all("PropertyGroup") for one in group.children}
    rows = []
    for one in project.find_all(*_REFERENCES):
        version = one.get_value("VersionOverride") or one.get_value("Version")
        rows += [
            (name.strip(), expand_variables(version, properties))
            for name in (one.get_value("Include") or one.get_value("Update")).split(";")
            if name.strip() and "$" not in name
        ]
    if sdk := project.attributes.get("Sdk", ""):
        name, _, version = sdk.partition("/")
        rows += [(name, version)] if version else []
    framework = next(
        (value for key in _FRAMEWORKS if (value := expand_variables(properties.get(key, ""), properties))), ""
    )
    scripts = tuple(
        (one.get_value("Name"), _join_commands(one)) for one in project.find_all("Target") if one.get_value("Name")
    )
    return PackageManifest(scripts, merge_versions(rows), runtime=f".NET {framework}" if framework else "")


def _join_commands(target: XmlElement) -> str:
    return collapse_lines("; ".join(filter(None, (one.get_value("Command") for one in target.find_all("Exec")))))


def read_packages(text: str) -> PackageManifest:
    """Read a `packages.config` or the dependencies of a `.nuspec`."""
    listed = parse_xml(text)
    return PackageManifest(
        dependencies=merge_versions(
            (one.get_value("id"), one.get_value("version"))
            for one in listed.find_all("package", "dependency")
            if one.get_value("id")
        )
    )


def read_sdk(text: str) -> PackageManifest:
    """Read a `global.json` or `dotnet-tools.json`: the SDK version and tools."""
    data = json.loads(text)
    if not isinstance(data, dict):
        return PackageManifest()
    kits, tools, sdk = (_to_object(data.get(key)) for key in ("msbuild-sdks", "tools", "sdk"))
    rows = [(name, str(version)) for name, version in kits.items()]
    rows += [(name, str(_to_object(one).get("version", ""))) for name, one in tools.items()]
    version = str(sdk.get("version", ""))
    return PackageManifest(dependencies=merge_versions(rows), runtime=f".NET SDK {version}" if version else "")


def _to_object(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}
