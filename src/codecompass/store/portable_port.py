"""Portable ports: the portable SQLite file, bundles of an index, and maintenance of a store."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from codecompass.store.ports import Document, Owner, Snapshot, TextChannel


class PortableSymbol(NamedTuple):
    """One definition in a portable file."""

    kind: str
    name: str
    scope: str
    line_start: int
    line_end: int
    signature: str
    visibility: str
    doc: str
    facts: Mapping[str, object]
    """Traits such as parameters, return types and effects, named like the search filters."""


class PortableVectors(NamedTuple):
    """The vectors of one blob: signed bytes, and a 32-bit scale for each vector."""

    rows: bytes
    """The concatenated vectors of all chunks; at least one."""
    scales: bytes
    places: tuple[tuple[str, bytes, bytes], ...]
    """Path, two vectors (outline and path) and their scales, for every path with vectors."""


class PortableBlob(NamedTuple):
    """One blob for a portable file."""

    id: int
    hash: bytes
    language: str
    shown_language: str
    size: int
    lines: int
    notes: tuple[str, ...]
    has_text: bool
    """False if the content could not be read, so its words are missing."""
    paths: tuple[tuple[str, str], ...]
    """(path, mode) of every file with this content."""
    symbols: tuple[PortableSymbol, ...]
    passages: tuple[tuple[int, int, int], ...]
    """First line, last line and definition of each chunk."""
    vectors: PortableVectors | None = None


@dataclass(frozen=True, slots=True)
class PortableState:
    """A usable portable file with its metadata."""

    path: Path
    size: int
    meta: Mapping[str, object]


BUNDLE_FORMAT = "codecompass state"
BUNDLE_VERSION = 2
OLDEST_BUNDLE = 1
"""The version before bundles contained vectors; everything else is the same."""


@dataclass(frozen=True, slots=True)
class BundleMember:
    """One file of a bundle."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BundleManifest:
    """The manifest of a bundle."""

    format: str
    version: int
    index_version: int
    tool_version: str
    created_at: str
    ref: str
    view: str
    """The exported view, by its name in the source index."""
    commit: str
    roots: tuple[str, ...]
    """Root commits, if the full history was available; they identify the repository."""
    generation: int
    files: int
    symbols: int
    blobs: int
    rules: str
    """The version mark of the risk rules used for its facts."""
    words: str
    """The digest of the word lists that split its compound words."""
    members: tuple[BundleMember, ...]
    model: str = ""
    """The digest of the model that produced its vectors; empty if it has none."""
    vectors: int = 0
    """The number of files in its views with vectors."""
    vectors_version: int = 0


class ImportedBundle(NamedTuple):
    """A bundle that replaced the index."""

    manifest: BundleManifest
    note: str = ""
    """Why its vectors were not imported, for people; empty if they were."""


class CompactionResult(NamedTuple):
    """A database before and after compaction."""

    path: Path
    before: int
    after: int
    rows: int
    """Rows of all tables, equal in both."""
    backup: Path | None


class StoreMaintenance(Protocol):
    """Maintenance of one project's stored data. All changes are made under the writer lock."""

    def list_derived_files(self) -> tuple[Path, ...]:
        """Return the derived files that exist now and could be removed."""

    def delete_derived(self, owner: Owner, *, exclusive: bool, dry_run: bool = False) -> None:
        """Remove derived data; INDEX_IN_PROGRESS if it is being written or, in exclusive mode, is open elsewhere.
        A dry run takes the same locks and removes nothing.
        """

    def compact_catalog(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> CompactionResult:
        """Rewrite the catalog without free pages; NO_INDEX if there is none."""

    def compact_text(self, owner: Owner) -> CompactionResult:
        """Repair the text index and rewrite it without unreferenced documents; NO_INDEX if there is none."""

    def check_databases(self) -> dict[str, str]:
        """Read every page of every existing database; return file → damage, empty if it is sound."""

    def drop_damaged(self) -> bool:
        """Delete damaged caches; return whether the catalog is damaged, which only a rebuild repairs."""

    def list_view_names(self) -> tuple[str, ...]:
        """Return the names of all views, even if the text index is damaged; Failure if the catalog cannot be read."""

    def export_bundle(
        self, target: Path, describe: Callable[[Snapshot], Mapping[str, Any]], step: Callable[[str, int, int], None]
    ) -> BundleManifest:
        """Export the newest generation as one file."""

    def import_bundle(
        self,
        source: Path,
        owner: Owner,
        view: str,
        accept: Callable[[BundleManifest], str],
        step: Callable[[str, int, int], None],
    ) -> ImportedBundle:
        """Replace the index by a bundle, naming its view `view`. `accept` raises to reject the bundle, and returns the
        digest of the model whose vectors to import, empty for none.
        """


class PortableIndexWriter(Protocol):
    """Writes one portable file. An unfinished file leaves nothing behind."""

    def add(self, blob: PortableBlob, documents: Iterable[Document]) -> None: ...

    def finish(self, meta: Mapping[str, object]) -> int:
        """Complete and verify the file, then rename it atomically; return its size."""

    def close(self) -> None: ...


class PortableStore(Protocol):
    """The portable file of a project: a view as one SQLite file."""

    path: Path

    def state(self) -> PortableState | None:
        """Return the file's state; None if there is no file, INDEX_INCOMPATIBLE if it cannot be used."""

    def open_channel(self, view: Mapping[int, tuple[bytes, str]]) -> TextChannel:
        """Open its text channel, limited to a view whose blobs have these identities; NO_INDEX if not built."""

    def open_writer(self, owner: Owner, target: Path | None = None) -> PortableIndexWriter:
        """Start a new file; INDEX_IN_PROGRESS if another is being written."""

    def compact(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> CompactionResult | None:
        """Rewrite the file without free pages; None if there is no file."""
