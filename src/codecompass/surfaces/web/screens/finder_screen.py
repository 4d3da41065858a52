"""The finder: files, symbols, refs and pages whose names hold what is typed; and the page of keys."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codecompass.surfaces.web.page_links import PagePlace
from codecompass.surfaces.web.page_request import PageRequest, WebPage

EACH = 8
COMMANDS = (("Search", "/"), ("Refs", "/refs"), ("Diff of two refs", "/diff"), ("Memory", "/memory"),
            ("Risks", "/risks"), ("Findings", "/triage"), ("Workspaces and jobs", "/workspaces"),
            ("Keys", "/keys"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that the finder offers."""

    sort: str
    name: str
    about: str
    link: str


async def show_finder(page: PageRequest) -> WebPage:
    """Show what the typed text may mean."""
    text = page.get("q").strip()
    found: dict[str, Any] = {}
    if text:
        found = await page.ask_all(
            symbols={"tool": "locate_symbol", "name": text[:200], "limit": EACH},
            files={"tool": "search", "query": f"file:/{build_pattern(text)}/", "mode": "code", "top": EACH},
            prose={"tool": "search", "query": f"file:/{build_pattern(text)}/", "mode": "prose", "top": EACH},
            refs={"tool": "list_refs", "contains": text[:200], "limit": EACH},
        )
    payloads = {name: one.payload for name, one in found.items()}
    return WebPage("find.html", "Find", {"q": text, "found": list_findings(text, payloads, page.place)},
                {"found": "find_part.html"})  # fmt: skip


def build_pattern(text: str) -> str:
    """Build the pattern of paths that hold the typed words in their order."""
    return ".*".join(re.escape(word).replace("/", "[/]") for word in text[:200].split())


def list_findings(text: str, payloads: Mapping[str, Mapping[str, Any]], place: PagePlace) -> list[Finding]:
    """List symbols, files, refs and pages, in this order; a page comes first if its name begins with the text."""
    commands = [Finding("page", name, "", place.link(path)) for name, path in COMMANDS
                if text.casefold() in name.casefold()]  # fmt: skip
    symbols = [
        Finding(row["kind"], row["name"], f"{row['path']}:{row['line_start']}", place.symbol(row["symbol_id"]))
        for row in payloads.get("symbols", {}).get("results", ())
    ]
    files = {
        row["file"]: Finding("file", row["file"].rpartition("/")[2], row["file"], place.file(row["file"]))
        for mode, field in (("files", "code"), ("prose", "prose"))
        for row in payloads.get(mode, {}).get(field, ())
    }
    refs = [Finding("ref", row["name"], row["kind"], place.at_ref(row["name"]).link("/"))
            for row in payloads.get("refs", {}).get("refs", ())]  # fmt: skip
    best = _take_best(text, commands)
    return [*best, *symbols, *list(files.values())[:EACH], *refs, *commands[len(best) :]]


def _take_best(text: str, commands: Sequence[Finding]) -> list[Finding]:
    return (
        list(commands[:1]) if commands and (not text or commands[0].name.casefold().startswith(text.casefold())) else []
    )


KEYS = (
    ("/", "go to the search box; searches the selected text"), ("Ctrl K", "find a file, a symbol or a ref"),
    ("j k", "next and previous result"), ("Enter", "open it"), ("y", "copy a permalink"),
    ("Esc", "close a panel, leave a box"), ("g s", "search"), ("g m", "memory"), ("g r", "refs"), ("g w", "workspaces"),
    ("f", "fold or unfold the definition in sight"), ("?", "these keys"),
)  # fmt: skip


async def show_keys(_page: PageRequest) -> WebPage:
    """Show the keys."""
    return WebPage("keys.html", "Keys", {"keys": KEYS}, {"keys": "keys_part.html"})
