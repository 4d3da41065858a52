"""Pictures of care: what its tools answer, as people read it."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.visible import visible

Payload = dict[str, Any]
STATUS = {
    "done": ("✓", "green"), "skipped": ("·", "dim"), "failed": ("✗", "red"), "compacted": ("✓", "green"),
    "planned": ("·", "yellow"), "missing": ("·", "dim"),
}  # fmt: skip
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def bytes_text(count: float) -> str:
    """A size as people say it."""
    for unit in UNITS:
        if abs(count) < 1024 or unit == UNITS[-1]:
            return f"{count:,.0f} {unit}" if unit == UNITS[0] else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable: the last unit takes everything")


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
        said = part["status"]
        if "bytesAfter" in part:
            said = f"{bytes_text(part['bytesBefore'])} → {bytes_text(part['bytesAfter'])}, {part['rows']:,} rows equal"
        elif "bytesBefore" in part:
            said = f"{bytes_text(part['bytesBefore'])}, would be written anew"
        line.append(said + (f"; old one kept as {visible(part['backup'])}" if "backup" in part else ""))
        out.print(line)
    _warn(out, payload)


def removal_plan(out: Console, payload: Payload) -> None:
    """What goes, or would, one project a line."""
    for item in payload["removals"]:
        line = Text(f"  {item['id']}  ", style="bold")
        line.append(f"{bytes_text(item['bytes']):>12}  {item['reason']}", style="")
        out.print(line)
    for name, word in (("kept", "kept"), ("failedRemovals", "failed")):
        for item in payload.get(name, ()):
            out.print(Text(f"  {item['id']}  {word}: {visible(item['reason'])}", style="dim"))
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
        _line(out, f"  {item['id'][:10]}", f"{bytes_text(item['bytes']):>12}  used {item['usedAt']}")
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


def listed(out: Console, payload: Payload) -> None:
    """Any other payload: its plain fields, then its lists, a line each."""
    for name, value in payload.items():
        if isinstance(value, list):
            for item in value:
                pairs = [f"{key} {_plain(one)}" for key, one in item.items()] if isinstance(item, dict) else [str(item)]
                _line(out, name, "  ".join(pairs))
        elif isinstance(value, dict):
            _line(out, name, ", ".join(f"{key} {_plain(one)}" for key, one in value.items()))
        elif value not in (None, ""):
            _line(out, name, _plain(value))


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


CARE_PICTURES: dict[str, Callable[[Console, Payload], None]] = {
    "build_index": built, "build_sqlite_index": written, "compact_sqlite_index": compacted, "cache_gc": removal_plan,
    "clean_artifacts": removal_plan, "report_artifacts": reported, "bootstrap": bootstrapped,
    "download_models": listed, "download_dictionaries": listed, "download_extensions": listed,
    "verify_extensions": listed,
}  # fmt: skip
