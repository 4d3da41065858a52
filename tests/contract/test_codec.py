"""Decoding of arguments: strict, complete in what it reports, and safe against hostile text."""

import json
import math

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.contract import codec
from codecompass.contract.encoding import encode
from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.errors import Failure
from codecompass.tools import TOOLS
from codecompass.tools.search_code import SearchCodeParams
from tests.contract.contract_repo import Yard, without_times


def refused(raw: object) -> list[dict[str, object]]:
    with pytest.raises(Failure) as caught:
        codec.decode(SearchCodeParams, raw)
    assert caught.value.code == "INVALID_REQUEST"
    found = caught.value.details["violations"]
    assert isinstance(found, list)
    assert all(set(item) == {"instancePath", "keyword", "message", "params"} for item in found)
    return found


def test_every_violation_is_listed() -> None:
    """C-ARGS-UNKNOWN: two unknown fields, a missing one and a wrong one give four violations."""
    found = refused({"limit": 0, "bogus": 1, "other": 2})
    assert {(item["instancePath"], item["keyword"]) for item in found} == {
        ("/limit", "minimum"),
        ("", "additionalProperties"),
        ("", "required"),
    }
    assert len(found) == 4


@pytest.mark.parametrize("limit", [0, -1, 101, 10**9, 10**30, 3.5, "5", True, None, [], math.nan, math.inf])
def test_a_limit_is_a_whole_number_in_range(limit: object) -> None:
    """C-ARGS-STRICT: nothing is coerced."""
    assert refused({"query": "x", "limit": limit})[0]["instancePath"] == "/limit"


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000", "x" * 20_001, 5, None, ["a"]])
def test_a_query_has_words(query: object) -> None:
    """C-ARGS-BLANK: blank, too long or not text."""
    assert all(item["instancePath"] == "/query" for item in refused({"query": query}))


@pytest.mark.parametrize("raw", [{"query": "\ud800"}, {"\udfff": 1}, {"query": "a", "x": {"y": "\ud800"}}])
def test_lone_surrogates_are_refused(raw: object) -> None:
    """C-ARGS-UNICODE: they never reach an encoder."""
    found = refused(raw)
    encode(found)


@pytest.mark.parametrize("raw", [[], "x", None, 1, b"[]", b"{", b"\xff", b"[" * 100_000, b"{} {}"])
def test_arguments_are_one_object(raw: object) -> None:
    """C-ARGS-STRICT: anything else is one violation at the root."""
    assert refused(raw)[0]["instancePath"] == ""


def test_deep_nesting_is_refused_not_a_crash() -> None:
    """C-ARGS-STRICT: no RecursionError leaves the codec."""
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    refused({"query": "x", "y": deep})


def test_a_hostile_call_gets_a_short_answer() -> None:
    """C-NO-LEAK: long values and many unknown names do not come back at full length."""
    found = refused({"query": "x" * 4_000_000} | {f"k{n}" + "y" * 1000: n for n in range(1000)})
    assert len(encode(found)) < 20_000


def test_what_is_wrong_is_said_whole() -> None:
    """C-ARGS-STRICT: however long a value is, its fault is named; and of words all that would be right."""
    assert str(refused({"query": "x" * 50_000})[0]["message"]).endswith("is longer than 20000 characters")
    said = str(refused({"query": "x", "freshness_policy": "now"})[0]["message"])
    assert said == "must be one of balanced, best_effort, strict"


def test_bytes_and_objects_decode_alike() -> None:
    assert codec.decode(SearchCodeParams, b'{"query":"a"}') == codec.decode(SearchCodeParams, {"query": "a"})


