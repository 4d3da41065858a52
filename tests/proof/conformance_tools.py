"""Exhibits: what the conformance suite asks of a server and the product has no use for, on the product's own stack.

The suite calls tools, resources and prompts by fixed names. Tools that return JSON stand in `TOOLS` and go through our
dispatch like any other; content of other kinds, resources, prompts, logging and questions to the client are handlers
beside ours on the same SDK server. Transport, sessions, checks, cancellation and progress stay the product's.
"""

import asyncio
import base64
import io
import json
import re
import time
import wave
import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import HandlerEntry, Server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from codecompass.contract.envelope import build_tool_meta
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from tests.proof import rounds

Context = ServerRequestContext[Any, Any]
ToolHandler = Callable[[Context, types.CallToolRequestParams], Awaitable[types.CallToolResult]]
MISSING_CAPABILITY = -32021
RESOURCE_NOT_FOUND = -32002
STEP_S = 0.3
"""Longer than the pause our progress keeps between two events, so that all three are heard."""


# Tools of our own dispatch.


class NoParams(Params, frozen=True, kw_only=True):
    """Nothing to say."""


def _simple_text(_host: Host, _call: Call, _params: NoParams) -> Answer:
    return Answer({"text": "This is a simple text response for testing."})


def _fail(_host: Host, _call: Call, _params: NoParams) -> Answer:
    raise Failure("NOT_FOUND", "This tool intentionally returns an error for testing")


def _progress(_host: Host, call: Call, _params: NoParams) -> Answer:
    for done in (0, 50, 100):
        call.check()
        call.report(Progress("work", done, 100, f"{done} of 100"))
        time.sleep(STEP_S)
    return Answer({"done": 100})


TOOLS = tuple(
    Tool(name=name, family=family, summary="Exhibit.", params=NoParams, run=run)
    for name, family, run in (
        ("test_simple_text", "cleats", _simple_text),
        ("test_error_handling", "compass", _fail),
        ("test_tool_with_progress", "cleats", _progress),
    )
)


