"""Sources: the text behind a place, and columns in the units everybody else counts in."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bench.accuracy.scip import UTF8, UTF32


class Place(NamedTuple):
    """A line from 1 and a column from 0 in UTF-8 bytes, as codecompass counts."""

    path: str
    line: int
    column: int


def byte_column(line: bytes, column: int, encoding: int) -> int:
    """A column of a document in bytes. Indexers that do not name their units count UTF-16, as editors do."""
    if encoding == UTF8 or line.isascii():
        return min(column, len(line))
    text = line.decode("utf-8", "replace")
    if encoding == UTF32:
        return len(text[:column].encode())
    return len(text.encode("utf-16-le")[: column * 2].decode("utf-16-le", "ignore").encode())


@dataclass
class Sources:
    """The files of one repository, read once."""

    root: Path
    _lines: dict[str, list[bytes]] = field(default_factory=dict)

    def lines(self, path: str) -> list[bytes]:
        """The lines of a file without their ends; none when there is no such file."""
        known = self._lines.get(path)
        if known is None:
            try:
                data = (self.root / path).read_bytes()
            except OSError:
                data = b""
            known = self._lines[path] = data.split(b"\n")
        return known

    def line(self, path: str, number: int) -> bytes:
        lines = self.lines(path)
        return lines[number - 1] if 0 < number <= len(lines) else b""

    def place(self, path: str, line: int, column: int, encoding: int) -> Place:
        """A place from what a document of an index says."""
        return Place(path, line + 1, byte_column(self.line(path, line + 1), column, encoding))

    def before(self, place: Place) -> str:
        """What stands on the line before a place."""
        return self.line(place.path, place.line)[: place.column].decode("utf-8", "replace")

    def after(self, place: Place, size: int = 400) -> str:
        """What stands at a place and after it, over line ends."""
        text = self.line(place.path, place.line)[place.column :]
        following = place.line
        while len(text) < size and following < len(self.lines(place.path)):
            following += 1
            text += b"\n" + self.line(place.path, following)
        return text[:size].decode("utf-8", "replace")

    def shown(self, place: Place) -> str:
        return self.line(place.path, place.line).decode("utf-8", "replace").strip()[:110]
