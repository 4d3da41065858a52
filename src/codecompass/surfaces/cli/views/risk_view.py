"""Terminal view of risk findings: by severity and file, then totals."""

from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import format_extent, format_footer
from codecompass.surfaces.cli.views.terminal import format_path, print_hanging
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
SECTIONS = {"": "in code", "test": "in tests", "documentation": "in documents"}
MAX_STEPS = 5
"""Steps of a way that are shown in full."""
SEVERITY_STYLE = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "blue"}


def show_risks(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print findings by severity, the worst first, those in tests and documents apart and last; then totals."""
    for role, of_role in groupby(payload["findings"], key=lambda item: item.get("role", "")):
        if role:
            out.print(Text(f"-- {SECTIONS[role]} --", style="bold dim"))
        for severity, items in groupby(of_role, key=lambda item: item["severity"]):
            out.print(Text(severity, style=SEVERITY_STYLE[severity]))
            _show_files(out, list(items))
    if payload.get("capped"):
        names = ", ".join(escape(path) for path in payload["capped"][:3])
        out.print(Text(f"limits were reached, there may be more: {names}", style="yellow"))
    summary = format_extent(payload, len(payload["findings"]), payload["total"], "findings")
    counts, roles = payload["severities"], payload.get("roles", {})
    parts = [f"{counts[name]} {name}" for name in SEVERITY_STYLE if counts.get(name)]
    parts += [f"{count} {SECTIONS[role]}" for role, count in roles.items()]
    rest = f" ({', '.join(parts)})" if parts else ""
    out.print(format_footer(payload, milliseconds, f"{summary} in {payload['files']:,} files{rest}"))


def _show_files(out: Console, items: list[Payload]) -> None:
    """Print findings by file; equal lines, which differ only in their columns, are counted."""
    for path, in_file in groupby(items, key=lambda item: item["path"]):
        rows = list(in_file)
        out.print(Text("  ").append_text(format_path(out, path, rows[0]["line"])))
        for text, same in groupby(_format_finding(item) for item in rows):
            times = len(list(same))
            if times > 1:
                text = text.copy()
                text.append(f"  ×{times}", style="magenta")
            print_hanging(out, text, 9)


def _format_finding(item: Payload) -> Text:
    line = Text(f"{item['line']:>7}  ", style="green")
    line.append(f"{item['category']:<12} ", style="cyan")
    source = item.get("source")
    if source:
        line.append(escape(source["name"]))
        where = f":{source['line']}" if source["path"] == item["path"] else f" {source['path']}:{source['line']}"
        line.append(escape(where), style="green")
        line.append(" → ", style="dim")
    line.append(escape(item["sink"]), style="bold")
    if item["symbol"]:
        line.append(f"  in {escape(item['symbol'])}", style="dim")
    if item.get("via"):
        line.append(f"  via {escape(_shorten_way(item['via']))}", style="dim")
    if item["scope"] in ("call", "cross-file"):
        line.append(f"  [{item['scope']}]", style="magenta")
    if item.get("cwe"):
        line.append(f"  CWE-{item['cwe']}", style="dim")
    return line


def _shorten_way(steps: list[str]) -> str:
    """Format the way of a value; of a long one the first and the last steps."""
    if len(steps) > MAX_STEPS:
        steps = [*steps[:2], f"… {len(steps) - 4} steps …", *steps[-2:]]
    return " → ".join(steps)
