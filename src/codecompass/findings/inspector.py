"""Amazon Inspector parser: findings of version 2 from `list-findings` and its events."""

from collections.abc import Iterator

from codecompass.findings.draft import FindingDraft, UnfitItemError, find_cve, join_key, parse_cvss, parse_cwes
from codecompass.findings.item_reader import ScannerItem
from codecompass.findings.raw_item import LONG, TITLE, RawItem
from codecompass.findings.severity import normalize_severity
from codecompass.model.triage_values import Asset, Cvss, FindingLocation, Package, Vuln

_ECOSYSTEMS = {
    "PYTHON": "pip", "PYTHONPKG": "pip", "NODEPKG": "npm", "NPM": "npm", "GOMOD": "go", "GOBINARY": "go",
    "CARGO": "rust", "BUNDLER": "rubygems", "GEMSPEC": "rubygems", "COMPOSER": "composer", "NUGET": "nuget",
    "JAR": "maven", "POM": "maven", "MAVEN": "maven",
}  # fmt: skip
"""Inspector's package managers → ecosystems; the others are package managers of operating systems."""


def parse_findings(item: ScannerItem, warnings: list[str]) -> Iterator[FindingDraft]:
    raw = RawItem(item.value, warnings)
    # An event wraps its finding.
    raw = raw.get("detail") if raw.get("detail.finding_arn").value else raw
    details, code = raw.get("package_vulnerability_details"), raw.get("code_vulnerability_details")
    arn = raw.get_text("finding_arn", "arn", "id")
    if not details.is_object and not code.is_object and not arn:
        raise UnfitItemError("it has neither packageVulnerabilityDetails nor findingArn")
    vuln_id = details.get_text("vulnerability_id") or code.get_text("detector_id")
    vuln = Vuln(
        vuln_id=vuln_id,
        cve=find_cve(vuln_id, *details.get_texts("related_vulnerabilities")),
        aliases=details.get_texts("related_vulnerabilities"),
        title=raw.get_text("title", most=TITLE),
        description=raw.get_text("description", most=LONG),
        severity=normalize_severity(
            raw.get_text("severity") or details.get_text("vendor_severity"), cvss := _parse_cvss(raw, details)
        ),
        cvss=cvss,
        cwe=parse_cwes((*details.get_texts("cwes"), *code.get_texts("cwes"))),
        references=details.get_texts("reference_urls", "source_url"),
    )
    resource = next(iter(raw.get_items("resources")), RawItem(None, raw.warnings))
    tags = resource.get("tags").value
    asset = Asset(
        asset_id=resource.get_text("id"),
        asset_type=resource.get_text("type"),
        account=raw.get_text("aws_account_id"),
        region=resource.get_text("region"),
        tags=tuple(RawItem(f"{key}={value}").get_text() for key, value in tags.items())
        if isinstance(tags, dict)
        else (),
    )
    yield FindingDraft(
        key=arn or join_key(vuln_id, asset.asset_id),
        vuln=vuln,
        package=_parse_package(details),
        asset=asset,
        places=_parse_places(code),
        created_at=raw.get_time("first_observed_at"),
        updated_at=raw.get_time("last_observed_at", "updated_at"),
        state=raw.get_text("status").lower(),
    )


def _parse_cvss(raw: RawItem, details: RawItem) -> Cvss | None:
    found = [made for one in details.get_items("cvss") if (made := parse_cvss(one))]
    if found:
        # Prefer the newest CVSS version.
        return max(found, key=lambda one: one.version)
    score = raw.get_number("inspector_score")
    return Cvss(score) if score is not None else None


def _parse_package(details: RawItem) -> Package:
    first, *rest = [*details.get_items("vulnerable_packages")] or [RawItem(None, details.warnings)]
    manager = first.get_text("package_manager")
    fixed = first.get_text("fixed_in_version")
    return Package(
        name=first.get_text("name"),
        ecosystem=_ECOSYSTEMS.get(manager.upper(), manager.lower()),
        installed_version=first.get_text("version"),
        fixed_version="" if fixed.lower() == "notavailable" else fixed,
        manifest_path=first.get_text("file_path"),
        others=tuple(dict.fromkeys(f"{one.get_text('name')}@{one.get_text('version')}" for one in rest)),
    )


def _parse_places(code: RawItem) -> tuple[FindingLocation, ...]:
    path = code.get_text("file_path.file_path", "file_path.file_name")
    first, last = code.get_number("file_path.start_line"), code.get_number("file_path.end_line")
    return (FindingLocation(path, int(first or 0), int(last or first or 0)),) if path else ()
