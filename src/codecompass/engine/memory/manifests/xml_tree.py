"""XML tree: parse an XML manifest into elements. Pure.

A file with a document type or entity declarations is rejected, because entities could include other files or expand
to a much larger text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

_DEEPEST = 60
_MOST = 50_000
_BOM = "\ufeff"


@dataclass(slots=True)
class Element:
    """One element; names have no namespace prefix."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, *names: str) -> Iterator["Element"]:
        """Yield elements with these names at any depth, in document order."""
        for child in self.children:
            if child.name in names:
                yield child
            yield from child.all(*names)

    def at(self, *names: str) -> "Element":
        """Return the first element at a path; an empty element if there is none."""
        found = self
        for name in names:
            found = next((child for child in found.children if child.name == name), Element(name))
        return found

    def said(self, name: str) -> str:
        """Return the value of an attribute, or else the text of a child element."""
        return (self.attributes.get(name) or self.at(name).text).strip()


def read_markup(text: str) -> Element:
    """Parse XML and return the root element; raise ValueError if it is malformed or too large."""
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.hear
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(text.lstrip(_BOM), True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None
    if not reader.top.children:
        raise ValueError("no root element")
    return reader.top.children[0]


class _Reader:
    def __init__(self) -> None:
        self.top = Element("")
        self._open = [self.top]
        self._count = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) > _DEEPEST or self._count > _MOST:
            raise ValueError("too many elements")
        made = Element(_plain(name), {_plain(key): value for key, value in attributes.items()})
        self._open[-1].children.append(made)
        self._open.append(made)

    def end(self, _name: str) -> None:
        self._open.pop()

    def hear(self, text: str) -> None:
        self._open[-1].text += text

    def refuse(self, *_declaration: object) -> None:
        raise ValueError("document type declarations are not allowed")


def _plain(name: str) -> str:
    return name.rpartition(":")[2]
