"""Terminal views of the navigation tools, and the table of views by command."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import (
    FRESHNESS_STYLE,
    KIND_STYLE,
    drop_module,
    format_extent,
    format_footer,
    show_results,
)
from codecompass.surfaces.cli.views.risk_view import show_risks
from codecompass.surfaces.cli.views.source_lines import guess_language, highlight
from codecompass.surfaces.cli.views.symbol_view import show_diagnostics, show_symbol
from codecompass.surfaces.cli.views.terminal import cut_to_width, format_location, format_path, print_hanging
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
CHANGE_STYLE = {"added": "green", "removed": "red", "modified": "yellow", "renamed": "blue", "moved": "blue"}
RESOLUTION_MARKS = {"ambiguous": "?", "unresolved": "~"}
CERTAINTY = {"resolved": "certain", "ambiguous": "likely", "unresolved": "unsure"}
"""How sure a use is, in a word."""
CERTAINTY_HEADINGS = {
    "resolved": "certain: the code shows that this symbol is meant",
    "ambiguous": "? likely: the name may also mean another definition",
    "unresolved": "~ unsure: the same name, and nothing shows what it means",
}
FUNCTION_KEYWORDS = frozenset({"def", "fn", "func", "function", "fun", "sub", "procedure", "constructor", "get", "set"})


def show_outline(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print the symbols of a file, indented by nesting."""
    head = format_path(out, payload["file_path"])
    head.append(f"  {payload['language']}", style="not bold dim")
    out.print(head)
    _show_nodes(out, payload["symbols"], 1, payload["language"])
    count = payload["metadata"].get("symbol_count", 0)
    out.print(format_footer(payload, milliseconds, f"{count} symbols"))


def _show_nodes(out: Console, nodes: list[Payload], depth: int, language: str) -> None:
    for node in nodes:
        line = Text(f"{node['line_start']:>6}  ", style="green")
        line.append("  " * (depth - 1))
        signature = " ".join((node.get("signature") or node["name"]).split())
        if not _names_kind(signature, node["kind"]):
            line.append(f"{node['kind']} ", style=KIND_STYLE.get(node["kind"], "blue"))
        line.append_text(highlight(out, [signature], language)[0])
        out.print(cut_to_width(out, line))
        _show_nodes(out, node.get("children", []), depth + 1, language)


def _names_kind(signature: str, kind: str) -> bool:
    """Whether a signature says itself what kind of definition it is, such as `class` or `def`."""
    words = signature.partition("(")[0].split()[:4]
    return kind in words or (kind in ("fn", "method") and not FUNCTION_KEYWORDS.isdisjoint(words))


