"""SARIF 2.1.0 parser: results of static analysers, with defaults from their rules."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from codecompass.findings.draft import Draft, Unfit, cve_among, cwes, joined
from codecompass.findings.item_reader import Item
from codecompass.findings.raw_item import LONG, TITLE, Raw
from codecompass.findings.severity import severity
from codecompass.model.triage_values import Cvss, Package, Place, Vuln

_BLANK = re.compile(r"\{(\d{1,2})\}")
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.){1,500})\]\([^()\s]{1,500}\)")
"""A link in a plain message: to a location of the result by its number, or to a URL."""
_ESCAPED = re.compile(r"\\(.)")
_IN_ORDER = ("pass", "notapplicable", "informational")
"""Kinds of results that are not failures."""


def drafts(item: Item, warnings: list[str]) -> Iterator[Draft]:
    raw = Raw(item.value, warnings)
    rule_id = raw.text("rule_id", "rule.id")
    rule = _rule(raw, item, rule_id, warnings)
    rule_id = rule_id or rule.text("id")
    title = _message(raw, rule) or rule.text("short_description.text", "name", most=TITLE)
    if not rule_id and not title:
        raise Unfit("it has neither a ruleId nor a message")
    tool = Raw(item.beside.get("tool"), warnings).text("driver.name")
    places = _places(raw, item, warnings)
    score = rule.number("properties.security-severity") or raw.number("properties.security-severity")
    cvss = Cvss(score) if score is not None and 0 <= score <= 10 else None
    # A score is more precise than the three levels of a result.
    word = "" if cvss else raw.text("level") or rule.text("default_configuration.level") or "warning"
    word = "none" if raw.text("kind").lower() in _IN_ORDER else word
    tags = (*rule.texts("properties.tags"), *raw.texts("properties.tags"), *rule.texts("properties.cwe"))
    yield Draft(
        key=_key(raw, tool, rule_id, title, places),
        vuln=Vuln(
            vuln_id=rule_id,
            cve=cve_among(rule_id, title),
            title=_without_links(title)[:TITLE],
            description=rule.text("full_description.text", "help.text", most=LONG),
            severity=severity(word, cvss),
            cvss=cvss,
            cwe=cwes(tags),
            references=rule.texts("help_uri"),
        ),
        package=Package(name=raw.text("properties.package_name"), purl=rule.text("properties.purls")
                        if isinstance(rule.at("properties.purls").value, str) else ""),
        places=places,
        state=_state(raw),
    )  # fmt: skip


def _rule(raw: Raw, item: Item, rule_id: str, warnings: list[str]) -> Raw:
    """Find the rule of a result by its index, else by its id, also in the tool's extensions."""
    tool = Raw(item.beside.get("tool"), warnings, "tool")
    parts = [tool.at("driver"), *tool.each("extensions")]
    extension = raw.at("rule.tool_component.index").value
    if isinstance(extension, int) and 0 <= extension < len(parts) - 1:
        parts.insert(0, parts[extension + 1])
    index = raw.any("rule_index", "rule.index").value
    rules = parts[0].at("rules").value
    if isinstance(index, int) and isinstance(rules, list) and 0 <= index < len(rules):
        return Raw(rules[index], warnings, f"rules[{index}]")
    for part in parts if rule_id else ():
        listed = part.at("rules").value
        for one in listed if isinstance(listed, list) else ():
            # `a/b` is a sub-rule of `a`.
            if isinstance(one, dict) and one.get("id") in (rule_id, rule_id.rpartition("/")[0] or rule_id):
                return Raw(one, warnings, "rule")
    return Raw(None, warnings)


def _message(raw: Raw, rule: Raw) -> str:
    """Return the message of a result with its placeholders filled in."""
    text = raw.text("message.text", "message.markdown", most=TITLE)
    named = raw.text("message.id")
    if not text and named:
        text = rule.text(f"message_strings.{named}.text", most=TITLE)
    words = raw.texts("message.arguments")
    return _BLANK.sub(lambda found: words[int(found[1])] if int(found[1]) < len(words) else found[0], text)


def _without_links(text: str) -> str:
    return _LINK.sub(lambda found: _ESCAPED.sub(r"\1", found[1]), text)


def _places(raw: Raw, item: Item, warnings: list[str]) -> tuple[Place, ...]:
    found = []
    for one in raw.each("locations"):
        artifact = one.at("physical_location.artifact_location")
        uri, index = artifact.text("uri"), artifact.at("index").value
        listed = item.beside.get("artifacts")
        if not uri and isinstance(index, int) and isinstance(listed, list) and 0 <= index < len(listed):
            uri = Raw(listed[index], warnings).text("location.uri")
        line = int(one.number("physical_location.region.start_line") or 0)
        if uri:
            last = int(one.number("physical_location.region.end_line") or line)
            found.append(Place(_path(uri), line, last))
    return tuple(dict.fromkeys(found))


def _path(uri: str) -> str:
    """Convert a URI to a path, relative to the root where possible."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    return unquote(parts.path).lstrip("/") if parts.scheme in ("", "file") else uri


def _key(raw: Raw, tool: str, rule_id: str, title: str, places: tuple[Place, ...]) -> str:
    """Build a key from the analyser's fingerprint, which survives moved lines; else from location and message."""
    for name in ("fingerprints", "partial_fingerprints"):
        prints = raw.at(name).value
        if isinstance(prints, dict) and prints:
            words = sorted(f"{key}={Raw(value).text()}" for key, value in prints.items())
            path = places[0].path if places else ""
            return joined(tool, rule_id, path, *words)
    guid = raw.text("guid", "correlation_guid")
    place = f"{places[0].path}#{places[0].line}" if places else ""
    return guid or joined(tool, rule_id, place, title)


def _state(raw: Raw) -> str:
    if any(one.text("status") in ("", "accepted") for one in raw.each("suppressions")):
        return "suppressed"
    kind = raw.text("kind").lower()
    return raw.text("baseline_state").lower() or (kind if kind != "fail" else "")
