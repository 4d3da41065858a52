"""Files of findings in any shape, whole or broken: what is good comes in, what is not is told with its place."""

import io
import json
import tracemalloc
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.findings.draft import UnfitItemError
from codecompass.findings.item_reader import read_items
from codecompass.findings.json_scanner import MAX_ITEM_BYTES
from codecompass.findings.record_builder import build_records
from codecompass.model.states import FindingSource

NOW = "2032-01-01T00:00:00Z"


def read(data: bytes | str, source: FindingSource = "generic", name: str = "") -> tuple[list[str], list[str]]:
    """Ids of the findings, and `position: reason` of every item that is none."""
    return _read(io.BytesIO(data.encode() if isinstance(data, str) else data), source, name)


def _read(stream: BinaryIO, source: FindingSource, name: str) -> tuple[list[str], list[str]]:
    found: list[str] = []
    bad: list[str] = []
    for item in read_items(stream, source, name):
        try:
            found += [record.vuln.vuln_id for record in build_records(item, source, (), NOW)]
        except UnfitItemError as unfit:
            bad.append(f"{item.position}: {unfit}")
    return found, bad


A, B, C = ('{"vulnId": "A"}', '{"vulnId": "B"}', '{"vulnId": "C"}')


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (f"[{A}, {B}]", ["A", "B"]),
        ("[]", []),
        (f'{{"findings": [{A}, {B}]}}', ["A", "B"]),
        (f'{{"next": "x", "other": [{C}], "alerts": [{A}]}}', ["A"]),
        (f'{{"count": 2, "data": [{A}, {B}]}}', ["A", "B"]),
        (f'{{"words": ["x", "y"], "data": [{A}]}}', ["A"]),
        (A, ["A"]),
        ('{"vulnId": "A", "references": [{"url": "u"}]}', ["A"]),
        (f"{A}\n{B}\n", ["A", "B"]),
        (f"\n\n{A}\r\n\r\n{B}", ["A", "B"]),
        (f"\x1e{A}\n\x1e{B}\n", ["A", "B"]),
        (json.dumps([{"vulnId": "A"}, {"vulnId": "B"}], indent=2), ["A", "B"]),
        (json.dumps({"records": [{"vulnId": "A"}]}, indent=2), ["A"]),
        ('\ufeff{"vulnId": "A"}', ["A"]),
    ],
)
def test_shapes(text: str, ids: list[str]) -> None:
    """TRIAGE-SHAPES: where a file keeps its findings is found out; a list of plain words is no list of findings."""
    assert read(text) == (ids, [])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [f"[{A}, {B}]", f"{A}\n{B}\n"])
def test_encodings(encoding: str, text: str) -> None:
    """TRIAGE-SHAPES: files with a mark of byte order, as some shells write them."""
    data = text.encode(encoding)
    if encoding.endswith("-le"):
        data = b"\xff\xfe" + data
    elif encoding.endswith("-be"):
        data = b"\xfe\xff" + data
    assert read(data) == (["A", "B"], [])


def test_an_item_with_lists_is_one_item() -> None:
    """TRIAGE-SHAPES: a single finding that holds lists of objects is not taken for a list of findings."""
    package = {"name": "p", "ecosystem": "npm"}
    advisory = {"id": "OSV-1", "affected": [{"package": package}], "references": [{"url": "u"}]}
    assert read(json.dumps(advisory), "osv") == (["OSV-1"], [])
    details = {"vulnerabilityId": "V"}
    finding = {"findingArn": "arn:1", "resources": [{"id": "i"}], "packageVulnerabilityDetails": details}
    assert read(json.dumps(finding), "aws_inspector") == (["V"], [])


