"""Exchange: what the engine gives to a portable file and asks of it. An implementation lives in `portable/`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from codecompass.store.ports import Document, Owner, TextChannel


class PortableSymbol(NamedTuple):
    """One definition as a portable file shows it."""

    kind: str
    name: str
    scope: str
    line_start: int
    line_end: int
    signature: str
    visibility: str
    doc: str
    facts: Mapping[str, object]
    """What it takes, gives, touches and does, under the names of the filters of a search."""


class PortableBlob(NamedTuple):
    """One content for a portable file."""

    id: int
    hash: bytes
    language: str
    shown_language: str
    size: int
    lines: int
    notes: tuple[str, ...]
    has_text: bool
    """False where the bytes were not to be had, so that its words are missing."""
    paths: tuple[tuple[str, str], ...]
    """(path, mode) of every file that holds it."""
    symbols: tuple[PortableSymbol, ...]
    passages: tuple[tuple[int, int, int], ...]
    """First line, last line and definition of each chunk."""


@dataclass(frozen=True, slots=True)
class PortableState:
    """A portable file that can be used, and what it says of itself."""

    path: Path
    size: int
    meta: Mapping[str, object]


class PortableWriter(Protocol):
    """Makes one portable file. What is not finished leaves nothing behind."""

    def add(self, blob: PortableBlob, documents: Iterable[Document]) -> None: ...

    def finish(self, meta: Mapping[str, object]) -> int:
        """Complete and check the file, then give it its name in one step; returns its size."""

    def close(self) -> None: ...


class Portable(Protocol):
    """The portable file of a project: a view as one SQLite file."""

    path: Path

    def state(self) -> PortableState | None:
        """None where there is none; INDEX_INCOMPATIBLE where it cannot be used."""

    def channel(self, view: Mapping[int, tuple[bytes, str]]) -> TextChannel:
        """Its text, seen through a view whose blobs have these identities; NO_INDEX where it was not built."""

    def writer(self, owner: Owner, target: Path | None = None) -> PortableWriter:
        """Begin a new file; INDEX_IN_PROGRESS while another is being made."""
