"""Terminal views of search results, status and checks: aligned, coloured on a terminal, plain in a pipe."""

from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.model.queries.results import DoctorCheck
from codecompass.surfaces.cli.command_lines import format_command, to_shell_text
from codecompass.surfaces.cli.views.terminal_text import escape

KIND_STYLE = {
    "fn": "cyan", "method": "cyan", "macro": "cyan", "class": "yellow", "struct": "yellow", "trait": "yellow",
    "interface": "yellow", "enum": "yellow", "const": "magenta", "var": "magenta", "file": "blue",
}  # fmt: skip
STATUS_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}
FRESHNESS_STYLE = {"fresh": "green", "syncing": "yellow", "stale": "yellow"}


def console(*, stderr: bool = False) -> Console:
    """Create a console without markup, highlighting and wrapping."""
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def truncate_to_width(out: Console, line: Text) -> Text:
    """Truncate a line to the width of the terminal; a pipe or file gets the whole line."""
    if out.is_terminal:
        line.truncate(out.width, overflow="ellipsis")
    return line


def show_results(out: Console, payload: dict[str, Any], milliseconds: float) -> None:
    """Print search results: location, kind and name, below them a line of source; then the footer."""
    results = payload["results"]
    width = min(48, max((len(_format_location(item)) for item in results), default=0))
    if payload.get("note"):
        out.print(Text(escape(payload["note"]), style="yellow"))
    for item in results:
        out.print(_format_headline(item, width))
        source = item.get("signature") or item.get("snippet")
        if source:
            out.print(Text("    " + escape(source.split("\n", 1)[0].strip())[:160], style="dim"))
        for place in item.get("reached_by", []):
            out.print(Text(f"    re-exported at {escape(place['path'])}:{place['line']}", style="dim"))
    if not results:
        _show_no_results(out, payload)
    out.print(_format_results_footer(payload, milliseconds))


def _format_location(item: dict[str, Any]) -> str:
    return f"{escape(item['path'])}:{item['line_start']}"


def _format_headline(item: dict[str, Any], width: int) -> Text:
    path, _, line = _format_location(item).rpartition(":")
    kind = item.get("kind") or item.get("result_type", "")
    text = Text()
    text.append(path, style="bold")
    text.append(f":{line}", style="green")
    text.append(" " * max(2, width + 2 - len(path) - len(line) - 1))
    text.append(f"{kind:<9} ", style=KIND_STYLE.get(kind, "blue"))
    name = escape(item.get("qualified_name") or item.get("name") or "")
    text.append(name)
    if "score" in item:
        text.append(f"  {format_score_bar(item['score'])}", style="dim")
    return text


def format_score_bar(score: float) -> str:
    """Format a score as a bar of five steps."""
    full = round(min(1.0, max(0.0, score)) * 5)
    return "▪" * full + "·" * (5 - full) + f" {score:.2f}"


def _show_no_results(out: Console, payload: dict[str, Any]) -> None:
    if payload["metadata"]["indexing_status"] == "not_indexed":
        out.print(Text("Not indexed yet. Run 'codecompass index' first.", style="yellow"))
        return
    out.print(Text("No results.", style="yellow"))
    for action in payload.get("suggested_next_actions", []):
        out.print(Text(f"    try: {escape(format_command(action))}", style="dim"))


def _format_results_footer(payload: dict[str, Any], milliseconds: float) -> Text:
    shown, total = len(payload["results"]), payload["total_candidates"]
    count = f"{shown} of {total} results" if total > shown else f"{shown} result{'' if shown == 1 else 's'}"
    return format_footer(payload, milliseconds, count)


def format_footer(payload: dict[str, Any], milliseconds: float, summary: str) -> Text:
    """Format the last line of every view: summary, time, ref, freshness and warnings."""
    meta = payload["metadata"]
    text = Text(f"{summary} · {milliseconds:.0f} ms · {escape(str(meta['ref']))} · ", style="dim")
    text.append(meta["freshness_status"], style=FRESHNESS_STYLE.get(meta["freshness_status"], "red"))
    if meta["result_completeness"] != "complete":
        text.append(f" · {meta['result_completeness']}", style="yellow")
    for warning in meta.get("warnings", []):
        text.append(f"\n{escape(to_shell_text(warning))}", style="yellow")
    return text


def show_status(out: Console, payload: dict[str, Any]) -> None:
    """Print the status of the index."""
    meta = payload["metadata"]
    rows = [
        ("project", f"{escape(payload['repo_root'])}  ({payload['project_id']})"),
        ("ref", f"{escape(payload['ref'])}, {meta['freshness_status']}"),
        ("index", f"{payload['index_status']}, schema {payload['schema_status']}"),
        ("files", f"{payload['file_count']:,}"),
        ("symbols", f"{payload['symbol_count']:,}"),
        ("indexed at", payload.get("last_indexed_at", "never")),
    ]
    rows += [("languages", ", ".join(f"{name} {count}" for name, count in payload.get("languages", {}).items()))]
    rows += [("skipped", ", ".join(f"{why} {count}" for why, count in payload.get("skipped", {}).items()))]
    partly = payload.get("partly_indexed", {})
    names = [f"{item['path']} ({item['reason']})" for item in partly.get("files", [])]
    rows += [("in part", f"{partly['count']} files: {', '.join(names)}" if partly else "")]
    job = payload.get("active_job")
    if job:
        total = job.get("files_total")
        rows.append(("job", f"{job['job_id']} {job['status']}, {job['files_done']} of {total or '?'} files"))
    for label, value in rows:
        if value:
            line = Text(f"{label:<11}", style="dim")
            line.append(escape(value), style="")
            out.print(line)
    if payload["index_status"] == "not_indexed":
        out.print(Text("Run 'codecompass index' to index this project.", style="yellow"))


def show_checks(out: Console, checks: tuple[DoctorCheck, ...]) -> None:
    """Print the checks of `doctor`, each with its remedy."""
    width = max((len(check.name) for check in checks), default=0)
    for check in checks:
        mark, style = STATUS_MARKS.get(check.status, ("?", "red"))
        line = Text(f"{mark} ", style=style)
        line.append(f"{check.name:<{width}}  ", style="bold")
        line.append(escape(check.detail), style="")
        out.print(line)
        if check.remedy and check.status != "ok":
            out.print(Text(f"  {' ' * width}  → {escape(check.remedy)}", style="dim"))
