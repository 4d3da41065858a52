"""Item reader: yield the findings of a file of unknown structure, a JSON document or JSON lines, one by one.

A document is read twice, first for its structure and then for its items, so the stream must be seekable.
"""

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

from codecompass.findings.item_decoder import decode_item
from codecompass.findings.json_scanner import MAX_ITEM_BYTES, JsonPath, ScannedValue, ValueSelector, scan_values

SAMPLE = 1 << 18
LIST_KEYS = ("alerts", "findings", "records", "items")
"""Keys that may hold the findings of an object; the first one that is a list counts."""
ITEM_PATHS: dict[str, tuple[tuple[str, ...], ...]] = {
    "sarif": (("runs", "*", "results", "*"),),
    "osv": (("results", "*", "packages", "*"),),
}
"""Paths of the items in formats with a fixed structure."""
CONTEXT_PATHS: dict[str, tuple[tuple[str, ...], ...]] = {
    "sarif": (("runs", "*", "tool"), ("runs", "*", "artifacts"), ("runs", "*", "originalUriBaseIds")),
    "osv": (("results", "*", "source"),),
}
"""Paths of values beside the items that are needed to interpret them."""
MAX_CONTEXT_BYTES = 32 << 20
"""Bytes of one such value, such as the rules of a scanner; items without it have fewer details."""
_GENERIC = frozenset("recordId vulnId vuln_id cve title vuln package packageName package_name severity".split())
ITEM_KEYS: dict[str, frozenset[str]] = {
    "dependabot": frozenset("security_advisory securityAdvisory security_vulnerability securityVulnerability".split()),
    "aws_inspector": frozenset("findingArn packageVulnerabilityDetails codeVulnerabilityDetails".split()),
    "osv": frozenset("id affected".split()),
    "sarif": frozenset("ruleId rule message".split()),
    "generic": _GENERIC,
    "manual": _GENERIC,
}
"""Keys of an item: an object with one of them is an item, not a container of items."""
_JSON_LINES_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
_INDEX = re.compile(r"\.(\d+)(?=\.|$)")


class ScannerItem(NamedTuple):
    """One item: its value, or the reason why it could not be read."""

    position: str
    value: object = None
    warnings: tuple[str, ...] = ()
    error: str = ""
    context: dict[str, object] = {}
    """Values beside the item, by their last key; shared by all items of a group."""


def read_items(stream: BinaryIO, source: str, name: str = "") -> Iterator[ScannerItem]:
    """Yield every item of a file in order; `name` is the file name, used for its suffix."""
    text = _detect_encoding(stream)
    if name.lower().endswith(_JSON_LINES_SUFFIXES) or _is_json_lines(text):
        yield from _read_lines(text, source)
    else:
        yield from _read_document(text, source)


# -- encodings ---------------------------------------------------------------------------------------------------------


class _RewindableStream:
    """A stream that starts after its byte order mark and can be read again."""

    def __init__(self, stream: BinaryIO, skip: int, encoding: str) -> None:
        self._stream, self._skip, self._encoding = stream, skip, encoding

    def open(self) -> BinaryIO:
        self._stream.seek(self._skip)
        if not self._encoding:
            return self._stream
        # Windows shells write UTF-16 files.
        return cast(BinaryIO, _Utf8Reader(codecs.getreader(self._encoding)(self._stream, "replace")))


class _Utf8Reader(io.RawIOBase):
    """A text reader that returns UTF-8 bytes."""

    def __init__(self, reader: codecs.StreamReader) -> None:
        self._reader = reader

    def read(self, size: int = -1) -> bytes:
        return str(self._reader.read(size, size)).encode("utf-8", "replace")

    def readline(self, size: int | None = -1) -> bytes:
        line = str(self._reader.readline(size if size is not None else -1))
        return line.encode("utf-8", "replace")


def _detect_encoding(stream: BinaryIO) -> _RewindableStream:
    head = stream.read(4)
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if head.startswith(mark):
            return _RewindableStream(stream, len(mark), encoding)
    return _RewindableStream(stream, len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0, "")


# -- lines -------------------------------------------------------------------------------------------------------------


def _is_json_lines(text: _RewindableStream) -> bool:
    """Whether a file looks like JSON lines: the first of several lines, or most of them, are complete objects."""
    sample = text.open().read(SAMPLE)
    lines = [line for line in sample.split(b"\n") if line.strip(b" \t\r\0\x1e")]
    if len(lines) < 2:
        return False
    if len(sample) >= SAMPLE:
        # The last line is incomplete.
        lines = lines[:-1]
    whole = [_is_object(line) for line in lines]
    return bool(whole) and (whole[0] or sum(whole) > len(whole) / 2)


def _is_object(line: bytes) -> bool:
    line = line.strip(b" \t\r\x1e")
    return line.startswith(b"{") and line.endswith(b"}") and isinstance(decode_item(line).value, dict)


