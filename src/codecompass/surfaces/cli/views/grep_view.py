"""Terminal view of grep results: matching lines grouped by file."""

from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.command_lines import to_shell_text
from codecompass.surfaces.cli.views.render import FRESHNESS_STYLE
from codecompass.surfaces.cli.views.terminal_text import escape


def show_grep(out: Console, payload: dict[str, Any], milliseconds: float) -> None:
    """Print matching lines by file, then their number."""
    last = ""
    for match in payload["matches"]:
        if match["file"] != last:
            last = match["file"]
            out.print(Text(escape(last), style="bold"))
        line = Text(f"{match['line']:>6}:{match['column']:<4} ", style="green")
        line.append(escape(match["text"]), style="")
        out.print(line)
    shown, total = len(payload["matches"]), payload["totalMatches"]
    least = "" if payload.get("complete", True) else "at least "
    lines = f"{shown} of {least}{total}" if total > shown else f"{total}"
    summary = f"{lines} matching line{'' if total == 1 else 's'} in {payload['filesSearched']} files"
    foot = Text(f"{summary} · {milliseconds:.0f} ms · {escape(payload['ref'])} · ", style="dim")
    foot.append(payload["freshness"], style=FRESHNESS_STYLE.get(payload["freshness"], "red"))
    for note in (*payload.get("warnings", ()), *filter(None, (payload.get("suggestion"),))):
        foot.append(f"\n{escape(to_shell_text(note))}", style="yellow")
    out.print(foot)
