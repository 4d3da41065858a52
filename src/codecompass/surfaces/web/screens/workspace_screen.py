"""Workspaces: indexes, freshness, skipped files, jobs, calls, and what is wrong with the command that repairs it."""

from collections.abc import Mapping
from typing import Any

from codecompass.surfaces.web.page_request import PageRequest, WebPage

MAX_CALLS = 16


async def show_workspaces(page: PageRequest) -> WebPage:
    """Show all workspaces, and the one of this place in detail."""
    found = await page.ask_all(
        workspaces={"tool": "workspace_status"}, index={"tool": "index_status"}, server={"tool": "check_status"},
        artifacts={"tool": "report_artifacts"}, health={"tool": "health_check"},
    )  # fmt: skip
    index, server = found["index"].payload, found["server"].payload
    artifacts = found["artifacts"].payload
    model = {
        "workspaces": found["workspaces"].payload.get("workspaces", ()), "index": index, "server": server,
        "calls": list_calls(server.get("metrics", {})), "artifacts": list_artifacts(artifacts),
        "issues": artifacts.get("health", {}).get("issues", ()), "hints": artifacts.get("health", {}).get("hints", ()),
        "health": found["health"].payload, "errors": [one.error for one in found.values() if one.error],
        "skipped": sorted(index.get("skipped", {}).items(), key=lambda item: -item[1]),
        "languages": sorted(index.get("languages", {}).items(), key=lambda item: -item[1])[:12],
        "follow": page.place.link("/status/stream", follow="true", at=""),
    }  # fmt: skip
    return WebPage("workspaces.html", "Workspaces", model)


def list_calls(metrics: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """List the calls of each tool, most used first, with the width of its bar."""
    rows = sorted(metrics.items(), key=lambda item: -item[1]["calls"])[:MAX_CALLS]
    slowest = max((row["p95_ms"] or 0 for _, row in rows), default=1) or 1
    return [{"name": name, "p50": round(row["p50_ms"] or 0), "p95": round(row["p95_ms"] or 0), "calls": row["calls"],
             "failure": row["failure"], "width": round(200 * (row["p95_ms"] or 0) / slowest, 1),
             "inner": round(200 * (row["p50_ms"] or 0) / slowest, 1)} for name, row in rows]  # fmt: skip


def list_artifacts(payload: Mapping[str, Any]) -> list[tuple[str, int, float]]:
    """List the parts of an index with their bytes and the width of each bar."""
    parts: Mapping[str, int] = payload.get("repo", {}).get("artifacts", {})
    most = max(parts.values(), default=1) or 1
    return [(name, size, round(200 * size / most, 1)) for name, size in sorted(parts.items(), key=lambda row: -row[1])
            if size]  # fmt: skip
