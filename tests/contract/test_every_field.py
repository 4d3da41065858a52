"""Every field of every tool changes the answer or is refused; nonsense in it is refused in the family's words."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from codecompass.contract.envelope import Reply
from codecompass.contract.json_schema import input_schema
from codecompass.tools import TOOLS
from tests.contract.contract_repo import Yard, without_times
from tests.contract.fieldrows import ROWS, Instead, Refused

BY_NAME = {tool.name: tool for tool in TOOLS}
WALKED = [tool for tool in TOOLS if tool.name in ROWS]
LONG = "x" * 1_000_000


def properties(tool: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = input_schema(BY_NAME[tool].params)["properties"]
    return found


PAIRS = [(tool.name, field) for tool in WALKED for field in properties(tool.name)]


def test_every_field_has_a_row() -> None:
    """C-EVERY-FIELD: a tool or a field that nobody thought of is found here."""
    lacking = {
        tool.name: sorted(set(properties(tool.name)) - set(ROWS[tool.name].fields if tool.name in ROWS else ()))
        for tool in TOOLS
    }
    assert not {name: fields for name, fields in lacking.items() if fields}
    surplus = {name: sorted(set(rows.fields) - set(properties(name))) for name, rows in ROWS.items()}
    assert not {name: fields for name, fields in surplus.items() if fields}


def settled(yard: Yard, tool: str, raw: dict[str, object]) -> Reply:
    """The answer; a job that it starts is stopped, so that the index stays as it is."""
    reply = yard.ask(tool, raw)
    if BY_NAME[tool].starts_job:
        deadline = time.monotonic() + 20
        while yard.ask("cancel_job", {}).is_error and time.monotonic() < deadline:
            if yard.ask("index_status", {}).payload["active_job"] is None:
                break
    return reply


@pytest.mark.parametrize(("tool", "field"), PAIRS, ids=lambda word: word)
def test_a_field_changes_the_answer(yard: Yard, tool: str, field: str) -> None:
    """C-EVERY-FIELD: the same call with and without it differs in more than times, or the field is refused."""
    rows = ROWS[tool]
    given = rows.call(yard)
    before = settled(yard, tool, given)
    assert before.code == rows.code, before.body
    row = rows.fields[field]
    if isinstance(row, Instead):
        raw = row.arguments(yard)
        assert field in raw
    else:
        raw = {**given, field: row.value if isinstance(row, Refused) else row}
    after = settled(yard, tool, raw)
    assert after.code == (row.code if isinstance(row, Refused) else rows.code), after.body
    assert without_times(after.payload) != without_times(before.payload)


def nonsense(rule: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Values that the schema of a field forbids, by what is wrong with them."""
    kind = rule.get("type")
    if kind is None and "enum" not in rule:
        # A field that takes several shapes takes none of these but those it names.
        taken = [one.get("type") for one in rule.get("anyOf", ())]
        yield from (one for one in (("null", None), ("boolean", True), ("number", 7)) if one[0] not in taken)
        return
    yield "object", {"a": 1}
    yield "null", None
    if kind != "boolean":
        yield "boolean", True
    if kind != "string" and "enum" not in rule:
        yield "text", "x"
    if kind not in ("integer", "number"):
        yield "number", 7
    if kind != "array":
        yield "array", ["x"]
    if kind == "integer":
        yield from (("fraction", 1.5), ("infinite", float("inf")))
        # Without a minimum, what is too small is clamped.
        yield from (("too small", low - 1) for low in (rule.get("minimum"),) if low is not None)
        if "maximum" in rule:
            yield from (("too large", rule["maximum"] + 1), ("huge", 10**30))
    if "enum" in rule:
        yield from (("unknown word", "zzz"), ("other case", str(rule["enum"][0]).upper() + " "))
    if "maxLength" in rule:
        yield "too long", "x" * (rule["maxLength"] + 1)
    if rule.get("minLength") or rule.get("pattern") == r"\S":
        yield "empty", ""
    if kind == "string":
        yield "half a pair", "a\ud800b"


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_nonsense_is_refused_in_the_familys_words(yard: Yard, tool: str) -> None:
    """C-ARGS-STRICT, C-ARGS-UNICODE, C-ARGS-FAMILIES: each value in each field, by violations that name it."""
    given = ROWS[tool].given if tool in ROWS else {}
    for field, rule in properties(tool).items():
        for what, value in nonsense(rule):
            reply = yard.ask(tool, {**given, field: value})
            assert reply.code == "INVALID_REQUEST", (field, what, reply.body)
            violations = violations_of(BY_NAME[tool].family, reply)
            assert violations and all(set(one) >= {"instancePath", "keyword", "message"} for one in violations)
            if what != "half a pair":
                assert any(one["instancePath"].startswith(f"/{field}") for one in violations), (what, violations)
    unknown = yard.ask(tool, {**given, "no_such_field": 1})
    assert any("no_such_field" in one["message"] for one in violations_of(BY_NAME[tool].family, unknown))


def violations_of(family: str, reply: Reply) -> list[dict[str, Any]]:
    """Where each family puts them."""
    assert reply.is_error
    if family == "cleats":
        assert reply.rpc_error is not None and reply.rpc_error.code == -32602
        return list(reply.rpc_error.data["details"])
    assert reply.rpc_error is None
    return list(reply.payload["error"]["data"]["violations"] if family == "compass" else reply.payload["details"])


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS if not tool.starts_job])
def test_hostile_values_never_break_a_tool(yard: Yard, tool: str) -> None:
    """C-NO-LEAK, C-ARGS-STRICT: paths upwards, a megabyte, NUL, patterns, numbers without end: an answer or a refusal,
    never a crash.
    """
    given = ROWS[tool].given if tool in ROWS else {}
    written = len(yard.log.getvalue())
    hostile = (
        "../x", "../../etc/passwd", "/etc/passwd", LONG, "a\0b", "(((((a+)+)+$", "%s%n", "-rf", "~root", "\x1b[2J",
    )  # fmt: skip
    endless = {"string": hostile, "integer": (2**63, 10**30), "number": (10**30, 1e300)}
    for field, rule in properties(tool).items():
        for value in endless.get(rule.get("type", ""), ()):
            reply = yard.ask(tool, {**given, field: value})
            assert reply.code != "INTERNAL", (field, str(value)[:40])
            assert b"Traceback" not in reply.body and b"root:x:0" not in reply.body and len(reply.body) < 70_000
    assert "call_crashed" not in yard.log.getvalue()[written:]
