"""Dependabot parser: GitHub alerts from its REST and GraphQL APIs and its webhook events."""

from collections.abc import Iterator

from codecompass.findings.draft import Draft, Unfit, cve_among, cvss_of, cwes, joined
from codecompass.findings.item_reader import Item
from codecompass.findings.raw_item import LONG, TITLE, Raw
from codecompass.findings.severity import severity
from codecompass.model.triage_values import Package, Vuln


def drafts(item: Item, warnings: list[str]) -> Iterator[Draft]:
    raw = Raw(item.value, warnings)
    if raw.at("alert").is_object:
        raw = raw.at("alert")
    advisory, flaw = raw.at("security_advisory"), raw.at("security_vulnerability")
    if not advisory.is_object:
        advisory = flaw.at("advisory")
    if not advisory.is_object and not flaw.is_object:
        raise Unfit("it has neither security_advisory nor security_vulnerability")
    identifiers = advisory.texts("identifiers", key="value")
    ghsa, cve = advisory.text("ghsa_id"), advisory.text("cve_id")
    ghsa = ghsa or next((one for one in identifiers if one.startswith("GHSA-")), "")
    cve = cve_among(cve, *identifiers)
    package = Package(
        name=raw.text("dependency.package.name", "security_vulnerability.package.name"),
        ecosystem=raw.text("dependency.package.ecosystem", "security_vulnerability.package.ecosystem").lower(),
        installed_version=raw.text("dependency.version", "dependency.requirements", "vulnerable_requirements"),
        affected_range=flaw.text("vulnerable_version_range"),
        fixed_version=flaw.text("first_patched_version.identifier"),
        manifest_path=raw.text("dependency.manifest_path", "vulnerable_manifest_path"),
        purl=raw.text("dependency.package.purl"),
        modules=raw.texts("dependency.package.modules"),
    )
    cvss = cvss_of(advisory.any("cvss_severities.cvss_v3", "cvss")) or cvss_of(advisory.at("cvss_severities.cvss_v4"))
    vuln = Vuln(
        vuln_id=cve or ghsa,
        cve=cve,
        aliases=tuple(dict.fromkeys(one for one in (ghsa, *identifiers) if one and one != (cve or ghsa))),
        title=advisory.text("summary", most=TITLE),
        description=advisory.text("description", most=LONG),
        severity=severity(raw.text("security_vulnerability.severity") or advisory.text("severity"), cvss),
        cvss=cvss,
        cwe=cwes((*advisory.texts("cwes", key="cwe_id"), *advisory.texts("cwes.nodes", key="cwe_id"))),
        references=advisory.texts("references", key="url"),
        symbols=flaw.texts("vulnerable_functions"),
    )
    # Alerts of an organisation name their repository; alert numbers are unique only within a repository.
    repo = raw.text("repository.full_name")
    key = raw.text("id", "number", "url") or joined(ghsa or vuln.vuln_id, package.name, package.manifest_path)
    yield Draft(
        key=joined(repo, key) if repo and key else key,
        vuln=vuln,
        package=package,
        created_at=raw.moment("created_at"),
        updated_at=raw.moment("updated_at", "dismissed_at", "fixed_at"),
        state=raw.text("state").lower(),
        routing=(("repo", repo),) if repo else (),
    )
