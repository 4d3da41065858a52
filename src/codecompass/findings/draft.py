"""Finding draft: the data of a finding from its source, before it has an id, dates and routing."""

import re
from dataclasses import dataclass

from codecompass.findings.raw_item import RawItem
from codecompass.findings.severity import from_vector
from codecompass.model.triage_values import Asset, AssetExposure, Cvss, FindingLocation, Package, Vuln

CVE = re.compile(r"\bCVE-\d{4}-\d{4,19}\b", re.IGNORECASE)
CWE = re.compile(r"\bcwe[-_:/ ]?0*(\d{1,6})\b", re.IGNORECASE)


class UnfitItemError(Exception):
    """An item that is not a finding of its source, with the reason."""


@dataclass(frozen=True, slots=True)
class FindingDraft:
    """The data of one finding from its source."""

    key: str
    """Stable identifier at the source; empty if there is none."""
    vuln: Vuln
    package: Package = Package()
    asset: Asset = Asset()
    exposure: AssetExposure = AssetExposure()
    places: tuple[FindingLocation, ...] = ()
    created_at: str = ""
    updated_at: str = ""
    state: str = ""
    routing: tuple[tuple[str, str], ...] = ()
    record_id: str = ""
    """Record id, if the source contains one of ours."""
    position: str = ""
    """Position inside the item, for items with several findings."""


def find_cve(*texts: str) -> str:
    """Find the first CVE id in some texts, in upper case."""
    found = next((match for text in texts if (match := CVE.search(text))), None)
    return found[0].upper() if found else ""


def parse_cwes(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Parse CWE ids in any spelling to the form `CWE-79`."""
    found = (CWE.search(text) for text in texts)
    plain = (f"CWE-{int(text)}" for text in texts if text.isascii() and text.isdigit())
    return tuple(dict.fromkeys([*(f"CWE-{int(match[1])}" for match in found if match), *plain]))


def parse_cvss(raw: RawItem) -> Cvss | None:
    """Parse a CVSS score, vector, or both, under any of their common names."""
    if isinstance(raw.value, int | float):
        return Cvss(raw.get_number())
    if isinstance(raw.value, str):
        return from_vector(raw.get_text())
    if not raw.is_object:
        return None
    vector = raw.get_text("vector", "vector_string", "scoring_vector")
    score = raw.get_number("score", "base_score")
    made = from_vector(vector) if vector else None
    if score is not None and not 0 <= score <= 10:
        raw.warn(f"{raw.path}: a score must be between 0 and 10")
        score = None
    if score is None and made is None:
        return None
    version = raw.get_text("version") or (made.version if made else "")
    if not score and made is not None and made.score is not None:
        # Sources write 0 for an unknown score.
        score = made.score
    return Cvss(score, vector, version)


def join_key(*parts: str) -> str:
    """Join the parts of a key; empty when all are empty."""
    return ":".join(parts) if any(parts) else ""
