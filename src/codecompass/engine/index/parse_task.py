"""What a parse worker is asked and what it answers. Values only: the process that asks must not load what parses."""

from typing import NamedTuple

from codecompass.model.code.facets import Facets
from codecompass.store.ports import Document


class Task(NamedTuple):
    """One blob to parse. An empty language means: as text."""

    language: str
    path: str
    notes: tuple[str, ...]
    data: bytes


class Parsed(NamedTuple):
    """What became of it, ready to be stored."""

    notes: tuple[str, ...]
    packs: tuple[bytes, bytes, bytes, bytes, bytes]
    symbols: tuple[tuple[str, int, str], ...]
    mentions: tuple[tuple[int, bytes], ...]
    documents: tuple[Document, ...]
    trigrams: str
    rendition: bytes = b""
    """The text of a document, packed; empty for files that are text themselves."""
    facets: Facets = Facets()


MASKED = "masked"
"""The word by which a worker is told to mask credentials; any other word means the texts as they are."""
HEADER = 4
"""Bytes of a frame's length, little-endian."""

ALIVE = bytes(HEADER)
"""A frame without a payload: the worker goes on with a long file. The time limit counts from the last frame."""


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(HEADER, "little") + payload
