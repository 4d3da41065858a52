"""What was found and decided: memory, scanners' findings, and risks with the flow of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from codecompass.model.states import SEVERITIES, DecisionKind, DiscoveryType
from codecompass.surfaces.web.page_links import PagePlace
from codecompass.surfaces.web.page_request import PageRequest, WebPage

MEMORY_TYPES = get_args(DiscoveryType)
DECISIONS = get_args(DecisionKind)
WORST_FIRST = SEVERITIES[::-1]
ALL_FINDINGS = "meta:recordType=finding"
DEFAULT_TOPIC = "decision"


@dataclass(frozen=True, slots=True)
class RiskStep:
    """One step of the way from a source to a sink."""

    name: str
    line: int
    link: str


async def show_memory(page: PageRequest) -> WebPage:
    """Show what was decided about a topic, and whether it still holds."""
    query, kind = page.get("q").strip(), page.get("type")
    asked = query if len(query) > 2 else DEFAULT_TOPIC
    found = await page.try_ask("context_search", query=asked[:500], type=kind, limit=20, cursor=page.get("cursor"))
    cursor = found.payload.get("next_cursor", "")
    rows = found.payload.get("results", ())
    states = sorted({row["freshness"] for row in rows if row.get("freshness")})
    state = page.get("state")
    model = {
        "q": query, "type": kind, "types": MEMORY_TYPES, "states": states, "chosen_state": state, "error": found.error,
        "rows": [row for row in rows if state in ("", row.get("freshness"))],
        "total": found.payload.get("totalFound", 0),
        "searched": found.payload.get("searched", {}), "asked": asked,
        "more": page.place.link("/memory", q=query, type=kind, cursor=cursor) if cursor else "",
    }  # fmt: skip
    return WebPage("memory.html", "Memory", model, state={"ref": found.payload.get("ref", "")})


async def show_triage(page: PageRequest) -> WebPage:
    """Show findings of scanners with what was decided about each."""
    query = page.get("q").strip()
    found = await page.try_ask("search", query=query or ALL_FINDINGS, mode="records", top=50, output="json",
                               cursor=page.get("cursor"))  # fmt: skip
    cursor = found.payload.get("next_cursor", "")
    rows = [{**hit["docmeta"]["record"], "name": hit["name"], "headline": hit["headline"],
             "snippet": hit.get("snippet", "")} for hit in found.payload.get("records", ())
            if "record" in hit.get("docmeta", {})]  # fmt: skip
    model = {"q": query, "rows": rows, "error": found.error, "decisions": DECISIONS,
             "more": page.place.link("/triage", q=query, cursor=cursor) if cursor else ""}  # fmt: skip
    return WebPage("triage.html", "Findings", model)


async def show_risks(page: PageRequest) -> WebPage:
    """Show risks by severity, each flow step by step."""
    category, path, cursor = page.get("category"), page.get("path"), page.get("cursor")
    wanted = (page.get("severity"),) if page.get("severity") in WORST_FIRST else ("high", "low")
    payload: dict[str, Any] = {}
    severity = ""
    for severity in wanted:  # without a choice the severe ones, and all if none is severe
        payload = await page.ask("find_risks", min_severity=severity, category=category, path=path, limit=50,
                                 cursor=cursor)  # fmt: skip
        if payload["total"]:
            break
    cursor = payload.get("next_cursor", "")
    here = {"severity": severity, "category": category, "path": path}
    model = {
        "risks": payload, "groups": group_risks(payload.get("findings", ()), page.place), "path_filter": path,
        "severity": severity, "category": category, "severities": WORST_FIRST,
        "more": page.place.link("/risks", **here, cursor=cursor) if cursor else "",
    }  # fmt: skip
    about = payload["metadata"]
    return WebPage("risks.html", "Risks", model, state={"ref": about["ref"], "freshness": about["freshness_status"]})


def group_risks(rows: Sequence[Mapping[str, Any]], place: PagePlace) -> list[tuple[str, list[dict[str, Any]]]]:
    """Group risks by severity, tests after the rest, with the steps of each flow."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: (WORST_FIRST.index(row["severity"]), row.get("role") == "test")):
        groups.setdefault(row["severity"], []).append({**row, "steps": list_steps(row, place),
                                                       "link": place.file(row["path"], row["line"])})  # fmt: skip
    return list(groups.items())


def list_steps(row: Mapping[str, Any], place: PagePlace) -> list[RiskStep]:
    """List the steps of a flow: its source, what the value passes through, and the sink."""
    source = row.get("source")
    if not source:
        return []
    steps = [RiskStep(source["name"], source["line"], place.file(source["path"], source["line"]))]
    for text in row.get("via", ()):
        name, _, number = str(text).rpartition(":")
        line = int(number) if number.isdigit() else 0
        steps.append(RiskStep(name or str(text), line, ""))
    return [*steps, RiskStep(row["sink"], row["line"], place.file(row["path"], row["line"]))]
