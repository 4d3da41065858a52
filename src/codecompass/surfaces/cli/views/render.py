"""Terminal views of search results, status and checks: aligned, coloured on a terminal, plain in a pipe."""

import re
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from codecompass.model.queries.results import DoctorCheck
from codecompass.model.skipped_files import list_skipped
from codecompass.surfaces.cli.command_lines import format_command, to_shell_text
from codecompass.surfaces.cli.output import format_moment
from codecompass.surfaces.cli.views.source_lines import SourceLine, choose_lines, show_source, split_query
from codecompass.surfaces.cli.views.terminal import format_location, print_hanging
from codecompass.surfaces.cli.views.terminal_text import escape

KIND_STYLE = {
    "fn": "cyan", "method": "cyan", "macro": "cyan", "class": "yellow", "struct": "yellow", "trait": "yellow",
    "interface": "yellow", "enum": "yellow", "const": "magenta", "var": "magenta", "file": "blue",
}  # fmt: skip
MEMBER_KINDS = frozenset({"method", "field", "property", "const", "enum_member"})
"""Kinds that are named with their class."""
_OWNER = re.compile(r"[^.:#/\\>…]+(?:\.|::|#|->|/)$")
STATUS_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}
FRESHNESS_STYLE = {"fresh": "green", "syncing": "yellow", "stale": "yellow"}


def show_results(out: Console, payload: dict[str, Any], milliseconds: float, query: str = "") -> None:
    """Print search results: location, kind and name, below them the lines that matched; then the footer."""
    results = payload["results"]
    if payload.get("note"):
        out.print(Text(escape(payload["note"]), style="yellow"))
    words = split_query(query)
    width = measure_column(out, [f"{item['path']}:{item['line_start']}" for item in results])
    for item in results:
        out.print(_format_headline(out, item, width))
        show_hit_source(out, item, words, item.get("language", ""), item.get("signature") or item.get("snippet", ""))
        for place in item.get("reached_by", []):
            out.print(Text(f"    re-exported at {escape(place['path'])}:{place['line']}", style="dim"))
    if not results:
        _show_no_results(out, payload)
    out.print(_format_results_footer(payload, milliseconds))


def measure_column(out: Console, texts: list[str]) -> int:
    """Return the width of a column of these texts: at most 48, and on a terminal at most half of its width."""
    most = min(48, out.width // 2) if out.is_terminal else 48
    return min(most, max((cell_len(escape(text)) for text in texts), default=0))


def show_hit_source(out: Console, item: dict[str, Any], words: list[str], language: str, line: str) -> None:
    """Print the source lines of a hit; without them the one line that is known."""
    lines = [SourceLine(row["line"], row["text"]) for row in item.get("source", [])]
    first = item.get("line_start") or item.get("startLine", 0)
    chosen = choose_lines(lines, first, words, item.get("around"))
    if chosen:
        show_source(out, chosen, words, language)
    elif line:
        show_source(out, [SourceLine(first, line.split("\n", 1)[0].strip())], words, language)


def _format_headline(out: Console, item: dict[str, Any], width: int) -> Text:
    kind = item.get("kind") or item.get("result_type", "")
    return format_headline(out, item["path"], item["line_start"], kind, name_with_class(item), item.get("score"), width)


def format_headline(out: Console, path: str, line: int, kind: str, name: str, score: float | None, width: int) -> Text:
    """Format the first line of a hit: location, kind, name and score."""
    text = format_location(out, path, line)
    bar = Text(f"  {format_score_bar(score)}" if score is not None else "", style="dim")
    style = KIND_STYLE.get(kind, "blue")
    gap = max(2, width + 2 - text.cell_len)
    rest = max(10, len(kind) + 1) + cell_len(escape(name)) + bar.cell_len
    if out.is_terminal and text.cell_len + gap + rest > out.width:
        text.append_text(bar)
        text.append(f"\n  {kind} ", style=style)
        return text.append(escape(name), style="not bold")
    text.append(" " * gap)
    text.append(f"{kind:<9} ", style=style)
    return text.append(escape(name)).append_text(bar)


def drop_module(qualified: str, path: str) -> str:
    """Return a qualified name without its module, where the path beside it says the same."""
    stem = path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    parts = qualified.replace("/", ".").split(".")
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        if stem == module or stem.endswith(f".{module}"):
            return qualified[len(module) + 1 :]
    return qualified


def name_with_class(item: dict[str, Any]) -> str:
    """Return the name of a symbol; that of a member with its class."""
    whole = str(item.get("qualified_name") or item.get("qualifiedName") or item.get("name") or "")
    name = str(item.get("name") or whole)
    if item.get("kind") not in MEMBER_KINDS or not whole.endswith(name):
        return name
    before = whole[: len(whole) - len(name)]
    owner = _OWNER.search(before)
    return owner[0] + name if owner else name


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
    return format_footer(
        payload, milliseconds, format_extent(payload, len(payload["results"]), payload["total_candidates"], "results")
    )


def format_extent(payload: dict[str, Any], shown: int, total: int, things: str, least: str = "") -> str:
    """Format `100 of 1,337 uses`, from an offset on `101–200 of 1,337 uses`, or `1 use` when that is all."""
    offset = payload.get("offset", 0)
    if offset and shown:
        return f"{offset + 1:,}–{offset + shown:,} of {least}{max(total, offset + shown):,} {things}"
    if total > shown:
        return f"{shown:,} of {least}{total:,} {things}"
    return f"{shown:,} {things.removesuffix('s') if shown == 1 else things}"


def format_footer(payload: dict[str, Any], milliseconds: float, summary: str) -> Text:
    """Format the last line of every view: summary, time, ref, freshness and warnings."""
    meta = payload["metadata"]
    text = Text(f"{summary} · {milliseconds:.0f} ms · {escape(str(meta['ref']))} · ", style="dim")
    text.append(meta["freshness_status"], style=FRESHNESS_STYLE.get(meta["freshness_status"], "red"))
    if meta["result_completeness"] != "complete":
        text.append(f" · {meta['result_completeness']}", style="yellow")
    if "indexing_progress" in meta:
        text.append(f" · {meta['indexing_progress']} % indexed", style="yellow")
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
        ("indexed", format_moment(payload.get("last_indexed_at", "")) or "never"),
    ]
    rows += [("languages", ", ".join(f"{count:,} {name}" for name, count in payload.get("languages", {}).items()))]
    rows += [("skipped", list_skipped(payload.get("skipped", {})))]
    partly = payload.get("partly_indexed", {})
    names = [f"{item['path']} ({item['reason']})" for item in partly.get("files", [])]
    rows += [("in part", f"{partly['count']} files: {', '.join(names)}" if partly else "")]
    if progress := payload.get("progress"):
        ready = f"{progress['files_indexed']:,} of {progress['files_total']:,} files can be searched"
        rows.append(("progress", f"{progress['percent']} % of the first index; {ready}"))
    job = payload.get("active_job")
    if job:
        total = job.get("files_total")
        rows.append(("job", f"{job['job_id']} {job['status']}, {job['files_done']} of {total or '?'} files"))
    for label, value in rows:
        if value:
            print_hanging(out, Text(f"{label:<11}", style="dim").append(escape(value), style=""), 11)
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
        print_hanging(out, line, width + 4)
        if check.remedy and check.status != "ok":
            print_hanging(out, Text(f"  {' ' * width}  → {escape(check.remedy)}", style="dim"), width + 6)
