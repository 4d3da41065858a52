"""Markup: an XML file as a tree, for manifests that are written so. Pure.

Only what stands in the file is read: one that declares entities or a document type of its own is refused, because what
it says could be made of other files or be far longer than it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

_DEEPEST = 60
_MOST = 50_000
_BOM = "\ufeff"


@dataclass(slots=True)
class Element:
    """One element, by its name without a namespace."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, *names: str) -> Iterator["Element"]:
        """Elements of these names at any depth, in their order."""
        for child in self.children:
            if child.name in names:
                yield child
            yield from child.all(*names)

    def at(self, *names: str) -> "Element":
        """The first element down a path; an empty one where there is none."""
        found = self
        for name in names:
            found = next((child for child in found.children if child.name == name), Element(name))
        return found

    def said(self, name: str) -> str:
        """What an attribute says, or else an element inside."""
        return (self.attributes.get(name) or self.at(name).text).strip()


def read_markup(text: str) -> Element:
    """The outermost element; ValueError for what is no XML, or is too much of it."""
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
        raise ValueError("no element")
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

    def refuse(self, *_told: object) -> None:
        raise ValueError("a document type of its own")


def _plain(name: str) -> str:
    return name.rpartition(":")[2]
