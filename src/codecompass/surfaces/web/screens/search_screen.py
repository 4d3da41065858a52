"""Search: results grouped by file with the lines that matched, modes, and chips that are parts of the query."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from markupsafe import Markup

from codecompass.surfaces.web.code_markup import render_line, split_lines
from codecompass.surfaces.web.matching_lines import QueryWords, choose_lines, parse_words
from codecompass.surfaces.web.page_links import PagePlace
from codecompass.surfaces.web.page_request import PageRequest, WebPage

TOP = 30
MAX_LINES = 4
MODES = (("code", "Code", "code"), ("prose", "Docs", "prose"), ("extracted-prose", "Comments", "extractedProse"),
         ("memory", "Memory", ""))  # fmt: skip
"""Modes of the search: value, label, and the field of the payload that has the hits."""
FIELDS = {value: field for value, _, field in MODES}
FACETS = (("ext", "ext"), ("type", "kind"), ("path", "top"))
"""Filters offered as chips: name in the query, and the fact of a hit that it asks for."""
MAX_CHIPS = 8


@dataclass(frozen=True, slots=True)
class HitLine:
    """One line of a hit."""

    number: int
    html: Markup
    link: str


@dataclass(frozen=True, slots=True)
class ShownHit:
    """One hit as it is shown."""

    name: str
    kind: str
    link: str
    why: str
    score: float
    lines: tuple[HitLine, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The hits of one file."""

    path: str
    link: str
    hits: tuple[ShownHit, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter as a link; choosing it changes the text of the query."""

    name: str
    value: str
    count: int
    link: str
    chosen: bool


async def show_search(page: PageRequest) -> WebPage:
    """Show the start page, or the results of a query."""
    query = page.get("q").strip()
    mode = page.get("mode", "code")
    parts = {"results": "search_results.html"}
    if not query:
        status = await page.try_ask("workspace_status")
        model = {"q": "", "mode": "code", "workspaces": status.payload.get("workspaces", []), "why": status.error}
        return WebPage("home.html", "Search", model, {"results": "home_part.html"})
    if mode == "memory":
        found = await page.try_ask("context_search", query=query[:500] if len(query) > 2 else query + "   ", limit=20)
        model = {"memory": found.payload.get("results", []), "error": found.error,
                 "total": found.payload.get("totalFound", 0)}  # fmt: skip
        model |= _build_frame(page.place, query, mode)
        return WebPage("search.html", query, model, {"results": "search_results.html"})
    mode = mode if mode in FIELDS else "code"
    found = await page.try_ask("search", query=query, mode=mode, top=TOP, context=1, cursor=page.get("cursor"))
    model = _build_frame(page.place, query, mode) | {"error": found.error}
    if found.error is None:
        words = parse_words(query)
        built = await anyio.to_thread.run_sync(build_results, found.payload, page.place, query, mode, words)
        model |= built
    state = {"ref": stats["branch"], "freshness": stats["freshness"]} if (stats := found.payload.get("stats")) else {}
    commit = found.payload.get("stats", {}).get("indexedCommit") or ""
    return WebPage("search.html", query, model, parts, state=state, commit=commit)


def _build_frame(place: PagePlace, query: str, mode: str) -> dict[str, Any]:
    """Build what the page shows around the results."""
    tabs = [(label, place.search(query, mode="" if value == "code" else value), value == mode)
            for value, label, _ in MODES]  # fmt: skip
    tabs.append(("Findings", place.link("/triage", q=query), False))
    return {"q": query, "mode": mode, "tabs": tabs, "groups": (), "chips": (), "warnings": (), "more": "", "total": 0,
            "exact": True, "memory": None, "shown": 0}  # fmt: skip


def build_results(
    payload: Mapping[str, Any], place: PagePlace, query: str, mode: str, words: QueryWords
) -> dict[str, Any]:
    """Build the results of a payload of `search`: groups, chips and the count."""
    hits: Sequence[Mapping[str, Any]] = payload.get(FIELDS[mode], ())
    stats = next(iter(payload["stats"]["modes"].values()))
    cursor = payload.get("next_cursor", "")
    kept = "" if mode == "code" else mode
    return {
        "groups": group_hits(hits, place, query, words), "chips": build_chips(hits, place, query, kept),
        "total": stats["total"], "exact": stats["totalExact"], "warnings": payload.get("warnings", ()),
        "more": place.search(query, mode=kept, cursor=cursor) if cursor else "", "shown": len(hits),
    }  # fmt: skip


def group_hits(hits: Sequence[Mapping[str, Any]], place: PagePlace, query: str, words: QueryWords) -> list[HitGroup]:
    """Group hits by file, in the order of the best hit of each."""
    grouped: dict[str, list[ShownHit]] = {}
    for number, hit in enumerate(hits, 1):
        grouped.setdefault(hit["file"], []).append(_show_hit(hit, place, query, words, number))
    return [HitGroup(path, place.file(path), tuple(rows)) for path, rows in grouped.items()]


def _show_hit(hit: Mapping[str, Any], place: PagePlace, query: str, words: QueryWords, rank: int) -> ShownHit:
    path, first = hit["file"], hit["startLine"]
    handle = hit["id"]
    is_symbol = handle.startswith("sym_")
    lines: tuple[HitLine, ...] = ()
    if hit.get("kind") == "file":
        link = place.file(path)
    else:
        link = place.symbol(handle) if is_symbol else place.file(path, first, hit["endLine"])
        lines = _show_lines(hit, place, words, keep=(0,) if is_symbol else ())
    return ShownHit(hit.get("name", ""), hit.get("kind", ""), link, place.link("/why", q=query, handle=handle),
                    hit["score"], lines, rank)  # fmt: skip


def _show_lines(
    hit: Mapping[str, Any], place: PagePlace, words: QueryWords, keep: Sequence[int]
) -> tuple[HitLine, ...]:
    """Choose and highlight the lines of a hit that say most of the query."""
    path, first = hit["file"], hit["startLine"]
    text: list[str] = hit.get("context", {}).get("lines", [])
    if text and text[-1].startswith("… ") and first + len(text) - 1 < hit["endLine"]:
        text = text[:-1]
    if not text:
        return (HitLine(first, render_line([("", hit.get("headline", ""))]), place.file(path, first)),)
    chosen = choose_lines(text, words, MAX_LINES, keep) or [0]
    spans = split_lines("\n".join(text), hit.get("lang", ""), path)
    margin = min((len(text[n]) - len(text[n].lstrip()) for n in chosen if text[n].strip()), default=0)
    return tuple(
        HitLine(first + n, render_line(_trim(spans[n], margin), [(a - margin, b - margin) for a, b in
                                                                  words.find(text[n])], most=300),
                  place.file(path, first + n))
        for n in chosen
    )  # fmt: skip


def _trim(spans: Sequence[tuple[str, str]], margin: int) -> list[tuple[str, str]]:
    """Cut the margin from the beginning of a line."""
    kept = []
    for name, text in spans:
        piece = text[margin:]
        margin = max(margin - len(text), 0)
        if piece:
            kept.append((name, piece))
    return kept


def build_chips(hits: Sequence[Mapping[str, Any]], place: PagePlace, query: str, mode: str) -> list[Chip]:
    """Build the filters that narrow these hits, with their counts; chosen ones come first."""
    chips = []
    for name, fact in FACETS:
        counts = Counter(filter(None, (_read_fact(hit, fact) for hit in hits)))
        for value, count in counts.most_common(MAX_CHIPS // 2 if fact == "top" else MAX_CHIPS):
            text = f"{name}:{value}"
            chosen = text in query.split()
            if chosen or count < len(hits):
                changed = " ".join(word for word in query.split() if word != text) if chosen else f"{query} {text}"
                chips.append(Chip(name, value, count, place.search(changed or " ", mode=mode), chosen))
    known = {f"{chip.name}:{chip.value}" for chip in chips}
    for word in query.split():
        name, _, value = word.partition(":")
        if value and word not in known and name.isalpha() and not value.startswith("//"):
            changed = " ".join(other for other in query.split() if other != word)
            chips.append(Chip(name, value, 0, place.search(changed, mode=mode), True))
    return sorted(chips, key=lambda chip: not chip.chosen)


def _read_fact(hit: Mapping[str, Any], fact: str) -> str:
    if fact == "top":
        folder = hit["file"].rpartition("/")[0]
        return "/".join(folder.split("/")[:2]) + "/" if folder else ""
    if fact == "ext":
        return str(hit.get("ext", "")).lstrip(".")
    return str(hit.get(fact, ""))


async def explain_rank(page: PageRequest) -> WebPage:
    """Show why a result ranks where it does, as bars."""
    handle = page.get("handle")
    name = "symbol_id" if handle.startswith(("sym_", "b3:")) else "result_id"
    payload = await page.ask("explain_ranking", query=page.get("q"), **{name: handle})
    model = {"why": build_bars(payload), "payload": payload}
    return WebPage("why.html", "Why this rank", model, {"why": "why_part.html"})


def build_bars(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Build one bar for each factor of a score, and of the result that ranks before it."""
    scoring = {name: row for name, row in payload["scoring"].items() if isinstance(row, dict)}
    other = payload.get("beaten_by", {}).get("scoring", {})
    most = max((row["contribution"] for row in (*scoring.values(), *_only_rows(other))), default=1) or 1
    return [
        {"name": name.replace("_", " "), "share": round(200 * row["contribution"] / most, 1), **row,
         "other": round(200 * _contribution(other.get(name)) / most, 1)}
        for name, row in sorted(scoring.items(), key=lambda item: -item[1]["contribution"])
    ]  # fmt: skip


def _only_rows(scoring: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in scoring.values() if isinstance(row, dict)]


def _contribution(row: object) -> float:
    return float(row["contribution"]) if isinstance(row, dict) else 0.0
