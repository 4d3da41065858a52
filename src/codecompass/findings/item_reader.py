"""Item reader: yield the findings of a file of unknown structure, a JSON document or JSON lines, one by one.

A document is read twice, first for its structure and then for its items, so the stream must be seekable.
"""

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

from codecompass.findings.item_decoder import decoded
from codecompass.findings.json_scanner import MOST_ITEM, Path, Value, Wanted, values

SAMPLE = 1 << 18
LISTS = ("alerts", "findings", "records", "items")
"""Keys that may hold the findings of an object; the first one that is a list counts."""
ITEMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "sarif": (("runs", "*", "results", "*"),),
    "osv": (("results", "*", "packages", "*"),),
}
"""Paths of the items in formats with a fixed structure."""
BESIDE: dict[str, tuple[tuple[str, ...], ...]] = {
    "sarif": (("runs", "*", "tool"), ("runs", "*", "artifacts"), ("runs", "*", "originalUriBaseIds")),
    "osv": (("results", "*", "source"),),
}
"""Paths of values beside the items that are needed to interpret them."""
MOST_BESIDE = 32 << 20
"""Bytes of one such value, such as the rules of a scanner; items without it have fewer details."""
_GENERIC = frozenset("recordId vulnId vuln_id cve title vuln package packageName package_name severity".split())
SELF: dict[str, frozenset[str]] = {
    "dependabot": frozenset("security_advisory securityAdvisory security_vulnerability securityVulnerability".split()),
    "aws_inspector": frozenset("findingArn packageVulnerabilityDetails codeVulnerabilityDetails".split()),
    "osv": frozenset("id affected".split()),
    "sarif": frozenset("ruleId rule message".split()),
    "generic": _GENERIC,
    "manual": _GENERIC,
}
"""Keys of an item: an object with one of them is an item, not a container of items."""
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_INDEX = re.compile(r"\.(\d+)(?=\.|$)")


class Item(NamedTuple):
    """One item: its value, or the reason why it could not be read."""

    position: str
    value: object = None
    warnings: tuple[str, ...] = ()
    trouble: str = ""
    beside: dict[str, object] = {}
    """Values beside the item, by their last key; shared by all items of a group."""


def items(stream: BinaryIO, source: str, name: str = "") -> Iterator[Item]:
    """Yield every item of a file in order; `name` is the file name, used for its suffix."""
    text = _recoded(stream)
    if name.lower().endswith(_LINES) or _is_lines(text):
        yield from _lines(text, source)
    else:
        yield from _document(text, source)


# -- encodings ---------------------------------------------------------------------------------------------------------


class _Rewound:
    """A stream that starts after its byte order mark and can be read again."""

    def __init__(self, stream: BinaryIO, skip: int, encoding: str) -> None:
        self._stream, self._skip, self._encoding = stream, skip, encoding

    def open(self) -> BinaryIO:
        self._stream.seek(self._skip)
        if not self._encoding:
            return self._stream
        # Windows shells write UTF-16 files.
        return cast(BinaryIO, _Utf8(codecs.getreader(self._encoding)(self._stream, "replace")))


class _Utf8(io.RawIOBase):
    """A text reader that returns UTF-8 bytes."""

    def __init__(self, reader: codecs.StreamReader) -> None:
        self._reader = reader

    def read(self, size: int = -1) -> bytes:
        return str(self._reader.read(size, size)).encode("utf-8", "replace")

    def readline(self, size: int | None = -1) -> bytes:
        line = str(self._reader.readline(size if size is not None else -1))
        return line.encode("utf-8", "replace")


def _recoded(stream: BinaryIO) -> _Rewound:
    head = stream.read(4)
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if head.startswith(mark):
            return _Rewound(stream, len(mark), encoding)
    return _Rewound(stream, len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0, "")


# -- lines -------------------------------------------------------------------------------------------------------------


def _is_lines(text: _Rewound) -> bool:
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
    return line.startswith(b"{") and line.endswith(b"}") and isinstance(decoded(line).value, dict)


