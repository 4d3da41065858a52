"""What a name means at its place: definitions, uses, and how certain the tools are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from codecompass.surfaces.web.code_markup import render_text
from codecompass.surfaces.web.page_links import PagePlace
from codecompass.surfaces.web.page_request import PageRequest

MAX_DEFINITIONS = 12
MAX_USES = 40
VERDICTS = {
    "resolved": "The use on this line means this definition.",
    "defined": "This line defines it.",
    "single": "The only definition of this name.",
    "ambiguous": "Several definitions have this name; the use may mean any of them.",
    "unresolved": "Nothing in this repository defines it: it comes from outside, or only at run time.",
}


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """One definition of a name."""

    name: str
    kind: str
    place: str
    code: Markup
    link: str
    symbol: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class UseRow:
    """One use of a name."""

    line: int
    kind: str
    code: Markup
    link: str
    within: str
    resolution: str


@dataclass(frozen=True, slots=True)
class NamePanel:
    """Everything the panel of a name shows."""

    name: str
    verdict: str
    why: str
    definitions: tuple[DefinitionRow, ...]
    more_definitions: int
    uses: tuple[tuple[str, tuple[UseRow, ...]], ...]
    total_uses: int
    all_uses: str
    search: str
    failure: str = ""


async def build_name_panel(page: PageRequest, name: str, path: str, line: int) -> NamePanel:
    """Ask what a name on a line means."""
    asked: dict[str, Mapping[str, object]] = {
        "located": {"tool": "locate_symbol", "name": name or "?", "limit": 50},
    }
    if path and line:
        asked["calls"] = {"tool": "get_call_graph", "path": path, "line": line, "direction": "callees", "limit": 100}
    found = await page.ask_all(**asked)
    located = found["located"]
    exact = located.payload.get("match", "") in ("", "case_insensitive", "qualified_suffix")
    rows: list[Mapping[str, Any]] = located.payload.get("results", []) if exact else []
    calls = found["calls"].payload.get("callees", ()) if "calls" in found else ()
    target = find_target(rows, calls, name, path, line)
    verdict = judge(rows, target, path, line)
    shown = target or (rows[0]["symbol_id"] if len(rows) == 1 else "")
    uses = (await page.try_ask("find_references", symbol_id=shown, limit=MAX_USES)).payload if shown else {}
    return NamePanel(
        name, verdict, VERDICTS[verdict], list_definitions(rows, page.place, shown),
        max(len(rows) - MAX_DEFINITIONS, 0), group_uses(uses.get("references", ()), page.place),
        uses.get("total_references", 0), page.place.symbol(shown) if shown else "", page.place.search(name),
        located.error.message if located.error else "",
    )  # fmt: skip


def find_target(
    rows: Sequence[Mapping[str, Any]], calls: Sequence[Mapping[str, Any]], name: str, path: str, line: int
) -> str:
    """Return the handle of the definition that a use on a line means, where that is known."""
    for row in rows:
        if row["path"] == path and row["line_start"] == line:
            return str(row["symbol_id"])
    for call in calls:
        symbol = call.get("symbol", {})
        if call["call_site"]["line"] == line and str(symbol.get("name", "")).rpartition(".")[2] == name:
            return str(symbol["symbol_id"]) if call.get("resolution") == "resolved" and "symbol_id" in symbol else ""
    return ""


def judge(rows: Sequence[Mapping[str, Any]], target: str, path: str, line: int) -> str:
    """Return how certain the meaning of a name is."""
    if target:
        own = [row for row in rows if row["symbol_id"] == target]
        return "defined" if own and own[0]["path"] == path and own[0]["line_start"] == line else "resolved"
    return "unresolved" if not rows else "single" if len(rows) == 1 else "ambiguous"


def list_definitions(rows: Sequence[Mapping[str, Any]], place: PagePlace, chosen: str) -> tuple[DefinitionRow, ...]:
    """List definitions, the chosen one first."""
    ordered = sorted(rows, key=lambda row: row["symbol_id"] != chosen)[:MAX_DEFINITIONS]
    return tuple(
        DefinitionRow(row.get("qualified_name", row["name"]), row["kind"], f"{row['path']}:{row['line_start']}",
                      render_text(row.get("signature", row["name"]), row.get("language", ""), row["path"]),
                      place.file(row["path"], row["line_start"]), place.symbol(row["symbol_id"]),
                      row["symbol_id"] == chosen)
        for row in ordered
    )  # fmt: skip


def group_uses(rows: Sequence[Mapping[str, Any]], place: PagePlace) -> tuple[tuple[str, tuple[UseRow, ...]], ...]:
    """Group uses by file."""
    grouped: dict[str, list[UseRow]] = {}
    for row in rows:
        path = row["path"]
        grouped.setdefault(path, []).append(
            UseRow(row["line"], row["kind"], render_text(row.get("text", ""), "", path), place.file(path, row["line"]),
                   row.get("in", ""), row.get("resolution", "resolved"))
        )  # fmt: skip
    return tuple((path, tuple(found)) for path, found in grouped.items())
