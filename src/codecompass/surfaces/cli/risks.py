"""`codecompass risks [PATH…]`: what untrusted values reach, by file, for people and for programs."""

import argparse
from contextlib import nullcontext
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.contract.port import EnginePort
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.exposure import Finding, RiskQuery, RiskReport
from codecompass.surfaces.cli.bar import drawn_bar
from codecompass.surfaces.cli.output import write_json
from codecompass.surfaces.cli.render import FRESHNESS_STYLE, console
from codecompass.surfaces.cli.visible import visible

SEVERITY_STYLE = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "blue"}
MAX_LIMIT = 100_000


def risks(args: argparse.Namespace, engine: EnginePort) -> int:
    """Findings are an answer, not a failure: the exit code is 0 whatever is found."""
    if not 1 <= args.limit <= MAX_LIMIT:
        raise Failure("INVALID_REQUEST", f"--limit must lie between 1 and {MAX_LIMIT}.")
    query = RiskQuery(tuple(args.places), args.category, args.min_severity, args.ref, args.limit)
    shows_bar = console(stderr=True).is_terminal and not args.json
    with drawn_bar() if shows_bar else nullcontext(lambda _: None) as report:
        answer = engine.risks(None, query, Call(id="cli", report=report))
    if args.json:
        write_json(as_payload(answer))
    else:
        show(console(), answer)
    return 0


def as_payload(answer: RiskReport) -> dict[str, Any]:
    """The answer for programs; what a finding does not have is left out."""
    return {
        "findings": [_finding(item) for item in answer.findings],
        "total": answer.total,
        "truncated": answer.total > len(answer.findings),
        "severities": answer.severities,
        "categories": answer.categories,
        "scopes": answer.scopes,
        "files": answer.files,
        "capped": list(answer.capped),
        "ref": answer.state.ref,
        "freshness": answer.state.freshness,
    }


def _finding(item: Finding) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": item.path, "line": item.line, "column": item.col, "symbol": item.symbol, "sink": item.sink,
        "rule": item.rule, "category": item.category, "severity": item.severity, "tags": list(item.tags),
        "confidence": item.confidence, "scope": item.scope,
    }  # fmt: skip
    if item.cwe:
        found["cwe"] = item.cwe
    if item.source:
        place = {"path": item.source_path, "line": item.source_line, "column": item.source_col}
        found |= {"flow": f"{item.source}->{item.sink}", "source": {"name": item.source, **place}}
        found["via"] = list(item.via)
    return found


def show(out: Console, answer: RiskReport) -> None:
    """Findings under their files, the worst of a line first, then the numbers."""
    for path, items in groupby(answer.findings, key=lambda item: item.path):
        out.print(Text(visible(path), style="bold"))
        for item in items:
            out.print(_line(item))
    if answer.total > len(answer.findings):
        out.print(Text(f"… and {answer.total - len(answer.findings)} more (--limit)", style="dim"))
    if answer.capped:
        names = ", ".join(visible(path) for path in answer.capped[:3])
        out.print(Text(f"limits were reached, there may be more: {names}", style="yellow"))
    out.print(_foot(answer))


def _line(item: Finding) -> Text:
    line = Text(f"{item.line:>6}  ", style="green")
    line.append(f"{item.severity:<9}", style=SEVERITY_STYLE[item.severity])
    line.append(f"{item.category:<17}", style="cyan")
    if item.source:
        line.append(item.source)
        where = f":{item.source_line}" if item.source_path == item.path else f" {item.source_path}:{item.source_line}"
        line.append(visible(where), style="green")
        line.append(" → ", style="dim")
    line.append(item.sink, style="bold")
    if item.symbol:
        line.append(f"  in {visible(item.symbol)}", style="dim")
    if item.via:
        line.append(f"  via {visible(' → '.join(item.via))}", style="dim")
    if item.scope in ("call", "cross-file"):
        line.append(f"  [{item.scope}]", style="magenta")
    if item.cwe:
        line.append(f"  CWE-{item.cwe}", style="dim")
    return line


def _foot(answer: RiskReport) -> Text:
    line = Text(f"{answer.total} findings in {answer.files} files", style="dim")
    for severity in SEVERITY_STYLE:
        if answer.severities.get(severity):
            line.append(f"  {answer.severities[severity]} {severity}", style=SEVERITY_STYLE[severity])
    freshness = answer.state.freshness
    line.append(f"  {freshness}", style=FRESHNESS_STYLE.get(freshness, ""))
    return line
