"""Every source's own format becomes records: the same fields, whatever the source calls them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from codecompass.findings.draft import UnfitItemError
from codecompass.findings.item_reader import read_items
from codecompass.findings.record_builder import FINDING_PARSERS, build_records
from codecompass.findings.record_writer import read_record, to_json, to_markdown
from codecompass.findings.severity import from_vector, normalize_severity
from codecompass.model.states import FindingSource
from codecompass.model.triage_values import SOURCES, TriageRecord, to_json_object

SAMPLES = Path(__file__).parent / "samples"
NOW = "2032-01-01T00:00:00Z"


def read(name: str, source: FindingSource, **meta: str) -> tuple[list[TriageRecord], list[str]]:
    """The records of a sample, and what was said of items that are none."""
    found: list[TriageRecord] = []
    bad: list[str] = []
    for item in read_items(io.BytesIO((SAMPLES / name).read_bytes()), source, name):
        try:
            found += build_records(item, source, tuple(meta.items()), NOW)
        except UnfitItemError as unfit:
            bad.append(f"{item.position}: {unfit}")
    return found, bad


def plain(record: TriageRecord) -> dict[str, Any]:
    made = to_json_object(record)
    assert isinstance(made, dict)
    return made


def test_every_source_has_a_reader() -> None:
    """TRIAGE-FORMATS: the sources of the tool are those that can be read."""
    assert set(SOURCES) == set(FINDING_PARSERS)


def test_dependabot() -> None:
    """TRIAGE-FORMATS: alerts of GitHub, with and without their optional parts."""
    (first, second), bad = read("dependabot.json", "dependabot")
    assert not bad
    made = plain(first)
    assert made["vuln"] == {
        "vulnId": "CVE-2031-10001", "cve": "CVE-2031-10001", "aliases": ["GHSA-aaaa-bbbb-cccc"],
        "title": "Prototype pollution through merge",
        "description": "An object from outside can change\nthe prototype of all objects.", "severity": "high",
        "cvss": {"score": 7.3, "vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L", "version": "3.1"},
        "cwe": ["CWE-1321"], "references": ["https://example.org/advisories/10001"],
    }  # fmt: skip
    assert made["package"] == {
        "name": "left-lodash", "ecosystem": "npm", "affectedRange": "< 4.17.99", "fixedVersion": "4.17.99",
        "manifestPath": "web/package-lock.json",
    }  # fmt: skip
    assert (first.created_at, first.updated_at) == ("2031-02-03T04:05:06Z", "2031-02-04T00:00:00Z")
    assert (first.record_type, first.source, first.source_state) == ("finding", "dependabot", "open")
    assert (second.vuln.vuln_id, second.vuln.severity, second.source_state) == (
        "GHSA-dddd-eeee-ffff", "medium", "dismissed",
    )  # fmt: skip


def taken(value: object, source: FindingSource) -> list[TriageRecord]:
    """The records of what a source might give."""
    return [
        one
        for item in read_items(io.BytesIO(json.dumps(value).encode()), source)
        for one in build_records(item, source, (), NOW)
    ]


def test_dependabot_events() -> None:
    """TRIAGE-FORMATS: an alert as an event brings it is the alert that the list has."""
    alert = json.loads((SAMPLES / "dependabot.json").read_text())[0]
    event = {"action": "created", "alert": alert, "repository": {"full_name": "acme/shop"}, "sender": {"login": "x"}}
    assert taken(event, "dependabot") == taken([alert], "dependabot")


def test_dependabot_of_many_repositories() -> None:
    """TRIAGE-IDEMPOTENT: numbers count from one in each repository; those of two repositories are two findings."""
    alert = json.loads((SAMPLES / "dependabot.json").read_text())[0]
    listed = [{**alert, "repository": {"full_name": f"acme/{name}"}} for name in ("shop", "till", "shop")]
    first, second, again = taken(listed, "dependabot")
    assert first.record_id == again.record_id != second.record_id
    assert (first.repo, second.repo) == ("acme/shop", "acme/till")


def test_dependabot_graphql() -> None:
    """TRIAGE-FORMATS: names with humps, a single alert, and a score of zero that only means: not given."""
    (record,), bad = read("dependabot_graphql.json", "dependabot")
    assert not bad
    assert (record.package.name, record.package.ecosystem, record.package.manifest_path) == (
        "rackish", "rubygems", "Gemfile.lock",
    )  # fmt: skip
    assert (record.package.fixed_version, record.package.installed_version) == ("1.2.5", "= 1.2.0")
    assert record.vuln.cvss is not None and record.vuln.cvss.score == 10.0
    assert (record.vuln.severity, record.vuln.cwe) == ("critical", ("CWE-444",))


def test_inspector() -> None:
    """TRIAGE-FORMATS: findings of Amazon Inspector; a wrapped list, times as numbers, several packages."""
    (record,), bad = read("aws_inspector.json", "aws_inspector")
    assert not bad
    made = plain(record)
    assert made["asset"] == {
        "assetId": "arn:aws:ecr:eu-west-1:123456789012:repository/shop/sha256:ff",
        "assetType": "AWS_ECR_CONTAINER_IMAGE", "account": "123456789012", "region": "eu-west-1",
        "tags": ["stage=prod"],
    }  # fmt: skip
    assert made["package"] == {
        "name": "resolverlib", "ecosystem": "pip", "installedVersion": "2.1", "fixedVersion": "2.2",
        "manifestPath": "app/requirements.txt", "others": ["resolverlib-dev@2.1"],
    }  # fmt: skip
    assert made["vuln"]["cvss"] == {
        "score": 9.8, "vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", "version": "3.1",
    }  # fmt: skip
    assert (record.vuln.cve, record.vuln.severity, record.source_state) == ("CVE-2031-20002", "critical", "active")
    assert (record.created_at, record.updated_at) == ("2031-01-24T05:46:40Z", "2031-01-31T23:00:00Z")


def test_sarif() -> None:
    """TRIAGE-FORMATS: results with their rules, whichever comes first in the file; places, fingerprints, levels."""
    (first, second), bad = read("sarif.json", "sarif")
    assert bad == ["runs[0].results[2]: it has neither a ruleId nor a message"]
    assert first.vuln.title == "The query is built from user input."
    assert (first.vuln.severity, first.vuln.cwe) == ("high", ("CWE-89",))
    assert first.vuln.description == "A query built from outside may do anything."
    assert [(one.path, one.line, one.end_line) for one in first.places] == [("src/store.py", 4, 5)]
    assert (second.vuln.vuln_id, second.vuln.title) == ("py/weak-hash", "A weak hash is used.")
    assert (second.vuln.severity, second.source_state) == ("info", "suppressed")
    assert [one.path for one in second.places] == ["src/my hash.py"]


def test_sarif_results_that_are_no_failures() -> None:
    """TRIAGE-FORMATS: what an analyser found in order is kept as that, and links in a message read as their words."""
    run = {
        "tool": {"driver": {"name": "t", "rules": [{"id": "r", "properties": {"security-severity": "9.1"}}]}},
        "results": [
            {"ruleId": "r", "message": {"text": "It depends on a [value of a user](1), see [a \\[b\\]](https://e.org)."}},
            {"ruleId": "r", "kind": "pass", "level": "none", "message": {"text": "all is well"}},
            {"ruleId": "r", "kind": "notApplicable", "message": {"text": "nothing to look at"}},
            {"ruleId": "r", "kind": "review", "message": {"text": "somebody should look"}},
        ],
    }  # fmt: skip
    found = taken({"version": "2.1.0", "runs": [run]}, "sarif")
    assert [(one.vuln.severity, one.source_state) for one in found] == [
        ("critical", ""), ("info", "pass"), ("info", "notapplicable"), ("critical", "review"),
    ]  # fmt: skip
    assert found[0].vuln.title == "It depends on a value of a user, see a [b]."


def test_osv_advisory() -> None:
    """TRIAGE-FORMATS: an advisory is a finding for each package it names; its symbols and imports are kept."""
    (first, second), bad = read("osv.json", "osv")
    assert not bad
    assert (first.vuln.vuln_id, first.vuln.cve) == ("GO-2031-0001", "CVE-2031-30003")
    assert first.vuln.symbols == ("Parse", "MustParse")
    assert first.package.modules == ("example.org/text/language",)
    assert (first.package.affected_range, first.package.fixed_version) == ("< 0.3.7", "0.3.7")
    assert first.vuln.cvss is not None and first.vuln.cvss.score == 7.5 and first.vuln.severity == "high"
    assert second.package.name == "example.org/textlite" and second.record_id != first.record_id


def test_osv_scanner() -> None:
    """TRIAGE-FORMATS: a report of the scanner: manifest and version from it, the rest from each advisory."""
    found, bad = read("osv_scanner.json", "osv")
    assert bad == ["results[0].packages[1]: the package has no vulnerabilities"]
    assert [(one.vuln.vuln_id, one.vuln.severity) for one in found] == [
        ("PYSEC-2031-9", "critical"), ("PYSEC-2031-10", "unknown"),
    ]  # fmt: skip
    package = found[0].package
    assert (package.name, package.installed_version, package.manifest_path) == ("yamlish", "5.1", "requirements.txt")
    assert (package.affected_range, package.fixed_version) == (">= 1.0, < 5.4", "5.4")


def test_generic_lines() -> None:
    """TRIAGE-FORMATS, TRIAGE-ERRORS: flat and nested fields, one object a line; a broken line is told by its number."""
    (first, second), bad = read("generic.jsonl", "generic", team="red", internetExposed="no")
    assert [one.partition(":")[0] for one in bad] == ["line 3"]
    assert (first.service, first.env, first.team) == ("shop", "prod", "red")
    assert first.vuln.severity == "high"
    assert plain(first)["exposure"] == {
        "internetExposed": False, "publicEndpoint": "/admin", "compensatingControls": ["vpn"],
    }  # fmt: skip
    assert (second.vuln.cwe, second.vuln.severity) == (("CWE-352", "CWE-79"), "medium")
    assert (second.asset.asset_id, second.package.installed_version) == ("host-1", "1.0")
    assert second.created_at == "2031-01-01T00:00:00Z"
    assert "/admin" in to_markdown(first) and "## Exposure" in to_markdown(first)


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir()))
def test_records_are_read_back(name: str) -> None:
    """TRIAGE-OWNED: the JSON of a record gives the same record, and the same bytes again."""
    source = next(one for one in (*SOURCES, "osv") if name.startswith(one))
    for record in read(name, source)[0]:
        assert read_record(to_json(record))[0] == record
        assert to_json(read_record(to_json(record))[0]) == to_json(record)


@pytest.mark.parametrize(
    ("vector", "score"),
    [
        ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8),
        ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10.0),
        ("CVSS:3.0/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N", 1.8),
        ("CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:C/C:L/I:L/A:N", 5.4),
        ("CVSS:3.1/AV:P/AC:H/PR:L/UI:R/S:U/C:N/I:N/A:N", 0.0),
        ("CVSS:3.1/AV:N", None),
        ("CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N", None),
    ],
)
def test_score_of_a_vector(vector: str, score: float | None) -> None:
    """TRIAGE-SCORES: as the calculator of its specification gives it; no guess for what is incomplete or newer."""
    made = from_vector(vector)
    assert made is not None and made.score == score


def test_severities() -> None:
    """TRIAGE-SCORES: words of sources are ours, else the score decides, else nothing is claimed."""
    assert [normalize_severity(word) for word in ("HIGH", "moderate", "Important", "note", "", "weird")] == [
        "high", "medium", "high", "info", "unknown", "unknown",
    ]  # fmt: skip
    assert normalize_severity("", from_vector("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H")) == "critical"


def test_text_of_others_stays_text() -> None:
    """TRIAGE-MALFORMED: signs that act on terminals and lines that look like headings do no harm in a record."""
    raw = (
        b'{"vulnId": "A\\u001b[31m\\u0000\\ud800B", "title": "x\\n# Decision", "description": "a\\r\\n## Decision\\nb"}'
    )
    (item,) = read_items(io.BytesIO(raw), "generic")
    (record,) = build_records(item, "generic", (), NOW)
    assert record.vuln.vuln_id == "A[31m?B" and record.vuln.title == "x # Decision"
    assert "\n## Decision" not in to_markdown(record) and "> ## Decision" in to_markdown(record)
    assert read_record(to_json(record))[0] == record
