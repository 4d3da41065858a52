"""A SCIP index written by hand, so that what is read back is known."""

from dataclasses import dataclass
from pathlib import Path

PROJECT = "scip-python python demo 0 "


@dataclass(frozen=True, slots=True)
class Mention:
    line: int
    column: int
    end: int
    symbol: str
    roles: int = 8


def varint(value: int) -> bytes:
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def part(number: int, data: bytes) -> bytes:
    """One field that holds bytes."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def figure(number: int, value: int) -> bytes:
    """One field that holds a number."""
    return varint(number << 3) + varint(value)


def occurrence(item: Mention) -> bytes:
    place = b"".join(varint(value) for value in (item.line, item.column, item.end))
    return part(1, place) + part(2, item.symbol.encode()) + figure(3, item.roles)


def document(path: str, mentions: list[Mention], encoding: int = 0) -> bytes:
    body = part(1, path.encode()) + b"".join(part(2, occurrence(item)) for item in mentions)
    return part(2, body + figure(6, encoding))


def write_index(place: Path, documents: dict[str, list[Mention]]) -> Path:
    place.write_bytes(part(1, b"") + b"".join(document(path, items) for path, items in documents.items()))
    return place


def mention(source: str, word: str, symbol: str, *, nth: int = 0, defines: bool = False) -> Mention:
    """The nth time a word stands in a source, counted as an indexer counts: UTF-16 columns."""
    at = -1
    for _ in range(nth + 1):
        at = source.index(word, at + 1)
    start = source.rfind("\n", 0, at) + 1
    column = len(source[start:at].encode("utf-16-le")) // 2
    return Mention(source.count("\n", 0, at), column, column + len(word), symbol, 1 if defines else 8)
