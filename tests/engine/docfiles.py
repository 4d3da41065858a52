"""Small real documents, written byte by byte: a PDF with pages and an outline, a DOCX with headings."""

import io
import zipfile

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def make_pdf(pages: list[str], outline: list[tuple[str, int]] | None = None, extra: str = "") -> bytes:
    """A PDF whose pages hold these lines; `outline` gives titles to pages, `extra` goes into the trailer."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in text.split("\n"))
        body = f"BT /F1 12 Tf 72 720 Td 14 TL {shown} ET"
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {5 + 2 * at} 0 R >>".encode()
        )
        objects.append(f"<< /Length {len(body)} >>\nstream\n{body}\nendstream".encode())
    catalog = "<< /Type /Catalog /Pages 2 0 R"
    if outline:
        first = len(objects) + 1
        catalog += f" /Outlines {first} 0 R"
        objects.append(f"<< /First {first + 1} 0 R /Last {first + len(outline)} 0 R /Count {len(outline)} >>".encode())
        for at, (title, page) in enumerate(outline):
            after = f"/Next {first + at + 2} 0 R" if at < len(outline) - 1 else ""
            target = f"/Dest [{4 + 2 * page} 0 R /Fit]"
            objects.append(f"<< /Title ({title}) /Parent {first} 0 R {after} {target} >>".encode())
    objects[0] = f"{catalog} >>".encode()
    data, places = b"%PDF-1.4\n", []
    for number, body_bytes in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n".encode() + body_bytes + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer << /Size {count} /Root 1 0 R {extra} >>"
    return data + f"{end}\nstartxref\n{len(data)}\n%%EOF".encode()


def make_docx(paragraphs: list[tuple[str, str]], others: dict[str, bytes] | None = None) -> bytes:
    """A DOCX of (style, text) paragraphs, and further parts."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        for name, data in (others or {}).items():
            archive.writestr(name, data)
    return stream.getvalue()
