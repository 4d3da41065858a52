"""Parse task: request and reply values of a parse worker, importable without the parsers."""

from typing import NamedTuple

from codecompass.model.code.facets import Facets
from codecompass.store.ports import Document


class ParseTask(NamedTuple):
    """One blob to parse. An empty language means plain text."""

    language: str
    path: str
    notes: tuple[str, ...]
    data: bytes


class ParsedBlob(NamedTuple):
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


MASK_ARGUMENT = "masked"
"""The argument that makes a worker mask credentials; any other value disables masking."""
HEADER_BYTES = 4
"""Size of a frame's length field in bytes, little-endian."""

HEARTBEAT = bytes(HEADER_BYTES)
"""An empty frame: the worker is still busy with a long file. The time limit counts from the last frame."""


def encode_frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(HEADER_BYTES, "little") + payload
