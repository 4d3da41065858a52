"""Terminal view of the tool `search`: one list for each kind of text, with query words highlighted."""

import re
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import FRESHNESS_STYLE, KIND_STYLE, format_score_bar
from codecompass.surfaces.cli.views.terminal_text import escape

TITLES = {"code": "code", "prose": "prose", "extractedProse": "comments and documents", "records": "records"}
_WORD = re.compile(r"\w{2,}")


def show_lists(out: Console, payload: dict[str, Any], query: str, milliseconds: float) -> None:
    """Print the lists, best hits first, then backend, freshness and warnings."""
    stats = payload["stats"]
    words = list(dict.fromkeys(_WORD.findall(query)))
    for name, title in TITLES.items():
        if name in stats["modes"]:
            _show_list(out, title, payload[name], stats["modes"][name], words)
    line = Text(f"{milliseconds:.0f} ms · {payload['backend']} · {escape(stats['branch'])} · ", style="dim")
    line.append(stats["freshness"], style=FRESHNESS_STYLE.get(stats["freshness"], "red"))
    out.print(line)
    for warning in payload.get("warnings", []):
        out.print(Text(escape(warning), style="yellow"))


def _show_list(out: Console, title: str, hits: list[dict[str, Any]], stats: dict[str, Any], words: list[str]) -> None:
    total, least = stats["total"], "" if stats["totalExact"] else "at least "
    head = Text(title, style="bold underline")
    head.append(f"  {len(hits)} of {least}{total}" if total > len(hits) else f"  {len(hits)}", style="dim")
    if stats["relaxed"] and hits:
        head.append("  any of the words", style="yellow")
    out.print(head)
    width = min(48, max((len(_format_location(hit)) for hit in hits), default=0))
    for hit in hits:
        _show_hit(out, hit, width, words)


def _format_location(hit: dict[str, Any]) -> str:
    return f"{escape(hit['file'])}:{hit['startLine']}"


def _show_hit(out: Console, hit: dict[str, Any], width: int, words: list[str]) -> None:
    path, _, line = _format_location(hit).rpartition(":")
    kind = hit.get("kind", "text")
    text = Text(path, style="bold")
    text.append(f":{line}", style="green")
    text.append(" " * max(2, width + 2 - len(path) - len(line) - 1))
    text.append(f"{kind:<9} ", style=KIND_STYLE.get(kind, "blue"))
    text.append(_highlight(hit.get("name", ""), words))
    text.append(f"  {format_score_bar(hit['score'])}", style="dim")
    out.print(text)
    around = hit.get("context", {})
    for shown in around.get("before", []):
        out.print(Text("    " + escape(shown)[:160], style="dim"))
    for shown in around.get("lines", []):
        own = Text("    ")
        own.append(_highlight(shown[:160], words))
        out.print(own)
    if not around.get("lines") and hit.get("headline") and hit["headline"] != hit.get("name"):
        headline = Text("    ")
        headline.append(_highlight(hit["headline"], words))
        out.print(headline)
    for shown in around.get("after", []):
        out.print(Text("    " + escape(shown)[:160], style="dim"))
    if "scoreBreakdown" in hit:
        parts = _score_parts(hit["scoreBreakdown"])
        if parts:
            out.print(Text("    " + " · ".join(f"{name} {value}" for name, value in parts.items()), style="dim"))


def _score_parts(breakdown: dict[str, Any]) -> dict[str, object]:
    """Return the parts of a score; for a record, the contribution of each word and the maximum."""
    sparse = breakdown["sparse"]
    if "best" in sparse:
        return {**sparse["words"], "of": sparse["best"]}
    return {**breakdown["blend"], **breakdown["symbol"]} if breakdown["selected"]["type"] == "blend" else {}


def _highlight(source: str, words: list[str]) -> Text:
    """Highlight the words of the query in a text."""
    text = Text(escape(source))
    text.highlight_words(words, style="bold red", case_sensitive=False)
    return text
