"""Terminal view of risk findings: by severity and file, then totals."""

from collections import Counter
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import drop_module, format_extent, format_footer
from codecompass.surfaces.cli.views.terminal import format_path, print_hanging
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
SECTIONS = {"": "in code", "test": "in tests", "documentation": "in documents"}
MAX_STEPS = 5
"""Steps of a way that are shown in full."""
_MARGIN = 9
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
    """Print findings by file, then by the dangerous call; below it each way that a value takes to it."""
    for path, in_file in groupby(items, key=lambda item: item["path"]):
        rows = list(in_file)
        out.print(Text("  ").append_text(format_path(out, path, rows[0]["line"])))
        for _, same in groupby(rows, key=_identify_call):
            _show_call(out, list(same))


def _identify_call(item: Payload) -> tuple[object, ...]:
    return tuple(item.get(name) for name in ("line", "category", "sink", "symbol", "cwe"))


def _show_call(out: Console, rows: list[Payload]) -> None:
    ways = Counter((_format_source(row), _format_way(row)) for row in rows)
    (source, way), times = next(iter(ways.items()))
    item, alone = rows[0], len(ways) == 1
    line = Text(f"{item['line']:>7}  ", style="green")
    line.append(f"{item['category']}  ", style="cyan")
    line.append(f"{source} → " if source and alone else "", style="")
    line.append(escape(item["sink"]), style="bold")
    if item["symbol"]:
        line.append(f"  in {escape(drop_module(item['symbol'], item['path']))}", style="dim")
    if item.get("cwe"):
        line.append(f"  CWE-{item['cwe']}", style="dim")
    _print_times(out, line, times if alone else 1)
    if alone:
        if way:
            print_hanging(out, Text(f"{' ' * _MARGIN}{way}", style="dim"), _MARGIN + 2)
        return
    for (source, way), times in ways.items():
        words = " ".join(filter(None, (f"from {source}" if source else "", way))) or "by itself"
        _print_times(out, Text(f"{' ' * _MARGIN}{words}", style="dim"), times)


def _print_times(out: Console, line: Text, times: int) -> None:
    """Print a line, with how often it occurs: equal ones differ only in their columns."""
    if times > 1:
        line.append(f"  ×{times}", style="magenta")
    print_hanging(out, line, _MARGIN + 2)


def _format_source(item: Payload) -> str:
    """Format where a value comes from; empty if that is not known."""
    source = item.get("source")
    if not source:
        return ""
    where = f":{source['line']}" if source["path"] == item["path"] else f" {source['path']}:{source['line']}"
    return escape(source["name"] + where)


def _format_way(item: Payload) -> str:
    """Format how a value gets to the call; empty if it stands there."""
    return f"via {escape(_shorten_way(item['via']))}" if item.get("via") else ""


def _shorten_way(steps: list[str]) -> str:
    """Format the way of a value; of a long one the first and the last steps."""
    if len(steps) > MAX_STEPS:
        steps = [*steps[:2], f"… {len(steps) - 4} steps …", *steps[-2:]]
    return " → ".join(steps)
