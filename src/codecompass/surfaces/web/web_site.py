"""The web site of a server: one endpoint for each page, and for static and raw files."""

import os
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from codecompass.contract.tool import Tool
from codecompass.contract.versions import TOOL_VERSION
from codecompass.surfaces.http.answers import HttpError
from codecompass.surfaces.http.router import Endpoint, RequestHandler, to_asgi_app
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.surfaces.http.tool_calls import ToolCalls, build_call, run_while_connected
from codecompass.surfaces.web.page_links import PagePlace
from codecompass.surfaces.web.page_rendering import PageRenderer
from codecompass.surfaces.web.page_request import PageRequest, WebPage
from codecompass.surfaces.web.page_table import PAGES, PageRow
from codecompass.surfaces.web.screens.file_screen import read_raw
from codecompass.surfaces.web.static_files import load_static_files

STATIC_HEADERS = {"cache-control": "public, max-age=31536000, immutable"}
RAW_HEADERS = {"content-security-policy": "default-src 'none'; sandbox", "cache-control": "private, no-cache"}


class WebSite:
    """All pages of one server."""

    def __init__(self, calls: ToolCalls, tools: tuple[Tool, ...], options: HttpOptions) -> None:
        self._calls = calls
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._options = options
        self._renderer = PageRenderer()
        self._rows = tuple(row for row in PAGES if not row.needs or row.needs in self._tools)

    def build_endpoints(self) -> tuple[Endpoint, ...]:
        """Build the endpoints of all pages."""
        pages = tuple(Endpoint(row.path, ("GET",), to_asgi_app(self._answer(row))) for row in self._rows)
        return (
            *pages,
            Endpoint("/raw/{rest*}", ("GET",), to_asgi_app(self._send_raw)),
            Endpoint("/static/{name}", ("GET",), to_asgi_app(_send_static)),
            Endpoint("/favicon.ico", ("GET",), to_asgi_app(_send_icon)),
        )

    def _answer(self, row: PageRow) -> RequestHandler:
        async def answer(request: Request) -> Response:
            page = self._build_request(request)
            try:
                shown = await run_while_connected(request.receive, row.view(page))
            except HttpError as error:
                shown = build_error_page(error)
            part = page.get("part")
            template = shown.parts.get(part, shown.template) if part else shown.template
            return self._renderer.respond(template, self._build_model(page, shown, request), shown.status)

        return answer

    def _build_request(self, request: Request) -> PageRequest:
        query = {name: value.replace("\0", "") for name, value in request.query_params.items()}
        place = PagePlace(query.get("repo", ""), query.get("at", ""))
        call = build_call(request.scope)
        return PageRequest(query, str(request.path_params.get("rest", "")), place, call, self._calls, self._tools)

    def _build_model(self, page: PageRequest, shown: WebPage, request: Request) -> dict[str, Any]:
        """Build what every template knows: the place, the navigation, and the addresses of this very view."""
        repo = page.place.repo or self._options.repo
        here = {name: value for name, value in page.query.items() if name not in ("part", "repo", "at")}
        return {
            "title": shown.title, "place": page.place, "here": place_address(page.place, request.url.path, here),
            "permalink": place_address(page.place.at_ref(shown.commit), request.url.path, here) if shown.commit else "",
            "path": request.url.path, "repo_name": os.path.basename(repo.rstrip("/")) or repo, "repo": repo,
            "nav": [(row.label, row.path) for row in self._rows if row.label], "query": page.query,
            "version": TOOL_VERSION, "state": shown.state, "writable": page.writable,
            "ref_name": page.place.at or shown.state.get("ref", ""), **shown.model,
        }  # fmt: skip

    async def _send_raw(self, request: Request) -> Response:
        """Send a file as plain text, in the sandbox of an empty policy."""
        try:
            text = await run_while_connected(request.receive, read_raw(self._build_request(request)))
        except HttpError as error:
            return Response(error.message, error.http_status, dict(RAW_HEADERS), "text/plain")
        return Response(text.encode("utf-8", "replace"), 200, dict(RAW_HEADERS), "text/plain")


def place_address(place: PagePlace, path: str, query: Mapping[str, str]) -> str:
    """Return the address of a page with its own query, at a place."""
    return place.link(path, **query)


def build_error_page(error: HttpError) -> WebPage:
    """Build the page of a request that failed."""
    return WebPage("error.html", error.code, {"error": error}, {"results": "error_part.html"}, error.http_status)


async def _send_static(request: Request) -> Response:
    file = load_static_files().get(str(request.path_params["name"]))
    if file is None:
        raise HttpError("NOT_FOUND", "No such path.")
    return Response(file.content, 200, dict(STATIC_HEADERS), file.media)


async def _send_icon(_request: Request) -> Response:
    file = load_static_files()["mark.svg"]
    return Response(file.content, 200, dict(STATIC_HEADERS), file.media)
