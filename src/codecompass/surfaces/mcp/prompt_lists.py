"""MCP prompts and completions as plain values, for every transport."""

from collections.abc import Collection
from typing import Any

from codecompass.contract.codec import make_violation
from codecompass.contract.envelope import Reply
from codecompass.contract.prompts import PromptArgument, ValueKind, select_prompts
from codecompass.contract.resources import RESOURCES
from codecompass.surfaces.mcp.rpc_errors import INVALID_PARAMS

RpcFault = tuple[int, str, dict[str, Any]]
"""Code, message and data of an error."""
_TEMPLATE_KINDS: dict[str, ValueKind] = {"context://module/{name}": "module"}
"""How the name in a resource template is completed."""


class InvalidPromptError(Exception):
    """A request about prompts that is answered with an error."""

    def __init__(self, path: str, keyword: str, message: str) -> None:
        super().__init__(message)
        wrong = [make_violation(path, keyword, message)]
        self.fault: RpcFault = (
            INVALID_PARAMS, f"Invalid params: {message}", {"code": "INVALID_REQUEST", "details": wrong},
        )  # fmt: skip


def list_prompts(served: Collection[str]) -> list[dict[str, Any]]:
    """Return the entries of `prompts/list`."""
    return [
        {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [_shape_argument(argument) for argument in prompt.arguments],
        }
        for prompt in select_prompts(served)
    ]


def _shape_argument(argument: PromptArgument) -> dict[str, Any]:
    return {"name": argument.name, "description": argument.description, "required": argument.required}


def get_prompt(served: Collection[str], name: str, given: dict[str, str]) -> dict[str, Any]:
    """Return the result of `prompts/get`."""
    prompt = next((row for row in select_prompts(served) if row.name == name), None)
    if prompt is None:
        raise InvalidPromptError("/name", "enum", f"unknown prompt '{name[:100]}'")
    known = {argument.name for argument in prompt.arguments}
    for word in given:
        if word not in known:
            raise InvalidPromptError("/arguments", "additionalProperties", f"unknown argument '{word[:100]}'")
    for argument in prompt.arguments:
        if argument.required and not given.get(argument.name, "").strip():
            raise InvalidPromptError(f"/arguments/{argument.name}", "required", f"{argument.name} is needed")
    text = prompt.render({word: value for word, value in given.items() if value.strip()})
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }


def find_value_kind(served: Collection[str], ref: dict[str, Any], argument: str) -> ValueKind | None:
    """Return how an argument of a prompt or a resource template is completed, or None if it is not."""
    if ref.get("type") == "ref/prompt":
        prompt = next((row for row in select_prompts(served) if row.name == ref.get("name")), None)
        if prompt is None:
            raise InvalidPromptError("/ref/name", "enum", "unknown prompt")
        found = next((one for one in prompt.arguments if one.name == argument), None)
        if found is None:
            raise InvalidPromptError("/argument/name", "enum", "unknown argument")
        return found.kind
    uri = str(ref.get("uri", ""))
    if all(row.uri != uri for row in RESOURCES):
        raise InvalidPromptError("/ref/uri", "enum", "unknown resource template")
    return _TEMPLATE_KINDS.get(uri)


def shape_completion(reply: Reply | None) -> dict[str, Any]:
    """Return the result of `completion/complete`; no reply means that the argument is free text."""
    if reply is None or reply.is_error:
        return {"completion": {"values": [], "total": 0, "hasMore": False}}
    return {"completion": dict(reply.payload)}