def _read_lines(text: _RewindableStream, source: str) -> Iterator[ScannerItem]:
    stream, number = text.open(), 0
    while line := stream.readline(MAX_ITEM_BYTES + 1):
        number += 1
        if len(line) > MAX_ITEM_BYTES and not line.endswith(b"\n"):
            while (rest := stream.readline(MAX_ITEM_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield ScannerItem(f"line {number}", error=f"the line is longer than {MAX_ITEM_BYTES:,} bytes")
            continue
        # In a JSON text sequence a line starts with a record separator.
        line = line.strip(b" \t\r\n\x1e")
        if line:
            yield from _read_line(line, f"line {number}", source)


def _read_line(line: bytes, position: str, source: str) -> Iterator[ScannerItem]:
    if source not in ITEM_PATHS or not any(f'"{name[0]}"'.encode() in line for name in ITEM_PATHS[source]):
        found = decode_item(line)
        yield ScannerItem(position, found.value, found.warnings, found.error)
        return
    # A complete scanner report on one line.
    for item in _read_document(_RewindableStream(io.BytesIO(line), 0, ""), source):
        yield item._replace(position=f"{position}, {item.position}")


# -- documents ---------------------------------------------------------------------------------------------------------


def _read_document(text: _RewindableStream, source: str) -> Iterator[ScannerItem]:
    tops = _read_top_keys(text)
    fixed = any(tops.get(pattern[0]) == b"[" for pattern in ITEM_PATHS.get(source, ()))
    patterns = ITEM_PATHS[source] if fixed else (_find_item_pattern(text, tops, source),)
    beside = _read_context(text, source) if fixed else {}
    for value in scan_values(text.open(), _make_selector(patterns)):
        yield _to_item(value, beside)


def _read_top_keys(text: _RewindableStream) -> dict[str, bytes]:
    """Map top-level keys to the first byte of each value; a document that is not an object has an empty key."""
    found = scan_values(text.open(), lambda path: "into" if not path else "sign")
    tops = {str(one.path[0]): one.raw for one in found if one.path and not one.error and isinstance(one.path[0], str)}
    return tops or {"": next((one.raw for one in scan_values(text.open(), lambda _: "sign") if not one.error), b"")}


def _find_item_pattern(text: _RewindableStream, tops: dict[str, bytes], source: str) -> tuple[str, ...]:
    """Find the items: a top-level list, a list under a known key, the first list, or the document itself."""
    if tops.get("") == b"[":
        return ("*",)
    named = next((name for name in LIST_KEYS if tops.get(name) == b"["), "")
    if named:
        return (named, "*")
    if not ITEM_KEYS[source].isdisjoint(tops):
        return ()
    return next(((name, "*") for name, sign in tops.items() if sign == b"[" and _has_objects(text, name)), ())


def _has_objects(text: _RewindableStream, name: str) -> bool:
    """Whether a list holds objects; a list of plain values is a field of a single item."""
    first = next(scan_values(text.open(), _make_selector(((name, "*"),))), None)
    return first is None or bool(first.error) or first.raw.startswith(b"{")


def _make_selector(patterns: tuple[tuple[str, ...], ...]) -> ValueSelector:
    """Return a selector that yields values at the patterns' paths and descends into the paths above them."""

    def fits(path: JsonPath, pattern: tuple[str, ...]) -> bool:
        steps = zip(path, pattern, strict=False)
        return all(part == step or (step == "*" and isinstance(part, int)) for part, step in steps)

    def select(path: JsonPath) -> str:
        for pattern in patterns:
            if len(path) <= len(pattern) and fits(path, pattern):
                return "item" if len(path) == len(pattern) else "into"
        return "skip"

    return select


def _read_context(text: _RewindableStream, source: str) -> dict[JsonPath, dict[str, object]]:
    """Read the values beside the items, by the path of their group."""
    found: dict[JsonPath, dict[str, object]] = {}
    for value in scan_values(text.open(), _make_selector(CONTEXT_PATHS[source]), MAX_CONTEXT_BYTES):
        if value.path and not value.error:
            found.setdefault(value.path[:-1], {})[str(value.path[-1])] = decode_item(value.raw).value
    return found


def _to_item(value: ScannedValue, beside: dict[JsonPath, dict[str, object]]) -> ScannerItem:
    position = _format_path(value.path) or "top level"
    if value.error:
        return ScannerItem(f"{position}, byte {value.offset}", error=value.error)
    above = (value.path[:length] for length in range(len(value.path), 0, -1))
    around = next((beside[path] for path in above if path in beside), {})
    found = decode_item(value.raw)
    return ScannerItem(position, found.value, found.warnings, found.error, around)


def _format_path(path: JsonPath) -> str:
    return _INDEX.sub(r"[\1]", "".join(f".{part}" for part in path)).lstrip(".")
