"""Store ports: the Protocols and values through which the engine uses a store.

The engine imports only this module and the other `*_port` modules. Implementations are in the packages below.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from codecompass.model.code.facets import FacetQuery, Facets
from codecompass.model.code.facts import Bindings, DefinitionHeaders, Facts, References
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Analysis, Diagnostic
from codecompass.model.history_facts import Blame, CommitRecord, TreeCommits
from codecompass.model.job import Job
from codecompass.model.queries.grep_query import TrigramQuery
from codecompass.model.states import SchemaState
from codecompass.store.text_query import TextAgreement, TextHit, TextQuery

if TYPE_CHECKING:  # these modules import values from this one
    from codecompass.store.memory_port import MemoryCache, MemoryRecords
    from codecompass.store.portable_port import PortableStore, StoreMaintenance
    from codecompass.store.vector_port import VectorIndex, VectorStore


class Document(NamedTuple):
    """The text of one chunk: its number in the blob, the names it defines, its lines, and additional words."""

    ordinal: int
    names: str
    body: str
    extras: str
    prose: str = ""
    """The comments and documentation among the lines."""


class TextSegment(NamedTuple):
    """One file of the text index, with its size and checksum."""

    name: str
    size: int
    xxh3: str


class ViewEntry(NamedTuple):
    """One row of a view: the blob at a path. The times are zero if the view is a commit."""

    blob: int
    size: int
    mtime_ns: int
    ctime_ns: int


class NewBlob(NamedTuple):
    """A blob as the parse workers produced it, ready to be stored."""

    hash: bytes
    language: str
    oid: bytes
    size: int
    notes: tuple[str, ...]
    packs: tuple[bytes, bytes, bytes, bytes, bytes]
    """Facts, references, bindings, analysis and definition headers, packed."""
    symbols: tuple[tuple[str, int, str], ...]
    """(name, position, kind) of each definition."""
    mentions: tuple[tuple[int, bytes], ...]
    documents: tuple[Document, ...]
    trigrams: str
    shown_language: str
    """The language name shown in answers; the text index filters by it."""
    document_text: bytes = b""
    """The packed text of a document such as a PDF; empty for text files."""
    facets: Facets = Facets()


class SymbolRow(NamedTuple):
    """The location of a definition: the blob, and the position in the blob's facts."""

    blob: int
    position: int
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class ViewRow:
    """A published view without its entries."""

    id: int
    name: str
    commit: str
    """The indexed commit; for a working tree the commit of HEAD at that time, or empty."""
    head: str
    """The branch that was checked out, for a working tree."""
    generation: int
    indexed_at: str
    scanned_ns: int
    files: int
    symbols: int


@dataclass(frozen=True, slots=True)
class NewView:
    """Everything that a publish writes."""

    name: str
    commit: str
    head: str
    indexed_at: str
    scanned_ns: int
    entries: dict[str, ViewEntry]
    skips: tuple[tuple[str, str], ...] = ()
    symbols: int = 0
    dropped_views: tuple[str, ...] = ()
    """Other views that this publish deletes."""


