"""What the forms of the pages may do: index, sync, record, decide; each is one call of one tool."""

from collections.abc import Mapping
from dataclasses import dataclass

from codecompass.surfaces.http.answers import HttpError
from codecompass.surfaces.web.page_request import PageRequest


@dataclass(frozen=True, slots=True)
class WriteAction:
    """One form: its tool, the fields that it passes on, and the page that it leads to."""

    tool: str
    fields: tuple[str, ...]
    page: str
    shown: str = ""
    """The field that the page is about."""


ACTIONS = {
    "index": WriteAction("index_repo", (), "/workspaces"),
    "sync": WriteAction("sync_repo", (), "/workspaces"),
    "record": WriteAction("context_record", ("content", "type"), "/memory", "content"),
    "decide": WriteAction("triage_decision", ("finding", "status", "justification", "reviewer"), "/triage"),
}


async def run_action(page: PageRequest, name: str, form: Mapping[str, str]) -> str:
    """Call the tool of a form; return the address of the page that shows what came of it."""
    action = ACTIONS.get(name)
    if action is None:
        raise HttpError("NOT_FOUND", "No such form.")
    await page.ask(action.tool, **{field: form.get(field, "") for field in action.fields})
    return page.place.link(action.page, q=form.get(action.shown, "")[:200] if action.shown else "")
