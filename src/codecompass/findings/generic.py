"""Generic parser: findings that are records or flat objects with the same fields; also manually entered ones."""

from collections.abc import Iterator

from codecompass.findings.draft import Draft, Unfit, cve_among, cvss_of, cwes, joined
from codecompass.findings.item_reader import Item
from codecompass.findings.raw_item import LONG, TITLE, Raw
from codecompass.findings.severity import severity
from codecompass.model.triage_values import ROUTING, Asset, Exposure, Package, Place, Vuln


def drafts(item: Item, warnings: list[str]) -> Iterator[Draft]:
    raw = Raw(item.value, warnings)
    if raw.text("record_type") == "decision":
        raise Unfit("it is a decision; decisions are recorded by triage_decision, which checks them")
    vuln, package, asset, places = _vuln(raw), _package(raw), _asset(raw), _places(raw)
    if not (vuln.vuln_id or vuln.title or package.name):
        raise Unfit("it names neither a vulnerability (id, vulnId, cve, rule, title) nor a package")
    record_id = raw.text("record_id")
    spot = f"{places[0].path}#{places[0].line}" if places else ""
    where = joined(package.name, package.manifest_path, asset.asset_id) or spot
    # Without an id the title identifies the flaw within a package; a title alone is ambiguous.
    flaw = vuln.vuln_id or (vuln.title if where else "")
    yield Draft(
        key=raw.text("stable_key", "id", "key")
        or joined(flaw, package.name, package.manifest_path, asset.asset_id, *([spot] if spot else [])),
        vuln=vuln,
        package=package,
        asset=asset,
        exposure=_exposure(raw),
        places=places,
        created_at=raw.moment("created_at", "first_seen", "published"),
        updated_at=raw.moment("updated_at", "last_seen", "modified"),
        state=raw.text("source_state", "state").lower(),
        routing=tuple((key, value) for key in ROUTING if (value := raw.text(key))),
        record_id=record_id,
    )  # fmt: skip


def _vuln(raw: Raw) -> Vuln:
    aliases = raw.texts("vuln.aliases", "aliases")
    vuln_id = raw.text("vuln.vuln_id", "vuln_id", "vulnerability_id", "advisory", "rule_id", "rule", "check_id")
    cve = cve_among(raw.text("vuln.cve", "cve"), vuln_id, *aliases)
    cvss = cvss_of(raw.any("vuln.cvss", "cvss", "cvss_score"))
    return Vuln(
        vuln_id=vuln_id or cve or raw.text("id"),
        cve=cve,
        aliases=tuple(one for one in aliases if one != (vuln_id or cve)),
        title=raw.text("vuln.title", "title", "summary", "message", most=TITLE),
        description=raw.text("vuln.description", "description", most=LONG),
        severity=severity(raw.text("vuln.severity", "severity"), cvss),
        cvss=cvss,
        cwe=cwes(raw.texts("vuln.cwe", "cwe", "cwes")),
        references=raw.texts("vuln.references", "references", key="url"),
        symbols=raw.texts("vuln.symbols", "symbols", "vulnerable_symbols"),
    )


def _package(raw: Raw) -> Package:
    named = raw.at("package")
    inner = named if named.is_object else Raw(None, raw.warnings)
    return Package(
        name=inner.text("name") or raw.text("package_name") or ("" if named.is_object else named.text()),
        ecosystem=(inner.text("ecosystem") or raw.text("package_ecosystem", "ecosystem")).lower(),
        installed_version=inner.text("installed_version", "version")
        or raw.text("installed_version", "package_version", "version"),
        affected_range=inner.text("affected_range") or raw.text("affected_range"),
        fixed_version=inner.text("fixed_version") or raw.text("fixed_version"),
        manifest_path=inner.text("manifest_path") or raw.text("manifest_path", "manifest"),
        purl=inner.text("purl") or raw.text("purl"),
        modules=inner.texts("modules") or raw.texts("modules", "import_name", "module"),
        others=inner.texts("others"),
    )


def _asset(raw: Raw) -> Asset:
    return Asset(
        asset_id=raw.text("asset.asset_id", "asset_id", "asset.id"),
        asset_type=raw.text("asset.asset_type", "asset_type", "asset.type"),
        account=raw.text("asset.account", "account"),
        region=raw.text("asset.region", "region"),
        tags=raw.texts("asset.tags"),
    )


def _exposure(raw: Raw) -> Exposure:
    return Exposure(
        internet_exposed=raw.flag("exposure.internet_exposed", "internet_exposed"),
        public_endpoint=raw.text("exposure.public_endpoint", "public_endpoint"),
        data_sensitivity=raw.text("exposure.data_sensitivity", "data_sensitivity"),
        business_criticality=raw.text("exposure.business_criticality", "business_criticality"),
        compensating_controls=raw.texts("exposure.compensating_controls", "compensating_controls"),
    )


def _places(raw: Raw) -> tuple[Place, ...]:
    """Parse the locations: a list, or the fields of a single one at the top level."""
    found = []
    flat = Raw(raw.value if raw.is_object else None, raw.warnings)
    for one in (*raw.each("places", "locations", "location"), flat):
        if not one.is_object:
            continue
        path = one.text("path", "file", "file_path", "filename").replace("\\", "/").removeprefix("./")
        line = max(int(one.number("line", "start_line", "line_number") or 0), 0)
        if path:
            found.append(Place(path, line, max(int(one.number("end_line") or line), line)))
    return tuple(dict.fromkeys(found))
