"""DOCX: the words of a text document as Markdown, so that its headings are headings."""

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
    """The document's paragraphs; pictures and comments are left out."""
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
    """Refuse what is no such document, and what would unpack to far more than it is."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
                raise Unreadable("it would unpack to too much")
            names = {part.filename for part in parts}
            if _MAIN not in names:
                raise Unreadable(f"it holds no {_MAIN}")
            _read_within(archive, parts)
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise Unreadable(str(error)) from None


def _read_within(archive: zipfile.ZipFile, parts: list[zipfile.ZipInfo]) -> None:
    """What an archive declares may be a lie: unpack it once, counting."""
    left = MAX_UNPACKED
    for part in parts:
        with archive.open(part) as stream:
            while piece := stream.read(2**20):
                left -= len(piece)
                if left < 0:
                    raise Unreadable("it would unpack to too much")
