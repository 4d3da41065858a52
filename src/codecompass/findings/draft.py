"""Draft: a finding as a source tells it, before it has an id, dates and routing of its own."""

import re
from dataclasses import dataclass

from codecompass.findings.raw_item import Raw
from codecompass.findings.severity import from_vector
from codecompass.model.triage_values import Asset, Cvss, Exposure, Package, Place, Vuln

CVE = re.compile(r"\bCVE-\d{4}-\d{4,19}\b", re.IGNORECASE)
CWE = re.compile(r"\bcwe[-_:/ ]?0*(\d{1,6})\b", re.IGNORECASE)


class Unfit(Exception):
    """An item that is no finding of its source, and why."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a source says of one finding."""

    key: str
    """What names it at its source, the same each time; empty where nothing does."""
    vuln: Vuln
    package: Package = Package()
    asset: Asset = Asset()
    exposure: Exposure = Exposure()
    places: tuple[Place, ...] = ()
    created_at: str = ""
    updated_at: str = ""
    state: str = ""
    routing: tuple[tuple[str, str], ...] = ()
    record_id: str = ""
    """Kept where the source brings one of ours."""
    position: str = ""
    """Where inside its item it stood, for items that hold several."""


def cve_among(*texts: str) -> str:
    """The first CVE in some texts, as it is spelled everywhere."""
    found = next((match for text in texts if (match := CVE.search(text))), None)
    return found[0].upper() if found else ""


def cwes(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Weaknesses as `CWE-79`, from any spelling."""
    found = (CWE.search(text) for text in texts)
    plain = (f"CWE-{int(text)}" for text in texts if text.isascii() and text.isdigit())
    return tuple(dict.fromkeys([*(f"CWE-{int(match[1])}" for match in found if match), *plain]))


def cvss_of(raw: Raw) -> Cvss | None:
    """A score, a vector, or both, under any of the names they go by."""
    if isinstance(raw.value, int | float):
        return Cvss(raw.number())
    if isinstance(raw.value, str):
        return from_vector(raw.text())
    if not raw.is_object:
        return None
    vector = raw.text("vector", "vector_string", "scoring_vector")
    score = raw.number("score", "base_score")
    made = from_vector(vector) if vector else None
    if score is not None and not 0 <= score <= 10:
        raw.warn(f"{raw.place}: a score lies between 0 and 10")
        score = None
    if score is None and made is None:
        return None
    version = raw.text("version") or (made.version if made else "")
    if not score and made is not None and made.score is not None:
        # Sources write 0 for a score that they do not have.
        score = made.score
    return Cvss(score, vector, version)


def joined(*parts: str) -> str:
    """Parts of a key; nothing when all are empty."""
    return ":".join(parts) if any(parts) else ""
