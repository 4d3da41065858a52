"""Documents: extracts text from binary documents such as PDF. The readers are an optional extra.

A document is converted in a parse worker, because it is hostile input like any other file. The text is stored with the
blob, so that answers can show it without reading the document again.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

MAX_BYTES = 32 * 2**20
"""Longer documents are skipped, because a truncated document cannot be read."""
MAX_TEXT = 2 * 2**20
"""Maximum characters of text per document."""
EXTRA = "documents"
"""The extra of the package that installs the readers."""


class DocumentKind(NamedTuple):
    """One kind of document: its extension and magic bytes, the module that reads it, and the library it needs."""

    name: str
    ending: str
    magic: bytes
    reader: str
    library: str
    markup: str = ""
    """The markup language of the extracted text; empty if the text has pages instead."""


KINDS = (
    DocumentKind("pdf", ".pdf", b"%PDF-", "codecompass.text.pdf", "pypdfium2"),
    DocumentKind("docx", ".docx", b"PK\x03\x04", "codecompass.text.docx", "mammoth", "markdown"),
)
_BY_NAME = {kind.name: kind for kind in KINDS}


class Page(NamedTuple):
    """A titled part of a document: 1-based lines, both inclusive."""

    title: str
    line_start: int
    line_end: int


class DocumentText(NamedTuple):
    """The text of a document; `pages` divides it, unless it has markup."""

    text: str
    pages: tuple[Page, ...] = ()
    truncated: bool = False


class UnreadableDocument(Exception):
    """The document is damaged, encrypted, or not of the kind that its name suggests."""


def detect_kind(path: str) -> str:
    """Return the kind of document by file name, even if it cannot be read here; empty for other files."""
    lowered = path.lower()
    return next((kind.name for kind in KINDS if lowered.endswith(kind.ending)), "")


def is_document(name: str) -> bool:
    return name in _BY_NAME


def has_magic(name: str, data: bytes) -> bool:
    """Whether the first bytes contain the magic bytes of a kind of document."""
    return _BY_NAME[name].magic in data[:1024]


def get_markup(name: str) -> str:
    return _BY_NAME[name].markup


@cache
def can_read(name: str) -> bool:
    """Whether the library for a kind of document is installed."""
    return find_spec(_BY_NAME[name].library) is not None


def get_size_limit(path: str, usual: int) -> int:
    """Return the maximum bytes to read of a file; readable documents have a higher limit."""
    kind = detect_kind(path)
    return max(usual, MAX_BYTES) if kind and can_read(kind) else usual


def read_document(name: str, data: bytes) -> DocumentText:
    """Extract the text of a document; UnreadableDocument if that is impossible."""
    kind = _BY_NAME[name]
    if not has_magic(name, data) or not can_read(name):
        raise UnreadableDocument(name)
    found: DocumentText = import_module(kind.reader).read(data)
    if len(found.text) <= MAX_TEXT:
        return found
    text = found.text[: found.text.rfind("\n", 0, MAX_TEXT) + 1] or found.text[:MAX_TEXT]
    last = text.count("\n") + 1
    pages = tuple(page._replace(line_end=min(page.line_end, last)) for page in found.pages if page.line_start <= last)
    return DocumentText(text, pages, truncated=True)
