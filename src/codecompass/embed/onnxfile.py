"""ONNX file parser: finds the external files that a model references, before it is loaded.

A tensor may store its data in another file. The runtime would open any path given there, so this module first walks
the protobuf messages that can contain a tensor, and nothing else.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

MAX_DEPTH = 64
MAX_FIELDS = 4_000_000
_NESTED_MESSAGES: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
    "entry": {},
}
"""Kind of message → field number → kind of the nested message."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_KEY, _VALUE = 1, 2


def external_files(path: Path) -> frozenset[str]:
    """Return the locations of external data as written in the model; ValueError if the file is not an ONNX model."""
    if not path.stat().st_size:
        raise ValueError("the file is empty")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        walk = _ProtobufWalker(data)
        walk.visit("model", 0, len(data), 0)
        return frozenset(walk.locations)


def is_confined(name: str) -> bool:
    """Whether a location is a plain file name next to the model: no path, no drive, not hidden."""
    return bool(name) and not name.startswith(".") and not any(sign in name for sign in "/\\:\0")


class _ProtobufWalker:
    """Walks the messages of a file once and collects external locations."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._left = MAX_FIELDS
        self.locations: set[str] = set()

    def visit(self, kind: str, begin: int, end: int, depth: int) -> None:
        """Visit one message and its nested messages."""
        if depth > MAX_DEPTH:
            raise ValueError("the model is nested too deeply")
        if kind == "entry":
            self._read_entry(begin, end)
            return
        inside = _NESTED_MESSAGES[kind]
        for number, start, stop in self._fields(begin, end):
            if number in inside and start >= 0:
                self.visit(inside[number], start, stop, depth + 1)

    def _read_entry(self, begin: int, end: int) -> None:
        texts = {number: self._data[start:stop] for number, start, stop in self._fields(begin, end) if start >= 0}
        if texts.get(_KEY) == b"location":
            self.locations.add(texts.get(_VALUE, b"").decode("utf-8", "surrogateescape"))

    def _fields(self, at: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield (number, start, end) of every field; start is -1 if the field is not length-delimited."""
        while at < end:
            self._left -= 1
            if self._left < 0:
                raise ValueError("the model has too many parts")
            tag, at = self._varint(at, end)
            number, wire = tag >> 3, tag & 7
            if wire == _BYTES:
                size, at = self._varint(at, end)
                if size > end - at:
                    raise ValueError("a part is longer than the file")
                yield number, at, at + size
                at += size
                continue
            if wire == _VARINT:
                _, at = self._varint(at, end)
            elif wire in (_FIXED64, _FIXED32):
                at += 8 if wire == _FIXED64 else 4
            else:
                raise ValueError("a part of an unknown kind")
            if at > end:
                raise ValueError("a part is longer than the file")
            yield number, -1, -1

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                break
            byte = self._data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
        raise ValueError("a number is cut short")
