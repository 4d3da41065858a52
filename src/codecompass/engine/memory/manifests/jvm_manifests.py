"""JVM manifests: read build files of Gradle, Maven and sbt. Pure.

Build scripts are programs: they are read as text and never run. A package is named `group:name`.
"""

import re
import tomllib
from collections.abc import Iterator

from codecompass.engine.memory.manifests.package_manifest import (
    Manifest,
    filled,
    folded,
    table,
    uncommented,
    versions_of,
)
from codecompass.engine.memory.manifests.xml_tree import Element, read_markup

BUILT_BY = "build tool of the JVM"
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
_SAID = re.compile(r"\b(\w+)[ \t]*(?:=|by extra)\s*(?:\(\s*)?[\"'](\d[^\"'$]*)[\"']")
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
_LONGEST_TASK = 2_000
_MAVEN_PLUGINS = "org.apache.maven.plugins"
_JAVA_SAID = ("maven.compiler.release", "java.version", "maven.compiler.target", "maven.compiler.source")
_SBT = re.compile(r"\"([\w.-]+)\"\s*%{1,3}\s*\"([\w.-]+)\"\s*%\s*(?:\"([^\"]+)\"|([\w.]+))")
_SCALA = re.compile(r"\bscalaVersion\s*:=\s*(?:\"([^\"]+)\"|(\w+))")
_VALUE = re.compile(r"\bval\s+(\w+)(?:\s*:\s*String)?\s*=\s*\"([^\"\n]+)\"")
_ALIAS = re.compile(r"\baddCommandAlias\(\s*\"([\w-]+)\"\s*,\s*\"{1,3}([^\"]+)\"")


def read_gradle(text: str) -> Manifest:
    """Read a Gradle script in Groovy or Kotlin: packages, plugins and defined tasks."""
    plain = uncommented(text, "//")
    values = dict(_SAID.findall(plain))
    rows = [(name, filled(version, values)) for name, version in (*_required(plain), *_plugins(plain))]
    java = _JAVA.search(plain)
    runtime = f"Java {java[1].replace('_', '.')}" if java else ""
    return Manifest(tuple(_tasks(plain)), versions_of(rows), ((BUILT_BY, "gradle"),), runtime)


def _required(text: str) -> Iterator[tuple[str, str]]:
    for head in _HEAD.finditer(text):
        at = head.end()
        if mapped := _MAPPED.match(text, at):
            yield f"{mapped[1]}:{mapped[2]}", mapped[3] or ""
        elif own := _KOTLIN.match(text, at):
            yield f"org.jetbrains.kotlin:kotlin-{own[1]}", own[2] or ""
        while named := _COORDINATES.match(text, at):
            yield f"{named[1]}:{named[2]}", named[3] or ""
            at = named.end()


def _plugins(text: str) -> Iterator[tuple[str, str]]:
    for found in _PLUGIN.finditer(text):
        yield found[1] or f"org.jetbrains.kotlin.{found[2]}", found[3] or ""


def _tasks(text: str) -> Iterator[tuple[str, str]]:
    """Yield tasks with the text between their braces."""
    for found in _TASK.finditer(text):
        name = next(group for group in found.groups() if group)
        line, begin = text.find("\n", found.end()), text.find("{", found.end())
        if begin < 0 or 0 <= line < begin:
            yield name, ""
            continue
        depth, end = 0, begin
        for end in range(begin, min(len(text), begin + _LONGEST_TASK)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if not depth:
                break
        yield name, folded(text[begin + 1 : end])


def read_catalog(text: str) -> Manifest:
    """Read a Gradle version catalog: libraries and plugins with their resolved versions."""
    data = tomllib.loads(text)
    versions = {key: _numbered(value, {}) for key, value in table(data, "versions").items()}
    rows = []
    for value in table(data, "libraries").values():
        if isinstance(value, str):
            group, _, rest = value.partition(":")
            name, _, version = rest.partition(":")
        elif isinstance(value, dict):
            module = str(value.get("module") or f"{value.get('group', '')}:{value.get('name', '')}")
            group, _, name = module.partition(":")
            version = _numbered(value.get("version"), versions)
        else:
            continue
        rows.append((f"{group}:{name}", version))
    for value in table(data, "plugins").values():
        if isinstance(value, str):
            name, _, version = value.partition(":")
            rows.append((name, version))
        elif isinstance(value, dict) and "id" in value:
            rows.append((str(value["id"]), _numbered(value.get("version"), versions)))
    return Manifest(dependencies=versions_of(rows), slots=((BUILT_BY, "gradle"),))


def _numbered(value: object, versions: dict[str, str]) -> str:
    """Resolve a version that is literal, a reference, or a rich version (`strictly`, `require`, `prefer`)."""
    if isinstance(value, dict):
        if "ref" in value:
            return versions.get(str(value["ref"]), "")
        return next((str(value[key]) for key in ("strictly", "require", "prefer") if key in value), "")
    return value if isinstance(value, str) else ""


def read_maven(text: str) -> Manifest:
    """Read a Maven project: parent, packages, plugins, and profiles as scripts for `-P`."""
    project = read_markup(text)
    if project.name != "project":
        return Manifest()
    properties = {one.name: one.text.strip() for one in project.at("properties").children}
    properties |= {
        "project.version": "",
        "project.groupId": project.said("groupId") or project.at("parent").said("groupId"),
    }
    rows = [_artifact(one, properties, "") for one in (project.at("parent"), *project.all("dependency"))]
    rows += [_artifact(one, properties, _MAVEN_PLUGINS) for one in project.all("plugin")]
    java = next((filled(properties[key], properties) for key in _JAVA_SAID if properties.get(key)), "")
    scripts = tuple((one.said("id"), _profile(one)) for one in project.at("profiles").children if one.said("id"))
    slots = ((BUILT_BY, "maven"),)
    return Manifest(scripts, versions_of(row for row in rows if row[0]), slots, f"Java {java}" if java else "")


def _artifact(one: Element, properties: dict[str, str], group: str) -> tuple[str, str]:
    home, name = filled(one.said("groupId"), properties) or group, filled(one.said("artifactId"), properties)
    return f"{home}:{name}" if home and name else "", filled(one.said("version"), properties)


def _profile(one: Element) -> str:
    with_ = dict.fromkeys(filter(None, (plugin.said("artifactId") for plugin in one.all("plugin"))))
    return folded("profile" + (f" with {', '.join(with_)}" if with_ else ""))


def read_sbt(text: str) -> Manifest:
    """Read an sbt build, or a `Dependencies.scala` beside it."""
    plain = uncommented(text, "//")
    values = dict(_VALUE.findall(plain))
    rows = [
        (f"{group}:{name}", version or values.get(known.rpartition(".")[2], ""))
        for group, name, version, known in _SBT.findall(plain)
    ]
    scala = _SCALA.search(plain)
    version = (scala[1] or values.get(scala[2], "")) if scala else ""
    scripts = tuple((name, folded(command)) for name, command in _ALIAS.findall(plain))
    return Manifest(scripts, versions_of(rows), ((BUILT_BY, "sbt"),), f"Scala {version}" if version else "")
