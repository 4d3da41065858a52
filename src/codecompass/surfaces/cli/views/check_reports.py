"""Check reports: what a change breaks, as SARIF for code hosts and as Markdown for a comment. Pure."""

from typing import Any

from codecompass.contract.shapes.memory_shapes import escape_lines
from codecompass.model.memory_values import ImpactedDiscovery, ImpactReport

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "broken": ("error", "A statement of the project is not true any more."),
    "touched": ("note", "A statement of the project speaks of something that changed."),
}
_MAX_TEXT = 300


def make_sarif(report: ImpactReport, version: str) -> dict[str, Any]:
    """Make a SARIF 2.1.0 log with one result for each discovery."""
    rules = [
        {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for name, (level, text) in _RULES.items()
    ]
    driver = {"name": "codecompass", "version": version, "rules": rules}
    invocation = {"executionSuccessful": report.unreached == 0 and report.searched.complete}
    results = [_make_result(item) for item in report.items]
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _make_result(item: ImpactedDiscovery) -> dict[str, Any]:
    made: dict[str, Any] = {
        "ruleId": item.severity,
        "level": _RULES[item.severity][0],
        "message": {"text": escape_lines("; ".join(item.why), 2 * _MAX_TEXT)},
        "partialFingerprints": {"discovery/v1": item.discovery.id},
    }
    source = item.discovery.source
    if source.path:
        place: dict[str, Any] = {"artifactLocation": {"uri": source.path.replace("%", "%25").replace(" ", "%20")}}
        if source.line_start:
            place["region"] = {"startLine": source.line_start, "endLine": max(source.line_end, source.line_start)}
        made["locations"] = [{"physicalLocation": place}]
    return made


def make_markdown(report: ImpactReport) -> str:
    """Make a list of what is broken, then of what is touched, with places and reasons."""
    lines: list[str] = []
    for severity, heading in (("broken", "Not true any more"), ("touched", "Speaks of what changed")):
        rows = [item for item in report.items if item.severity == severity]
        if rows:
            lines += [f"### {heading}", "", *(line for item in rows for line in _list_item(item)), ""]
    files = f"{report.changed_paths} changed file{'' if report.changed_paths == 1 else 's'}"
    lines.append(f"{report.total} of the project's statements are at risk · {files}" if report.items
                 else f"No statement of the project is at risk · {files}")  # fmt: skip
    if report.unreached:
        lines.append(f"**Not everything was checked**: {report.unreached} statements were not reached.")
    return "\n".join(lines)


def _list_item(item: ImpactedDiscovery) -> list[str]:
    source = item.discovery.source
    place = f"`{source.path}:{source.line_start}`" if source.path else f"`{item.discovery.id}`"
    text = " ".join(escape_lines(item.discovery.content, _MAX_TEXT).split())
    return [f"- {place}: {_quote(text)}", *(f"  - {_quote(escape_lines(line, _MAX_TEXT))}" for line in item.why)]


def _quote(text: str) -> str:
    """Quote a text of the repository so that it stays text: no HTML, no mentions."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("@", "@\u200b")
