"""Parse task: request and reply values of a parse worker, importable without the parsers."""

from typing import NamedTuple

from codecompass.model.code.facets import Facets
from codecompass.store.ports import Document


class Task(NamedTuple):
    """One blob to parse. An empty language means plain text."""

    language: str
    path: str
    notes: tuple[str, ...]
    data: bytes


class Parsed(NamedTuple):
    """The parsed blob, ready to be stored."""

    notes: tuple[str, ...]
    packs: tuple[bytes, bytes, bytes, bytes, bytes]
    symbols: tuple[tuple[str, int, str], ...]
    mentions: tuple[tuple[int, bytes], ...]
    documents: tuple[Document, ...]
    trigrams: str
    rendition: bytes = b""
    """The packed text of a document; empty for text files."""
    facets: Facets = Facets()


MASKED = "masked"
"""The argument that makes a worker mask credentials; any other value disables masking."""
HEADER = 4
"""Size of a frame's length field in bytes, little-endian."""

ALIVE = bytes(HEADER)
"""An empty frame: the worker is still busy with a long file. The time limit counts from the last frame."""


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(HEADER, "little") + payload
