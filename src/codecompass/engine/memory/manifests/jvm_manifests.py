"""JVM manifests: read build files of Gradle, Maven and sbt. Pure.

Build scripts are programs: they are read as text and never run. A package is named `group:name`.
"""

import re
import tomllib
from collections.abc import Iterator

from codecompass.engine.memory.manifests.package_manifest import (
    PackageManifest,
    collapse_lines,
    expand_variables,
    get_table,
    merge_versions,
    strip_comments,
)
from codecompass.engine.memory.manifests.xml_tree import XmlElement, parse_xml

JVM_BUILD_TOOL = "build tool of the JVM"
_CONFIGURATION = (
    r"\b(?:\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime|[pP]rocessor|[pP]rovided)"
    r"|classpath|kapt\w*|ksp\w*|detektPlugins|lintChecks|shadow|coreLibraryDesugaring)"
)
_HEAD = re.compile(
    rf"{_CONFIGURATION}\b\s*(?:\(\s*)?(?:(?:enforcedPlatform|platform|testFixtures)\s*(?:\(\s*)?)?(?=[\"'gkn])"
)
_COORDINATES = re.compile(r"[\"']([\w.-]+):([\w.-]+)(?::([^\"'@:]*))?[^\"'\n]*[\"'](?:\s*,\s*)?")
_MAPPED = re.compile(
    r"group\s*[:=]\s*[\"']([\w.-]+)[\"']\s*,\s*name\s*[:=]\s*[\"']([\w.-]+)[\"']"
    r"(?:\s*,\s*version\s*[:=]\s*[\"']?([^\"'\s,)]+))?"
)
_KOTLIN = re.compile(r"kotlin\(\s*\"([\w-]+)\"(?:\s*,\s*\"([^\"]+)\")?\s*\)")
_PLUGIN = re.compile(
    r"^[ \t]*(?:id\s*(?:\(\s*)?[\"']([\w.-]+)[\"'](?:\s*\))?|kotlin\(\s*\"([\w.-]+)\"\s*\))"
    r"(?:\s*\.?version\s*(?:\(\s*)?[\"']([^\"']+)[\"'])?",
    re.MULTILINE,
)
_ASSIGNMENT = re.compile(r"\b(\w+)[ \t]*(?:=|by extra)\s*(?:\(\s*)?[\"'](\d[^\"'$]*)[\"']")
_TASK = re.compile(
    r"^[ \t]*task\s+(\w+)\b|\btasks\.(?:register|create)(?:<[\w.]+>)?\(\s*[\"']([\w-]+)[\"']"
    r"|\bval\s+(\w+)(?:\s*:[^=\n]+)?\s+by\s+tasks\.(?:registering|creating)"
    r"|^[ \t]*task(?:<[\w.]+>)?\(\s*[\"'](\w+)[\"']",
    re.MULTILINE,
)
_JAVA = re.compile(
    r"\b(?:jvmToolchain\s*(?:\(\s*)?|JavaLanguageVersion\.of\s*\(\s*"
    r"|sourceCompatibility\s*(?:=\s*)?(?:JavaVersion\.VERSION_)?)"
    r"[\"']?(\d+(?:[._]\d+)?)"
)
_MAX_TASK_LENGTH = 2_000
_MAVEN_PLUGINS = "org.apache.maven.plugins"
_JAVA_PROPERTIES = ("maven.compiler.release", "java.version", "maven.compiler.target", "maven.compiler.source")
_SBT = re.compile(r"\"([\w.-]+)\"\s*%{1,3}\s*\"([\w.-]+)\"\s*%\s*(?:\"([^\"]+)\"|([\w.]+))")
_SCALA = re.compile(r"\bscalaVersion\s*:=\s*(?:\"([^\"]+)\"|(\w+))")
_VALUE = re.compile(r"\bval\s+(\w+)(?:\s*:\s*String)?\s*=\s*\"([^\"\n]+)\"")
_ALIAS = re.compile(r"\baddCommandAlias\(\s*\"([\w-]+)\"\s*,\s*\"{1,3}([^\"]+)\"")


def read_gradle(text: str) -> PackageManifest:
    """Read a Gradle script in Groovy or Kotlin: packages, plugins and defined tasks."""
    plain = strip_comments(text, "//")
    values = dict(_ASSIGNMENT.findall(plain))
    rows = [
        (name, expand_variables(version, values))
        for name, version in (*_parse_dependencies(plain), *_parse_plugins(plain))
    ]
    java = _JAVA.search(plain)
    runtime = f"Java {java[1].replace('_', '.')}" if java else ""
    return PackageManifest(tuple(_parse_tasks(plain)), merge_versions(rows), ((JVM_BUILD_TOOL, "gradle"),), runtime)


def _parse_dependencies(text: str) -> Iterator[tuple[str, str]]:
    for head in _HEAD.finditer(text):
        at = head.end()
        if mapped := _MAPPED.match(text, at):
            yield f"{mapped[1]}:{mapped[2]}", mapped[3] or ""
        elif own := _KOTLIN.match(text, at):
            yield f"org.jetbrains.kotlin:kotlin-{own[1]}", own[2] or ""
        while named := _COORDINATES.match(text, at):
            yield f"{named[1]}:{named[2]}", named[3] or ""
            at = named.end()


