"""Exchange: what the engine gives to a portable file and asks of it. An implementation lives in `portable/`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from codecompass.store.ports import Document, Owner, Snapshot, TextChannel


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


class PortableVectors(NamedTuple):
    """What a model made of one content: signed bytes, and a 32-bit scale for each vector."""

    rows: bytes
    """One vector for each chunk, one after the other; at least one."""
    scales: bytes
    places: tuple[tuple[str, bytes, bytes], ...]
    """Path, two vectors (outline and path) and their scales, for every path that has them."""


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
    vectors: PortableVectors | None = None


@dataclass(frozen=True, slots=True)
class PortableState:
    """A portable file that can be used, and what it says of itself."""

    path: Path
    size: int
    meta: Mapping[str, object]


BUNDLE_FORMAT = "codecompass state"
BUNDLE_VERSION = 2
OLDEST_BUNDLE = 1
"""Before vectors were carried; what such a bundle holds besides is the same."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a bundle."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle says of itself."""

    format: str
    version: int
    index_version: int
    tool_version: str
    created_at: str
    ref: str
    view: str
    """The view that was exported, by the name it has where it comes from."""
    commit: str
    roots: tuple[str, ...]
    """First commits of its history, where all of it was there: they tell repositories apart."""
    generation: int
    files: int
    symbols: int
    blobs: int
    rules: str
    """The mark of the risk rules its facts were made with."""
    words: str
    """The digest of the word lists its text was taken apart by."""
    members: tuple[Member, ...]
    model: str = ""
    """The digest of the model that made its vectors; empty where it holds none."""
    vectors: int = 0
    """How many files of its views have their vectors."""
    vectors_version: int = 0


class Received(NamedTuple):
    """A bundle that took the place of an index."""

    manifest: Manifest
    note: str = ""
    """Why its vectors were left out, in words for people; empty where they were not."""


class Rewritten(NamedTuple):
    """A database before and after it was written anew."""

    path: Path
    before: int
    after: int
    rows: int
    """Rows of all tables, equal in both."""
    backup: Path | None


class Upkeep(Protocol):
    """Care of everything kept for one project. What it changes, it changes under the lock of the writer."""

    def derived_files(self) -> tuple[Path, ...]:
        """What could be removed, as it stands."""

    def clear(self, owner: Owner, *, alone: bool, rehearse: bool = False) -> None:
        """Remove what is derived; INDEX_IN_PROGRESS while somebody writes or, with `alone`, has the project open.
        A rehearsal takes the same locks and removes nothing.
        """

    def compact(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> Rewritten:
        """Write the catalog anew without its free pages; NO_INDEX where there is none."""

    def compact_text(self, owner: Owner) -> Rewritten:
        """Mend the text index and write it anew without what no view holds; NO_INDEX where there is none."""

    def read_all(self) -> dict[str, str]:
        """Read every page of every database that is there: file → what is wrong with it, empty where nothing is."""

    def heal(self) -> bool:
        """Drop damaged caches; whether what only a new index heals is damaged."""

    def export(
        self, target: Path, describe: Callable[[Snapshot], Mapping[str, Any]], step: Callable[[str, int, int], None]
    ) -> Manifest:
        """Write the newest generation out as one file."""

    def receive(
        self,
        source: Path,
        owner: Owner,
        view: str,
        accept: Callable[[Manifest], str],
        step: Callable[[str, int, int], None],
    ) -> Received:
        """Begin from such a file, under this name for its view. `accept` refuses by raising, and returns the digest of
        the model whose vectors are of use here, empty for none.
        """


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

    def compact(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> Rewritten | None:
        """Write the file anew without its free pages; None where there is none."""
