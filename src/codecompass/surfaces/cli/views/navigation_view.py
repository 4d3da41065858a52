"""Terminal views of the navigation tools, and the table of views by command."""

from collections.abc import Callable
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.relation_view import (
    CERTAINTY,
    CERTAINTY_HEADINGS,
    RESOLUTION_MARKS,
    format_certainty,
    show_calls,
    show_subject,
    show_types,
)
from codecompass.surfaces.cli.views.render import (
    FRESHNESS_STYLE,
    KIND_STYLE,
    drop_module,
    format_extent,
    format_footer,
    measure_column,
    show_results,
)
from codecompass.surfaces.cli.views.risk_view import show_risks
from codecompass.surfaces.cli.views.source_lines import guess_language, highlight
from codecompass.surfaces.cli.views.symbol_view import show_diagnostics, show_symbol
from codecompass.surfaces.cli.views.terminal import (
    cut_to_width,
    format_location,
    format_path,
    print_hanging,
    print_pair,
)
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
CHANGE_STYLE = {"added": "green", "removed": "red", "modified": "yellow", "renamed": "blue", "moved": "blue"}
FEWEST_GROUPED_IMPORTS = 3
"""So many imports in a row are one line of an outline."""
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
    for is_import, group in groupby(nodes, key=lambda node: node["kind"] == "use"):
        rows = list(group)
        if is_import and len(rows) >= FEWEST_GROUPED_IMPORTS:
            _show_imports(out, rows, depth)
        else:
            _show_definitions(out, rows, depth, language)


def _show_imports(out: Console, nodes: list[Payload], depth: int) -> None:
    """Print a run of imports as one line: what a reader looks for comes after them."""
    line = Text(f"{nodes[0]['line_start']:>6}  ", style="green")
    line.append("  " * (depth - 1))
    line.append(f"{len(nodes)} imports ", style=KIND_STYLE.get("use", "blue"))
    line.append(escape(", ".join(dict.fromkeys(node["name"] for node in nodes))), style="dim")
    out.print(cut_to_width(out, line))


def _show_definitions(out: Console, nodes: list[Payload], depth: int, language: str) -> None:
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
    show_subject(out, payload)
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
    summary += format_certainty(payload["by_resolution"])
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


def show_context(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print each piece of code under its location and the reason for its choice."""
    for item in payload["items"]:
        head = format_location(out, item["path"], item["line_start"])
        head.append(f"-{item['line_end']}", style="green")
        head.append(f"  {item['section']}, {escape(item['why'])}", style="dim")
        print_hanging(out, head, 2)
        for line in highlight(out, item["code"].split("\n"), guess_language(item["path"])):
            out.print(line)
        out.print()
    left = payload.get("left_out", {})
    summary = f"about {payload['estimated_tokens']:,} tokens"
    out.print(format_footer(payload, milliseconds, f"{summary}, {left['count']} places left out" if left else summary))


def show_diff(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print changed symbols with their signatures before and after, and their callers."""
    base, head = payload["base"], payload["head"]
    out.print(Text(f"{escape(base['ref'])} → {escape(head['ref'])}", style="bold"))
    for change in payload["changes"]:
        line = Text(f"{change['change']:<9}", style=CHANGE_STYLE.get(change["change"], ""))
        line.append(f"{change['kind']} ", style=KIND_STYLE.get(change["kind"], "blue"))
        line.append(escape(drop_module(change["qualified_name"], change["path"])), style="")
        first = (change.get("after") or change["before"])["line_start"]
        print_pair(out, line, format_location(out, change["path"], first), 11)
        if change.get("signature_changed"):
            print_hanging(out, Text(f"         - {escape(change['before']['signature'])}", style="red"), 13)
            print_hanging(out, Text(f"         + {escape(change['after']['signature'])}", style="green"), 13)
        for caller in change.get("callers", []):
            doubt = caller["resolution"] if caller["resolution"] != "resolved" else ""
            line = Text(f"       {RESOLUTION_MARKS.get(doubt, ' ')} called by ", style="dim")
            line.append(escape(drop_module(caller.get("name") or "file level", caller["path"])), style="")
            line.append(f"  {CERTAINTY[doubt]}" if doubt else "", style="yellow")
            print_pair(out, line, format_location(out, caller["path"], caller["line"], style="none"), 11)
        left = change.get("callers_total", 0) - len(change.get("callers", []))
        if left > 0:
            counts = format_certainty(change.get("callers_by_resolution", {}))
            out.print(Text(f"         and {left} more callers{counts and f'; in all{counts}'}", style="dim"))
    summary = (
        ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in payload["totals"].items() if count)
        or "no symbol changed"
    )
    if not payload["changes"]:
        _show_changed_files(out, payload.get("files", {}).get("list", []))
    out.print(format_footer(payload, milliseconds, summary))


def _show_changed_files(out: Console, files: list[Payload]) -> None:
    """Print the changed files, for a change that touches no symbol."""
    for item in files:
        line = Text(f"{item['change']:<9}", style=CHANGE_STYLE.get(item["change"], "red"))
        out.print(line.append_text(format_path(out, item["path"])))


def show_refs(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print refs with their indexed state; a star marks the checked-out one."""
    width = measure_column(out, [ref["name"] for ref in payload["refs"]])
    for ref in payload["refs"]:
        line = Text("* " if ref.get("is_current") else "  ", style="green")
        line.append(f"{escape(ref['name']):<{width}}  ", style="bold" if ref["indexed"] else "")
        line.append(f"{ref['kind']:<7} {ref.get('commit', '')[:10]:<11}", style="dim")
        if ref["indexed"]:
            fresh = ref.get("freshness", "")
            line.append(f"{fresh:<8}", style=FRESHNESS_STYLE.get(fresh, "red"))
            line.append(f"{ref.get('symbols', 0):,} symbols", style="")
        else:
            line.append("not indexed", style="dim")
        print_hanging(out, line, 4)
    extent = format_extent(payload, len(payload["refs"]), payload["total_refs"], "refs")
    out.print(format_footer(payload, milliseconds, extent))


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
