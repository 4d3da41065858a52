"""XML tree: parse an XML manifest into elements. Pure.

A file with a document type or entity declarations is rejected, because entities could include other files or expand
to a much larger text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

_MAX_DEPTH = 60
_MAX_ELEMENTS = 50_000
_BOM = "\ufeff"


@dataclass(slots=True)
class XmlElement:
    """One element; names have no namespace prefix."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["XmlElement"] = field(default_factory=list)
    text: str = ""

    def find_all(self, *names: str) -> Iterator["XmlElement"]:
        """Yield elements with these names at any depth, in document order."""
        for child in self.children:
            if child.name in names:
                yield child
            yield from child.find_all(*names)

    def find(self, *names: str) -> "XmlElement":
        """Return the first element at a path; an empty element if there is none."""
        found = self
        for name in names:
            found = next((child for child in found.children if child.name == name), XmlElement(name))
        return found

    def get_value(self, name: str) -> str:
        """Return the value of an attribute, or else the text of a child element."""
        return (self.attributes.get(name) or self.find(name).text).strip()


def parse_xml(text: str) -> XmlElement:
    """Parse XML and return the root element; raise ValueError if it is malformed or too large."""
    reader = _TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start_element
    parser.EndElementHandler = reader.end_element
    parser.CharacterDataHandler = reader.add_text
    parser.StartDoctypeDeclHandler = reader.reject_doctype
    try:
        parser.Parse(text.lstrip(_BOM), True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None
    if not reader.top.children:
        raise ValueError("no root element")
    return reader.top.children[0]


class _TreeBuilder:
    def __init__(self) -> None:
        self.top = XmlElement("")
        self._open = [self.top]
        self._count = 0

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) > _MAX_DEPTH or self._count > _MAX_ELEMENTS:
            raise ValueError("too many elements")
        made = XmlElement(_strip_namespace(name), {_strip_namespace(key): value for key, value in attributes.items()})
        self._open[-1].children.append(made)
        self._open.append(made)

    def end_element(self, _name: str) -> None:
        self._open.pop()

    def add_text(self, text: str) -> None:
        self._open[-1].text += text

    def reject_doctype(self, *_declaration: object) -> None:
        raise ValueError("document type declarations are not allowed")


def _strip_namespace(name: str) -> str:
    return name.rpartition(":")[2]
