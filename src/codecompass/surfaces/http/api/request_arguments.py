"""Request arguments: read and validate the query string or the body of a request."""

from typing import Any

import msgspec
from starlette.requests import Request

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.surfaces.http.answers import JSON, HttpError, to_http_error
from codecompass.surfaces.http.api.routes import ApiRoute

REPO, ALIAS = "repo", "repoPath"
"""The name of the workspace argument in the API, and in the tools."""
EVENTS = "text/event-stream"
BOOLEANS = {"true": True, "false": False}


def check_accept(request: Request, media: str) -> None:
    """Raise 406 when the Accept header excludes the media type of the response."""
    accepted = ",".join(request.headers.getlist("accept"))
    if not accepted.strip():
        return
    family = media.split("/")[0] + "/*"
    for part in accepted.lower().split(","):
        kind, *parameters = (word.strip() for word in part.split(";"))
        if kind in (media, family, "*/*") and not any(_has_zero_quality(word) for word in parameters):
            return
    raise HttpError("INVALID_REQUEST", f"The answer is {media}, which the Accept header does not allow.", 406)


def _has_zero_quality(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and value.strip().rstrip("0").rstrip(".") == ""


def read_query(request: Request, route: ApiRoute) -> dict[str, str]:
    """Return the query parameters; an unknown or repeated name is a violation."""
    found: dict[str, str] = {}
    wrong = []
    for name, value in request.query_params.multi_items():
        shown = name[:100].encode("utf-8", "replace").decode()
        if name not in route.query:
            wrong.append(
                make_violation("", "additionalProperties", f"unknown parameter '{shown}'", additionalProperty=shown)
            )
        elif name in found:
            wrong.append(make_violation(f"/{name}", "maxItems", "is given more than once"))
        found[name] = value
    if wrong:
        raise to_http_error(to_invalid_request(wrong[:20]))
    return found


def pop_flag(query: dict[str, str], name: str) -> bool:
    """Remove a boolean from the query parameters and return it."""
    value = query.pop(name, "false")
    if value not in BOOLEANS:
        raise to_http_error(
            to_invalid_request(
                [make_violation(f"/{name}", "enum", "must be true or false", allowedValues=list(BOOLEANS))]
            )
        )
    return BOOLEANS[value]


async def read_body(request: Request) -> Any:  # noqa: ANN401 - any JSON value; the tool's schema judges it
    """Decode the body as JSON."""
    try:
        return msgspec.json.decode(await request.body())
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise HttpError("INVALID_REQUEST", "The body is not valid JSON.") from None


def rename_repo(raw: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Rename the argument `repo` to the name that tools use."""
    if not isinstance(raw, dict) or REPO not in raw:
        return raw
    if ALIAS in raw:
        message = "repo and repoPath name the same thing; give one"
        raise to_http_error(to_invalid_request([make_violation(f"/{ALIAS}", "not", message)]))
    return {ALIAS if name == REPO else name: value for name, value in raw.items()}


def find_workspace(raw: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """Return the workspace argument of a call, under either name."""
    named = raw if isinstance(raw, dict) else {}
    found = [named[name] for name in (ALIAS, "workspace") if isinstance(named.get(name), str)]
    return found[0] if found else None


def get_media_type(route: ApiRoute) -> str:
    """Return the media type of a route's response."""
    return {"events": EVENTS, "text": "text/plain"}.get(route.answer, JSON)
