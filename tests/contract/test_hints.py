"""Advice leads somewhere: what an error or an empty answer suggests is done, and must not end at the same place."""

import json
import re
from typing import Any

import pytest

from codecompass.contract.envelope import Reply
from codecompass.tools import TOOLS
from tests.contract.contract_repo import Yard
from tests.contract.test_every_field import settled

BY_NAME = {tool.name: tool for tool in TOOLS}
NAMED = re.compile("|".join(rf"\b{name}\b" for name in sorted(BY_NAME, key=len, reverse=True) if "_" in name))
BAD: list[tuple[str, dict[str, Any]]] = [
    *[(tool.name, {"ref": "no-such-ref"}) for tool in TOOLS if "ref" in tool.fields],
    *[(tool.name, {"branch": "no-such-ref"}) for tool in TOOLS if "branch" in tool.fields],
    ("diff_context", {"base_ref": "no-such-ref"}), ("diff_context", {"head_ref": "no-such-ref"}),
    *[(tool.name, {"path": "no/such/file.py"}) for tool in TOOLS if tool.positional == "path"],
    *[(tool.name, {"name": "no_such_name_zzz"}) for tool in TOOLS if tool.positional == "name"],
    *[(tool.name, {"query": "zzz_no_such_word"}) for tool in TOOLS if tool.positional == "query"],
    ("grep_codebase", {"pattern": "zzz_no_such_word"}), ("read_file", {"path": "sym_000000000000000"}),
    ("get_file_outline", {"symbol_id": "sym_000000000000000"}), ("find_references", {"symbol_id": "sym_0"}),
    ("cancel_job", {"job_id": "nobody"}), ("search", {"query": "x", "backend": "sqlite"}),
    ("locate_symbol", {"name": "no_such_name_zzz", "kind": "fn", "language": "python"}),
    ("search_code", {"query": "zzz yyy xxx"}), ("search_code", {"query": "zzz", "language": "python"}),
]  # fmt: skip
"""Questions that fail, or find nothing."""
FILLED = {"query": "basket", "name": "basket_total", "path": "src/shop.py", "pattern": "basket", "content": "A rule."}
KEPT = ("ref", "branch")
"""What a caller keeps when they turn to another tool."""


def complete(tool: str, raw: dict[str, Any]) -> dict[str, Any]:
    """A call with what it must have besides."""
    known = BY_NAME[tool]
    needed = {known.positional: FILLED[known.positional]} if known.positional in FILLED else {}
    if any(key in raw for key in ("symbol_id", "job_id", "base_ref", "head_ref")):
        needed = {}
    return {**needed, **raw}


def advice(reply: Reply) -> str:
    if reply.rpc_error is not None:
        return reply.rpc_error.message
    failure = reply.failure
    return " ".join([failure.effective_hint, *map(str, failure.details.values())]) if failure else ""


def suggested(reply: Reply, raw: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    """The calls that an answer advises: those it lists, and those its hint names, about the same ref."""
    found: list[tuple[str, dict[str, object]]] = [
        (action["tool"], {key: value for key, value in action.items() if key != "tool"})
        for action in reply.payload.get("suggested_next_actions", ())
    ]
    kept = {key: value for key, value in raw.items() if key in KEPT}
    for name in NAMED.findall(advice(reply)):
        fields = BY_NAME[name].fields
        found.append((name, complete(name, {key: value for key, value in kept.items() if key in fields})))
    return found


def same(one: Reply, other: Reply) -> bool:
    return one.code != "" and (one.code, one.failure and one.failure.message) == (
        other.code, other.failure and other.failure.message,
    )  # fmt: skip


@pytest.mark.parametrize(("tool", "raw"), BAD, ids=[f"{tool} {json.dumps(raw)}" for tool, raw in BAD])
def test_advice_does_not_lead_back(yard: Yard, tool: str, raw: dict[str, Any]) -> None:
    """C-HINTS: every suggested call is made, and theirs in turn; none gives the same error, none comes round again."""
    first = complete(tool, raw)
    start = settled(yard, tool, first)
    asked = [(tool, first)]
    waiting = [(call, (tool, first)) for call in suggested(start, first)]
    for _ in range(12):
        if not waiting:
            break
        (name, arguments), origin = waiting.pop(0)
        assert (name, arguments) != origin, f"{origin} advises itself"
        reply = settled(yard, name, arguments)
        assert reply.code != "INVALID_REQUEST", (name, arguments, reply.body)
        assert not same(start, reply), f"{tool} {first} → {name} {arguments} → {reply.body!r}"
        if reply.is_error or not reply.payload.get("results", True):
            again = suggested(reply, arguments)
            assert (tool, first) not in again, f"{name} {arguments} sends the caller back to {tool}"
            waiting += [(call, (name, arguments)) for call in again if call not in asked]
        asked.append((name, arguments))


def test_an_unknown_ref_is_not_to_be_indexed(yard: Yard) -> None:
    """C-HINTS: what git does not know cannot be indexed; what it knows can, and the hint says so."""
    for tool in ("locate_symbol", "search_code", "get_file_outline", "find_references", "read_file"):
        said = advice(yard.ask(tool, complete(tool, {"ref": "no-such-ref"})))
        assert "index_repo" not in said and "list_refs" in said, tool
    known = yard.ask("get_file_outline", {"path": "src/shop.py", "ref": "HEAD~1"})
    assert known.code == "REF_NOT_INDEXED" and "index_repo" in advice(known)
