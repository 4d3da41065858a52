"""Terminal views of discoveries, their verdicts, and memory statistics."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.model.memory_values import FileAccess, SessionRecord
from codecompass.surfaces.cli.views.render import format_score_bar
from codecompass.surfaces.cli.views.terminal_text import escape

Shaped = dict[str, Any]
TYPE_STYLE = {"decision": "cyan", "rule": "magenta", "pattern": "blue", "issue": "yellow"}
FRESHNESS_STYLE = {"fresh": "green", "changed": "yellow", "gone": "red", "pending": "dim", "unverifiable": "dim"}
SEVERITY_STYLE = {"broken": "red", "touched": "yellow"}


def show_results(out: Console, payload: Shaped, milliseconds: float) -> None:
    """Print the results of a memory search and what was searched."""
    for item in payload["results"]:
        _show_head(out, item)
        _show_body(out, item)
    searched = payload["searched"]
    if not payload["results"]:
        out.print(Text(payload.get("message", "Nothing recorded."), style="yellow"))
    for item in payload.get("nearest", ()):
        place = item["origin"].get("path") or item["origin"].get("commit", "")
        out.print(Text(f"  nearest: {escape(item['title'])[:100]}  {escape(place)}  {item['id']}", style="dim"))
    shown, total = len(payload["results"]), payload["totalFound"]
    looked = ", ".join(f"{count:,} {name}" for name, count in searched["items"].items() if count)
    summary = f"{shown} of {total}" if total > shown else f"{shown}"
    out.print(Text(f"{summary} found · {milliseconds:.0f} ms · searched {looked or 'nothing'} by {searched['ranking']}",
                   style="dim"))  # fmt: skip
    _show_notes(out, searched)


def show_list(out: Console, items: list[Shaped], total: int, searched: Shaped) -> None:
    """Print one line for each discovery."""
    for item in items:
        line = _format_label(item)
        line.append(f"  {_join_lines(item['content'])[:100]}")
        out.print(line)
    out.print(Text(f"{len(items)} of {total} discoveries", style="dim"))
    _show_notes(out, searched)


def show_one(out: Console, item: Shaped) -> None:
    """Print one discovery in full."""
    _show_head(out, item)
    _show_body(out, item)
    facts = {key: item.get(key, "") for key in ("author", "date", "module", "session")}
    facts["symbols"] = ", ".join(item.get("symbols", ()))
    for label, value in facts.items():
        if value:
            out.print(Text(f"    {label:<8} {escape(value)}", style="dim"))


def show_impacted(out: Console, items: list[Shaped], total: int, changed: int) -> None:
    """Print the discoveries that a change puts at risk, with the reasons."""
    for item in items:
        line = Text(f"{item['severity']:<8}", style=SEVERITY_STYLE.get(item["severity"], ""))
        line.append(f"{item['id']}  ", style="dim")
        line.append(_join_lines(item["content"])[:160], style="")
        out.print(line)
        for why in item["why"]:
            out.print(Text(f"        {escape(why)}", style="dim"))
    summary = f"{len(items)} of {total} discoveries at risk" if total else "No discovery is at risk"
    out.print(Text(f"{summary} · {changed} changed file{'' if changed == 1 else 's'}", style="dim"))


def show_stats(
    out: Console, counts: dict[str, dict[str, int]], accesses: Sequence[FileAccess], sessions: Sequence[SessionRecord]
) -> None:
    """Print counts of discoveries, most-read files, and sessions."""
    for kind, sources in counts.items():
        line = Text(f"{kind:<9}", style=TYPE_STYLE.get(kind, ""))
        line.append(f"{sum(sources.values()):>6}  ", style="bold")
        line.append(", ".join(f"{count} {name}" for name, count in sorted(sources.items())), style="dim")
        out.print(line)
    if not counts:
        out.print(Text("Nothing recorded.", style="yellow"))
    for row in accesses:
        line = Text(f"{format_score_bar(row.score)}  ", style="green")
        line.append(escape(row.path), style="bold")
        line.append(f"  {row.count}×, last {row.last}", style="dim")
        out.print(line)
    for session in sessions:
        ended = f" to {session.ended}" if session.ended else ""
        summary = f"{session.id}  {escape(session.client)}  {session.started}{ended}  {session.calls} calls"
        out.print(Text(summary, style="dim"))


def _join_lines(text: str) -> str:
    return escape(" ".join(text.split()))


def _format_label(item: Shaped) -> Text:
    line = Text(f"{item['id']}  ", style="dim")
    line.append(f"{item['type']:<9}", style=TYPE_STYLE.get(item["type"], ""))
    if item.get("state"):
        line.append(f" {item['state']}", style="yellow")
    return line


def _show_head(out: Console, item: Shaped) -> None:
    line = _format_label(item)
    origin = item["origin"]
    place = f"{origin['path']}:{origin.get('lineStart', 1)}" if "path" in origin else origin.get("commit", "")
    line.append(f"  {escape(place) or origin['kind']}", style="bold")
    if "freshness" in item:
        line.append(f"  {item['freshness']}", style=FRESHNESS_STYLE.get(item["freshness"], ""))
    if "score" in item and item["score"]:
        line.append(f"  {format_score_bar(item['score'])}", style="dim")
    out.print(line)


def _show_body(out: Console, item: Shaped) -> None:
    for text in item["content"].split("\n"):
        out.print(Text(f"    {escape(text)}", style=""))
    if item.get("supersededBy"):
        out.print(Text(f"    superseded by {item['supersededBy']}", style="yellow"))
    for row in item.get("verdicts", ()):
        if row["status"] in ("changed", "gone"):
            by = f" by {row['commit']}" if row.get("commit") else ""
            was = f": {row.get('was', '')} → {row.get('now', 'nothing')}" if row.get("was") or row.get("now") else ""
            style = FRESHNESS_STYLE[row["status"]]
            out.print(Text(f"    {row['status']}{by}: {escape(row['claim'] + was)}", style=style))
    for row in item.get("conflicts", ()):
        out.print(Text(f"    against {row['id']} on {escape(row['about'])}: {escape(row['otherSays'])}", style="red"))


def _show_notes(out: Console, searched: Shaped) -> None:
    for note in searched.get("notes", ()):
        out.print(Text(escape(note), style="yellow"))