# Content of every kind.


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def _png() -> str:
    """One red pixel."""
    header = (1).to_bytes(4, "big") * 2 + bytes((8, 2, 0, 0, 0))
    pixels = zlib.compress(b"\0\xff\0\0")
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", pixels), _chunk(b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def _wav() -> str:
    """One silent sample."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\0")
    return base64.b64encode(file.getvalue()).decode()


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _image() -> types.ImageContent:
    return types.ImageContent(type="image", data=_png(), mime_type="image/png")


def _embedded(uri: str, mime: str, text: str) -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=mime, text=text)
    return types.EmbeddedResource(type="resource", resource=contents)


CONTENT: dict[str, list[types.ContentBlock]] = {
    "test_image_content": [_image()],
    "test_audio_content": [types.AudioContent(type="audio", data=_wav(), mime_type="audio/wav")],
    "test_embedded_resource": [_embedded("test://embedded-resource", "text/plain", "This is an embedded resource.")],
    "test_multiple_content_types": [
        _text("Multiple content types:"),
        _image(),
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "json_schema_2020_12_tool": [_text("ok")],
    "test_custom_headers": [_text("ok")],
}


# Tools that speak to the client while they run.


def _said(*texts: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(text) for text in texts])


async def _log(ctx: Context, *texts: str) -> None:
    for text in texts:
        await ctx.session.send_log_message("info", text, related_request_id=ctx.request_id)
        await asyncio.sleep(0.05)


async def _logging(ctx: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    await _log(ctx, "Tool execution started", "Tool processing data", "Tool execution completed")
    return _said("logged")


async def _reconnection(ctx: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    await _log(ctx, "Before disconnect")
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    await _log(ctx, "After reconnect")
    return _said("Reconnection test completed")


async def _sampling(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    prompt = str((params.arguments or {}).get("prompt", ""))
    message = types.SamplingMessage(role="user", content=_text(prompt))
    answer = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    return _said(f"LLM response: {getattr(answer.content, 'text', '')}")


def _elicits(schema: Mapping[str, Any]) -> ToolHandler:
    async def run(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        message = str((params.arguments or {}).get("message", "Please answer"))
        asked = {"type": "object", "properties": dict(schema)}
        answer = await ctx.session.elicit_form(message, asked, related_request_id=ctx.request_id)
        return _said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content or {})}")

    return run


async def _missing_capability(ctx: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    if not ctx.session.check_client_capability(types.ClientCapabilities(sampling=types.SamplingCapability())):
        wanted: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_CAPABILITY, "The client did not declare sampling", wanted)
    return _said("sampling is declared")


def _choices(*names: str) -> list[dict[str, str]]:
    return [{"const": name, "title": name.title()} for name in names]


DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
ENUMS = {
    "untitledSingle": {"type": "string", "enum": ["one", "two", "three"]},
    "titledSingle": {"type": "string", "oneOf": _choices("low", "middle", "high")},
    "legacyEnum": {"type": "string", "enum": ["s", "m", "l"], "enumNames": ["Small", "Medium", "Large"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["read", "write", "run"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": _choices("bug", "docs", "feature")}},
}
SPEAKING: dict[str, ToolHandler] = {
    "test_tool_with_logging": _logging,
    "test_logging_tool": _logging,
    "test_reconnection": _reconnection,
    "test_sampling": _sampling,
    "test_elicitation": _elicits({"username": {"type": "string"}, "email": {"type": "string"}}),
    "test_elicitation_sep1034_defaults": _elicits(DEFAULTS),
    "test_elicitation_sep1330_enums": _elicits(ENUMS),
    "test_missing_capability": _missing_capability,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_sampling": {"properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "test_elicitation": {"properties": {"message": {"type": "string"}}, "required": ["message"]},
    "test_custom_headers": {"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}}}},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}


# Resources, prompts, completion.

STATIC: dict[str, types.TextResourceContents | types.BlobResourceContents] = {
    uri: types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    for uri, text in (("test://static-text", "Static text."), ("test://watched-resource", "Watched text."))
} | {"test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=_png())}
TEMPLATE = re.compile(r"test://template/([^/]+)/data")
PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    rounds.PROMPT: (),
}


async def _list_resources(_ctx: Context, _params: types.PaginatedRequestParams) -> types.ListResourcesResult:
    found = [types.Resource(uri=uri, name=uri[7:], mime_type=one.mime_type) for uri, one in STATIC.items()]
    return types.ListResourcesResult(resources=found)


async def _list_templates(_ctx: Context, _params: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    if (static := STATIC.get(params.uri)) is not None:
        return types.ReadResourceResult(contents=[static])
    if (match := TEMPLATE.fullmatch(params.uri)) is not None:
        text = json.dumps({"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"})
        contents = types.TextResourceContents(uri=params.uri, mime_type="application/json", text=text)
        return types.ReadResourceResult(contents=[contents])
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    raise MCPError(types.INVALID_PARAMS if modern else RESOURCE_NOT_FOUND, "Resource not found", {"uri": params.uri})


async def _list_prompts(_ctx: Context, _params: types.PaginatedRequestParams) -> types.ListPromptsResult:
    found = [
        types.Prompt(name=name, description="Exhibit.",
                     arguments=[types.PromptArgument(name=argument, required=True) for argument in arguments])
        for name, arguments in PROMPTS.items()
    ]  # fmt: skip
    return types.ListPromptsResult(prompts=found)


async def _get_prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    if params.name == rounds.PROMPT:
        return rounds.ask_prompt(params)
    blocks: dict[str, list[types.ContentBlock]] = {
        "test_simple_prompt": [_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [_text(f"arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")],
        "test_prompt_with_embedded_resource": [
            _embedded(given.get("resourceUri", "test://none"), "text/plain", "Embedded text."),
            _text("Read the above."),
        ],
        "test_prompt_with_image": [_image(), _text("Look at the above.")],
    }
    if params.name not in blocks:
        raise MCPError(types.INVALID_PARAMS, "Unknown prompt", {"name": params.name})
    messages = [types.PromptMessage(role="user", content=block) for block in blocks[params.name]]
    return types.GetPromptResult(messages=messages)


async def _complete(_ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))


async def _nothing(_ctx: Context, _params: object) -> types.EmptyResult:
    return types.EmptyResult()


# Everything onto the product's server.


def extend(sdk: Server[Any]) -> None:
    """Put the exhibits beside what the product registered; its tools stay listed and callable."""
    bus = InMemorySubscriptionBus()
    handlers: tuple[tuple[str, type[types.RequestParams], Any], ...] = (
        ("resources/list", types.PaginatedRequestParams, _list_resources),
        ("resources/templates/list", types.PaginatedRequestParams, _list_templates),
        ("resources/read", types.ReadResourceRequestParams, _read_resource),
        ("resources/subscribe", types.SubscribeRequestParams, _nothing),
        ("resources/unsubscribe", types.UnsubscribeRequestParams, _nothing),
        ("prompts/list", types.PaginatedRequestParams, _list_prompts),
        ("prompts/get", types.GetPromptRequestParams, _get_prompt),
        ("completion/complete", types.CompleteRequestParams, _complete),
        ("logging/setLevel", types.SetLevelRequestParams, _nothing),
        ("subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(bus)),
    )
    for method, params, handler in handlers:
        sdk.add_request_handler(method, params, handler)
    _extend_tools(sdk, bus)


def _extend_tools(sdk: Server[Any], bus: InMemorySubscriptionBus) -> None:
    listing, calling = _entry(sdk, "tools/list"), _entry(sdk, "tools/call")
    events: dict[str, ServerEvent] = {
        "test_trigger_tool_change": ToolsListChanged(),
        "test_trigger_prompt_change": PromptsListChanged(),
    }
    names = (*CONTENT, *SPEAKING, *rounds.TOOLS, *events)
    schemas = {name: {"type": "object"} | SCHEMAS.get(name, {}) for name in names}
    ours = [
        types.Tool(name=name, description="Exhibit.", input_schema=schemas[name], _meta=build_tool_meta(1))
        for name in names
    ]
    lookup = sdk.get_tool_input_schema

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams) -> types.ListToolsResult:
        shipped = await listing.handler(ctx, params)
        return types.ListToolsResult(tools=[*shipped.tools, *ours])  # type: ignore[union-attr]

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:  # noqa: ANN401 - as the SDK has it
        if (content := CONTENT.get(params.name)) is not None:
            return types.CallToolResult(content=content)
        if (speaking := SPEAKING.get(params.name)) is not None:
            return await speaking(ctx, params)
        if (asking := rounds.TOOLS.get(params.name)) is not None:
            return asking(ctx, params)
        if (event := events.get(params.name)) is not None:
            await bus.publish(event)
            return _said("published")
        return await calling.handler(ctx, params)

    sdk.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    sdk.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    if lookup is not None:
        shipped_schema = lookup
        sdk.get_tool_input_schema = lambda name: schemas.get(name) or shipped_schema(name)


def _entry(sdk: Server[Any], method: str) -> HandlerEntry[Any]:
    entry = sdk.get_request_handler(method)
    assert entry is not None, method
    return entry
