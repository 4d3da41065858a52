"""Severity: normalise severities to one vocabulary, and compute the base score of a CVSS 3 vector."""

import math

from codecompass.model.states import FindingSeverity
from codecompass.model.triage_values import SEVERITIES, Cvss

_SYNONYMS: dict[str, FindingSeverity] = {
    "moderate": "medium", "important": "high", "severe": "critical", "informational": "info", "none": "info",
    "negligible": "info", "note": "info", "minimal": "low", "minor": "low", "major": "high", "blocker": "critical",
    "error": "high", "warning": "medium", "warn": "medium", "untriaged": "unknown", "undefined": "unknown",
}  # fmt: skip
_METRICS = {
    "AV": {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2},
    "AC": {"L": 0.77, "H": 0.44},
    "UI": {"N": 0.85, "R": 0.62},
    "C": {"H": 0.56, "L": 0.22, "N": 0.0},
    "I": {"H": 0.56, "L": 0.22, "N": 0.0},
    "A": {"H": 0.56, "L": 0.22, "N": 0.0},
}
_PRIVILEGES = {"U": {"N": 0.85, "L": 0.62, "H": 0.27}, "C": {"N": 0.85, "L": 0.68, "H": 0.5}}


def normalize_severity(word: str, cvss: Cvss | None = None) -> FindingSeverity:
    """Normalise the severity of a source; without a known one, derive it from the score."""
    lowered = word.strip().lower()
    known = next((severity for severity in SEVERITIES if severity == lowered), _SYNONYMS.get(lowered, "unknown"))
    if known != "unknown":
        return known
    return from_score(cvss.score) if cvss is not None and cvss.score is not None else "unknown"


def from_score(score: float) -> FindingSeverity:
    """Return the CVSS severity band of a score."""
    if score >= 9:
        return "critical"
    if score >= 7:
        return "high"
    if score >= 4:
        return "medium"
    return "low" if score > 0 else "info"


def from_vector(vector: str) -> Cvss | None:
    """Parse a vector with its version and, for version 3, its base score."""
    head, _, rest = vector.partition("/")
    if not head.startswith("CVSS:"):
        return Cvss(vector=vector) if "/" in vector else None
    version = head[5:]
    parts = dict(part.partition(":")[::2] for part in rest.split("/"))
    return Cvss(_compute_base_score(parts) if version in ("3.0", "3.1") else None, vector, version)


def _compute_base_score(parts: dict[str, str]) -> float | None:
    """Compute the base score by CVSS 3.1, section 7.1; None for an incomplete vector."""
    try:
        scope = parts["S"]
        value = {name: table[parts[name]] for name, table in _METRICS.items()}
        privileges = _PRIVILEGES[scope][parts["PR"]]
    except KeyError:
        return None
    base = 1 - (1 - value["C"]) * (1 - value["I"]) * (1 - value["A"])
    changed = scope == "C"
    impact = 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 if changed else 6.42 * base
    if impact <= 0:
        return 0.0
    ease = 8.22 * value["AV"] * value["AC"] * privileges * value["UI"]
    return _round_up(min((1.08 if changed else 1.0) * (impact + ease), 10))


def _round_up(score: float) -> float:
    """Round up to one decimal with integer arithmetic, to avoid floating-point errors."""
    whole = round(score * 100_000)
    return whole / 100_000 if whole % 10_000 == 0 else (math.floor(whole / 10_000) + 1) / 10
