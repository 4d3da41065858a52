"""The table of pages: address, view, and what it needs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from codecompass.surfaces.web.page_request import PageRequest, WebPage
from codecompass.surfaces.web.screens.file_screen import show_file, show_name
from codecompass.surfaces.web.screens.finder_screen import show_finder, show_keys
from codecompass.surfaces.web.screens.history_screens import show_diff, show_refs
from codecompass.surfaces.web.screens.record_screens import show_memory, show_risks, show_triage
from codecompass.surfaces.web.screens.search_screen import explain_rank, show_search
from codecompass.surfaces.web.screens.symbol_screen import show_symbol
from codecompass.surfaces.web.screens.workspace_screen import show_workspaces

View = Callable[[PageRequest], Awaitable[WebPage]]


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page: its path, its view, the tool without which it is not offered, and its name in the navigation."""

    path: str
    view: View
    needs: str = ""
    label: str = ""


PAGES = (
    PageRow("/", show_search, label="Search"),
    PageRow("/why", explain_rank, "explain_ranking"),
    PageRow("/file/{rest*}", show_file),
    PageRow("/name", show_name, "locate_symbol"),
    PageRow("/symbol/{rest*}", show_symbol, "locate_symbol"),
    PageRow("/memory", show_memory, "context_search", "Memory"),
    PageRow("/risks", show_risks, "find_risks", "Risks"),
    PageRow("/triage", show_triage, "search", "Findings"),
    PageRow("/refs", show_refs, "list_refs", "Refs"),
    PageRow("/diff", show_diff, "diff_context", "Diff"),
    PageRow("/workspaces", show_workspaces, "workspace_status", "Workspaces"),
    PageRow("/find", show_finder),
    PageRow("/keys", show_keys),
)