def _parse_plugins(text: str) -> Iterator[tuple[str, str]]:
    for found in _PLUGIN.finditer(text):
        yield found[1] or f"org.jetbrains.kotlin.{found[2]}", found[3] or ""


def _parse_tasks(text: str) -> Iterator[tuple[str, str]]:
    """Yield tasks with the text between their braces."""
    for found in _TASK.finditer(text):
        name = next(group for group in found.groups() if group)
        line, begin = text.find("\n", found.end()), text.find("{", found.end())
        if begin < 0 or 0 <= line < begin:
            yield name, ""
            continue
        depth, end = 0, begin
        for end in range(begin, min(len(text), begin + _MAX_TASK_LENGTH)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if not depth:
                break
        yield name, collapse_lines(text[begin + 1 : end])


def read_catalog(text: str) -> PackageManifest:
    """Read a Gradle version catalog: libraries and plugins with their resolved versions."""
    data = tomllib.loads(text)
    versions = {key: _resolve_version(value, {}) for key, value in get_table(data, "versions").items()}
    rows = []
    for value in get_table(data, "libraries").values():
        if isinstance(value, str):
            group, _, rest = value.partition(":")
            name, _, version = rest.partition(":")
        elif isinstance(value, dict):
            module = str(value.get("module") or f"{value.get('group', '')}:{value.get('name', '')}")
            group, _, name = module.partition(":")
            version = _resolve_version(value.get("version"), versions)
        else:
            continue
        rows.append((f"{group}:{name}", version))
    for value in get_table(data, "plugins").values():
        if isinstance(value, str):
            name, _, version = value.partition(":")
            rows.append((name, version))
        elif isinstance(value, dict) and "id" in value:
            rows.append((str(value["id"]), _resolve_version(value.get("version"), versions)))
    return PackageManifest(dependencies=merge_versions(rows), slots=((JVM_BUILD_TOOL, "gradle"),))


def _resolve_version(value: object, versions: dict[str, str]) -> str:
    """Resolve a version that is literal, a reference, or a rich version (`strictly`, `require`, `prefer`)."""
    if isinstance(value, dict):
        if "ref" in value:
            return versions.get(str(value["ref"]), "")
        return next((str(value[key]) for key in ("strictly", "require", "prefer") if key in value), "")
    return value if isinstance(value, str) else ""


def read_maven(text: str) -> PackageManifest:
    """Read a Maven project: parent, packages, plugins, and profiles as scripts for `-P`."""
    project = parse_xml(text)
    if project.name != "project":
        return PackageManifest()
    properties = {one.name: one.text.strip() for one in project.find("properties").children}
    properties |= {
        "project.version": "",
        "project.groupId": project.get_value("groupId") or project.find("parent").get_value("groupId"),
    }
    rows = [_parse_artifact(one, properties, "") for one in (project.find("parent"), *project.find_all("dependency"))]
    rows += [_parse_artifact(one, properties, _MAVEN_PLUGINS) for one in project.find_all("plugin")]
    java = next((expand_variables(properties[key], properties) for key in _JAVA_PROPERTIES if properties.get(key)), "")
    scripts = tuple(
        (one.get_value("id"), _describe_profile(one))
        for one in project.find("profiles").children
        if one.get_value("id")
    )
    slots = ((JVM_BUILD_TOOL, "maven"),)
    return PackageManifest(
        scripts, merge_versions(row for row in rows if row[0]), slots, f"Java {java}" if java else ""
    )


def _parse_artifact(one: XmlElement, properties: dict[str, str], group: str) -> tuple[str, str]:
    home, name = (
        expand_variables(one.get_value("groupId"), properties) or group,
        expand_variables(one.get_value("artifactId"), properties),
    )
    return f"{home}:{name}" if home and name else "", expand_variables(one.get_value("version"), properties)


def _describe_profile(one: XmlElement) -> str:
    with_ = dict.fromkeys(filter(None, (plugin.get_value("artifactId") for plugin in one.find_all("plugin"))))
    return collapse_lines("profile" + (f" with {', '.join(with_)}" if with_ else ""))


def read_sbt(text: str) -> PackageManifest:
    """Read an sbt build, or a `Dependencies.scala` beside it."""
    plain = strip_comments(text, "//")
    values = dict(_VALUE.findall(plain))
    rows = [
        (f"{group}:{name}", version or values.get(known.rpartition(".")[2], ""))
        for group, name, version, known in _SBT.findall(plain)
    ]
    scala = _SCALA.search(plain)
    version = (scala[1] or values.get(scala[2], "")) if scala else ""
    scripts = tuple((name, collapse_lines(command)) for name, command in _ALIAS.findall(plain))
    return PackageManifest(
        scripts, merge_versions(rows), ((JVM_BUILD_TOOL, "sbt"),), f"Scala {version}" if version else ""
    )
