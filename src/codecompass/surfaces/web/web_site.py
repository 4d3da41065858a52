"""The web site of a server: one endpoint for each page, for forms, and for static and raw files."""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from codecompass.contract.tool import Tool
from codecompass.contract.versions import TOOL_VERSION
from codecompass.surfaces.http.answers import HttpError
from codecompass.surfaces.http.router import Endpoint, RequestHandler, to_asgi_app
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.surfaces.http.tool_calls import ToolCalls, build_call, run_while_connected
from codecompass.surfaces.web.page_access import COOKIE, FORM, MAX_FORM, PageAccess, read_form
from codecompass.surfaces.web.page_links import PagePlace, build_address
from codecompass.surfaces.web.page_rendering import PageRenderer
from codecompass.surfaces.web.page_request import PageRequest, WebPage
from codecompass.surfaces.web.page_table import PAGES, PageRow
from codecompass.surfaces.web.screens.file_screen import read_raw
from codecompass.surfaces.web.static_files import load_static_files
from codecompass.surfaces.web.write_actions import run_action

STATIC_HEADERS = {"cache-control": "public, max-age=31536000, immutable"}
RAW_HEADERS = {"content-security-policy": "default-src 'none'; sandbox", "cache-control": "private, no-cache"}
SIGN_IN = "/sign-in"
OWN_PARAMETERS = ("part", "repo", "at")


class WebSite:
    """All pages of one server."""

    def __init__(self, calls: ToolCalls, tools: tuple[Tool, ...], options: HttpOptions) -> None:
        self._calls = calls
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._options = options
        self._access = PageAccess(options)
        self._renderer = PageRenderer()
        self._rows = tuple(row for row in PAGES if not row.needs or row.needs in self._tools)

    def build_endpoints(self) -> tuple[Endpoint, ...]:
        """Build the endpoints of all pages. They check access themselves, so that a browser can sign in."""
        pages = {row.path: self._guard(partial(self._answer, row)) for row in self._rows}
        plain = pages | {
            "/raw/{rest*}": self._guard(self._send_raw), "/static/{name}": _send_static, "/favicon.ico": _send_icon,
            SIGN_IN: self._show_sign_in,
        }  # fmt: skip
        forms = {"/do/{action}": self._guard(self._act), SIGN_IN: self._sign_in}
        return (
            *(Endpoint(path, ("GET",), to_asgi_app(handler), own_access=True) for path, handler in plain.items()),
            *(Endpoint(path, ("POST",), to_asgi_app(handler), MAX_FORM, FORM, own_access=True)
              for path, handler in forms.items()),
        )  # fmt: skip

    def _guard(self, handler: RequestHandler) -> RequestHandler:
        """Send those who must sign in to do so; others to the page."""

        async def answer(request: Request) -> Response:
            if self._access.is_admitted(request):
                return await handler(request)
            here = build_address(request.url.path, dict(request.query_params))
            return RedirectResponse(build_address(SIGN_IN, {"next": here}), 303)

        return answer

    async def _answer(self, row: PageRow, request: Request) -> Response:
        page = self._build_request(request)
        try:
            shown = await run_while_connected(request.receive, row.view(page))
        except HttpError as error:
            shown = build_error_page(error)
        return self._respond(page, shown, request)

    def _respond(self, page: PageRequest, shown: WebPage, request: Request) -> Response:
        part = page.get("part")
        template = shown.parts.get(part, shown.template) if part else shown.template
        return self._renderer.respond(template, self._build_model(page, shown, request), shown.status)

    def _build_request(self, request: Request, place: PagePlace | None = None) -> PageRequest:
        query = {name: value.replace("\0", "") for name, value in request.query_params.items()}
        writable = self._access.may_write(request)
        return PageRequest(query, str(request.path_params.get("rest", "")),
                           place or PagePlace(query.get("repo", ""), query.get("at", "")), build_call(request.scope),
                           self._calls, self._tools, writable)  # fmt: skip

    def _build_model(self, page: PageRequest, shown: WebPage, request: Request) -> dict[str, Any]:
        """Build what every template knows: the place, the navigation, and the addresses of this very view."""
        repo = page.place.repo or self._options.repo
        path = request.url.path
        query = {name: value for name, value in page.query.items() if name not in OWN_PARAMETERS}
        return {
            "title": shown.title, "place": page.place, "here": page.place.link(path, **query),
            "permalink": page.place.at_ref(shown.commit).link(path, **query) if shown.commit else "", "path": path,
            "repo_name": os.path.basename(repo.rstrip("/")) or repo, "repo": repo, "query": page.query,
            "nav": [(row.label, row.path) for row in self._rows if row.label], "version": TOOL_VERSION,
            "state": shown.state, "writable": page.writable, "allow_writes": self._options.allow_writes,
            "form_token": self._access.form_token if page.writable else "",
            "ref_name": page.place.at or shown.state.get("ref", ""), **shown.model,
        }  # fmt: skip

    # -- forms -----------------------------------------------------------------------------------------------------

    async def _act(self, request: Request) -> Response:
        """Do what a form asks, and lead to the page that shows it."""
        page = self._build_request(request)
        try:
            form = await read_form(request)
            if not self._access.may_write(request):
                raise HttpError("FORBIDDEN", "This page only reads.", hint="Sign in with the server's token, or start "
                                "it with --allow-writes.")  # fmt: skip
            self._access.check_form(form)
            page = self._build_request(request, PagePlace(form.get("repo", "")))
            trusted = replace(page, call=replace(page.call, trusted=True))
            action = str(request.path_params["action"])
            return RedirectResponse(await run_while_connected(request.receive, run_action(trusted, action, form)), 303)
        except HttpError as error:
            return self._respond(page, build_error_page(error), request)

    async def _show_sign_in(self, request: Request, *, wrong: bool = False) -> Response:
        page = self._build_request(request)
        model = {"wrong": wrong, "locked": bool(self._options.token), "next": page.get("next")}
        return self._respond(page, WebPage("sign_in.html", "Sign in", model, status=403 if wrong else 200), request)

    async def _sign_in(self, request: Request) -> Response:
        """Exchange the token for a cookie."""
        form = await read_form(request)
        if not self._access.accepts(form.get("token", "")):
            return await self._show_sign_in(request, wrong=True)
        wanted = form.get("next", "")
        parts = urlsplit(wanted)
        inside = wanted.startswith("/") and not parts.scheme and not parts.netloc and "\\" not in wanted
        response = RedirectResponse(wanted if inside else "/", 303)
        response.set_cookie(COOKIE, self._access.make_cookie(), httponly=True, samesite="lax", path="/")
        return response

    async def _send_raw(self, request: Request) -> Response:
        """Send a file as plain text, in the sandbox of an empty policy."""
        try:
            text = await run_while_connected(request.receive, read_raw(self._build_request(request)))
        except HttpError as error:
            return Response(error.message, error.http_status, dict(RAW_HEADERS), "text/plain")
        return Response(text.encode("utf-8", "replace"), 200, dict(RAW_HEADERS), "text/plain")


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
