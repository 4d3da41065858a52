"""Rounds: tools and a prompt of the stateless protocol that need the client's answers before they can finish.

A call that lacks an answer ends with the questions; the client calls again with the answers and the state it was given.
The state is signed, because it comes back from outside.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Round = types.CallToolResult | types.InputRequiredResult
PROMPT = "test_input_required_result_prompt"
_KEY = secrets.token_bytes(32)


def _seal(step: int) -> str:
    body = json.dumps({"step": step})
    return f"{body}.{hmac.new(_KEY, body.encode(), hashlib.sha256).hexdigest()}"


def _unseal(state: str) -> int:
    body, _, mark = state.rpartition(".")
    if not hmac.compare_digest(mark, hmac.new(_KEY, body.encode(), hashlib.sha256).hexdigest()):
        raise MCPError(types.INVALID_PARAMS, "The request state is not one this server gave")
    return int(json.loads(body)["step"])


def _elicit(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(text: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=50))


NAME = {"user_name": _elicit("What is your name?", "name")}
CAPITAL = {"capital_question": _sample("What is the capital of France?")}
ROOTS = {"client_roots": types.ListRootsRequest()}
CONFIRM = {"confirm": _elicit("Please confirm", "ok", "boolean")}
STEPS: tuple[dict[str, Any], ...] = (
    {"step1": _elicit("What is your name?", "name")},
    {"step2": _elicit("Which colour?", "color")},
)


def _done(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


def _answered(questions: dict[str, Any], params: types.InputResponseRequestParams) -> bool:
    given = params.input_responses or {}
    return all(key in given and _fits(question, given[key]) for key, question in questions.items())


def _fits(question: object, answer: object) -> bool:
    wanted = {
        types.ElicitRequest: types.ElicitResult,
        types.CreateMessageRequest: types.CreateMessageResult,
        types.ListRootsRequest: types.ListRootsResult,
    }
    return isinstance(answer, wanted[type(question)])  # type: ignore[index]


def _asks(questions: dict[str, Any], *, state: bool = False) -> Callable[[Context, types.CallToolRequestParams], Round]:
    """A tool that wants all these answers, and its own state back where it gave one."""

    def run(_ctx: Context, params: types.CallToolRequestParams) -> Round:
        if state and params.request_state is not None:
            _unseal(params.request_state)
        if _answered(questions, params) and (params.request_state is not None or not state):
            return _done("state-ok" if state else "Thank you")
        return types.InputRequiredResult(input_requests=questions, request_state=_seal(1) if state else None)

    return run


def _multi_round(_ctx: Context, params: types.CallToolRequestParams) -> Round:
    step = _unseal(params.request_state) if params.request_state is not None else 0
    if step and _answered(STEPS[step - 1], params):
        step += 1
    step = max(step, 1)
    if step > len(STEPS):
        return _done("all rounds done")
    return types.InputRequiredResult(input_requests=STEPS[step - 1], request_state=_seal(step))


def _by_capability(ctx: Context, params: types.CallToolRequestParams) -> Round:
    """Asks only what the client declared it can answer."""
    declared = ctx.session.client_capabilities or types.ClientCapabilities()
    questions: dict[str, Any] = (NAME if declared.elicitation else {}) | (CAPITAL if declared.sampling else {})
    return _asks(questions)(ctx, params) if questions else _done("The client can answer nothing")


TOOLS: dict[str, Callable[[Context, types.CallToolRequestParams], Round]] = {
    "test_input_required_result_elicitation": _asks(NAME),
    "test_input_required_result_sampling": _asks(CAPITAL),
    "test_input_required_result_list_roots": _asks(ROOTS),
    "test_input_required_result_request_state": _asks(CONFIRM, state=True),
    "test_input_required_result_tampered_state": _asks(CONFIRM, state=True),
    "test_input_required_result_multiple_inputs": _asks(NAME | CAPITAL | ROOTS, state=True),
    "test_input_required_result_multi_round": _multi_round,
    "test_input_required_result_capabilities": _by_capability,
    "test_streaming_elicitation": _asks(NAME),
}


def ask_prompt(params: types.GetPromptRequestParams) -> types.GetPromptResult | types.InputRequiredResult:
    """The prompt that wants a context first."""
    questions: dict[str, Any] = {"user_context": _elicit("What context should the prompt use?", "context")}
    if not _answered(questions, params):
        return types.InputRequiredResult(input_requests=questions)
    text = types.TextContent(type="text", text="With the context you gave.")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])
