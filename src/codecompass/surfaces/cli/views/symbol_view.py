"""Terminal views of one symbol with all its facts, and of diagnostics."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from codecompass.surfaces.cli.views.render import format_footer
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
_LISTS = ("bases", "throws", "awaits", "calls", "imports", "uses", "reads", "writes", "mutations", "aliases")
_WIDTH = 100


def show_symbol(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print the symbol's signature, then a table of its facts."""
    symbol, facts = payload["symbol"], payload["facts"]
    out.print(Text(escape(symbol["signature"] or symbol["name"]), style="bold"))
    out.print(Text(f"{symbol['kind']}  {escape(symbol['path'])}:{symbol['line_start']}-{symbol['line_end']}", "dim"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in (*_list_fact_rows(facts), *_list_history_rows(payload)):
        grid.add_row(label, Text(escape(text)))
    out.print(grid)
    for row in payload["diagnostics"]:
        out.print(_format_message(row))
    out.print(
        format_footer(payload, milliseconds, f"{len(payload['diagnostics'])} messages" if payload["linted"] else "")
    )


def _list_fact_rows(facts: Payload) -> Iterator[tuple[str, str]]:
    if "doc" in facts:
        yield "doc", facts["doc"].split("\n", 1)[0]
    if "marks" in facts or "visibility" in facts:
        yield "is", " ".join([facts.get("visibility", ""), *facts.get("marks", [])])
    if "decorators" in facts:
        yield "decorators", "  ".join(facts["decorators"])
    for item in facts.get("parameters", []):
        kind = f": {item['type']}" if "type" in item else ""
        default = f" = {item['default']}" if "default" in item else ""
        yield "takes", f"{item['name']}{kind}{default}"
    if "returns" in facts:
        yield "gives", facts["returns"]
    for key in _LISTS:
        if key in facts:
            more = facts.get("left_out", {}).get(key)
            yield key, ", ".join(facts[key]) + (f", and {more} more" if more else "")
    for item in facts.get("types", []):
        yield "type", f"{item['name']}: {item['type']}  ({item['how']})"
    if "control_flow" in facts:
        yield "flow", ", ".join(f"{count} {name}" for name, count in facts["control_flow"].items())


def _list_history_rows(payload: Payload) -> Iterator[tuple[str, str]]:
    history = payload["history"]
    if "last_author" in history:
        churn = f", {history['churn']} lines in {history['commits']} commits" if "churn" in history else ""
        edited = ", edited since" if history.get("uncommitted") else ""
        yield "changed", f"{history['last_modified'][:10]} by {history['last_author']}{churn}{edited}"
    for row in payload.get("risks", {}).get("flows", []):
        lines = f"line {row['source_line']} → {row['sink_line']}"
        yield "risk", f"{row['severity']} {row['category']}: {row['flow']}, {lines}"
    for row in payload.get("authors", []):
        yield "author", f"{row['author']}: {row['lines']} lines, latest {row['latest'][:10] or 'not committed'}"


def show_diagnostics(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print messages by file, then the number of each code."""
    last = ""
    for row in payload["diagnostics"]:
        if row["path"] != last:
            last = row["path"]
            out.print(Text(escape(last), style="bold"))
        out.print(_format_message(row))
    codes = ", ".join(f"{count} {code}" for code, count in list(payload["by_code"].items())[:8])
    shown, total = len(payload["diagnostics"]), payload["total"]
    summary = f"{shown} of {total} messages" if total > shown else f"{total} messages"
    out.print(
        format_footer(
            payload, milliseconds, f"{summary} in {payload['files']} files" + (f" ({codes})" if codes else "")
        )
    )


def _format_message(row: Payload) -> Text:
    line = Text(f"{row['line']:>6}:{row['column']:<4}", style="green")
    line.append(f"{row['code']:<15} ", style="yellow")
    line.append(escape(row["message"])[:_WIDTH])
    if row.get("in"):
        line.append(f"  in {escape(row['in'])}", style="dim")
    return line
