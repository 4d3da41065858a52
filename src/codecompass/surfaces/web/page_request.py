"""One request for a page: its query, its place, and the questions it asks the tools."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from codecompass.contract.tool import Tool
from codecompass.model.call import Call
from codecompass.surfaces.http.answers import HttpError
from codecompass.surfaces.http.tool_calls import ToolCalls
from codecompass.surfaces.web.page_links import PagePlace

PLACE_FIELDS = (("workspace", "repo"), ("repoPath", "repo"), ("ref", "at"), ("branch", "at"))
"""Parameters of tools that name a workspace or a ref, and the field of a place that fills them."""


class Asking(Protocol):
    """What a view needs of a request: the query, the place, and answers."""

    query: Mapping[str, str]
    place: PagePlace

    async def ask(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return the payload of a tool, or raise HttpError."""
        ...


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page."""

    query: Mapping[str, str]
    rest: str
    """What follows the first segment of the path."""
    place: PagePlace
    call: Call
    calls: ToolCalls
    tools: Mapping[str, Tool]
    writable: bool = False
    """Whether this request may use the forms that change something."""

    async def ask(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return the payload of a tool, or raise HttpError. Workspace and ref of the page are filled in."""
        known = self.tools.get(tool)
        if known is None:
            raise HttpError("NOT_FOUND", f"This server does not serve the tool {tool}.")
        names = known.params.__struct_fields__
        raw = {name: value for name, value in arguments.items() if value not in (None, "")}
        filled = {"repo": False, "at": False}
        for name, source in PLACE_FIELDS:
            value = getattr(self.place, source)
            if value and name in names and name not in raw and not filled[source]:
                raw[name] = value
                filled[source] = True
        reply = await self.calls.call(tool, raw, self.call)
        if reply.is_error:
            raise self.calls.to_http_error(tool, reply)
        return reply.payload

    async def try_ask(self, tool: str, /, **arguments: object) -> "Outcome":
        """Return the payload of a tool or its failure, for a part of a page that may be missing."""
        try:
            return Outcome(await self.ask(tool, **arguments))
        except HttpError as error:
            return Outcome({}, error)

    async def ask_all(self, **questions: Mapping[str, object]) -> "dict[str, Outcome]":
        """Ask several tools at once; each question has the name of its tool under `tool`."""
        asked = [self.try_ask(str(row["tool"]), **{k: v for k, v in row.items() if k != "tool"})
                 for row in questions.values()]  # fmt: skip
        return dict(zip(questions, await asyncio.gather(*asked), strict=True))

    def get(self, name: str, default: str = "") -> str:
        """Return a parameter of the query."""
        return self.query.get(name, default)

    def get_number(self, name: str, default: int = 0, most: int = 10_000_000) -> int:
        """Return a parameter as a number from 0; a text that is none counts as missing."""
        text = self.query.get(name, "")
        return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 10 else default


@dataclass(frozen=True, slots=True)
class Outcome:
    """The payload of one question, or why there is none."""

    payload: dict[str, Any]
    error: HttpError | None = None


@dataclass(frozen=True, slots=True)
class WebPage:
    """What a view answers: a template and what it shows."""

    template: str
    title: str = ""
    model: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    """Templates of parts that a script may ask for alone, by name."""
    status: int = 200
    commit: str = ""
    """The commit that the page shows, for its permalink."""
    state: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of an answer: ref and freshness."""
