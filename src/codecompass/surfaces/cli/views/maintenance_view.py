"""Terminal views of the maintenance tools."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.output import bytes_text
from codecompass.surfaces.cli.views.terminal_text import visible

Payload = dict[str, Any]
STATUS = {
    "done": ("✓", "green"), "skipped": ("·", "dim"), "failed": ("✗", "red"), "compacted": ("✓", "green"),
    "planned": ("·", "yellow"), "missing": ("·", "dim"), "downloaded": ("✓", "green"), "present": ("·", "dim"),
    "not_modified": ("·", "dim"),
}  # fmt: skip
WORDS = {
    "downloaded": "downloaded", "present": "is there already", "not_modified": "has not changed at its source",
    "failed": "failed",
}  # fmt: skip
REASONS = {"gone": "repo gone", "age": "too old", "quota": "too much", "asked": ""}


def _line(out: Console, label: str, value: str, style: str = "") -> None:
    text = Text(f"{label:<13}", style="dim")
    text.append(visible(value), style=style)
    out.print(text)


def _warn(out: Console, payload: Payload) -> None:
    for warning in payload.get("warnings", ()):
        out.print(Text(f"! {visible(str(warning))}", style="yellow"))


def built(out: Console, payload: Payload) -> None:
    counts, times = payload["counts"], payload["durations"]
    _line(out, "repository", payload["repoPath"])
    _line(out, "build", f"{payload['buildId']}  generation {payload['generation']} of {payload['branch']}")
    _line(out, "files", f"{counts['files']:,}  ({counts['changed']:,} changed)")
    _line(out, "symbols", f"{counts['symbols']:,}")
    if payload["restoredArtifacts"]:
        _line(out, "began from", "an exported index")
    if payload["sqlite"]:
        _line(out, "sqlite file", f"{payload['sqlite']['path']}  {bytes_text(payload['sqlite']['bytes'])}")
    _line(out, "took", ", ".join(f"{name.removesuffix('Ms')} {ms / 1000:.1f} s" for name, ms in times.items()))
    _warn(out, payload)


def written(out: Console, payload: Payload) -> None:
    _line(out, "sqlite file", payload["outPath"])
    _line(out, "holds", f"{payload['files']:,} files, {payload['symbols']:,} symbols, {bytes_text(payload['bytes'])}")
    _line(out, "state", "written now" if payload["built"] else "was current already")


def compacted(out: Console, payload: Payload) -> None:
    for part in payload["databases"]:
        mark, style = STATUS[part["status"]]
        line = Text(f"{mark} ", style=style)
        line.append(f"{part['name']:<8} ", style="bold")
        summary = part["status"]
        if "bytesAfter" in part:
            before, after = bytes_text(part["bytesBefore"]), bytes_text(part["bytesAfter"])
            summary = f"{before} → {after}, {part['rows']:,} rows equal"
        elif "bytesBefore" in part:
            summary = f"{bytes_text(part['bytesBefore'])}, would be rewritten"
        line.append(summary + (f"; old one kept as {visible(part['backup'])}" if "backup" in part else ""))
        out.print(line)
    _warn(out, payload)


def removal_plan(out: Console, payload: Payload) -> None:
    """Print what was or would be removed, one project per line."""
    for item in payload["removals"]:
        line = Text(f"  {item['id']}  ", style="dim")
        line.append(f"{bytes_text(item['bytes']):>12}  {REASONS.get(item['reason'], item['reason']):<10}  ")
        line.append(visible(item.get("root", "")), style="bold")
        out.print(line)
    for name, word in (("kept", "kept"), ("failedRemovals", "failed")):
        for item in payload.get(name, ()):
            named = visible(item.get("root") or item["id"])
            out.print(Text(f"  {named}  {word}: {visible(item['reason'])}", style="dim"))
    verb = "would be freed" if payload["dryRun"] else "freed"
    total = payload["totals"]
    out.print(Text(f"{bytes_text(payload['freedBytes'])} {verb} of {bytes_text(total['bytes'])} in {total['repos']} "
                   f"repositor{'y' if total['repos'] == 1 else 'ies'}; records are kept."))  # fmt: skip


def reported(out: Console, payload: Payload) -> None:
    repo, overall = payload["repo"], payload["overall"]
    _line(out, "repository", repo["root"])
    _line(out, "kept in", repo["cacheRoot"])
    for name, size in repo["artifacts"].items():
        if size:
            _line(out, f"  {name}", f"{bytes_text(size):>12}")
    _line(out, "together", f"{bytes_text(repo['totalBytes'])}; {bytes_text(overall['cacheBytes'])} with all others")
    for item in payload.get("allRepos", {}).get("repos", ()):
        summary = f"{bytes_text(item['bytes']):>12}  used {item['usedAt']}  {item.get('root', '')}"
        _line(out, f"  {item['id'][:10]}", summary.rstrip())
    for issue, hint in zip(payload["health"]["issues"], payload["health"]["hints"], strict=False):
        out.print(Text(f"! {visible(issue)}", style="yellow"))
        out.print(Text(f"  → {visible(hint)}", style="dim"))
    if not payload["health"]["issues"]:
        out.print(Text("✓ nothing is wrong", style="green"))


def bootstrapped(out: Console, payload: Payload) -> None:
    for step in payload["steps"]:
        mark, style = STATUS[step["status"]]
        line = Text(f"{mark} ", style=style)
        line.append(f"{step['name']:<13}", style="bold")
        line.append(f"{step['status']:<8}", style=style)
        line.append(f"{step['ms'] / 1000:>6.1f} s  ", style="dim")
        line.append(visible(step.get("reason", "")))
        out.print(line)


def fetched(out: Console, payload: Payload) -> None:
    """Print the result of each download source and the location of its file."""
    for item in payload["sources"]:
        mark, style = STATUS[item["status"]]
        line = Text(f"{mark} ", style=style)
        line.append(f"{visible(item['name'])}  ", style="bold")
        line.append(WORDS[item["status"]], style=style)
        if "error" in item:
            line.append(f": {visible(item['error']['message'])}")
        elif "bytes" in item:
            line.append(f", {bytes_text(item['bytes'])}")
            line.append(", as its hash says" if item["verified"] else "", style="green")
        out.print(line)
        for label in ("source", "path"):
            if item.get(label):
                out.print(Text(f"  {'from' if label == 'source' else 'in'} {visible(item[label])}", style="dim"))
    for text in payload.get("notes", ()):
        out.print(Text(f"! {visible(text)}", style="yellow"))


def verified(out: Console, payload: Payload) -> None:
    """Print the extension, its path, and whether it loads and works."""
    config = payload["config"]
    named = " ".join(word for word in (config["provider"], payload.get("version") or "") if word)
    _line(out, "extension", f"{named} for {config['platformKey']}")
    _line(out, "path", payload["path"] or "none is installed")
    for name, word in (("load", "loads"), ("smoke", "answers")):
        done = payload[name]
        mark, style = STATUS["done" if done["ok"] else "failed" if done["attempted"] else "skipped"]
        summary = word if done["ok"] else f"{name} {'failed' if done['attempted'] else 'was not tried'}"
        reason = f": {visible(str(done['reason']))}" if done.get("reason") else ""
        out.print(Text(f"{mark} {summary}{reason}", style=style))


CARE_PICTURES: dict[str, Callable[[Console, Payload], None]] = {
    "build_index": built, "build_sqlite_index": written, "compact_sqlite_index": compacted, "cache_gc": removal_plan,
    "clean_artifacts": removal_plan, "report_artifacts": reported, "bootstrap": bootstrapped,
    "download_models": fetched, "download_dictionaries": fetched, "download_extensions": fetched,
    "verify_extensions": verified,
}  # fmt: skip
