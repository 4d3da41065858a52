"""Documents: files that are no text but hold some. What reads them is an extra that may not be installed.

A document is turned into text in a parse worker, because it is hostile input like any other file; the text is kept with
the blob, so that answers can show it without reading the document again.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

MAX_BYTES = 32 * 2**20
"""A longer document is left out: cut in the middle it could not be read at all."""
MAX_TEXT = 2 * 2**20
"""Characters of text that are kept of one."""
EXTRA = "documents"
"""The extra of the package that brings the readers."""


class Kind(NamedTuple):
    """One kind of document: how it is recognised, what reads it, and the library that needs."""

    name: str
    ending: str
    magic: bytes
    reader: str
    library: str
    markup: str = ""
    """The language in which headings are marked in the text that is read; empty where it has pages instead."""


KINDS = (
    Kind("pdf", ".pdf", b"%PDF-", "codecompass.text.pdf", "pypdfium2"),
    Kind("docx", ".docx", b"PK\x03\x04", "codecompass.text.docx", "mammoth", "markdown"),
)
_BY_NAME = {kind.name: kind for kind in KINDS}


class Page(NamedTuple):
    """A part of a document that has a name of its own: lines from 1, both included."""

    title: str
    line_start: int
    line_end: int


class Rendition(NamedTuple):
    """A document as text; `pages` says what stands where, unless that is marked in the text itself."""

    text: str
    pages: tuple[Page, ...] = ()
    truncated: bool = False


class Unreadable(Exception):
    """The document is broken, locked, or not what its name says."""


def document_kind(path: str) -> str:
    """The kind of document a file is by its name, whether it can be read here or not; empty for every other file."""
    lowered = path.lower()
    return next((kind.name for kind in KINDS if lowered.endswith(kind.ending)), "")


def is_document(name: str) -> bool:
    return name in _BY_NAME


def looks_like(name: str, data: bytes) -> bool:
    """Whether the first bytes are those of such a document."""
    return _BY_NAME[name].magic in data[:1024]


def markup_of(name: str) -> str:
    return _BY_NAME[name].markup


@cache
def can_read(name: str) -> bool:
    """Whether the library that reads such documents is installed."""
    return find_spec(_BY_NAME[name].library) is not None


def size_limit(path: str, usual: int) -> int:
    """How many bytes of a file are read: documents are read whole or not at all."""
    kind = document_kind(path)
    return max(usual, MAX_BYTES) if kind and can_read(kind) else usual


def render(name: str, data: bytes) -> Rendition:
    """The text of a document; Unreadable when there is none to be had."""
    kind = _BY_NAME[name]
    if not looks_like(name, data) or not can_read(name):
        raise Unreadable(name)
    found: Rendition = import_module(kind.reader).read(data)
    if len(found.text) <= MAX_TEXT:
        return found
    text = found.text[: found.text.rfind("\n", 0, MAX_TEXT) + 1] or found.text[:MAX_TEXT]
    last = text.count("\n") + 1
    pages = tuple(page._replace(line_end=min(page.line_end, last)) for page in found.pages if page.line_start <= last)
    return Rendition(text, pages, truncated=True)
