"""Terminal view of risk findings: grouped by file, then totals."""

from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import format_footer
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
SECTIONS = {"": "in code", "test": "in tests", "documentation": "in documents"}
SEVERITY_STYLE = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "blue"}


def show_risks(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print findings by file, most severe first, those in tests and documents last; then totals."""
    section = ""
    for (role, path), items in groupby(payload["findings"], key=lambda item: (item.get("role", ""), item["path"])):
        if role != section:
            section = role
            out.print(Text(f"-- {SECTIONS[role]} --", style="dim"))
        out.print(Text(escape(path), style="bold"))
        for item in items:
            out.print(_format_finding(item))
    if payload.get("capped"):
        names = ", ".join(escape(path) for path in payload["capped"][:3])
        out.print(Text(f"limits were reached, there may be more: {names}", style="yellow"))
    shown, total = len(payload["findings"]), payload["total"]
    summary = f"{shown} of {total} findings" if total > shown else f"{total} findings"
    counts = payload["severities"]
    by_severity = ", ".join(f"{counts[name]} {name}" for name in SEVERITY_STYLE if counts.get(name))
    rest = f" ({by_severity})" if by_severity else ""
    out.print(format_footer(payload, milliseconds, f"{summary} in {payload['files']} files{rest}"))


def _format_finding(item: Payload) -> Text:
    line = Text(f"{item['line']:>6}  ", style="green")
    line.append(f"{item['severity']:<9}", style=SEVERITY_STYLE[item["severity"]])
    line.append(f"{item['category']:<17}", style="cyan")
    source = item.get("source")
    if source:
        line.append(source["name"])
        where = f":{source['line']}" if source["path"] == item["path"] else f" {source['path']}:{source['line']}"
        line.append(escape(where), style="green")
        line.append(" → ", style="dim")
    line.append(item["sink"], style="bold")
    if item["symbol"]:
        line.append(f"  in {escape(item['symbol'])}", style="dim")
    if item.get("via"):
        line.append(f"  via {escape(' → '.join(item['via']))}", style="dim")
    if item["scope"] in ("call", "cross-file"):
        line.append(f"  [{item['scope']}]", style="magenta")
    if item.get("cwe"):
        line.append(f"  CWE-{item['cwe']}", style="dim")
    return line
