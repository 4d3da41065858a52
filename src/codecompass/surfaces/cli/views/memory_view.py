"""Terminal views of discoveries, their verdicts, and memory statistics."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.model.memory_values import Access, Session
from codecompass.surfaces.cli.views.render import bar
from codecompass.surfaces.cli.views.terminal_text import visible

Shaped = dict[str, Any]
TYPE_STYLE = {"decision": "cyan", "rule": "magenta", "pattern": "blue", "issue": "yellow"}
FRESHNESS_STYLE = {"fresh": "green", "changed": "yellow", "gone": "red", "unverifiable": "dim"}
SEVERITY_STYLE = {"broken": "red", "touched": "yellow"}


def show_results(out: Console, payload: Shaped, milliseconds: float) -> None:
    """Print the results of a memory search and what was searched."""
    for item in payload["results"]:
        _head(out, item)
        _body(out, item)
    searched = payload["searched"]
    if not payload["results"]:
        out.print(Text(payload.get("message", "Nothing recorded."), style="yellow"))
    shown, total = len(payload["results"]), payload["totalFound"]
    looked = ", ".join(f"{count:,} {name}" for name, count in searched["items"].items() if count)
    summary = f"{shown} of {total}" if total > shown else f"{shown}"
    out.print(Text(f"{summary} found · {milliseconds:.0f} ms · searched {looked or 'nothing'} by {searched['ranking']}",
                   style="dim"))  # fmt: skip
    _notes(out, searched)


def show_list(out: Console, items: list[Shaped], total: int, searched: Shaped) -> None:
    """Print one line for each discovery."""
    for item in items:
        line = _label(item)
        line.append(f"  {_on_one_line(item['content'])[:100]}")
        out.print(line)
    out.print(Text(f"{len(items)} of {total} discoveries", style="dim"))
    _notes(out, searched)


def show_one(out: Console, item: Shaped) -> None:
    """Print one discovery in full."""
    _head(out, item)
    _body(out, item)
    facts = {key: item.get(key, "") for key in ("author", "date", "module", "session")}
    facts["symbols"] = ", ".join(item.get("symbols", ()))
    for label, value in facts.items():
        if value:
            out.print(Text(f"    {label:<8} {visible(value)}", style="dim"))


def show_endangered(out: Console, items: list[Shaped], total: int, changed: int) -> None:
    """Print the discoveries that a change puts at risk, with the reasons."""
    for item in items:
        line = Text(f"{item['severity']:<8}", style=SEVERITY_STYLE.get(item["severity"], ""))
        line.append(f"{item['id']}  ", style="dim")
        line.append(_on_one_line(item["content"])[:160], style="")
        out.print(line)
        for why in item["why"]:
            out.print(Text(f"        {visible(why)}", style="dim"))
    summary = f"{len(items)} of {total} discoveries at risk" if total else "No discovery is at risk"
    out.print(Text(f"{summary} · {changed} changed file{'' if changed == 1 else 's'}", style="dim"))


def show_stats(
    out: Console, counts: dict[str, dict[str, int]], accesses: Sequence[Access], sessions: Sequence[Session]
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
        line = Text(f"{bar(row.score)}  ", style="green")
        line.append(visible(row.path), style="bold")
        line.append(f"  {row.count}×, last {row.last}", style="dim")
        out.print(line)
    for session in sessions:
        ended = f" to {session.ended}" if session.ended else ""
        summary = f"{session.id}  {visible(session.client)}  {session.started}{ended}  {session.calls} calls"
        out.print(Text(summary, style="dim"))


def _on_one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _label(item: Shaped) -> Text:
    line = Text(f"{item['id']}  ", style="dim")
    line.append(f"{item['type']:<9}", style=TYPE_STYLE.get(item["type"], ""))
    if item.get("state"):
        line.append(f" {item['state']}", style="yellow")
    return line


def _head(out: Console, item: Shaped) -> None:
    line = _label(item)
    origin = item["origin"]
    place = f"{origin['path']}:{origin.get('lineStart', 1)}" if "path" in origin else origin.get("commit", "")
    line.append(f"  {visible(place) or origin['kind']}", style="bold")
    if "freshness" in item:
        line.append(f"  {item['freshness']}", style=FRESHNESS_STYLE.get(item["freshness"], ""))
    if "score" in item and item["score"]:
        line.append(f"  {bar(item['score'])}", style="dim")
    out.print(line)


def _body(out: Console, item: Shaped) -> None:
    for text in item["content"].split("\n"):
        out.print(Text(f"    {visible(text)}", style=""))
    if item.get("supersededBy"):
        out.print(Text(f"    superseded by {item['supersededBy']}", style="yellow"))
    for row in item.get("verdicts", ()):
        if row["status"] in ("changed", "gone"):
            by = f" by {row['commit']}" if row.get("commit") else ""
            was = f": {row.get('was', '')} → {row.get('now', 'nothing')}" if row.get("was") or row.get("now") else ""
            style = FRESHNESS_STYLE[row["status"]]
            out.print(Text(f"    {row['status']}{by}: {visible(row['claim'] + was)}", style=style))
    for row in item.get("conflicts", ()):
        out.print(Text(f"    against {row['id']} on {visible(row['about'])}: {visible(row['otherSays'])}", style="red"))


def _notes(out: Console, searched: Shaped) -> None:
    for note in searched.get("notes", ()):
        out.print(Text(visible(note), style="yellow"))