def _lines(text: _Rewound, source: str) -> Iterator[Item]:
    stream, number = text.open(), 0
    while line := stream.readline(MOST_ITEM + 1):
        number += 1
        if len(line) > MOST_ITEM and not line.endswith(b"\n"):
            while (rest := stream.readline(MOST_ITEM)) and not rest.endswith(b"\n"):
                pass
            yield Item(f"line {number}", trouble=f"the line is longer than {MOST_ITEM:,} bytes")
            continue
        # In a JSON text sequence a line starts with a record separator.
        line = line.strip(b" \t\r\n\x1e")
        if line:
            yield from _line(line, f"line {number}", source)


def _line(line: bytes, position: str, source: str) -> Iterator[Item]:
    if source not in ITEMS or not any(f'"{name[0]}"'.encode() in line for name in ITEMS[source]):
        found = decoded(line)
        yield Item(position, found.value, found.warnings, found.trouble)
        return
    # A complete scanner report on one line.
    for item in _document(_Rewound(io.BytesIO(line), 0, ""), source):
        yield item._replace(position=f"{position}, {item.position}")


# -- documents ---------------------------------------------------------------------------------------------------------


def _document(text: _Rewound, source: str) -> Iterator[Item]:
    tops = _tops(text)
    fixed = any(tops.get(pattern[0]) == b"[" for pattern in ITEMS.get(source, ()))
    patterns = ITEMS[source] if fixed else (_shape(text, tops, source),)
    beside = _beside(text, source) if fixed else {}
    for value in values(text.open(), _finder(patterns)):
        yield _item(value, beside)


def _tops(text: _Rewound) -> dict[str, bytes]:
    """Map top-level keys to the first byte of each value; a document that is not an object has an empty key."""
    found = values(text.open(), lambda path: "into" if not path else "sign")
    tops = {str(one.path[0]): one.raw for one in found if one.path and not one.trouble and isinstance(one.path[0], str)}
    return tops or {"": next((one.raw for one in values(text.open(), lambda _: "sign") if not one.trouble), b"")}


def _shape(text: _Rewound, tops: dict[str, bytes], source: str) -> tuple[str, ...]:
    """Find the items: a top-level list, a list under a known key, the first list, or the document itself."""
    if tops.get("") == b"[":
        return ("*",)
    named = next((name for name in LISTS if tops.get(name) == b"["), "")
    if named:
        return (named, "*")
    if not SELF[source].isdisjoint(tops):
        return ()
    return next(((name, "*") for name, sign in tops.items() if sign == b"[" and _holds_objects(text, name)), ())


def _holds_objects(text: _Rewound, name: str) -> bool:
    """Whether a list holds objects; a list of plain values is a field of a single item."""
    first = next(values(text.open(), _finder(((name, "*"),))), None)
    return first is None or bool(first.trouble) or first.raw.startswith(b"{")


def _finder(patterns: tuple[tuple[str, ...], ...]) -> Wanted:
    """Return a selector that yields values at the patterns' paths and descends into the paths above them."""

    def fits(path: Path, pattern: tuple[str, ...]) -> bool:
        steps = zip(path, pattern, strict=False)
        return all(part == step or (step == "*" and isinstance(part, int)) for part, step in steps)

    def wanted(path: Path) -> str:
        for pattern in patterns:
            if len(path) <= len(pattern) and fits(path, pattern):
                return "item" if len(path) == len(pattern) else "into"
        return "skip"

    return wanted


def _beside(text: _Rewound, source: str) -> dict[Path, dict[str, object]]:
    """Read the values beside the items, by the path of their group."""
    found: dict[Path, dict[str, object]] = {}
    for value in values(text.open(), _finder(BESIDE[source]), MOST_BESIDE):
        if value.path and not value.trouble:
            found.setdefault(value.path[:-1], {})[str(value.path[-1])] = decoded(value.raw).value
    return found


def _item(value: Value, beside: dict[Path, dict[str, object]]) -> Item:
    position = _shown(value.path) or "top level"
    if value.trouble:
        return Item(f"{position}, byte {value.offset}", trouble=value.trouble)
    above = (value.path[:length] for length in range(len(value.path), 0, -1))
    around = next((beside[path] for path in above if path in beside), {})
    found = decoded(value.raw)
    return Item(position, found.value, found.warnings, found.trouble, around)


def _shown(path: Path) -> str:
    return _INDEX.sub(r"[\1]", "".join(f".{part}" for part in path)).lstrip(".")
