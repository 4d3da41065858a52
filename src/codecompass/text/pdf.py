"""PDF reader: extracts the text of each page, in the order of the file."""

import re

import pypdfium2 as pdfium

from codecompass.text.documents import DocumentText, Page, UnreadableDocument

MAX_PAGES = 2_000
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")


def read(data: bytes) -> DocumentText:
    """Read all pages, each as a separate part."""
    try:
        with pdfium.PdfDocument(data) as document:
            return _read_pages(document)
    except pdfium.PdfiumError as error:
        raise UnreadableDocument(str(error)) from None


def _read_pages(document: pdfium.PdfDocument) -> DocumentText:
    lines: list[str] = []
    pages: list[Page] = []
    titles = _read_titles(document)
    count = min(len(document), MAX_PAGES)
    for number in range(count):
        page = document[number]
        text = page.get_textpage().get_text_bounded()
        page.close()
        found = [
            _CONTROL_CHARACTERS.sub(" ", line).rstrip()
            for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        ]
        found = found or [""]
        title = f"page {number + 1}" + (f": {titles[number]}" if number in titles else "")
        pages.append(Page(title, len(lines) + 1, len(lines) + len(found)))
        lines += found
    return DocumentText("\n".join(lines) + "\n", tuple(pages), truncated=len(document) > count)


def _read_titles(document: pdfium.PdfDocument) -> dict[int, str]:
    """Return page → its first title in the document's outline."""
    found: dict[int, str] = {}
    for entry in document.get_toc(max_depth=4):
        target = entry.get_dest()
        number = target.get_index() if target is not None else None
        title = " ".join(_CONTROL_CHARACTERS.sub(" ", entry.get_title()).split())[:120]
        if number is not None and title:
            found.setdefault(number, title)
        if len(found) >= MAX_PAGES:
            break
    return found
