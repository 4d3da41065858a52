"""The table of pages: address, view, and what it needs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from codecompass.surfaces.web.page_request import PageRequest, WebPage
from codecompass.surfaces.web.screens.file_screen import show_file, show_name
from codecompass.surfaces.web.screens.finder_screen import show_finder, show_keys
from codecompass.surfaces.web.screens.search_screen import explain_rank, show_search
from codecompass.surfaces.web.screens.symbol_screen import show_symbol

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
    PageRow("/find", show_finder),
    PageRow("/keys", show_keys),
)
