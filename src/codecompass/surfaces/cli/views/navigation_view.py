"""Terminal views of the navigation tools, and the table of views by command."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import FRESHNESS_STYLE, KIND_STYLE, format_footer, show_results
from codecompass.surfaces.cli.views.risk_view import show_risks
from codecompass.surfaces.cli.views.symbol_view import show_diagnostics, show_symbol
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
CHANGE_STYLE = {"added": "green", "removed": "red", "modified": "yellow", "renamed": "blue", "moved": "blue"}
RESOLUTION_MARKS = {"ambiguous": "?", "unresolved": "~"}
RESOLUTION_HEADINGS = {
    "ambiguous": "? one of several definitions may be meant:",
    "unresolved": "~ uncertain, only the name fits:",
}


def show_outline(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print the symbols of a file, indented by nesting."""
    out.print(Text(f"{escape(payload['file_path'])}  {payload['language']}", style="bold"))
    _show_nodes(out, payload["symbols"], 1)
    count = payload["metadata"].get("symbol_count", 0)
    out.print(format_footer(payload, milliseconds, f"{count} symbols"))


def _show_nodes(out: Console, nodes: list[Payload], depth: int) -> None:
    for node in nodes:
        line = Text(f"{node['line_start']:>6}  ", style="green")
        line.append("  " * (depth - 1))
        line.append(f"{node['kind']} ", style=KIND_STYLE.get(node["kind"], "blue"))
        line.append(escape(node.get("signature") or node["name"])[:140], style="")
        out.print(line)
        _show_nodes(out, node.get("children", []), depth + 1)


