"""Context packs: what the repository says about a finding, bounded, written only where it may be."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from codecompass.engine.triage import context_pack
from codecompass.engine.triage.package_names import find_module_names, is_manifest, names_package
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.states import FindingSource
from codecompass.model.triage_values import ContextPackReport, ContextPackRequest
from tests.engine.support import desk_on
from tests.engine.triage.triage_repo import MERGE, YAML, Bench
from tests.repo.gitrepo import make_repo


def pack(bench: Bench, record: str, out: str = "") -> tuple[ContextPackReport, dict[str, Any]]:
    made = bench.engine.triage_pack(None, ContextPackRequest(record, out), Call())
    return made, json.loads(Path(made.out_path).read_text())


def test_what_the_repository_says(bench: Bench) -> None:
    """TRIAGE-PACK: manifests with their lines, imports, calls of vulnerable symbols and no others, documents."""
    made, data = pack(bench, bench.one(YAML))
    evidence = data["repoEvidence"]
    assert [(one["path"], one["line"]) for one in evidence["manifests"]] == [
        ("requirements.txt", 2), ("pyproject.toml", 3),
    ]  # fmt: skip
    assert [(one["path"], one["line"]) for one in evidence["imports"]] == [("src/config.py", 5), ("src/config.py", 6)]
    assert [(one["line"], one["text"], one["symbol"]) for one in evidence["calls"]] == [
        (10, "return yaml.load(text)", "config.read"), (14, "return slurp(text)", "config.quick"),
    ]  # fmt: skip
    prose = [one for one in evidence["queries"] if one["mode"] == "prose"]
    assert {one["query"] for one in prose} >= {"CVE-2031-50005", "PyYAML"}
    assert prose[0]["hits"][0]["file"] == "docs/notes.md"
    assert (evidence["ref"], data["finding"]["vuln"]["vulnId"]) == ("main", "CVE-2031-50005")
    text = Path(made.md_path).read_text()
    assert "`src/config.py:10` calls yaml.load in config.read" in text and "## Manifests" in text


@pytest.mark.parametrize(
    ("finding", "source", "manifest", "imported", "called"),
    [
        (MERGE, "generic", "web/package.json:1", "web/cart.ts:1", "web/cart.ts:3"),
        (
            {"id": "GO-1", "affected": [{"package": {"name": "example.org/text", "ecosystem": "Go"},
             "ecosystem_specific": {"imports": [{"path": "example.org/text/language", "symbols": ["Parse"]}]}}]},
            "osv", "go.mod:3", "srv/tags.go:4", "srv/tags.go:8",
        ),
    ],
    ids=["npm", "go"],
)  # fmt: skip
def test_other_ecosystems(
    bench: Bench, finding: dict[str, Any], source: FindingSource, manifest: str, imported: str, called: str
) -> None:
    """TRIAGE-PACK, TRIAGE-ECOSYSTEMS: the same in other languages, from other sources."""
    evidence = pack(bench, bench.one(finding, source))[1]["repoEvidence"]
    assert [f"{one['path']}:{one['line']}" for one in evidence["manifests"]] == [manifest]
    assert [f"{one['path']}:{one['line']}" for one in evidence["imports"]] == [imported]
    assert [f"{one['path']}:{one['line']}" for one in evidence["calls"]] == [called]


MANY = {
    "A.java": 'package a;\nimport org.example.fast.json.Reader;\nclass A { void f(){ Reader.parse("x"); } }\n',
    "b.rs": 'use serde_json::Value;\nfn f() { serde_json::from_str("x"); }\n',
    "c.rb": "require 'rack/test'\ndef f\n  Rack.parse('x')\nend\n",
    "d.php": "<?php\nuse Symfony\\HttpKernel\\Kernel;\nfunction f() { Kernel::boot(); }\n",
    "e.cs": 'using Newtonsoft.Json.Linq;\nclass E { void F() { JObject.Parse("x"); } }\n',
    "f.dart": "import 'package:http_kit/client.dart';\nvoid f() { fetch('x'); }\n",
    "g.kt": 'import org.example.fast.json.Reader\nfun f() { Reader.parse("x") }\n',
    "h.swift": 'import Alamo\nfunc f() { Alamo.request("x") }\n',
    "j.js": "const m = require('left-lodash');\nm.merge({});\n",
}
FOUND = (
    ("org.example:fast-json", "maven", "parse", ["A.java:2", "g.kt:1"], ["A.java:3 calls", "g.kt:2 calls"]),
    ("serde-json", "crates.io", "from_str", ["b.rs:1"], ["b.rs:2 may call"]),
    ("rack-test", "rubygems", "parse", ["c.rb:1"], ["c.rb:3 may call"]),
    ("symfony/http-kernel", "composer", "boot", ["d.php:2"], ["d.php:3 calls"]),
    ("Newtonsoft.Json", "nuget", "Parse", ["e.cs:1"], ["e.cs:2 may call"]),
    ("http_kit", "pub", "fetch", ["f.dart:1"], ["f.dart:2 may call"]),
    ("https://example.org/Alamo.git", "SwiftURL", "request", ["h.swift:1"], ["h.swift:2 calls"]),
    ("left-lodash", "npm", "merge", ["j.js:1"], ["j.js:2 calls"]),
)


def test_many_languages(tmp_path: Path) -> None:
    """TRIAGE-PACK, TRIAGE-ECOSYSTEMS: imports and calls in nine languages; a receiver that may be anything is doubt."""
    repo = make_repo(tmp_path / "repo", MANY)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        bench = Bench(desk, repo)
        for package, ecosystem, symbol, imports, calls in FOUND:
            finding = {"vulnId": package, "package": package, "ecosystem": ecosystem, "symbols": [symbol]}
            around = pack(bench, bench.one(finding))[0].surroundings
            assert [f"{one.path}:{one.line}" for one in around.imports] == imports, package
            said = [f"{one.path}:{one.line} {one.why.removesuffix(f' {symbol}')}" for one in around.calls]
            assert said == calls, package


REEXPORTED = {
    "app/compat.py": "from yaml import load as parse\nfrom json import loads\n",
    "app/api.py": "from app.compat import parse as read, loads\n",
    "app/far.py": "from app.api import read\n\n\ndef run(text):\n    return read(text)\n",
    "app/near.py": "from .compat import loads, parse\n\nparse(1)\nloads(2)\n",
    "app/other.py": "from elsewhere.compat import parse\n\nparse(3)\n",
    "web/lib.ts": "export { merge } from 'lodash'\n",
    "web/use.ts": "import { merge } from './lib'\n\nmerge({}, {})\n",
}


@pytest.mark.parametrize(
    ("package", "ecosystem", "symbol", "imports", "calls"),
    [
        ("pyyaml", "pypi", "yaml.load", ["app/compat.py:1", "app/api.py:1", "app/far.py:1", "app/near.py:1"],
         ["app/far.py:5 calls", "app/near.py:3 calls"]),
        ("lodash", "npm", "merge", ["web/lib.ts:1", "web/use.ts:1"], ["web/use.ts:3 calls"]),
    ],
)  # fmt: skip
def test_calls_through_modules_that_reexport_the_package(
    tmp_path: Path, package: str, ecosystem: str, symbol: str, imports: list[str], calls: list[str]
) -> None:
    """TRIAGE-PACK: names are followed through files of the project that import them from the package."""
    repo = make_repo(tmp_path / "repo", REEXPORTED)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        bench = Bench(desk, repo)
        finding = {"vulnId": package, "package": package, "ecosystem": ecosystem, "symbols": [symbol]}
        around = pack(bench, bench.one(finding))[0].surroundings
        assert [f"{one.path}:{one.line}" for one in around.imports] == imports
        assert [f"{one.path}:{one.line} {one.why.removesuffix(f' {symbol}')}" for one in around.calls] == calls


def test_places_of_a_scanner(bench: Bench) -> None:
    """TRIAGE-PACK: the lines that an analyser points at, with those around; a file that is gone is said to be."""
    finding = {"vulnId": "R1", "locations": [{"path": "src/config.py", "line": 10}, {"path": "gone.py", "line": 1}]}
    evidence = pack(bench, bench.one(finding))[1]
    reported = [one for one in evidence["repoEvidence"]["places"] if one["why"] == "reported"]
    assert [(one["line"], one["text"]) for one in reported] == [(10, "return yaml.load(text)")]
    assert any("gone.py" in text for text in evidence["warnings"])
    elsewhere = {"vulnId": "R2", "locations": [{"path": "home/ci/work/shop/src/config.py", "line": 10}]}
    found = pack(bench, bench.one(elsewhere))[1]["repoEvidence"]["places"]
    assert [one for one in found if one["why"] == "reported"] == reported, "a path of the machine that scanned"


def test_history_of_like_decisions(bench: Bench) -> None:
    """TRIAGE-PACK: decisions on the finding, on the same vulnerability, on the same package, in this order."""
    mine, twin = bench.one(YAML), bench.one({**YAML, "manifestPath": "b.txt"})
    cousin, stranger = bench.one({**YAML, "vulnId": "X-9"}), bench.one(MERGE)
    for finding in (stranger, cousin, twin, mine):
        bench.decide(finding, "accept", justification=f"about {finding}")
    made, data = pack(bench, mine)
    assert [(one["relation"], one["findingId"], one["inForce"]) for one in data["history"]] == [
        ("same finding", mine, True), ("same vulnerability", twin, True), ("same package", cousin, True),
    ]  # fmt: skip
    assert made.history == 3 and data["standing"]["status"] == "accept"
    assert pack(bench, made.record_id)[0].record_id == mine
    decision = bench.decide(mine, "fix").record.record_id
    assert pack(bench, decision)[0].record_id == mine, "a decision stands for its finding"


def test_bounds(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRIAGE-PACK-BOUNDS: too many decisions and too many bytes are left out, and counted."""
    finding = bench.one(YAML)
    for _ in range(8):
        bench.decide(finding)
    made, data = pack(bench, finding)
    assert made.history == 5 and data["leftOut"]["history"] == 3
    assert made.size == os.path.getsize(made.out_path) <= context_pack.MAX_BYTES
    monkeypatch.setattr(context_pack, "MAX_BYTES", 4_000)
    small, data = pack(bench, finding)
    assert small.size < made.size and data["leftOut"]["queries"] > 0
    assert data["finding"]["vuln"]["vulnId"] == "CVE-2031-50005"


