"""OSV parser: advisories in the Open Source Vulnerability format, and osv-scanner reports that contain them."""

from collections.abc import Iterator

from codecompass.findings.draft import FindingDraft, UnfitItemError, find_cve, join_key, parse_cvss, parse_cwes
from codecompass.findings.item_reader import ScannerItem
from codecompass.findings.raw_item import LONG, TITLE, RawItem
from codecompass.findings.severity import from_vector, normalize_severity
from codecompass.model.triage_values import Package, Vuln


def parse_findings(item: ScannerItem, warnings: list[str]) -> Iterator[FindingDraft]:
    raw = RawItem(item.value, warnings)
    if not raw.get("vulnerabilities").value and not raw.get("package").value:
        yield from _parse_advisory(raw)
        return
    # A package of a report with its advisories.
    source = RawItem(item.context.get("source"), warnings)
    found = list(raw.get_items("vulnerabilities"))
    if not found:
        raise UnfitItemError("the package has no vulnerabilities")
    for number, one in enumerate(found):
        package = Package(
            name=raw.get_text("package.name"),
            ecosystem=raw.get_text("package.ecosystem").lower(),
            installed_version=raw.get_text("package.version"),
            manifest_path=source.get_text("path"),
        )
        fitting = [part for part in one.get_items("affected") if part.get_text("package.name") == package.name]
        yield _build_draft(
            one, fitting[0] if fitting else RawItem(None, warnings), package, f"vulnerabilities[{number}]"
        )


def _parse_advisory(raw: RawItem) -> Iterator[FindingDraft]:
    if not raw.get_text("id"):
        raise UnfitItemError("it has no id, so it is not an advisory")
    parts = list(raw.get_items("affected")) or [RawItem(None, raw.warnings)]
    for number, part in enumerate(parts):
        package = Package(name=part.get_text("package.name"), ecosystem=part.get_text("package.ecosystem").lower())
        yield _build_draft(raw, part, package, f"affected[{number}]" if len(parts) > 1 else "")


def _build_draft(raw: RawItem, part: RawItem, package: Package, position: str) -> FindingDraft:
    vuln_id, aliases = raw.get_text("id"), raw.get_texts("aliases")
    if not vuln_id:
        raise UnfitItemError("an advisory has no id")
    vector = next(
        (text for one in (*part.get_items("severity"), *raw.get_items("severity")) if (text := one.get_text("score"))),
        "",
    )
    cvss = from_vector(vector) or parse_cvss(raw.get("database_specific.cvss"))
    word = part.get_text("database_specific.severity", "ecosystem_specific.severity")
    return FindingDraft(
        key=join_key(vuln_id, package.name, package.manifest_path),
        vuln=Vuln(
            vuln_id=vuln_id,
            cve=find_cve(vuln_id, *aliases),
            aliases=aliases,
            title=raw.get_text("summary", most=TITLE) or raw.get_text("details", most=TITLE),
            description=raw.get_text("details", most=LONG),
            severity=normalize_severity(word or raw.get_text("database_specific.severity"), cvss),
            cvss=cvss,
            cwe=parse_cwes(raw.get_texts("database_specific.cwe_ids")),
            references=raw.get_texts("references", key="url"),
            symbols=_parse_symbols(part),
        ),
        package=Package(
            name=package.name,
            ecosystem=package.ecosystem,
            installed_version=package.installed_version,
            affected_range=_format_range(part),
            fixed_version=_find_fixed_version(part),
            manifest_path=package.manifest_path,
            purl=part.get_text("package.purl"),
            modules=part.get_texts("ecosystem_specific.imports", key="path"),
        ),
        created_at=raw.get_time("published", "modified"),
        updated_at=raw.get_time("modified", "published"),
        state="withdrawn" if raw.get_text("withdrawn") else "",
        position=position,
    )


def _parse_symbols(part: RawItem) -> tuple[str, ...]:
    """Parse the affected symbols, which the Go database lists by import and the Rust one as functions."""
    found = [symbol for one in part.get_items("ecosystem_specific.imports") for symbol in one.get_texts("symbols")]
    found += part.get_texts("ecosystem_specific.affects.functions", "ecosystem_specific.affected_functions")
    return tuple(dict.fromkeys(found))


def _list_events(part: RawItem, name: str) -> list[str]:
    ranges = [one for one in part.get_items("ranges") if one.get_text("type") != "GIT"]
    return [text for one in ranges for event in one.get_items("events") if (text := event.get_text(name))]


def _format_range(part: RawItem) -> str:
    words = [f">= {one}" for one in _list_events(part, "introduced") if one != "0"]
    words += [f"< {one}" for one in _list_events(part, "fixed")] + [
        f"<= {one}" for one in _list_events(part, "last_affected")
    ]
    return ", ".join(words)[:500]


def _find_fixed_version(part: RawItem) -> str:
    return next(iter(_list_events(part, "fixed")), "")