@pytest.mark.parametrize(
    ("text", "ids", "bad"),
    [
        (f"[{A}, 5, {B}]", ["A", "B"], ["[1]: an object was expected"]),
        (f"[{A}, {{}}, {B}]", ["A", "B"], ["[1]: it names neither"]),
        (f'[{A}, {{"vulnId": NaN}}, {B}]', ["A", "B"], ["[1]: not valid JSON: NaN"]),
        (f"[{A}, {{'vulnId': 1}}, {B}]", ["A", "B"], ["[1]: not valid JSON"]),
        (f"[{A} {B}]", ["A", "B"], ["top level, byte 17: unexpected '{'"]),
        (f"[{A},, {B},]", ["A", "B"], ["top level, byte 17: unexpected ','"]),
        (f"[{A}, {B}", ["A", "B"], ["top level, byte 33: the text ends before its last bracket is closed"]),
        (f'[{A}, {{"vulnId": "B', ["A"], ["top level, byte 31: the text ends inside a string"]),
        (f"[{A}}}", ["A"], ["top level, byte 16: the bracket '}' has no matching opening bracket"]),
        (f"[{A}] nonsense", ["A"], ["top level, byte 18: unexpected text after the end"]),
        ("", [], ["top level, byte 0: the text is empty"]),
        ("nonsense", [], ["top level: not valid JSON"]),
        (f"[{A}, {{\"vulnId\": {'[' * 200}{']' * 200}}}, {B}]", ["A", "B"], ["[1], byte 18: it is nested 201 levels"]),
        (f"[{A}, {{\"vulnId\": 1{'0' * 5000}}}, {B}]", ["A", "B"], ["[1]: not valid JSON: a number has 5,001 digits"]),
        (f'[{A}, {{"vulnId": "B\0"}}, {C}]', ["A", "C"], ["[1]: not valid JSON: Invalid control character"]),
        (f"{A}\n{{broken\n{B}\nnot json\n", ["A", "B"], ["line 2: not valid JSON", "line 4: not valid JSON"]),
        (f"{{broken\n{A}\n{B}\n{C}\n", ["A", "B", "C"], ["line 1: not valid JSON"]),
    ],
)  # fmt: skip
def test_broken_texts(text: str, ids: list[str], bad: list[str]) -> None:
    """TRIAGE-ERRORS: every good item comes in; of every bad one place and reason are told."""
    found, said = read(text)
    assert found == ids
    assert [one[: len(start)] for one, start in zip(said, bad, strict=True)] == bad


def test_names_end_as_lines() -> None:
    """TRIAGE-SHAPES: an ending that says lines is believed, so one broken line spoils itself alone."""
    assert read(A, name="findings.jsonl") == (["A"], [])
    found, bad = read('{"vulnId": "A"\n', name="findings.ndjson")
    assert found == [] and bad[0].startswith("line 1: not valid JSON")


def test_odd_values_are_warnings() -> None:
    """TRIAGE-MALFORMED: what is odd inside a finding is written down with it, and the finding comes in."""
    text = (
        b'{"vulnId": "A", "vulnId": "B", "severity": ["high"], "cvss": 99, "title": "\xff", "description": "'
        + b"x" * 30_000 + b'", "createdAt": "yesterday", "references": ' + json.dumps(["u"] * 200).encode() + b"}"
    )  # fmt: skip
    (item,) = read_items(io.BytesIO(text), "generic")
    (record,) = build_records(item, "generic", (), NOW)
    said = " ".join(record.parse_warnings)
    assert record.vuln.vuln_id == "B" and record.created_at == NOW and len(record.vuln.description) == 20_000
    for part in ("occurs twice", "not UTF-8", "severity: text was expected", "cut to 20,000", "time was expected",
                 "entries were cut"):  # fmt: skip
        assert part in said, part


class Endless:
    """A list of findings that is made while it is read, and can begin again; nothing of it is kept."""

    def __init__(self, count: int, pad: int) -> None:
        self._count, self._pad = count, pad
        self.seek(0)

    def seek(self, offset: int, _whence: int = 0) -> int:
        self._next, self._left = 0, b"["
        self.read(offset)
        return offset

    def read(self, size: int = -1) -> bytes:
        while len(self._left) < size and self._next <= self._count:
            last = self._next == self._count
            row = {"vulnId": f"V{self._next}", "title": "x" * self._pad}
            self._left += b"]" if last else (b"," if self._next else b"") + json.dumps(row).encode()
            self._next += 1
        found, self._left = self._left[:size], self._left[size:]
        return found