@dataclass(frozen=True, slots=True)
class StoreState:
    """Whether the index can be used, determined by opening it."""

    schema: SchemaState
    version: int
    required: int
    generation: int = 0
    message: str = ""
    details: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that holds a writer lock."""

    pid: int
    start_time: str
    job_id: str
    heartbeat: float = 0.0


class TextChannel(Protocol):
    """Searches chunks by words and by vectors."""

    def search_text(self, query: TextQuery, view: ViewRow) -> tuple[list[TextHit], int]:
        """Return the best chunks of a view and the exact number of matching chunks."""

    def vectors(self, view: ViewRow, model: str) -> "VectorIndex | None": ...


class Snapshot(TextChannel, Protocol):
    """Consistent reads of one pinned generation: all results come from the same published state."""

    generation: int
    store_id: str
    """Identifies the index: a rebuilt index counts its generations from the start again."""

    def views(self) -> Sequence[ViewRow]: ...

    def view(self, name: str) -> ViewRow | None: ...

    def entries(self, view: ViewRow) -> dict[str, ViewEntry]:
        """Return path → entry of a view. All callers of one generation share the object; do not modify it."""

    def paths(self, view: ViewRow) -> dict[int, list[str]]:
        """Return blob → its paths in a view; shared like `entries`."""

    def skips(self, view: ViewRow) -> dict[str, int]:
        """Return the number of skipped files by reason."""

    def skipped_files(self, view: ViewRow, reasons: Collection[str]) -> dict[str, str]:
        """Return path → reason of the files that were skipped for one of these reasons."""

    def facts(self, blob: int) -> Facts:
        """Return the facts of a blob without references and comments."""

    def definition_headers(self, blob: int) -> DefinitionHeaders:
        """Return the part of a blob's facts that ranking needs."""

    def references(self, blob: int) -> References:
        """Return the references and comments of a blob."""

    def bindings(self, blob: int) -> Bindings:
        """Return the bindings of names in a blob."""

    def risks(self, blob: int) -> Risks:
        """Return what the risk rules found in a blob."""

    def analysis(self, blob: int) -> Analysis:
        """Return the traits of a blob's definitions, and its diagnostics."""

    def document_text(self, blob: int) -> str:
        """Return the text extracted from a document such as a PDF; empty for text files."""

    def lint(self, blob: int) -> tuple[Diagnostic, ...] | None:
        """Return the linter's messages for a blob; None if no linter checked it."""

    def identity(self, blob: int) -> tuple[bytes, bytes]:
        """Return (content hash, git object name or empty) of a blob."""

    def identities(self, view: ViewRow) -> Mapping[int, tuple[bytes, str]]:
        """Return blob → (content hash, language) for every blob of a view."""

    def find_view_blobs_with_note(self, view: ViewRow, note: str) -> frozenset[int]:
        """Return the blobs of a view that have a note."""

    def language_counts(self, view: ViewRow) -> dict[str, int]:
        """Return the number of files of a view in each language; plain text is `text`."""

    def find_symbols(self, folded: str, *, prefix: bool, limit: int) -> list[SymbolRow]:
        """Find definitions in any view whose case-folded name equals (or starts with) `folded`: code first."""

    def find_similar_names(self, folded: str) -> Sequence[str]: ...

    def find_names_by_key(self, key: str) -> Sequence[str]:
        """Find names of definitions in any view with this `lookup_key`; may include a few deleted names."""

    def mentions(self, name: str) -> Iterator[tuple[int, list[tuple[str, int, int, int, str]]]]:
        """Yield (blob, [(role, line, column, owner, receiver)]) for every blob that mentions a name."""

    def find_blobs_mentioning(self, names: Collection[str], within: Container[int], rare: int) -> dict[str, set[int]]:
        """Return name → blobs that mention it, without names that more than `rare` blobs of `within` define."""

    def find_blobs_by_facets(self, query: FacetQuery) -> set[int]:
        """Find blobs in any view with a definition that may match. False positives only, no false negatives."""

    def find_blobs_containing(self, literal: str, view: ViewRow, most: int) -> set[int] | None:
        """Find blobs of a view whose text may contain a literal, ignoring the case of ASCII letters.

        None if there are more than `most`, or if the literal is shorter than a trigram.
        """

    def find_blobs_by_trigrams(self, grams: TrigramQuery, view: ViewRow) -> set[int]:
        """Find blobs of a view whose indexed text matches a boolean condition on trigrams."""

    def document_frequencies(self, words: Iterable[str]) -> tuple[dict[str, int], int]:
        """Return the document frequency of each word over all views, without zeros, and the number of chunks."""

    def languages(self) -> dict[int, str]:
        """Return blob → detected language, for all views. The object is shared; do not modify it."""

    def find_blobs_with_note(self, note: str) -> set[int]:
        """Find blobs in any view that were indexed with a note."""

    def text_agreement(self) -> TextAgreement | None:
        """Compare the text index with the catalog; None if there is no text index yet."""

    @property
    def dropped_hits(self) -> int:
        """Hits dropped since the store was opened, because the catalog does not have their blob."""


