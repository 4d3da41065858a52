"""DOCX reader: converts a Word document to Markdown, which preserves its headings."""

import io
import re
import zipfile

import mammoth

from codecompass.text.documents import MAX_BYTES, Rendition, Unreadable

MAX_PARTS = 2_048
MAX_UNPACKED = 4 * MAX_BYTES
_MAIN = "word/document.xml"
_ANCHOR = re.compile(r'<a id="[^"]*"></a>')
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!])")


def read(data: bytes) -> Rendition:
    """Read the document's paragraphs, without pictures and comments."""
    _check(data)
    try:
        found = mammoth.convert_to_markdown(io.BytesIO(data), convert_image=mammoth.images.img_element(_no_picture))
    except (ValueError, KeyError, zipfile.BadZipFile, OSError, RuntimeError, RecursionError, SyntaxError) as error:
        raise Unreadable(str(error)) from None
    text = _ESCAPED.sub(r"\1", _ANCHOR.sub("", found.value))
    return Rendition(text.replace("![]()", ""))


def _no_picture(_image: object) -> dict[str, str]:
    return {"src": ""}


def _check(data: bytes) -> None:
    """Reject a file that is not a Word document, or that would unpack to too many bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
                raise Unreadable("it would unpack to too much")
            names = {part.filename for part in parts}
            if _MAIN not in names:
                raise Unreadable(f"it contains no {_MAIN}")
            _read_within(archive, parts)
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise Unreadable(str(error)) from None


def _read_within(archive: zipfile.ZipFile, parts: list[zipfile.ZipInfo]) -> None:
    """Unpack the archive once to count its bytes, because the declared sizes may be false."""
    left = MAX_UNPACKED
    for part in parts:
        with archive.open(part) as stream:
            while piece := stream.read(2**20):
                left -= len(piece)
                if left < 0:
                    raise Unreadable("it would unpack to too much")
