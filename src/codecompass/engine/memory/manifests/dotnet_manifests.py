""".NET manifests: read project files, central package versions and package lists. Pure."""

import json

from codecompass.engine.memory.manifests.package_manifest import Manifest, filled, folded, versions_of
from codecompass.engine.memory.manifests.xml_tree import Element, read_markup

_REFERENCES = ("PackageReference", "PackageVersion", "GlobalPackageReference", "DotNetCliToolReference")
_FRAMEWORKS = ("TargetFramework", "TargetFrameworks", "TargetFrameworkVersion")


def read_project(text: str) -> Manifest:
    """Read a project or shared properties: packages, targets with their commands, the framework."""
    project = read_markup(text)
    if project.name != "Project":
        return Manifest()
    properties = {one.name: one.text.strip() for group in project.all("PropertyGroup") for one in group.children}
    rows = []
    for one in project.all(*_REFERENCES):
        version = one.said("VersionOverride") or one.said("Version")
        rows += [
            (name.strip(), filled(version, properties))
            for name in (one.said("Include") or one.said("Update")).split(";")
            if name.strip() and "$" not in name
        ]
    if sdk := project.attributes.get("Sdk", ""):
        name, _, version = sdk.partition("/")
        rows += [(name, version)] if version else []
    framework = next((value for key in _FRAMEWORKS if (value := filled(properties.get(key, ""), properties))), "")
    scripts = tuple((one.said("Name"), _commands(one)) for one in project.all("Target") if one.said("Name"))
    return Manifest(scripts, versions_of(rows), runtime=f".NET {framework}" if framework else "")


def _commands(target: Element) -> str:
    return folded("; ".join(filter(None, (one.said("Command") for one in target.all("Exec")))))


def read_packages(text: str) -> Manifest:
    """Read a `packages.config` or the dependencies of a `.nuspec`."""
    listed = read_markup(text)
    return Manifest(dependencies=versions_of(
        (one.said("id"), one.said("version")) for one in listed.all("package", "dependency") if one.said("id")
    ))  # fmt: skip


def read_sdk(text: str) -> Manifest:
    """Read a `global.json` or `dotnet-tools.json`: the SDK version and tools."""
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
