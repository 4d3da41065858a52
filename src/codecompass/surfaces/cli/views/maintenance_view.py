"""Terminal views of the maintenance tools."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.output import format_bytes
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
STATUS_STYLE = {
    "done": ("✓", "green"), "skipped": ("·", "dim"), "failed": ("✗", "red"), "compacted": ("✓", "green"),
    "planned": ("·", "yellow"), "missing": ("·", "dim"), "downloaded": ("✓", "green"), "present": ("·", "dim"),
    "not_modified": ("·", "dim"),
}  # fmt: skip
STATUS_TEXT = {
    "downloaded": "downloaded", "present": "is there already", "not_modified": "has not changed at its source",
    "failed": "failed",
}  # fmt: skip
REASON_TEXT = {"gone": "repo gone", "age": "too old", "quota": "too much", "asked": ""}


def _print_row(out: Console, label: str, value: str, style: str = "") -> None:
    text = Text(f"{label:<13}", style="dim")
    text.append(escape(value), style=style)
    out.print(text)


def _print_warnings(out: Console, payload: Payload) -> None:
    for warning in payload.get("warnings", ()):
        out.print(Text(f"! {escape(str(warning))}", style="yellow"))


def show_build(out: Console, payload: Payload) -> None:
    counts, times = payload["counts"], payload["durations"]
    _print_row(out, "repository", payload["repoPath"])
    _print_row(out, "build", f"{payload['buildId']}  generation {payload['generation']} of {payload['branch']}")
    _print_row(out, "files", f"{counts['files']:,}  ({counts['changed']:,} changed)")
    _print_row(out, "symbols", f"{counts['symbols']:,}")
    if payload["restoredArtifacts"]:
        _print_row(out, "began from", "an exported index")
    if payload["sqlite"]:
        _print_row(out, "sqlite file", f"{payload['sqlite']['path']}  {format_bytes(payload['sqlite']['bytes'])}")
    _print_row(out, "took", ", ".join(f"{name.removesuffix('Ms')} {ms / 1000:.1f} s" for name, ms in times.items()))
    _print_warnings(out, payload)


def show_portable(out: Console, payload: Payload) -> None:
    _print_row(out, "sqlite file", payload["outPath"])
    _print_row(
        out, "holds", f"{payload['files']:,} files, {payload['symbols']:,} symbols, {format_bytes(payload['bytes'])}"
    )
    _print_row(out, "state", "written now" if payload["built"] else "was current already")


def show_compaction(out: Console, payload: Payload) -> None:
    for part in payload["databases"]:
        mark, style = STATUS_STYLE[part["status"]]
        line = Text(f"{mark} ", style=style)
        line.append(f"{part['name']:<8} ", style="bold")
        summary = part["status"]
        if "bytesAfter" in part:
            before, after = format_bytes(part["bytesBefore"]), format_bytes(part["bytesAfter"])
            summary = f"{before} → {after}, {part['rows']:,} rows equal"
        elif "bytesBefore" in part:
            summary = f"{format_bytes(part['bytesBefore'])}, would be rewritten"
        line.append(summary + (f"; old one kept as {escape(part['backup'])}" if "backup" in part else ""))
        out.print(line)
    _print_warnings(out, payload)


def show_removals(out: Console, payload: Payload) -> None:
    """Print what was or would be removed, one project per line."""
    for item in payload["removals"]:
        line = Text(f"  {item['id']}  ", style="dim")
        line.append(f"{format_bytes(item['bytes']):>12}  {REASON_TEXT.get(item['reason'], item['reason']):<10}  ")
        line.append(escape(item.get("root", "")), style="bold")
        out.print(line)
    for name, word in (("kept", "kept"), ("failedRemovals", "failed")):
        for item in payload.get(name, ()):
            named = escape(item.get("root") or item["id"])
            out.print(Text(f"  {named}  {word}: {escape(item['reason'])}", style="dim"))
    verb = "would be freed" if payload["dryRun"] else "freed"
    total = payload["totals"]
    out.print(
        Text(
            f"{format_bytes(payload['freedBytes'])} {verb} of {format_bytes(total['bytes'])} in {total['repos']} "
            f"repositor{'y' if total['repos'] == 1 else 'ies'}; records are kept."
        )
    )


def show_report(out: Console, payload: Payload) -> None:
    repo, overall = payload["repo"], payload["overall"]
    _print_row(out, "repository", repo["root"])
    _print_row(out, "kept in", repo["cacheRoot"])
    for name, size in repo["artifacts"].items():
        if size:
            _print_row(out, f"  {name}", f"{format_bytes(size):>12}")
    _print_row(
        out, "together", f"{format_bytes(repo['totalBytes'])}; {format_bytes(overall['cacheBytes'])} with all others"
    )
    for item in payload.get("allRepos", {}).get("repos", ()):
        summary = f"{format_bytes(item['bytes']):>12}  used {item['usedAt']}  {item.get('root', '')}"
        _print_row(out, f"  {item['id'][:10]}", summary.rstrip())
    for issue, hint in zip(payload["health"]["issues"], payload["health"]["hints"], strict=False):
        out.print(Text(f"! {escape(issue)}", style="yellow"))
        out.print(Text(f"  → {escape(hint)}", style="dim"))
    if not payload["health"]["issues"]:
        out.print(Text("✓ nothing is wrong", style="green"))


def show_bootstrap(out: Console, payload: Payload) -> None:
    for step in payload["steps"]:
        mark, style = STATUS_STYLE[step["status"]]
        line = Text(f"{mark} ", style=style)
        line.append(f"{step['name']:<13}", style="bold")
        line.append(f"{step['status']:<8}", style=style)
        line.append(f"{step['ms'] / 1000:>6.1f} s  ", style="dim")
        line.append(escape(step.get("reason", "")))
        out.print(line)


def show_downloads(out: Console, payload: Payload) -> None:
    """Print the result of each download source and the location of its file."""
    for item in payload["sources"]:
        mark, style = STATUS_STYLE[item["status"]]
        line = Text(f"{mark} ", style=style)
        line.append(f"{escape(item['name'])}  ", style="bold")
        line.append(STATUS_TEXT[item["status"]], style=style)
        if "error" in item:
            line.append(f": {escape(item['error']['message'])}")
        elif "bytes" in item:
            line.append(f", {format_bytes(item['bytes'])}")
            line.append(", as its hash says" if item["verified"] else "", style="green")
        out.print(line)
        for label in ("source", "path"):
            if item.get(label):
                out.print(Text(f"  {'from' if label == 'source' else 'in'} {escape(item[label])}", style="dim"))
    for text in payload.get("notes", ()):
        out.print(Text(f"! {escape(text)}", style="yellow"))


def show_extension(out: Console, payload: Payload) -> None:
    """Print the extension, its path, and whether it loads and works."""
    config = payload["config"]
    named = " ".join(word for word in (config["provider"], payload.get("version") or "") if word)
    _print_row(out, "extension", f"{named} for {config['platformKey']}")
    _print_row(out, "path", payload["path"] or "none is installed")
    for name, word in (("load", "loads"), ("smoke", "answers")):
        done = payload[name]
        mark, style = STATUS_STYLE["done" if done["ok"] else "failed" if done["attempted"] else "skipped"]
        summary = word if done["ok"] else f"{name} {'failed' if done['attempted'] else 'was not tried'}"
        reason = f": {escape(str(done['reason']))}" if done.get("reason") else ""
        out.print(Text(f"{mark} {summary}{reason}", style=style))


CARE_VIEWS: dict[str, Callable[[Console, Payload], None]] = {
    "build_index": show_build,
    "build_sqlite_index": show_portable,
    "compact_sqlite_index": show_compaction,
    "cache_gc": show_removals,
    "clean_artifacts": show_removals,
    "report_artifacts": show_report,
    "bootstrap": show_bootstrap,
    "download_models": show_downloads,
    "download_dictionaries": show_downloads,
    "download_extensions": show_downloads,
    "verify_extensions": show_extension,
}
