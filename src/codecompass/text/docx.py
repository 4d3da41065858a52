"""DOCX reader: converts a Word document to Markdown, which preserves its headings."""

import io
import re
import zipfile

import mammoth

from codecompass.text.documents import MAX_BYTES, DocumentText, UnreadableDocument

MAX_PARTS = 2_048
MAX_UNPACKED = 4 * MAX_BYTES
_MAIN = "word/document.xml"
_ANCHOR = re.compile(r'<a id="[^"]*"></a>')
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!])")


def read(data: bytes) -> DocumentText:
    """Read the document's paragraphs, without pictures and comments."""
    _check_archive(data)
    try:
        found = mammoth.convert_to_markdown(io.BytesIO(data), convert_image=mammoth.images.img_element(_drop_picture))
    except (ValueError, KeyError, zipfile.BadZipFile, OSError, RuntimeError, RecursionError, SyntaxError) as error:
        raise UnreadableDocument(str(error)) from None
    text = _ESCAPED.sub(r"\1", _ANCHOR.sub("", found.value))
    return DocumentText(text.replace("![]()", ""))


def _drop_picture(_image: object) -> dict[str, str]:
    return {"src": ""}


def _check_archive(data: bytes) -> None:
    """Reject a file that is not a Word document, or that would unpack to too many bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
                raise UnreadableDocument("it would unpack to too much")
            names = {part.filename for part in parts}
            if _MAIN not in names:
                raise UnreadableDocument(f"it contains no {_MAIN}")
            _check_unpacked_size(archive, parts)
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise UnreadableDocument(str(error)) from None


def _check_unpacked_size(archive: zipfile.ZipFile, parts: list[zipfile.ZipInfo]) -> None:
    """Unpack the archive once to count its bytes, because the declared sizes may be false."""
    left = MAX_UNPACKED
    for part in parts:
        with archive.open(part) as stream:
            while piece := stream.read(2**20):
                left -= len(piece)
                if left < 0:
                    raise UnreadableDocument("it would unpack to too much")
