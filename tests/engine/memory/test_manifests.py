"""What manifests of build tools tell, and what a damaged or hostile one does not do."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.engine.memory.manifests.manifest_reader import FORMATS, ManifestFormat, read_manifest
from codecompass.model.call import Call
from tests.engine.memory.memorylab import Lab, lab_on, load

BUILDS = {"commit": load("builds")["commit"][:1]}
POM = BUILDS["commit"][0]["files"]["legacy/pom.xml"].strip()
BOMB = "".join(f'<!ENTITY e{at + 1} "{f"&e{at};" * 10}">' for at in range(12))
BAD = {
    "cut": POM[: len(POM) // 2],
    "no xml": "mvn = yes\n",
    "empty": "",
    "two roots": "<project></project><project></project>",
    "entities": f'<!DOCTYPE project [<!ENTITY e0 "x">{BOMB}]><project><version>&e12;</version></project>',
    "outside": '<!DOCTYPE project [<!ENTITY e SYSTEM "file:///etc/passwd">]><project><version>&e;</version></project>',
    "deep": "<project>" + "<a>" * 100_000,
    "wide": "<project>" + "<a/>" * 200_000 + "</project>",
    "odd letters": "<project>\udc80\x00</project>",
    "other": "<html><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency></html>",
}


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_on(tmp_path_factory.mktemp("builds"), BUILDS) as lab:
        yield lab


@pytest.mark.parametrize(
    ("title", "contains"),
    [
        ("Dependencies in build.gradle", ("Java 11", "guava:guava 31.1-jre", "jackson-databind 2.13.0", "h2 1.4.200")),
        ("Commands in build.gradle", ("seedData: commandLine 'sh', 'seed.sh'", "smoke: dependsOn 'test'")),
        ("Dependencies in app/build.gradle.kts", ("Java 17", "kotlin.jvm 1.8.0", "ktor-bom 2.2.1", "detekt 1.22.0")),
        ("Dependencies in gradle/libs.versions.toml", ("kotlinx-coroutines-core 1.6.4", "mockk 1.13.2", "shadow 7")),
        ("Dependencies in legacy/pom.xml", ("Java 11", "slf4j-api 1.7.36", "plugins:maven-shade-plugin 3.4.1")),
        ("Commands in legacy/pom.xml", ("release: profile",)),
        ("Dependencies in net/Shop.csproj", (".NET net6.0", "Serilog 2.12.0", "Dapper 2.0.123")),
        ("Commands in net/Shop.csproj", ("Stamp: git describe",)),
        ("Dependencies in Directory.Packages.props", ("Newtonsoft.Json 12.0.3",)),
        ("Dependencies in old/packages.config", ("NUnit 3.13.0", "Moq 4.18.0")),
        ("Dependencies in scala/build.sbt", ("Scala 2.13.10", "circe-core 0.13.0", "cats-effect 3.4.0")),
        ("Commands in scala/build.sbt", ("verify: scalafmtCheck; test",)),
        ("Dependencies in swift/Package.swift", ("Swift 5.7", "swift-nio 1.14.0", "swift-log 1.4.0")),
        ("Dependencies in native/CMakeLists.txt", ("CMake 3.14", "Boost 1.71", "OpenSSL", "fmt 8.1.1")),
        ("Commands in native/CMakeLists.txt", ("lint: clang-tidy src",)),
        ("Dependencies in ex/mix.exs", ("Elixir ~> 1.14", "plug ~> 1.14", "shared")),
        ("Commands in ex/mix.exs", ('db.reset: ecto.drop", "ecto.create', "audit: credo --strict")),
        ("Dependencies in ios/Podfile", ("Alamofire ~> 4.9",)),
    ],
)
def test_statements(builds: Lab, title: str, contains: tuple[str, ...]) -> None:
    """MEM-MANIFESTS: each build file is one statement of packages and one of tasks, with versions as they are meant."""
    (item,) = [one for one in builds.all(source="manifest") if one.title == title]
    assert item.type == "pattern" and not [part for part in contains if part not in item.content], item.content
    assert "switched-off" not in item.content and "excluded" not in item.content


def test_comments_of_a_build_file(builds: Lab) -> None:
    """MEM-SOURCES: a build file is also code: its comments that give reasons are discoveries."""
    found = builds.one("because the server has an old TLS library", source="comment")
    assert (found.source.path, found.type) == ("app/build.gradle.kts", "rule")


def test_tools_that_contradict(builds: Lab) -> None:
    """MEM-CONFLICT: who writes down another build tool than the one whose file stands there is contradicted."""
    made = builds.remember("This project is built with Maven, use Maven for everything.")
    hit = builds.engine.discovery(None, made.id, None, Call())
    assert ("build tool of the JVM", "maven") in {(one.about, one.says) for one in hit.conflicts}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("path", ["pom.xml", "a/Shop.csproj", "packages.config", "Directory.Packages.props"])
def test_bad_markup(name: str, path: str) -> None:
    """MEM-MANIFESTS: what is no sound XML says nothing; no entity is expanded and no other file is read."""
    began = time.process_time()
    found = read_manifest(path, BAD[name])
    assert not found.dependencies or name == "other" and path == "packages.config"
    assert not found.scripts and not found.runtime and time.process_time() - began < 5.0


def test_bad_manifest_is_indexed(tmp_path: Path) -> None:
    """MEM-MANIFESTS: a repository with damaged manifests is mined like any other."""
    files = {"pom.xml": BAD["entities"], "a/pom.xml": BAD["cut"], "b.csproj": "<Project", "libs.versions.toml": "=",
             "AGENTS.md": "# Rules\n\nAlways run the linter before you commit.\n"}  # fmt: skip
    with lab_on(tmp_path, {"commit": [{"files": files, "message": "0"}]}) as lab:
        assert [item.source.kind for item in lab.all()] == ["agent_file"]
        assert lab.ask("linter").searched.complete


PIECES = (
    "\n", " ", "api ", "task ", '"a:b:', "'", "{", "id(", "gem ", "\tv", "/*", "find_package(", "<a>", ".package(",
)  # fmt: skip


@pytest.mark.parametrize("format", FORMATS, ids=lambda one: (one.names or one.endings[0]).split()[0])
@pytest.mark.parametrize("piece", PIECES)
def test_long_and_odd_files(format: ManifestFormat, piece: str) -> None:
    """MEM-MANIFESTS: the time for reading grows with the length of a file, whatever stands in it."""
    path = (format.names.split() or [f"x{format.endings[0]}"])[0]
    began = time.process_time()
    read_manifest(path, "x = 1\napi\n" + piece * (200_000 // len(piece)) + "!")
    assert time.process_time() - began < 2.0