def test_many_lines_are_cut(tmp_path: Path) -> None:
    """TRIAGE-PACK-BOUNDS: a lock file that names a package often, and many files that import it."""
    files = {"yarn.lock": "left-lodash@1\n" * 40}
    files |= {f"src/f{number}.ts": 'import { merge } from "left-lodash";\nmerge();\n' for number in range(60)}
    repo = make_repo(tmp_path / "repo", files)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        bench = Bench(desk, repo)
        data = pack(bench, bench.one(MERGE))[1]
        assert len(data["repoEvidence"]["manifests"]) == 5 and data["leftOut"]["manifests"] == 35
        assert len(data["repoEvidence"]["imports"]) == 50 and data["leftOut"]["imports"] == 10


def test_what_comments_say(tmp_path: Path) -> None:
    """TRIAGE-PACK: a finding that only a comment speaks of is found there."""
    repo = make_repo(tmp_path / "repo", {"a.py": "# Held back because of CVE-2031-60006 until spring.\nLIMIT = 3\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        bench = Bench(desk, repo)
        asked = pack(bench, bench.one({"vulnId": "CVE-2031-60006"}))[1]["repoEvidence"]["queries"]
    found = [one for one in asked if one["mode"] == "extracted-prose"]
    assert [hit["file"] for one in found for hit in one["hits"]] == ["a.py"]


def test_without_an_index(tmp_path: Path) -> None:
    """TRIAGE-PACK: before any index a pack has the finding and says what is missing and how to get it."""
    repo = make_repo(tmp_path / "repo", {"a.py": "import yaml\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.engine.init(str(repo))
        bench = Bench(desk, repo)
        made, data = pack(bench, bench.one(YAML))
        assert data["repoEvidence"]["freshness"] == "not_indexed" and "index" in made.surroundings.warnings[0]
        with pytest.raises(Failure):
            bench.decide(made.record_id, evidence=("a.py",))


# -- where it is written -----------------------------------------------------------------------------------------------


def test_out_path(bench: Bench) -> None:
    """TRIAGE-OUT: inside the workspace, with the Markdown beside it; a pack may be written over, nothing else."""
    finding = bench.one(YAML)
    (bench.repo / "out").mkdir(exist_ok=True)
    made, _ = pack(bench, finding, "out/yaml.json")
    assert Path(made.out_path) == bench.repo / "out" / "yaml.json" and Path(made.md_path).exists()
    assert pack(bench, finding, str(bench.repo / "out" / "yaml.json"))[0].out_path == made.out_path
    assert sorted(path.name for path in (bench.repo / "out").iterdir()) == ["yaml.json", "yaml.md"]
    (bench.repo / "out" / "mine.json").write_text("{}")
    (bench.repo / "out" / "page.md").write_text("# Mine\n")
    for name in ("out/mine.json", "out/page.json"):
        with pytest.raises(Failure, match="not a context pack") as caught:
            pack(bench, finding, name)
        assert caught.value.code == "INVALID_REQUEST"
    assert (bench.repo / "out" / "mine.json").read_text() == "{}"
    assert (bench.repo / "out" / "page.md").read_text() == "# Mine\n"


@pytest.mark.parametrize(
    ("out", "code"),
    [
        ("../x.json", "FORBIDDEN"), ("/tmp/x.json", "FORBIDDEN"), ("away/x.json", "FORBIDDEN"),
        ("away.json", "INVALID_REQUEST"), (".git/x.json", "FORBIDDEN"), ("none/x.json", "INVALID_REQUEST"),
        ("src/config.py", "INVALID_REQUEST"), ("x.json\0", "INVALID_REQUEST"), ("src/config.py/x.json",
         "INVALID_REQUEST"), ("dir.json", "INVALID_REQUEST"),
        ("x" * 300 + ".json", "INVALID_REQUEST"), ("x/" * 3_000 + "x.json", "INVALID_REQUEST"),
    ],
)  # fmt: skip
def test_out_path_stays_inside(bench: Bench, out: str, code: str) -> None:
    """TRIAGE-OUT: no way up, no link, none of the repository's own files, no file that is no JSON."""
    finding = bench.one(YAML)
    outside = bench.repo.parent / "elsewhere"
    outside.mkdir(exist_ok=True)
    for link, target in (("away", outside), ("away.json", outside / "y.json")):
        if not (bench.repo / link).is_symlink():
            (bench.repo / link).symlink_to(target)
    (bench.repo / "dir.json").mkdir(exist_ok=True)
    with pytest.raises(Failure) as caught:
        pack(bench, finding, out)
    assert caught.value.code == code
    assert list(outside.iterdir()) == []
    assert "def read" in (bench.repo / "src" / "config.py").read_text()


# -- ecosystems --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("package", "ecosystem", "module", "fits"),
    [
        ("PyYAML", "pip", "yaml", True),
        ("PyYAML", "pip", "yaml.loader", True),
        ("PyYAML", "pip", "yamllint", False),
        ("typing-extensions", "PyPI", "typing_extensions", True),
        ("google-cloud-storage", "pip", "google.cloud.storage", True),
        ("left-lodash", "npm", "left-lodash/merge", True),
        ("left-lodash", "npm", "left-lodash-es", False),
        ("@scope/pkg", "npm", "@scope/pkg/deep", True),
        ("org.example:fast-json", "maven", "org.example.fast.json.Reader", True),
        ("org.example:fast-json", "maven", "org.examples.Other", False),
        ("example.org/text", "go", "example.org/text/language", True),
        ("serde-json", "cargo", "serde_json::Value", True),
        ("rack-test", "rubygems", "rack/test", True),
        ("symfony/http-kernel", "composer", "Symfony\\HttpKernel\\Kernel", True),
        ("Newtonsoft.Json", "NuGet", "Newtonsoft.Json.Linq", True),
        ("http_kit", "pub", "package:http_kit/client.dart", True),
        ("openssl", "debian:12", "openssl", True),
    ],
)
def test_names_of_modules(package: str, ecosystem: str, module: str, fits: bool) -> None:
    """TRIAGE-ECOSYSTEMS: what a package is called where it is imported follows from its ecosystem."""
    assert any(one.matches(module) for one in find_module_names(package, ecosystem, ())) is fits


@pytest.mark.parametrize(
    ("line", "package", "ecosystem", "named"),
    [
        ("PyYAML==5.1", "pyyaml", "pip", True),
        ("typing_extensions>=4", "typing-extensions", "pip", True),
        ("pyyaml-env-tag==0.1", "PyYAML", "pip", False),
        ('  "left-lodash": "^4"', "left-lodash", "npm", True),
        ('  "left-lodash-es": "^4"', "left-lodash", "npm", False),
        ("<artifactId>fast-json</artifactId>", "org.example:fast-json", "maven", True),
        ("require example.org/text v0.3.0", "example.org/text", "go", True),
        ("require example.org/textual v0.3.0", "example.org/text", "go", False),
    ],
)
def test_names_in_manifests(line: str, package: str, ecosystem: str, named: bool) -> None:
    """TRIAGE-ECOSYSTEMS: a manifest names a package whole, in any spelling its ecosystem takes for one."""
    assert names_package(line, package, ecosystem) is named


def test_manifests() -> None:
    """TRIAGE-ECOSYSTEMS: the files that say what a project needs, wherever they lie, and no others."""
    for path in ("package.json", "a/b/go.mod", "requirements-dev.txt", "App.csproj", "deep/pom.xml", "Cargo.lock"):
        assert is_manifest(path), path
    for path in ("src/package.py", "mypackage.json", "notes.txt", "go.model", "pom.xml.bak"):
        assert not is_manifest(path), path