def show_references(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print uses grouped by certainty, then by file. Samples in documents come last."""
    _show_subject(out, payload)
    language = payload["symbol"].get("language", "")
    uses = payload["references"]
    for in_document in (False, True):
        part = [use for use in uses if bool(use.get("in_document")) == in_document]
        if in_document and part:
            out.print(Text("in code blocks of documents", style="bold dim"))
        for resolution, heading in CERTAINTY_HEADINGS.items():
            rows = [use for use in part if use.get("resolution", "resolved") == resolution]
            if rows and (resolution != "resolved" or len(rows) < len(uses)):
                out.print(Text(heading, style="yellow" if resolution != "resolved" else "green"))
            _show_uses(out, rows, language)
    _show_exclusions(out, payload)
    summary = format_extent(payload, len(uses), payload["total_references"], "uses")
    summary += _format_certainty(payload["by_resolution"])
    others = sum(payload.get("excluded", {}).values())
    summary += f", {others} other mention{'' if others == 1 else 's'} of the name" if others else ""
    out.print(format_footer(payload, milliseconds, summary))


def _show_uses(out: Console, uses: list[Payload], language: str) -> None:
    last = ""
    for use in uses:
        if use["path"] != last:
            last = use["path"]
            out.print(format_path(out, last, use["line"]))
        line = Text(f"{use['line']:>6} ", style="green")
        line.append(f"{RESOLUTION_MARKS.get(use.get('resolution', ''), ' ')} ", style="yellow")
        line.append(f"{use['kind']:<8}", style="cyan")
        line.append_text(highlight(out, [use.get("text", "")], language or guess_language(last))[0])
        out.print(cut_to_width(out, line))


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
                out.print(Text(f"  {CERTAINTY_HEADINGS[last]}", style="yellow"))
            _print_edge(out, edge, arrow)
    totals = [
        format_extent(payload, len(payload[side]), payload[f"total_{side}"], side)
        + _format_certainty(payload.get(f"{side}_by_resolution", {}))
        for side in ("callers", "callees")
        if f"total_{side}" in payload
    ]
    out.print(format_footer(payload, milliseconds, ", ".join(totals)))


def _print_edge(out: Console, edge: Payload, arrow: str) -> None:
    symbol, site = edge.get("symbol"), edge["call_site"]
    line = Text("  " * edge.get("depth", 1) + f"{arrow} ", style="dim")
    line.append(f"{RESOLUTION_MARKS.get(edge['resolution'], ' ')} ", style="yellow")
    name = drop_module(symbol["name"], symbol["path"]) if symbol else edge.get("name") or "file level"
    line.append(escape(name), style="")
    line.append("  ")
    line.append_text(format_location(out, site["path"], site["line"], style="none"))
    if edge["resolution"] != "resolved":
        of = f" (1 of {edge['candidates']} definitions)" if edge.get("candidates", 1) > 1 else ""
        line.append(f"  {CERTAINTY[edge['resolution']]}{of}", style="yellow")
    print_hanging(out, line, 2 * edge.get("depth", 1) + 4)


def _format_certainty(counts: dict[str, int]) -> str:
    """Format ` (1 certain, 37 unsure)`; ` (all certain)` when they are."""
    if not counts:
        return ""
    if set(counts) == {"resolved"}:
        return " (all certain)"
    return f" ({', '.join(f'{counts[name]:,} {word}' for name, word in CERTAINTY.items() if counts.get(name))})"


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
        line.append("  ")
        line.append_text(format_path(out, change["path"], (change.get("after") or change["before"])["line_start"]))
        out.print(line)
        if change.get("signature_changed"):
            out.print(Text(f"         - {escape(change['before']['signature'])}", style="red"))
            out.print(Text(f"         + {escape(change['after']['signature'])}", style="green"))
        for caller in change.get("callers", []):
            place = f"{escape(caller['path'])}:{caller['line']}"
            doubt = caller["resolution"] if caller["resolution"] != "resolved" else ""
            mark, name = RESOLUTION_MARKS.get(doubt, " "), escape(caller.get("name", ""))
            line = Text(f"       {mark} called at {place} {name}", style="dim")
            line.append(f"  {CERTAINTY[doubt]}" if doubt else "", style="yellow")
            out.print(line)
        left = change.get("callers_total", 0) - len(change.get("callers", []))
        if left > 0:
            counts = _format_certainty(change.get("callers_by_resolution", {}))
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
    extent = format_extent(payload, len(payload["refs"]), payload["total_refs"], "refs")
    out.print(format_footer(payload, milliseconds, extent))


def _show_subject(out: Console, payload: Payload) -> None:
    symbol = payload["symbol"]
    line = Text(f"{symbol['kind']} ", style=KIND_STYLE.get(symbol["kind"], "blue"))
    line.append(escape(drop_module(symbol["name"], symbol["path"])), style="bold")
    line.append("  ")
    line.append_text(format_location(out, symbol["path"], symbol["line_start"], style="none"))
    out.print(line)
    for place in symbol.get("reached_by", []):
        out.print(Text(f"  re-exported at {escape(place['path'])}:{place['line']}", style="dim"))
    overloads = symbol.get("overloads", [])
    if overloads:
        places = ", ".join(f"{escape(place['path'])}:{place['line']}" for place in overloads[:4])
        more = f" and {len(overloads) - 4} more" if len(overloads) > 4 else ""
        out.print(Text(f"  declared at {places}{more}", style="dim"))
    for other in payload.get("also_named", []):
        line = Text(f"  also: {escape(drop_module(other['name'], other['path']))}  ", style="dim")
        print_hanging(out, line.append_text(format_location(out, other["path"], other["line_start"], style="dim")), 8)


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
