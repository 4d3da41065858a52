"""Refs, and the difference of two refs by symbol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from codecompass.surfaces.web.page_links import PagePlace, build_address
from codecompass.surfaces.web.page_request import PageRequest, WebPage

CHANGES = ("removed", "modified", "renamed", "added", "moved")


@dataclass(frozen=True, slots=True)
class RefLine:
    """One ref with the addresses that it leads to."""

    name: str
    kind: str
    commit: str
    day: str
    indexed: bool
    freshness: str
    current: bool
    link: str
    diff: str


async def show_refs(page: PageRequest) -> WebPage:
    """Show branches, tags and worktrees; each leads back to the page that was open, at that ref."""
    contains = page.get("contains")
    payload = await page.ask("list_refs", contains=contains, limit=100, cursor=page.get("cursor"))
    cursor = payload.get("next_cursor", "")
    model = {
        "refs": list_refs(payload.get("refs", ()), page.place, page.get("back")), "contains": contains,
        "total": payload.get("total_refs", 0),
        "more": page.place.link("/refs", contains=contains, cursor=cursor, back=page.get("back")) if cursor else "",
    }  # fmt: skip
    return WebPage("refs.html", "Refs", model)


def list_refs(rows: Sequence[Mapping[str, Any]], place: PagePlace, back: str) -> list[RefLine]:
    """List refs with their addresses."""
    default = next((row["name"] for row in rows if row.get("is_default")), "HEAD")
    return [
        RefLine(row["name"], row["kind"], row.get("commit", ""), row.get("committed_at", ""), row.get("indexed", False),
               row.get("freshness", ""), row.get("is_current", False), lead_back(back, place, row["name"]),
               place.link("/diff", base=default, head=row["name"]) if row["kind"] != "live" else
               place.link("/diff"))
        for row in rows
    ]  # fmt: skip


def lead_back(back: str, place: PagePlace, ref: str) -> str:
    """Return the address of a page of this site at another ref; anything else leads to the search."""
    parts = urlsplit(back)
    inside = back.startswith("/") and not back.startswith(("//", "/\\")) and not parts.netloc
    query: dict[str, object] = dict(parse_qsl(parts.query)) if inside else {}
    return build_address(
        parts.path if inside else "/", {**query, "repo": place.repo, "at": "" if ref == "live" else ref}
    )


async def show_diff(page: PageRequest) -> WebPage:
    """Show what changed between two refs, by symbol, with the callers of what changed."""
    base, head = page.get("base"), page.get("head")
    payload = await page.ask("diff_context", base_ref=base, head_ref=head, path=page.get("path"), limit=50,
                             cursor=page.get("cursor"))  # fmt: skip
    cursor = payload.get("next_cursor", "")
    refs = await page.try_ask("list_refs", limit=100)
    head_place = page.place.at_ref(head) if head else page.place
    files = [(row["path"], row["change"], row.get("symbols", 0), head_place.file(row["path"]))
             for row in payload["files"].get("list", ())]  # fmt: skip
    model = {
        "base": base, "head": head, "diff": payload, "files": files, "head_place": head_place,
        "groups": group_changes(payload.get("changes", ())),
        "names": [row["name"] for row in refs.payload.get("refs", ())],
        "more": page.place.link("/diff", base=base, head=head, cursor=cursor) if cursor else "",
    }  # fmt: skip
    return WebPage("diff.html", "Diff", model)


def group_changes(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Group changes by what happened, what may break others first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["change"], []).append(row)
    ordered = sorted(found, key=lambda name: CHANGES.index(name) if name in CHANGES else len(CHANGES))
    return [(name, found[name]) for name in ordered]
