"""Arguments: what a request asks of a tool, read from its query string or its body. Nothing is passed over."""

from typing import Any

import msgspec
from starlette.requests import Request

from codecompass.contract.codec import rejected, violation
from codecompass.surfaces.http.api.answers import JSON, Refused, refused
from codecompass.surfaces.http.api.routes import Route

REPO, ALIAS = "repo", "repoPath"
"""The API's word for a workspace, and the tool's."""
EVENTS = "text/event-stream"
TRUTH = {"true": True, "false": False}


def check_accept(request: Request, media: str) -> None:
    """406 when the client says that it cannot read what it would get."""
    said = ",".join(request.headers.getlist("accept"))
    if not said.strip():
        return
    family = media.split("/")[0] + "/*"
    for part in said.lower().split(","):
        kind, *parameters = (word.strip() for word in part.split(";"))
        if kind in (media, family, "*/*") and not any(_is_zero(word) for word in parameters):
            return
    raise Refused("INVALID_REQUEST", f"The answer is {media}, which the Accept header does not allow.", 406)


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and value.strip().rstrip("0").rstrip(".") == ""


def query_of(request: Request, route: Route) -> dict[str, str]:
    """The query string, each name known and given once."""
    found: dict[str, str] = {}
    wrong = []
    for name, value in request.query_params.multi_items():
        shown = name[:100].encode("utf-8", "replace").decode()
        if name not in route.query:
            wrong.append(
                violation("", "additionalProperties", f"unknown parameter '{shown}'", additionalProperty=shown)
            )
        elif name in found:
            wrong.append(violation(f"/{name}", "maxItems", "is given more than once"))
        found[name] = value
    if wrong:
        raise refused(rejected(wrong[:20]))
    return found


def flag_in(query: dict[str, str], name: str) -> bool:
    """A yes or no of the query string, taken out of it."""
    value = query.pop(name, "false")
    if value not in TRUTH:
        raise refused(rejected([violation(f"/{name}", "enum", "must be true or false", allowedValues=list(TRUTH))]))
    return TRUTH[value]


async def body_of(request: Request) -> Any:  # noqa: ANN401 - any JSON value; the tool's schema judges it
    """The body as JSON."""
    try:
        return msgspec.json.decode(await request.body())
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Refused("INVALID_REQUEST", "The body is not valid JSON.") from None


def with_repo(raw: Any) -> Any:  # noqa: ANN401 - any JSON value
    """`repo` under the name that the tools have for it."""
    if not isinstance(raw, dict) or REPO not in raw:
        return raw
    if ALIAS in raw:
        said = "repo and repoPath name the same thing; give one"
        raise refused(rejected([violation(f"/{ALIAS}", "not", said)]))
    return {ALIAS if name == REPO else name: value for name, value in raw.items()}


def place_in(raw: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """The workspace that a call names, under whichever name."""
    named = raw if isinstance(raw, dict) else {}
    found = [named[name] for name in (ALIAS, "workspace") if isinstance(named.get(name), str)]
    return found[0] if found else None


def media_of(route: Route) -> str:
    """What a route answers with."""
    return {"events": EVENTS, "text": "text/plain"}.get(route.answer, JSON)