def test_memory_stays_small() -> None:
    """TRIAGE-BOUNDED: of ten megabytes of findings a small part is held at any time."""
    stream = cast(BinaryIO, Endless(1_000, 10_000))
    tracemalloc.start()
    try:
        count = sum(1 for item in read_items(stream, "generic") if not item.error)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 1_000
    assert peak < 3_000_000


def test_an_item_too_large_is_passed_over() -> None:
    """TRIAGE-BOUNDED: one that is larger than any finding is told and left; its neighbours come in."""
    huge = '{"vulnId": "H", "title": "' + "x" * (MAX_ITEM_BYTES + 1) + '"}'
    for text, place in ((f"[{A}, {huge}, {B}]", "[1], byte 18"), (f"{A}\n{huge}\n{B}\n", "line 2")):
        found, bad = read(text)
        assert found == ["A", "B"]
        assert len(bad) == 1 and bad[0].startswith(place)


# -- properties --------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(
    "vulnId vuln package asset exposure security_advisory security_vulnerability dependency resources affected id"
    " packageVulnerabilityDetails cvss severity references locations message ruleId rule ranges events createdAt cwes"
    .split()
)  # fmt: skip
FINDING = st.dictionaries(NAMES, JSON, max_size=6)


@given(st.sampled_from(["dependabot", "aws_inspector", "generic", "sarif", "osv"]), st.lists(FINDING, max_size=4))
@settings(max_examples=70, deadline=None)
def test_any_values_anywhere(source: FindingSource, findings: list[dict[str, object]]) -> None:
    """TRIAGE-MALFORMED: whatever stands where, each item is a record or a reason, and none is lost."""
    text = json.dumps(findings)
    seen = list(read_items(io.BytesIO(text.encode()), source))
    assert len([item for item in seen if "unexpected" not in item.error]) == len(findings)
    read(text, source)


@given(st.lists(st.sampled_from([A, B, C, "{broken", "[1, 2]", "null", '"text"', "{}", "}", "\0", '{"vulnId": "D'])))
@settings(max_examples=100, deadline=None)
def test_good_lines_survive(lines: list[str]) -> None:
    """TRIAGE-MALFORMED: in a file of lines every good line comes in, whatever stands between."""
    found, bad = read("\n".join(lines), name="x.jsonl")
    assert found == [json.loads(line)["vulnId"] for line in lines if line in (A, B, C)]
    assert len(bad) == len([line for line in lines if line not in (A, B, C)])


@given(
    st.lists(st.sampled_from([A, B, C, '{"t": "a\\"]},{[\\\\"}'])), st.integers(0, 4), st.data(),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_any_bytes(rows: list[str], edits: int, data: st.DataObject) -> None:
    """TRIAGE-MALFORMED: cut, changed and added bytes never break reading; items before the first change come in."""
    whole = ("[" + ", ".join(rows) + "]").encode()
    text, first = whole, len(whole)
    for _ in range(edits):
        at = data.draw(st.integers(0, len(text)))
        new = data.draw(st.sampled_from([b"", b"{", b"}", b"]", b"[", b",", b'"', b"\\", b"\0", b"\xff", b"9", b":"]))
        first = min(first, at)
        text = text[:at] + new + text[at + data.draw(st.integers(0, 3)) :]
    found, _ = read(text)
    if not edits:
        assert found == [json.loads(row)["vulnId"] for row in rows if "vulnId" in row]
    elif first > 1:
        before = whole[:first].count(b'"}, ')
        assert found[: len([r for r in rows[:before] if "vulnId" in r])] == [
            json.loads(row)["vulnId"] for row in rows[:before] if "vulnId" in row
        ]
