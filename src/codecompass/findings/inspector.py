"""Amazon Inspector parser: findings of version 2 from `list-findings` and its events."""

from collections.abc import Iterator

from codecompass.findings.draft import Draft, Unfit, cve_among, cvss_of, cwes, joined
from codecompass.findings.item_reader import Item
from codecompass.findings.raw_item import LONG, TITLE, Raw
from codecompass.findings.severity import severity
from codecompass.model.triage_values import Asset, Cvss, Package, Place, Vuln

_MANAGERS = {
    "PYTHON": "pip", "PYTHONPKG": "pip", "NODEPKG": "npm", "NPM": "npm", "GOMOD": "go", "GOBINARY": "go",
    "CARGO": "rust", "BUNDLER": "rubygems", "GEMSPEC": "rubygems", "COMPOSER": "composer", "NUGET": "nuget",
    "JAR": "maven", "POM": "maven", "MAVEN": "maven",
}  # fmt: skip
"""Inspector's package managers → ecosystems; the others are package managers of operating systems."""


def drafts(item: Item, warnings: list[str]) -> Iterator[Draft]:
    raw = Raw(item.value, warnings)
    # An event wraps its finding.
    raw = raw.at("detail") if raw.at("detail.finding_arn").value else raw
    details, code = raw.at("package_vulnerability_details"), raw.at("code_vulnerability_details")
    arn = raw.text("finding_arn", "arn", "id")
    if not details.is_object and not code.is_object and not arn:
        raise Unfit("it has neither packageVulnerabilityDetails nor findingArn")
    vuln_id = details.text("vulnerability_id") or code.text("detector_id")
    vuln = Vuln(
        vuln_id=vuln_id,
        cve=cve_among(vuln_id, *details.texts("related_vulnerabilities")),
        aliases=details.texts("related_vulnerabilities"),
        title=raw.text("title", most=TITLE),
        description=raw.text("description", most=LONG),
        severity=severity(raw.text("severity") or details.text("vendor_severity"), cvss := _cvss(raw, details)),
        cvss=cvss,
        cwe=cwes((*details.texts("cwes"), *code.texts("cwes"))),
        references=details.texts("reference_urls", "source_url"),
    )
    resource = next(iter(raw.each("resources")), Raw(None, raw.warnings))
    tags = resource.at("tags").value
    asset = Asset(
        asset_id=resource.text("id"),
        asset_type=resource.text("type"),
        account=raw.text("aws_account_id"),
        region=resource.text("region"),
        tags=tuple(Raw(f"{key}={value}").text() for key, value in tags.items()) if isinstance(tags, dict) else (),
    )
    yield Draft(
        key=arn or joined(vuln_id, asset.asset_id),
        vuln=vuln,
        package=_package(details),
        asset=asset,
        places=_places(code),
        created_at=raw.moment("first_observed_at"),
        updated_at=raw.moment("last_observed_at", "updated_at"),
        state=raw.text("status").lower(),
    )


def _cvss(raw: Raw, details: Raw) -> Cvss | None:
    found = [made for one in details.each("cvss") if (made := cvss_of(one))]
    if found:
        # Prefer the newest CVSS version.
        return max(found, key=lambda one: one.version)
    score = raw.number("inspector_score")
    return Cvss(score) if score is not None else None


def _package(details: Raw) -> Package:
    first, *rest = [*details.each("vulnerable_packages")] or [Raw(None, details.warnings)]
    manager = first.text("package_manager")
    fixed = first.text("fixed_in_version")
    return Package(
        name=first.text("name"),
        ecosystem=_MANAGERS.get(manager.upper(), manager.lower()),
        installed_version=first.text("version"),
        fixed_version="" if fixed.lower() == "notavailable" else fixed,
        manifest_path=first.text("file_path"),
        others=tuple(dict.fromkeys(f"{one.text('name')}@{one.text('version')}" for one in rest)),
    )


def _places(code: Raw) -> tuple[Place, ...]:
    path = code.text("file_path.file_path", "file_path.file_name")
    first, last = code.number("file_path.start_line"), code.number("file_path.end_line")
    return (Place(path, int(first or 0), int(last or first or 0)),) if path else ()