def test_names_that_are_not_unicode_are_escaped_in_answers() -> None:
    """C-ARGS-UNICODE: a file name with stray bytes can be answered."""
    payload, body = codec.encode_payload({"path": "a\udcff.py", "list": ["\ud800", 1]})
    assert payload["path"] == "a\\xff.py"
    assert b"a\\\\xff.py" in body


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_closed_and_flat(tool: object) -> None:
    """C-ARGS-UNKNOWN: no references, no titles, nothing additional."""
    assert hasattr(tool, "params")
    schema = input_schema(tool.params)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    text = encode(schema).decode()
    assert "$ref" not in text
    assert '"title"' not in text


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)
EDGES = st.sampled_from([
    0, 1, 2.0, -0.0, 1e2, 1.5, 100.0, 101, 1e300, 10**30, -(10**30), 2**63, True, "", " ", "\x1c", "\x85", "\ufeff",
    "\u200b", "\u3000", "a", "x" * 256, "y" * codec.MAX_TEXT, "😀" * 40, [], ["a"], [1], {}, {"type": 1}, None,
])  # fmt: skip
"""Values at which two readers of one schema may differ: whole numbers with a point, blanks that not all call blank."""


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_the_schema_is_the_decoder(tool: Tool, data: st.DataObject) -> None:
    """C-ARGS-SCHEMA: for every field of every tool, a value is decoded exactly when the published schema allows it
    and a text that is looked up is not empty; that rule is documented once, and not in every tool."""
    schema = json.loads(encode(input_schema(tool.params)))
    names = st.sampled_from([*schema["properties"], "bogus"])
    required = dict.fromkeys(schema.get("required", ()), "words")
    raw = required | data.draw(st.dictionaries(names, EDGES | PLAIN, max_size=3))
    allowed = jsonschema_rs.is_valid(schema, raw) and not any(
        value == "" and name in codec._get_looked_up_fields(tool.params) for name, value in raw.items()
    )
    try:
        made = codec.decode(tool.params, raw)
    except Failure as failure:
        assert failure.code == "INVALID_REQUEST"
        assert not allowed, raw
        return
    assert allowed, raw
    for name, attribute in zip(made.__struct_encode_fields__, made.__struct_fields__, strict=True):
        rule = schema["properties"][name]
        if name in raw and rule.get("type") in ("integer", "number"):
            value = getattr(made, attribute)
            assert value == raw[name] and type(value) is (int if rule["type"] == "integer" else float)


@pytest.mark.parametrize(("text", "keyword"), [("", "minLength"), ("x" * (codec.MAX_TEXT + 1), "maxLength")])
@pytest.mark.parametrize("field", ["ref", "workspace", "language"])
def test_texts_without_limits_of_their_own_have_the_general_ones(field: str, text: str, keyword: str) -> None:
    """C-ARGS-SCHEMA: an empty text is never taken for one that was left out, and none is endless."""
    found = refused({"query": "x", field: text})
    assert [(item["instancePath"], item["keyword"]) for item in found] == [(f"/{field}", keyword)]


@pytest.mark.parametrize("limit", [3.0, 3, 1e1, 100.0])
def test_a_whole_number_may_be_written_with_a_point(limit: float) -> None:
    """C-ARGS-SCHEMA: JSON Schema calls 2.0 an integer, and so do we."""
    made = codec.decode(SearchCodeParams, {"query": "x", "limit": limit})
    assert made.limit == limit and type(made.limit) is int


@pytest.mark.parametrize("top", [0, -1, -1e9, 0.0])
def test_top_below_one_is_one(yard: Yard, top: float) -> None:
    """C-TOP-CLAMPED: document 000: as few hits as there can be, no error."""
    found = yard.ask("search", {"query": "basket", "top": top})
    one = yard.ask("search", {"query": "basket", "top": 1})
    assert not found.is_error and without_times(found.payload) == without_times(one.payload)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("depth", [65, 300, 900])
def test_deeply_nested_arguments_are_refused(tool: Tool, depth: int) -> None:
    """C-ARGS-DEPTH: nesting beyond the limit is INVALID_REQUEST for every tool; the validator never fails on it."""
    for as_object in (True, False):
        nested: object = 1
        for _ in range(depth):
            nested = {"a": nested} if as_object else [nested]
        with pytest.raises(Failure) as caught:
            codec.decode(tool.params, {"query": nested})
        assert caught.value.code == "INVALID_REQUEST" and "nested too deeply" in caught.value.message
