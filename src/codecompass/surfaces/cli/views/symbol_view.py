"""Terminal views of one symbol with all its facts, and of diagnostics."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import format_extent, format_footer
from codecompass.surfaces.cli.views.terminal import format_location, format_path, print_hanging, print_pair
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
_LISTS = ("bases", "throws", "awaits", "calls", "imports", "uses", "reads", "writes", "mutations", "aliases")
_LABEL = 11


def show_symbol(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print the symbol's signature, then a table of its facts."""
    symbol, facts = payload["symbol"], payload["facts"]
    print_hanging(out, Text(escape(symbol["signature"] or symbol["name"]), style="bold"), 4)
    place = format_location(out, symbol["path"], symbol["line_start"], style="dim")
    place.append(f"-{symbol['line_end']}", style="green")
    print_pair(out, Text(symbol["kind"], style="dim"), place, 2)
    for label, text in (*_list_fact_rows(facts), *_list_history_rows(payload)):
        print_hanging(out, Text(f"{label:<{_LABEL}}", style="cyan").append(escape(text), style=""), _LABEL)
    messages = payload["diagnostics"]
    _show_messages(out, messages)
    summary = f"{len(messages)} lint message{'' if len(messages) == 1 else 's'}" if messages else "no lint messages"
    out.print(format_footer(payload, milliseconds, summary if payload["linted"] else "not linted"))


def _list_fact_rows(facts: Payload) -> Iterator[tuple[str, str]]:
    if "doc" in facts:
        yield "doc", facts["doc"].split("\n", 1)[0]
    if "marks" in facts or "visibility" in facts:
        yield "is", " ".join([facts.get("visibility", ""), *facts.get("marks", [])])
    if "decorators" in facts:
        yield "decorators", "  ".join(facts["decorators"])
    if facts.get("parameters"):
        yield "takes", ", ".join(_format_parameter(item) for item in facts["parameters"])
    if "returns" in facts:
        yield "gives", facts["returns"]
    for key in _LISTS:
        if key in facts:
            more = facts.get("left_out", {}).get(key)
            yield key, ", ".join(facts[key]) + (f", and {more} more" if more else "")
    if facts.get("types"):
        yield "types", ", ".join(f"{item['name']}: {item['type']} ({item['how']})" for item in facts["types"])
    if "control_flow" in facts:
        yield "flow", ", ".join(f"{count} {name}" for name, count in facts["control_flow"].items())


def _format_parameter(item: Payload) -> str:
    kind = f": {item['type']}" if "type" in item else ""
    return f"{item['name']}{kind}" + (f" = {item['default']}" if "default" in item else "")


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
    for path, rows in groupby(payload["diagnostics"], key=lambda row: row["path"]):
        in_file = list(rows)
        out.print(format_path(out, path, in_file[0]["line"]))
        _show_messages(out, in_file)
    codes = ", ".join(f"{count:,} {code}" for code, count in list(payload["by_code"].items())[:8])
    summary = format_extent(payload, len(payload["diagnostics"]), payload["total"], "messages")
    summary += f" in {payload['files']:,} files" + (f" ({codes})" if codes else "")
    out.print(format_footer(payload, milliseconds, summary))


def _show_messages(out: Console, rows: list[Payload]) -> None:
    """Print messages as a table: place, code, and the message with the definition that holds it."""
    place = max((len(f"{row['line']}:{row['column']}") for row in rows), default=0)
    width = max((len(row["code"]) for row in rows), default=0)
    for row in rows:
        line = Text(f"  {row['line']}:{row['column']}".ljust(place + 4), style="green")
        line.append(f"{row['code']:<{width}}  ", style="yellow")
        line.append(escape(row["message"]), style="")
        if row.get("in"):
            line.append(f"  in {escape(row['in'])}", style="dim")
        print_hanging(out, line, place + width + 6)
