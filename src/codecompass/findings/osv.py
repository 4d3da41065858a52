"""OSV parser: advisories in the Open Source Vulnerability format, and osv-scanner reports that contain them."""

from collections.abc import Iterator

from codecompass.findings.draft import Draft, Unfit, cve_among, cvss_of, cwes, joined
from codecompass.findings.item_reader import Item
from codecompass.findings.raw_item import LONG, TITLE, Raw
from codecompass.findings.severity import from_vector, severity
from codecompass.model.triage_values import Package, Vuln


def drafts(item: Item, warnings: list[str]) -> Iterator[Draft]:
    raw = Raw(item.value, warnings)
    if not raw.at("vulnerabilities").value and not raw.at("package").value:
        yield from _advisory(raw)
        return
    # A package of a report with its advisories.
    source = Raw(item.beside.get("source"), warnings)
    found = list(raw.each("vulnerabilities"))
    if not found:
        raise Unfit("the package has no vulnerabilities")
    for number, one in enumerate(found):
        package = Package(
            name=raw.text("package.name"),
            ecosystem=raw.text("package.ecosystem").lower(),
            installed_version=raw.text("package.version"),
            manifest_path=source.text("path"),
        )
        fitting = [part for part in one.each("affected") if part.text("package.name") == package.name]
        yield _draft(one, fitting[0] if fitting else Raw(None, warnings), package, f"vulnerabilities[{number}]")


def _advisory(raw: Raw) -> Iterator[Draft]:
    if not raw.text("id"):
        raise Unfit("it has no id, so it is not an advisory")
    parts = list(raw.each("affected")) or [Raw(None, raw.warnings)]
    for number, part in enumerate(parts):
        package = Package(name=part.text("package.name"), ecosystem=part.text("package.ecosystem").lower())
        yield _draft(raw, part, package, f"affected[{number}]" if len(parts) > 1 else "")


def _draft(raw: Raw, part: Raw, package: Package, position: str) -> Draft:
    vuln_id, aliases = raw.text("id"), raw.texts("aliases")
    if not vuln_id:
        raise Unfit("an advisory has no id")
    vector = next((text for one in (*part.each("severity"), *raw.each("severity")) if (text := one.text("score"))), "")
    cvss = from_vector(vector) or cvss_of(raw.at("database_specific.cvss"))
    word = part.text("database_specific.severity", "ecosystem_specific.severity")
    return Draft(
        key=joined(vuln_id, package.name, package.manifest_path),
        vuln=Vuln(
            vuln_id=vuln_id,
            cve=cve_among(vuln_id, *aliases),
            aliases=aliases,
            title=raw.text("summary", most=TITLE) or raw.text("details", most=TITLE),
            description=raw.text("details", most=LONG),
            severity=severity(word or raw.text("database_specific.severity"), cvss),
            cvss=cvss,
            cwe=cwes(raw.texts("database_specific.cwe_ids")),
            references=raw.texts("references", key="url"),
            symbols=_symbols(part),
        ),
        package=Package(
            name=package.name,
            ecosystem=package.ecosystem,
            installed_version=package.installed_version,
            affected_range=_range(part),
            fixed_version=_fixed(part),
            manifest_path=package.manifest_path,
            purl=part.text("package.purl"),
            modules=part.texts("ecosystem_specific.imports", key="path"),
        ),
        created_at=raw.moment("published", "modified"),
        updated_at=raw.moment("modified", "published"),
        state="withdrawn" if raw.text("withdrawn") else "",
        position=position,
    )


def _symbols(part: Raw) -> tuple[str, ...]:
    """Parse the affected symbols, which the Go database lists by import and the Rust one as functions."""
    found = [symbol for one in part.each("ecosystem_specific.imports") for symbol in one.texts("symbols")]
    found += part.texts("ecosystem_specific.affects.functions", "ecosystem_specific.affected_functions")
    return tuple(dict.fromkeys(found))


def _events(part: Raw, name: str) -> list[str]:
    ranges = [one for one in part.each("ranges") if one.text("type") != "GIT"]
    return [text for one in ranges for event in one.each("events") if (text := event.text(name))]


def _range(part: Raw) -> str:
    words = [f">= {one}" for one in _events(part, "introduced") if one != "0"]
    words += [f"< {one}" for one in _events(part, "fixed")] + [f"<= {one}" for one in _events(part, "last_affected")]
    return ", ".join(words)[:500]


def _fixed(part: Raw) -> str:
    return next(iter(_events(part, "fixed")), "")