class IndexWriter(Protocol):
    """The single writer of a project; holds the project's lock."""

    epoch: int

    def write_heartbeat(self) -> None:
        """Write a heartbeat to show that the writer is alive."""

    def raise_epoch(self) -> None:
        """Start a new epoch: treat every content as new from now on."""

    def find_blobs_by_hash(self, keys: Sequence[tuple[bytes, str]]) -> dict[tuple[bytes, str], int]:
        """Return blob ids by (content hash, language) in the current epoch."""

    def find_blobs_by_oid(self, oids: Sequence[bytes]) -> dict[tuple[bytes, str], int]:
        """Return blob ids by (git object, language) in the current epoch."""

    def add(self, blob: NewBlob) -> int:
        """Store a new blob and return its id. Durable at the next publish or end of a batch."""

    def find_unlinted(self, languages: Collection[str]) -> set[int]:
        """Find blobs of the current epoch in these languages for which no linter's answer is stored."""

    def add_lint(self, blob: int, messages: tuple[Diagnostic, ...]) -> None:
        """Store a linter's messages for a blob, even if there are none."""

    def read_view(self, name: str) -> tuple[ViewRow, dict[str, ViewEntry]] | None: ...

    def read_skips(self, name: str) -> dict[str, str]:
        """Return path → reason of every file that the view skipped."""

    def find_blobs_with_note(self, note: str) -> set[int]:
        """Find blobs in any view that were indexed with a note."""

    def count_symbols(self, blobs: Iterable[int]) -> int: ...

    def confirm_unchanged(self, name: str, scanned_ns: int) -> None:
        """Record that a later scan found a view unchanged; readers see no difference."""

    def publish(self, view: NewView) -> int:
        """Commit the view's rows and the new generation in one transaction; return the generation."""

    def repair(self) -> bool:
        """Repair the text index if the published one does not match the catalog; return whether it was repaired.

        INDEX_INCOMPATIBLE if only a full reindex helps.
        """

    def vacuum_text(self, *, thorough: bool = False, purge: bool = False) -> bool:
        """Publish a repaired text index or merge one with many (`thorough`: few, `purge`: any) deleted documents."""

    def close(self, *, keep: bool = False) -> None:
        """Release the lock. With `keep`, blobs that were added and not published remain for the next run."""


class ProjectRecords(Protocol):
    """Owned data: jobs and project settings. Indexing never deletes it."""

    def put_job(self, job: Job) -> None: ...

    def job(self, job_id: str) -> Job | None: ...

    def jobs(self, limit: int) -> list[Job]: ...

    def get(self, key: str) -> str | None: ...

    def set(self, key: str, value: str) -> None: ...

    def can_write(self) -> bool:
        """Whether the disk has space for a write; reading works without it."""


class HistoryStore(Protocol):
    """Cached facts about git history, by commit. Derived; several processes read and write it concurrently."""

    def records(self, commit: str) -> Sequence[CommitRecord]:
        """Return the records stored in the same pack as a commit's, mostly its neighbours; empty if not stored."""

    def add_records(self, records: Sequence[CommitRecord]) -> None: ...

    def trace(self, commit: str, terms: str) -> TreeCommits | None:
        """Return the trace of all files of a commit for these terms (window, limits)."""

    def list_traced_commits(self, terms: str) -> Sequence[str]:
        """Return the commits that have a trace, most recently stored first."""

    def put_trace(self, commit: str, terms: str, trace: TreeCommits) -> None: ...

    def counts(self, commits: Iterable[str]) -> dict[tuple[str, bytes], tuple[int, int] | None]:
        """Return (commit, path) → lines added and deleted, where counted; None if they cannot be counted."""

    def add_counts(self, counted: Iterable[tuple[str, bytes, int | None, int | None]]) -> None: ...

    def blame(self, commit: str, path: bytes) -> Blame | None:
        """Return the blame of a path's lines; the commit is the last one that changed the path."""

    def put_blame(self, commit: str, path: bytes, blame: Blame) -> None: ...


class Store(Protocol):
    """All stored data of one project."""

    @property
    def records(self) -> ProjectRecords: ...

    @property
    def history(self) -> HistoryStore: ...

    @property
    def portable(self) -> "PortableStore": ...

    @property
    def vectors(self) -> "VectorStore": ...

    @property
    def maintenance(self) -> "StoreMaintenance": ...

    @property
    def memory_cache(self) -> "MemoryCache": ...

    @property
    def memory_records(self) -> "MemoryRecords": ...

    def state(self) -> StoreState: ...

    def pin(self) -> AbstractContextManager[Snapshot]: ...

    def open_writer(self, owner: Owner, *, fresh: bool = False) -> IndexWriter:
        """Take the lock and open for writing, with `fresh` an empty index; INDEX_IN_PROGRESS if it is locked."""

    def get_active_writer(self) -> Owner | None:
        """Return the process that holds the writer lock, if any."""

    def verify(self) -> list[str]:
        """Verify all checksums; return one line per damage."""

    def size(self) -> int: ...

    def drop_caches(self) -> None:
        """Free the memory of all caches."""

    def packaged_extension(self) -> str:
        """Return the path of the packaged vector extension; empty if there is none."""

    def trial_command(self, path: str, sha256: str, encoding: str) -> list[str]:
        """Return the command of a sandboxed process that loads and tests a library with that hash."""

    def close(self) -> None: ...