def show_references(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print uses grouped by file, with a mark on uncertain ones. Samples in documents come last."""
    _show_subject(out, payload)
    last = ""
    in_document = False
    for use in payload["references"]:
        if use.get("in_document") and not in_document:
            in_document = True
            out.print(Text("-- in code blocks of documents --", style="dim"))
        if use["path"] != last:
            last = use["path"]
            out.print(Text(escape(last), style="bold"))
        line = Text(f"{use['line']:>6} ", style="green")
        line.append(f"{RESOLUTION_MARKS.get(use.get('resolution', ''), ' ')} ", style="yellow")
        line.append(f"{use['kind']:<8}", style="cyan")
        line.append(escape(use.get("text", "")), style="")
        out.print(line)
    _show_exclusions(out, payload)
    counts = ", ".join(f"{count} {name}" for name, count in payload["by_resolution"].items())
    total = payload["total_references"]
    shown = len(payload["references"])
    summary = f"{shown} of {total} uses" if total > shown else f"{total} use{'' if total == 1 else 's'}"
    summary = f"{summary} ({counts})" if counts else summary
    others = sum(payload.get("excluded", {}).values())
    summary += f", {others} other mention{'' if others == 1 else 's'} of the name" if others else ""
    out.print(format_footer(payload, milliseconds, summary))


def _show_exclusions(out: Console, payload: Payload) -> None:
    """Print mentions that are not uses, each with its proof, and the files that could not be searched."""
    for item in payload.get("excluded_mentions", []):
        line = Text(f"{escape(item['path'])}:{item['line']}  ", style="green")
        line.append(escape(item["proof"]), style="dim")
        out.print(line)
    unread = payload.get("not_searched")
    if unread:
        named = ", ".join(f"{escape(one['path'])} ({one['reason']})" for one in unread["first"])
        files = f"{unread['files']} file{'' if unread['files'] == 1 else 's'}"
        out.print(Text(f"Not searched: {files}: {named}", style="yellow"))


def show_calls(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print callers, then callees, certain ones first; deeper steps are indented."""
    _show_subject(out, payload)
    for side, arrow in (("callers", "←"), ("callees", "→")):
        last = "resolved"
        for edge in payload.get(side, []):
            if edge["resolution"] != last:
                last = edge["resolution"]
                out.print(Text(f"  {RESOLUTION_HEADINGS[last]}", style="yellow"))
            _print_edge(out, edge, arrow)
    totals = [
        f"{payload[f'total_{side}']} {side}{_format_resolutions(payload.get(f'{side}_by_resolution', {}))}"
        for side in ("callers", "callees")
        if f"total_{side}" in payload
    ]
    out.print(format_footer(payload, milliseconds, ", ".join(totals)))


def _print_edge(out: Console, edge: Payload, arrow: str) -> None:
    symbol, site = edge.get("symbol"), edge["call_site"]
    line = Text("  " * edge.get("depth", 1) + f"{arrow} ", style="dim")
    line.append(f"{RESOLUTION_MARKS.get(edge['resolution'], ' ')} ", style="yellow")
    line.append(escape(symbol["name"] if symbol else edge.get("name") or "file level"), style="")
    line.append(f"  {escape(site['path'])}:{site['line']}", style="green")
    if edge["resolution"] != "resolved":
        of = f" of {edge['candidates']}" if edge.get("candidates", 1) > 1 else ""
        line.append(f"  {edge['resolution']}{of}", style="yellow")
    out.print(line)


def _format_resolutions(counts: dict[str, int]) -> str:
    """Format ` (1 resolved, 37 unresolved)`; empty when all are resolved."""
    if not counts or set(counts) == {"resolved"}:
        return ""
    return f" ({', '.join(f'{count} {name}' for name, count in counts.items())})"


def show_types(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print supertypes, subtypes and members."""
    _show_subject(out, payload)
    _show_branches(out, payload.get("supertypes", []), "↑", 1)
    _show_branches(out, payload.get("subtypes", []), "↓", 1)
    for member in payload.get("members", []):
        line = Text(f"{member['line_start']:>6}  ", style="green")
        line.append(f"{member['kind']} ", style=KIND_STYLE.get(member["kind"], "blue"))
        line.append(escape(member["name"]), style="")
        out.print(line)
    out.print(format_footer(payload, milliseconds, f"{len(payload.get('members', []))} members"))


def _show_branches(out: Console, nodes: list[Payload], arrow: str, depth: int) -> None:
    for node in nodes:
        line = Text("  " * depth + f"{arrow} ", style="dim")
        line.append(escape(node["name"]), style="yellow")
        if "path" in node:
            line.append(f"  {escape(node['path'])}:{node['line_start']}", style="green")
        if "resolution" in node:
            line.append(f"  {node['resolution']}", style="dim")
        out.print(line)
        _show_branches(out, node.get("children", []), arrow, depth + 1)


def show_context(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print each piece of code under its location and the reason for its choice."""
    for item in payload["items"]:
        head = Text(f"{escape(item['path'])}:{item['line_start']}-{item['line_end']}", style="bold")
        head.append(f"  {item['section']}, {escape(item['why'])}", style="dim")
        out.print(head)
        out.print(Text("\n".join(escape(line) for line in item["code"].split("\n")), style=""))
        out.print()
    left = payload.get("left_out", {})
    summary = f"about {payload['estimated_tokens']} tokens"
    out.print(format_footer(payload, milliseconds, f"{summary}, {left['count']} places left out" if left else summary))


def show_diff(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print changed symbols with their signatures before and after, and their callers."""
    base, head = payload["base"], payload["head"]
    out.print(Text(f"{escape(base['ref'])} → {escape(head['ref'])}", style="bold"))
    for change in payload["changes"]:
        line = Text(f"{change['change']:<9}", style=CHANGE_STYLE.get(change["change"], ""))
        line.append(f"{change['kind']} ", style=KIND_STYLE.get(change["kind"], "blue"))
        line.append(escape(change["qualified_name"]), style="")
        line.append(f"  {escape(change['path'])}", style="green")
        out.print(line)
        if change.get("signature_changed"):
            out.print(Text(f"         - {escape(change['before']['signature'])}", style="red"))
            out.print(Text(f"         + {escape(change['after']['signature'])}", style="green"))
        for caller in change.get("callers", []):
            place = f"{escape(caller['path'])}:{caller['line']}"
            doubt = caller["resolution"] if caller["resolution"] != "resolved" else ""
            mark, name = RESOLUTION_MARKS.get(doubt, " "), escape(caller.get("name", ""))
            line = Text(f"       {mark} called at {place} {name}", style="dim")
            line.append(f"  {doubt}" if doubt else "", style="yellow")
            out.print(line)
        left = change.get("callers_total", 0) - len(change.get("callers", []))
        if left > 0:
            counts = _format_resolutions(change.get("callers_by_resolution", {}))
            out.print(Text(f"         and {left} more callers{counts and f'; in all{counts}'}", style="dim"))
    summary = ", ".join(f"{count} {name}" for name, count in payload["totals"].items() if count) or "no symbol changed"
    out.print(format_footer(payload, milliseconds, summary))


def show_refs(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print refs with their indexed state; a star marks the checked-out one."""
    for ref in payload["refs"]:
        line = Text("* " if ref.get("is_current") else "  ", style="green")
        line.append(f"{escape(ref['name']):<32} ", style="bold" if ref["indexed"] else "")
        line.append(f"{ref['kind']:<7} {ref.get('commit', '')[:10]:<11}", style="dim")
        if ref["indexed"]:
            fresh = ref.get("freshness", "")
            line.append(f"{fresh:<8}", style=FRESHNESS_STYLE.get(fresh, "red"))
            line.append(f"{ref.get('files', 0)} files, {ref.get('symbols', 0)} symbols", style="")
        else:
            line.append("not indexed", style="dim")
        out.print(line)
    out.print(format_footer(payload, milliseconds, f"{len(payload['refs'])} of {payload['total_refs']} refs"))


def _show_subject(out: Console, payload: Payload) -> None:
    symbol = payload["symbol"]
    line = Text(f"{symbol['kind']} ", style=KIND_STYLE.get(symbol["kind"], "blue"))
    line.append(escape(symbol["name"]), style="bold")
    line.append(f"  {escape(symbol['path'])}:{symbol['line_start']}", style="green")
    out.print(line)
    for place in symbol.get("reached_by", []):
        out.print(Text(f"  re-exported at {escape(place['path'])}:{place['line']}", style="dim"))
    overloads = symbol.get("overloads", [])
    if overloads:
        places = ", ".join(f"{escape(place['path'])}:{place['line']}" for place in overloads[:4])
        more = f" and {len(overloads) - 4} more" if len(overloads) > 4 else ""
        out.print(Text(f"  declared at {places}{more}", style="dim"))
    for other in payload.get("also_named", []):
        place = f"{escape(other['path'])}:{other['line_start']}"
        out.print(Text(f"  also: {escape(other['name'])}  {place}", style="dim"))


QUERY_VIEWS: dict[str, Callable[[Console, Payload, float], None]] = {
    "locate": show_results,
    "outline": show_outline,
    "references": show_references,
    "calls": show_calls,
    "types": show_types,
    "inspect": show_symbol,
    "lint": show_diagnostics,
    "risks": show_risks,
    "bundle": show_context,
    "diff": show_diff,
    "refs": show_refs,
}
