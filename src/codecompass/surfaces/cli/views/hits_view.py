"""Terminal view of the tool `search`: one list for each kind of text, with query words highlighted."""

from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import (
    FRESHNESS_STYLE,
    format_extent,
    format_headline,
    measure_column,
    name_with_class,
    show_hit_source,
)
from codecompass.surfaces.cli.views.source_lines import split_query
from codecompass.surfaces.cli.views.terminal import cut_to_width
from codecompass.surfaces.cli.views.terminal_text import escape

TITLES = {"code": "code", "prose": "prose", "extractedProse": "comments and documents", "records": "records"}


def show_lists(out: Console, payload: dict[str, Any], query: str, milliseconds: float) -> None:
    """Print the lists, best hits first, then backend, freshness and warnings."""
    stats = payload["stats"]
    words = split_query(query)
    for name, title in TITLES.items():
        if name in stats["modes"]:
            _show_list(out, title, payload, name, words)
    line = Text(f"{milliseconds:.0f} ms · {payload['backend']} · {escape(stats['branch'])} · ", style="dim")
    line.append(stats["freshness"], style=FRESHNESS_STYLE.get(stats["freshness"], "red"))
    out.print(line)
    for warning in payload.get("warnings", []):
        out.print(Text(escape(warning), style="yellow"))


def _show_list(out: Console, title: str, payload: dict[str, Any], name: str, words: list[str]) -> None:
    hits, stats = payload[name], payload["stats"]["modes"][name]
    head = Text(title, style="bold underline")
    least = "" if stats["totalExact"] else "at least "
    head.append(f"  {format_extent(payload, len(hits), stats['total'], 'hits', least)}", style="dim")
    if stats["relaxed"] and hits:
        head.append("  any of the words", style="yellow")
    out.print(head)
    width = measure_column(out, [f"{hit['file']}:{hit['startLine']}" for hit in hits])
    for hit in hits:
        _show_hit(out, hit, width, words)


def _show_hit(out: Console, hit: dict[str, Any], width: int, words: list[str]) -> None:
    kind, name = hit.get("kind", "text"), name_with_class(hit)
    out.print(format_headline(out, hit["file"], hit["startLine"], kind, name, hit["score"], width))
    repeated = (hit.get("name"), *(" ".join(row["text"].split()) for row in hit.get("source", [])))
    if hit.get("headline") and hit["headline"] not in repeated:
        headline = Text("  ")
        headline.append(_highlight(hit["headline"], words))
        out.print(cut_to_width(out, headline))
    show_hit_source(out, hit, words, hit.get("lang", ""), "")
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
