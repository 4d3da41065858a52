"""Items: the findings in a file of unknown shape — a JSON text, or one JSON value a line — one after the other.

A text is looked at twice: first for its shape, then for its items, so the stream must be one that can go back.
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
"""Where an object keeps its findings, the first of these that is a list."""
ITEMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "sarif": (("runs", "*", "results", "*"),),
    "osv": (("results", "*", "packages", "*"),),
}
"""Where formats of a fixed shape keep theirs."""
BESIDE: dict[str, tuple[tuple[str, ...], ...]] = {
    "sarif": (("runs", "*", "tool"), ("runs", "*", "artifacts"), ("runs", "*", "originalUriBaseIds")),
    "osv": (("results", "*", "source"),),
}
"""What stands beside their items and is needed to understand them."""
MOST_BESIDE = 32 << 20
"""Bytes of one such value, as the rules of a scanner; without them its items are taken in with less said."""
_GENERIC = frozenset("recordId vulnId vuln_id cve title vuln package packageName package_name severity".split())
SELF: dict[str, frozenset[str]] = {
    "dependabot": frozenset("security_advisory securityAdvisory security_vulnerability securityVulnerability".split()),
    "aws_inspector": frozenset("findingArn packageVulnerabilityDetails codeVulnerabilityDetails".split()),
    "osv": frozenset("id affected".split()),
    "sarif": frozenset("ruleId rule message".split()),
    "generic": _GENERIC,
    "manual": _GENERIC,
}
"""Keys of an item: an object that has one is an item and not a list of some."""
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_INDEX = re.compile(r"\.(\d+)(?=\.|$)")


class Item(NamedTuple):
    """One item: its value, or why there is none."""

    position: str
    value: object = None
    warnings: tuple[str, ...] = ()
    trouble: str = ""
    beside: dict[str, object] = {}
    """Values that stand beside it, by their last name; shared by all items of a group."""


def items(stream: BinaryIO, source: str, name: str = "") -> Iterator[Item]:
    """Every item of a file, in order; `name` is the file's, for its ending."""
    text = _recoded(stream)
    if name.lower().endswith(_LINES) or _is_lines(text):
        yield from _lines(text, source)
    else:
        yield from _document(text, source)


# -- encodings ---------------------------------------------------------------------------------------------------------


class _Rewound:
    """A stream that begins behind its mark of byte order, and can begin again."""

    def __init__(self, stream: BinaryIO, skip: int, encoding: str) -> None:
        self._stream, self._skip, self._encoding = stream, skip, encoding

    def open(self) -> BinaryIO:
        self._stream.seek(self._skip)
        if not self._encoding:
            return self._stream
        # Shells of Windows write UTF-16 into files.
        return cast(BinaryIO, _Utf8(codecs.getreader(self._encoding)(self._stream, "replace")))


class _Utf8(io.RawIOBase):
    """Text as UTF-8 bytes."""

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
    """Whether a file looks like one value a line: the first line is whole and not alone, or most lines are whole."""
    sample = text.open().read(SAMPLE)
    lines = [line for line in sample.split(b"\n") if line.strip(b" \t\r\0\x1e")]
    if len(lines) < 2:
        return False
    if len(sample) >= SAMPLE:
        # The last one is cut.
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
        # A record separator may begin a line of a JSON text sequence.
        line = line.strip(b" \t\r\n\x1e")
        if line:
            yield from _line(line, f"line {number}", source)


def _line(line: bytes, position: str, source: str) -> Iterator[Item]:
    if source not in ITEMS or not any(f'"{name[0]}"'.encode() in line for name in ITEMS[source]):
        found = decoded(line)
        yield Item(position, found.value, found.warnings, found.trouble)
        return
    # A whole report of a scanner on one line.
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
    """The keys of an object and the sign that each value begins with; of any other text its own sign, by no key."""
    found = values(text.open(), lambda path: "into" if not path else "sign")
    tops = {str(one.path[0]): one.raw for one in found if one.path and not one.trouble and isinstance(one.path[0], str)}
    return tops or {"": next((one.raw for one in values(text.open(), lambda _: "sign") if not one.trouble), b"")}


def _shape(text: _Rewound, tops: dict[str, bytes], source: str) -> tuple[str, ...]:
    """Where a text keeps its items: in itself, in a list of a known name, in its first list, or it is one item."""
    if tops.get("") == b"[":
        return ("*",)
    named = next((name for name in LISTS if tops.get(name) == b"["), "")
    if named:
        return (named, "*")
    if not SELF[source].isdisjoint(tops):
        return ()
    return next(((name, "*") for name, sign in tops.items() if sign == b"[" and _holds_objects(text, name)), ())


def _holds_objects(text: _Rewound, name: str) -> bool:
    """Whether a list holds objects; one of plain words belongs to the single item that the text is."""
    first = next(values(text.open(), _finder(((name, "*"),))), None)
    return first is None or bool(first.trouble) or first.raw.startswith(b"{")


def _finder(patterns: tuple[tuple[str, ...], ...]) -> Wanted:
    """What to do at a path: the places of the patterns are handed out, what lies above them is looked into."""

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
    """What stands beside the items, by the place of their group."""
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
