"""Dependabot parser: GitHub alerts from its REST and GraphQL APIs and its webhook events."""

from collections.abc import Iterator

from codecompass.findings.draft import FindingDraft, UnfitItemError, find_cve, join_key, parse_cvss, parse_cwes
from codecompass.findings.item_reader import ScannerItem
from codecompass.findings.raw_item import LONG, TITLE, RawItem
from codecompass.findings.severity import normalize_severity
from codecompass.model.triage_values import Package, Vuln


def parse_findings(item: ScannerItem, warnings: list[str]) -> Iterator[FindingDraft]:
    raw = RawItem(item.value, warnings)
    if raw.get("alert").is_object:
        raw = raw.get("alert")
    advisory, flaw = raw.get("security_advisory"), raw.get("security_vulnerability")
    if not advisory.is_object:
        advisory = flaw.get("advisory")
    if not advisory.is_object and not flaw.is_object:
        raise UnfitItemError("it has neither security_advisory nor security_vulnerability")
    identifiers = advisory.get_texts("identifiers", key="value")
    ghsa, cve = advisory.get_text("ghsa_id"), advisory.get_text("cve_id")
    ghsa = ghsa or next((one for one in identifiers if one.startswith("GHSA-")), "")
    cve = find_cve(cve, *identifiers)
    package = Package(
        name=raw.get_text("dependency.package.name", "security_vulnerability.package.name"),
        ecosystem=raw.get_text("dependency.package.ecosystem", "security_vulnerability.package.ecosystem").lower(),
        installed_version=raw.get_text("dependency.version", "dependency.requirements", "vulnerable_requirements"),
        affected_range=flaw.get_text("vulnerable_version_range"),
        fixed_version=flaw.get_text("first_patched_version.identifier"),
        manifest_path=raw.get_text("dependency.manifest_path", "vulnerable_manifest_path"),
        purl=raw.get_text("dependency.package.purl"),
        modules=raw.get_texts("dependency.package.modules"),
    )
    cvss = parse_cvss(advisory.get_first("cvss_severities.cvss_v3", "cvss")) or parse_cvss(
        advisory.get("cvss_severities.cvss_v4")
    )
    vuln = Vuln(
        vuln_id=cve or ghsa,
        cve=cve,
        aliases=tuple(dict.fromkeys(one for one in (ghsa, *identifiers) if one and one != (cve or ghsa))),
        title=advisory.get_text("summary", most=TITLE),
        description=advisory.get_text("description", most=LONG),
        severity=normalize_severity(
            raw.get_text("security_vulnerability.severity") or advisory.get_text("severity"), cvss
        ),
        cvss=cvss,
        cwe=parse_cwes((*advisory.get_texts("cwes", key="cwe_id"), *advisory.get_texts("cwes.nodes", key="cwe_id"))),
        references=advisory.get_texts("references", key="url"),
        symbols=flaw.get_texts("vulnerable_functions"),
    )
    # Alerts of an organisation name their repository; alert numbers are unique only within a repository.
    repo = raw.get_text("repository.full_name")
    key = raw.get_text("id", "number", "url") or join_key(ghsa or vuln.vuln_id, package.name, package.manifest_path)
    yield FindingDraft(
        key=join_key(repo, key) if repo and key else key,
        vuln=vuln,
        package=package,
        created_at=raw.get_time("created_at"),
        updated_at=raw.get_time("updated_at", "dismissed_at", "fixed_at"),
        state=raw.get_text("state").lower(),
        routing=(("repo", repo),) if repo else (),
    )
