"""SARIF 2.1.0 parser: results of static analysers, with defaults from their rules."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from codecompass.findings.draft import FindingDraft, UnfitItemError, find_cve, join_key, parse_cwes
from codecompass.findings.item_reader import ScannerItem
from codecompass.findings.raw_item import LONG, TITLE, RawItem
from codecompass.findings.severity import normalize_severity
from codecompass.model.triage_values import Cvss, FindingLocation, Package, Vuln

_PLACEHOLDER = re.compile(r"\{(\d{1,2})\}")
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.){1,500})\]\([^()\s]{1,500}\)")
"""A link in a plain message: to a location of the result by its number, or to a URL."""
_ESCAPED = re.compile(r"\\(.)")
_PASSING_KINDS = ("pass", "notapplicable", "informational")
"""Kinds of results that are not failures."""


def parse_findings(item: ScannerItem, warnings: list[str]) -> Iterator[FindingDraft]:
    raw = RawItem(item.value, warnings)
    rule_id = raw.get_text("rule_id", "rule.id")
    rule = _find_rule(raw, item, rule_id, warnings)
    rule_id = rule_id or rule.get_text("id")
    title = _format_message(raw, rule) or rule.get_text("short_description.text", "name", most=TITLE)
    if not rule_id and not title:
        raise UnfitItemError("it has neither a ruleId nor a message")
    tool = RawItem(item.context.get("tool"), warnings).get_text("driver.name")
    places = _parse_places(raw, item, warnings)
    score = rule.get_number("properties.security-severity") or raw.get_number("properties.security-severity")
    cvss = Cvss(score) if score is not None and 0 <= score <= 10 else None
    # A score is more precise than the three levels of a result.
    word = "" if cvss else raw.get_text("level") or rule.get_text("default_configuration.level") or "warning"
    word = "none" if raw.get_text("kind").lower() in _PASSING_KINDS else word
    tags = (*rule.get_texts("properties.tags"), *raw.get_texts("properties.tags"), *rule.get_texts("properties.cwe"))
    yield FindingDraft(
        key=_build_key(raw, tool, rule_id, title, places),
        vuln=Vuln(
            vuln_id=rule_id,
            cve=find_cve(rule_id, title),
            title=_strip_links(title)[:TITLE],
            description=rule.get_text("full_description.text", "help.text", most=LONG),
            severity=normalize_severity(word, cvss),
            cvss=cvss,
            cwe=parse_cwes(tags),
            references=rule.get_texts("help_uri"),
        ),
        package=Package(name=raw.get_text("properties.package_name"), purl=rule.get_text("properties.purls")
                        if isinstance(rule.get("properties.purls").value, str) else ""),
        places=places,
        state=_find_state(raw),
    )  # fmt: skip


def _find_rule(raw: RawItem, item: ScannerItem, rule_id: str, warnings: list[str]) -> RawItem:
    """Find the rule of a result by its index, else by its id, also in the tool's extensions."""
    tool = RawItem(item.context.get("tool"), warnings, "tool")
    parts = [tool.get("driver"), *tool.get_items("extensions")]
    extension = raw.get("rule.tool_component.index").value
    if isinstance(extension, int) and 0 <= extension < len(parts) - 1:
        parts.insert(0, parts[extension + 1])
    index = raw.get_first("rule_index", "rule.index").value
    rules = parts[0].get("rules").value
    if isinstance(index, int) and isinstance(rules, list) and 0 <= index < len(rules):
        return RawItem(rules[index], warnings, f"rules[{index}]")
    for part in parts if rule_id else ():
        listed = part.get("rules").value
        for one in listed if isinstance(listed, list) else ():
            # `a/b` is a sub-rule of `a`.
            if isinstance(one, dict) and one.get("id") in (rule_id, rule_id.rpartition("/")[0] or rule_id):
                return RawItem(one, warnings, "rule")
    return RawItem(None, warnings)


def _format_message(raw: RawItem, rule: RawItem) -> str:
    """Return the message of a result with its placeholders filled in."""
    text = raw.get_text("message.text", "message.markdown", most=TITLE)
    named = raw.get_text("message.id")
    if not text and named:
        text = rule.get_text(f"message_strings.{named}.text", most=TITLE)
    words = raw.get_texts("message.arguments")
    return _PLACEHOLDER.sub(lambda found: words[int(found[1])] if int(found[1]) < len(words) else found[0], text)


def _strip_links(text: str) -> str:
    return _LINK.sub(lambda found: _ESCAPED.sub(r"\1", found[1]), text)


def _parse_places(raw: RawItem, item: ScannerItem, warnings: list[str]) -> tuple[FindingLocation, ...]:
    found = []
    for one in raw.get_items("locations"):
        artifact = one.get("physical_location.artifact_location")
        uri, index = artifact.get_text("uri"), artifact.get("index").value
        listed = item.context.get("artifacts")
        if not uri and isinstance(index, int) and isinstance(listed, list) and 0 <= index < len(listed):
            uri = RawItem(listed[index], warnings).get_text("location.uri")
        line = int(one.get_number("physical_location.region.start_line") or 0)
        if uri:
            last = int(one.get_number("physical_location.region.end_line") or line)
            found.append(FindingLocation(_to_path(uri), line, last))
    return tuple(dict.fromkeys(found))


def _to_path(uri: str) -> str:
    """Convert a URI to a path, relative to the root where possible."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    return unquote(parts.path).lstrip("/") if parts.scheme in ("", "file") else uri


def _build_key(raw: RawItem, tool: str, rule_id: str, title: str, places: tuple[FindingLocation, ...]) -> str:
    """Build a key from the analyser's fingerprint, which survives moved lines; else from location and message."""
    for name in ("fingerprints", "partial_fingerprints"):
        prints = raw.get(name).value
        if isinstance(prints, dict) and prints:
            words = sorted(f"{key}={RawItem(value).get_text()}" for key, value in prints.items())
            path = places[0].path if places else ""
            return join_key(tool, rule_id, path, *words)
    guid = raw.get_text("guid", "correlation_guid")
    place = f"{places[0].path}#{places[0].line}" if places else ""
    return guid or join_key(tool, rule_id, place, title)


def _find_state(raw: RawItem) -> str:
    if any(one.get_text("status") in ("", "accepted") for one in raw.get_items("suppressions")):
        return "suppressed"
    kind = raw.get_text("kind").lower()
    return raw.get_text("baseline_state").lower() or (kind if kind != "fail" else "")
