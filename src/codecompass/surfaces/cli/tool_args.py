"""Arguments of `tool NAME`: flags derived from the tool's params, KEY=VALUE pairs, or one JSON object."""

import argparse
import re
from typing import Any, NoReturn

import msgspec

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.errors import Failure
from codecompass.surfaces.cli.help.help_page import get_width, render_command_help
from codecompass.surfaces.cli.standard_streams import read_question


class _ToolParser(argparse.ArgumentParser):
    def format_help(self) -> str:
        return render_command_help(self, get_width())

    def error(self, message: str) -> NoReturn:
        raise Failure("INVALID_REQUEST", f"{message[:1].upper()}{message[1:]}.", hint=f"See '{self.prog} --help'.")


_VALUE_WORDS = {"boolean": "true|false", "integer": "N", "number": "N", "object": "JSON"}
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def build_tool_parser(tool: Tool, program: str = "") -> argparse.ArgumentParser:
    """Build a parser with one flag for each parameter; underscores and camel case may be written with hyphens."""
    name = program or f"codecompass tool {tool.name}"
    parser = _ToolParser(prog=name, description=tool.summary, allow_abbrev=False)
    schema = input_schema(tool.params)
    for name, rule in schema["properties"].items():
        hyphenated = _CAMEL_BOUNDARY.sub("-", name).lower().replace("_", "-")
        flags = list(dict.fromkeys((f"--{hyphenated}", f"--{name.replace('_', '-')}", f"--{name}")))
        shown = rule.get("description", "") or ", ".join(map(str, rule.get("enum", ())))
        boolean = rule.get("type") == "boolean"
        if _is_repeatable(rule):
            parser.add_argument(*flags, dest=f"param:{name}", action="append", metavar=_name_value(name, rule),
                                help=f"{shown} (repeatable)".strip())  # fmt: skip
            continue
        parser.add_argument(*flags, dest=f"param:{name}", default=None, nargs="?" if boolean else None,
                            const="true" if boolean else None, metavar=_name_value(name, rule), help=shown)  # fmt: skip
    parser.add_argument("--arg", action="append", default=[], metavar="KEY=VALUE", help="any parameter (repeatable)")
    parser.add_argument("--args-json", metavar="OBJECT", help="all arguments as one JSON object")
    if tool.positional:
        parser.add_argument("positional", nargs="?", metavar=tool.positional.upper(),
                            help="the same as the flag of this name")  # fmt: skip
    return parser


def _name_value(name: str, rule: dict[str, Any]) -> str:
    """Return the word that stands for a parameter's value in the help."""
    kind = rule.get("type")
    if kind in _VALUE_WORDS:
        return _VALUE_WORDS[kind]
    last = _CAMEL_BOUNDARY.sub("_", name).upper().split("_")[-1]
    return {"workspace": "DIR", "repoPath": "DIR", "query": "QUERY"}.get(name, last)


def read_arguments(tool: Tool, words: list[str], program: str = "") -> dict[str, Any]:
    """Parse raw arguments. Values are converted by the schema's types; the tool's decoder validates them later."""
    known = build_tool_parser(tool, program).parse_args(words)
    raw: dict[str, Any] = {}
    if known.args_json is not None:
        try:
            raw = msgspec.json.decode(known.args_json.encode("utf-8", "surrogateescape"))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise to_invalid_request([make_violation("", "json", "--args-json is not valid JSON")]) from None
        if not isinstance(raw, dict):
            raise to_invalid_request([make_violation("", "type", "--args-json must be an object", type="object")])
    rules = input_schema(tool.params)["properties"]
    pairs = [pair.partition("=") for pair in known.arg]
    texts: dict[str, str | list[str]] = {key: value for key, _, value in pairs}
    texts |= {key[6:]: value for key, value in vars(known).items() if key.startswith("param:") and value is not None}
    if tool.positional and known.positional is not None:
        is_question = tool.positional == "query"
        texts[tool.positional] = read_question(known.positional) if is_question else known.positional
    raw |= {key: _parse_value(text, rules.get(key, {})) for key, text in texts.items()}
    return raw


def _is_repeatable(rule: dict[str, Any]) -> bool:
    return any(one.get("type") == "array" for one in (rule, *rule.get("anyOf", ())))


def _parse_value(text: str | list[str], rule: dict[str, Any]) -> object:
    """Parse text as the schema's type; text that does not parse is returned unchanged, for the decoder to refuse."""
    if isinstance(text, list):
        if len(text) > 1:
            return text
        one = _parse_value(text[0], rule)
        return text if rule.get("type") == "array" and not isinstance(one, list) else one
    if rule.get("type") in ("integer", "number", "boolean", "array", "object"):
        try:
            return msgspec.json.decode(text.encode("utf-8", "surrogateescape"))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return text
    return text
