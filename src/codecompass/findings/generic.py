"""Generic parser: findings that are records or flat objects with the same fields; also manually entered ones."""

from collections.abc import Iterator

from codecompass.findings.draft import FindingDraft, UnfitItemError, find_cve, join_key, parse_cvss, parse_cwes
from codecompass.findings.item_reader import ScannerItem
from codecompass.findings.raw_item import LONG, TITLE, RawItem
from codecompass.findings.severity import normalize_severity
from codecompass.model.triage_values import ROUTING, Asset, AssetExposure, FindingLocation, Package, Vuln


def parse_findings(item: ScannerItem, warnings: list[str]) -> Iterator[FindingDraft]:
    raw = RawItem(item.value, warnings)
    if raw.get_text("record_type") == "decision":
        raise UnfitItemError("it is a decision; decisions are recorded by triage_decision, which checks them")
    vuln, package, asset, places = _parse_vuln(raw), _parse_package(raw), _parse_asset(raw), _parse_places(raw)
    if not (vuln.vuln_id or vuln.title or package.name):
        raise UnfitItemError("it names neither a vulnerability (id, vulnId, cve, rule, title) nor a package")
    record_id = raw.get_text("record_id")
    spot = f"{places[0].path}#{places[0].line}" if places else ""
    where = join_key(package.name, package.manifest_path, asset.asset_id) or spot
    # Without an id the title identifies the flaw within a package; a title alone is ambiguous.
    flaw = vuln.vuln_id or (vuln.title if where else "")
    yield FindingDraft(
        key=raw.get_text("stable_key", "id", "key")
        or join_key(flaw, package.name, package.manifest_path, asset.asset_id, *([spot] if spot else [])),
        vuln=vuln,
        package=package,
        asset=asset,
        exposure=_parse_exposure(raw),
        places=places,
        created_at=raw.get_time("created_at", "first_seen", "published"),
        updated_at=raw.get_time("updated_at", "last_seen", "modified"),
        state=raw.get_text("source_state", "state").lower(),
        routing=tuple((key, value) for key in ROUTING if (value := raw.get_text(key))),
        record_id=record_id,
    )  # fmt: skip


def _parse_vuln(raw: RawItem) -> Vuln:
    aliases = raw.get_texts("vuln.aliases", "aliases")
    vuln_id = raw.get_text("vuln.vuln_id", "vuln_id", "vulnerability_id", "advisory", "rule_id", "rule", "check_id")
    cve = find_cve(raw.get_text("vuln.cve", "cve"), vuln_id, *aliases)
    cvss = parse_cvss(raw.get_first("vuln.cvss", "cvss", "cvss_score"))
    return Vuln(
        vuln_id=vuln_id or cve or raw.get_text("id"),
        cve=cve,
        aliases=tuple(one for one in aliases if one != (vuln_id or cve)),
        title=raw.get_text("vuln.title", "title", "summary", "message", most=TITLE),
        description=raw.get_text("vuln.description", "description", most=LONG),
        severity=normalize_severity(raw.get_text("vuln.severity", "severity"), cvss),
        cvss=cvss,
        cwe=parse_cwes(raw.get_texts("vuln.cwe", "cwe", "cwes")),
        references=raw.get_texts("vuln.references", "references", key="url"),
        symbols=raw.get_texts("vuln.symbols", "symbols", "vulnerable_symbols"),
    )


def _parse_package(raw: RawItem) -> Package:
    named = raw.get("package")
    inner = named if named.is_object else RawItem(None, raw.warnings)
    return Package(
        name=inner.get_text("name") or raw.get_text("package_name") or ("" if named.is_object else named.get_text()),
        ecosystem=(inner.get_text("ecosystem") or raw.get_text("package_ecosystem", "ecosystem")).lower(),
        installed_version=inner.get_text("installed_version", "version")
        or raw.get_text("installed_version", "package_version", "version"),
        affected_range=inner.get_text("affected_range") or raw.get_text("affected_range"),
        fixed_version=inner.get_text("fixed_version") or raw.get_text("fixed_version"),
        manifest_path=inner.get_text("manifest_path") or raw.get_text("manifest_path", "manifest"),
        purl=inner.get_text("purl") or raw.get_text("purl"),
        modules=inner.get_texts("modules") or raw.get_texts("modules", "import_name", "module"),
        others=inner.get_texts("others"),
    )


def _parse_asset(raw: RawItem) -> Asset:
    return Asset(
        asset_id=raw.get_text("asset.asset_id", "asset_id", "asset.id"),
        asset_type=raw.get_text("asset.asset_type", "asset_type", "asset.type"),
        account=raw.get_text("asset.account", "account"),
        region=raw.get_text("asset.region", "region"),
        tags=raw.get_texts("asset.tags"),
    )


def _parse_exposure(raw: RawItem) -> AssetExposure:
    return AssetExposure(
        internet_exposed=raw.get_flag("exposure.internet_exposed", "internet_exposed"),
        public_endpoint=raw.get_text("exposure.public_endpoint", "public_endpoint"),
        data_sensitivity=raw.get_text("exposure.data_sensitivity", "data_sensitivity"),
        business_criticality=raw.get_text("exposure.business_criticality", "business_criticality"),
        compensating_controls=raw.get_texts("exposure.compensating_controls", "compensating_controls"),
    )


def _parse_places(raw: RawItem) -> tuple[FindingLocation, ...]:
    """Parse the locations: a list, or the fields of a single one at the top level."""
    found = []
    flat = RawItem(raw.value if raw.is_object else None, raw.warnings)
    for one in (*raw.get_items("places", "locations", "location"), flat):
        if not one.is_object:
            continue
        path = one.get_text("path", "file", "file_path", "filename").replace("\\", "/").removeprefix("./")
        line = max(int(one.get_number("line", "start_line", "line_number") or 0), 0)
        if path:
            found.append(FindingLocation(path, line, max(int(one.get_number("end_line") or line), line)))
    return tuple(dict.fromkeys(found))
