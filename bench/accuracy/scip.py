"""SCIP: read the documents and occurrences of an index file, without a protobuf library.

Only what the benchmark needs is decoded; field numbers are those of `scip.proto`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEFINITION, IMPORT, WRITE = 1, 2, 4
"""Bits of an occurrence's roles."""
UTF8, UTF16, UTF32 = 1, 2, 3
"""Units of the columns of a document; 0 means that the indexer did not say."""
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One mention of a symbol. Lines and columns count from 0; columns in the document's units."""

    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    roles: int


@dataclass(frozen=True, slots=True)
class Document:
    path: str
    encoding: int
    occurrences: tuple[Occurrence, ...]
    displayed: dict[str, str]
    """Symbol → the name it is shown by, where the indexer gives one."""
    kinds: dict[str, int]


class ScipError(ValueError):
    """The bytes are not an index."""


def read_index(path: Path) -> list[Document]:
    """The documents of an index file, in its order."""
    data = path.read_bytes()
    return [_document(data[start:end]) for number, start, end in _messages(data) if number == 2]


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and the position after it."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ScipError("A number is cut or too long.")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Field number, its value where it is a number, and where its bytes begin and end."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        value, start = 0, at
        if wire == _VARINT:
            value, at = varint(data, at)
        elif wire == _LENGTH:
            size, start = varint(data, at)
            at = start + size
        elif wire in (_FIXED64, _FIXED32):
            at += 8 if wire == _FIXED64 else 4
        else:
            raise ScipError(f"Wire type {wire} is not known.")
        if at > len(data):
            raise ScipError("A field is cut.")
        yield number, value, start, at


def _messages(data: bytes) -> Iterator[tuple[int, int, int]]:
    return ((number, start, end) for number, _, start, end in fields(data))


def _document(data: bytes) -> Document:
    path, encoding = "", 0
    occurrences: list[Occurrence] = []
    displayed: dict[str, str] = {}
    kinds: dict[str, int] = {}
    for number, value, start, end in fields(data):
        if number == 1:
            path = data[start:end].decode()
        elif number == 2:
            occurrences.append(_occurrence(data[start:end]))
        elif number == 3:
            symbol, kind, name = _information(data[start:end])
            kinds[symbol] = kind
            if name:
                displayed[symbol] = name
        elif number == 6:
            encoding = value
    return Document(path, encoding, tuple(occurrences), displayed, kinds)


def _occurrence(data: bytes) -> Occurrence:
    place: list[int] = []
    symbol, roles = "", 0
    for number, value, start, end in fields(data):
        if number == 1:
            place += _packed(data[start:end])
        elif number == 2:
            symbol = data[start:end].decode()
        elif number == 3:
            roles = value
    if len(place) == 3:
        place = [place[0], place[1], place[0], place[2]]
    if len(place) != 4:
        raise ScipError("An occurrence has no range.")
    line, column, end_line, end_column = place
    return Occurrence(line, column, end_line, end_column, symbol, roles)


def _packed(data: bytes) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def _information(data: bytes) -> tuple[str, int, str]:
    symbol, kind, name = "", 0, ""
    for number, value, start, end in fields(data):
        if number == 1:
            symbol = data[start:end].decode()
        elif number == 5:
            kind = value
        elif number == 6:
            name = data[start:end].decode()
    return symbol, kind, name
