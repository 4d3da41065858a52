"""Ports: what the engine asks of a store. Implementations live beside this file; the engine imports only this.

The values here cross the port; the Protocols say what each method promises.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from codecompass.model.code.facets import FacetQuery, Facets
from codecompass.model.code.facts import Facts, Heads, Uses, Values
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic, Insight
from codecompass.model.history_facts import Blame, CommitRecord, Trace
from codecompass.model.job import Job
from codecompass.model.queries.grep_query import Grams
from codecompass.store.text_query import TextAgreement, TextHit, TextQuery

if TYPE_CHECKING:  # they are made of values that stand here
    from codecompass.store.memory_port import MemoryCache, MemoryRecords
    from codecompass.store.portable_port import Portable, Upkeep
    from codecompass.store.vector_port import VectorField, VectorStore


class Document(NamedTuple):
    """One chunk as text: its number in the blob, the names it defines, its lines, and words to add to them."""

    ordinal: int
    names: str
    body: str
    extras: str
    prose: str = ""
    """What of the lines is comment or documentation."""


class Segment(NamedTuple):
    """One file of the text index and what it must hash to."""

    name: str
    size: int
    xxh3: str


class Entry(NamedTuple):
    """One row of a view: this path holds that blob. The times are zero where the view is a commit."""

    blob: int
    size: int
    mtime_ns: int
    ctime_ns: int


class NewBlob(NamedTuple):
    """A blob as the parse workers made it, ready to be stored."""

    hash: bytes
    language: str
    oid: bytes
    size: int
    notes: tuple[str, ...]
    packs: tuple[bytes, bytes, bytes, bytes, bytes]
    """Facts, uses, values and insight, packed."""
    symbols: tuple[tuple[str, int, str], ...]
    """(name, position, kind) of each definition."""
    mentions: tuple[tuple[int, bytes], ...]
    documents: tuple[Document, ...]
    trigrams: str
    shown_language: str
    """The language as answers name it, by which the text index narrows."""
    rendition: bytes = b""
    """The text of a document, packed; empty for files that are text themselves."""
    facets: Facets = Facets()


class SymbolRow(NamedTuple):
    """Where a definition is: the blob, and its position in the blob's facts."""

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
    """The commit the view was made from; for a working tree the commit of HEAD at that time, or empty."""
    head: str
    """The branch that was checked out, for a working tree."""
    generation: int
    indexed_at: str
    scanned_ns: int
    files: int
    symbols: int


@dataclass(frozen=True, slots=True)
class NewView:
    """All that a publish writes."""

    name: str
    commit: str
    head: str
    indexed_at: str
    scanned_ns: int
    entries: dict[str, Entry]
    skips: tuple[tuple[str, str], ...] = ()
    symbols: int = 0
    forgotten: tuple[str, ...] = ()
    """Other views that end with this publish."""


@dataclass(frozen=True, slots=True)
class StoreState:
    """Whether the index can be used, from real checks."""

    schema: str
    """`compatible`, `not_indexed`, `reindex_required` or `corrupt_manifest`."""
    version: int
    required: int
    generation: int = 0
    message: str = ""
    details: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that writes."""

    pid: int
    start_time: str
    job_id: str
    heartbeat: float = 0.0


class TextChannel(Protocol):
    """Finds chunks by words, and by what they mean."""

    def search_text(self, query: TextQuery, view: ViewRow) -> tuple[list[TextHit], int]:
        """The best chunks of a view and the true number of matching chunks."""

    def vectors(self, view: ViewRow, model: str) -> "VectorField | None": ...


class Snapshot(TextChannel, Protocol):
    """One generation, pinned: every answer of a snapshot belongs to the same published state."""

    generation: int
    store_id: str
    """Which index it is of: one that was begun anew counts its generations from the start."""

    def views(self) -> Sequence[ViewRow]: ...

    def view(self, name: str) -> ViewRow | None: ...

    def entries(self, view: ViewRow) -> dict[str, Entry]:
        """Path → entry of a view; the same object for every caller of one generation, so do not change it."""

    def paths(self, view: ViewRow) -> dict[int, list[str]]:
        """Blob → its paths in a view; shared like `entries`."""

    def skips(self, view: ViewRow) -> dict[str, int]:
        """How many files were left out, by reason."""

    def skipped_files(self, view: ViewRow, reasons: Collection[str]) -> dict[str, str]:
        """Path → reason of the files that were left out for one of these reasons."""

    def facts(self, blob: int) -> Facts:
        """The facts of a blob without references and comments."""

    def heads(self, blob: int) -> Heads:
        """What ranking needs of the facts of a blob."""

    def uses(self, blob: int) -> Uses:
        """The references and comments of a blob."""

    def values(self, blob: int) -> Values:
        """What the names of a blob stand for."""

    def risks(self, blob: int) -> Risks:
        """What the risk rules found in a blob."""

    def insight(self, blob: int) -> Insight:
        """Traits of a blob's definitions, and what is wrong in it."""

    def rendition(self, blob: int) -> str:
        """The text of a document; empty for files that are text themselves."""

    def lint(self, blob: int) -> tuple[Diagnostic, ...] | None:
        """What a linter said of a blob; None where none looked at it."""

    def identity(self, blob: int) -> tuple[bytes, bytes]:
        """(content hash, git object name or empty) of a blob."""

    def identities(self, view: ViewRow) -> Mapping[int, tuple[bytes, str]]:
        """(content hash, language) of every blob of a view."""

    def noted(self, view: ViewRow, note: str) -> frozenset[int]:
        """The blobs of a view that carry a note."""

    def language_counts(self, view: ViewRow) -> dict[str, int]:
        """How many files of a view are in each language; plain text goes by `text`."""

    def symbols_named(self, folded: str, *, prefix: bool, limit: int) -> list[SymbolRow]:
        """Definitions whose case-folded name equals (or starts with) `folded`, in any view: code first."""

    def names_keyed(self, key: str) -> Sequence[str]:
        """Names of definitions, in any view, whose `lookup_key` is this one; a few that are gone may be among them."""

    def mentions(self, name: str) -> Iterator[tuple[int, list[tuple[str, int, int, int, str]]]]:
        """(blob, [(role, line, column, owner, receiver)]) for every blob that mentions a name."""

    def blobs_referring(self, names: Collection[str], within: Container[int], rare: int) -> dict[str, set[int]]:
        """Name → the blobs that mention it; names that more than `rare` of the blobs `within` define are left out."""

    def blobs_like(self, query: FacetQuery) -> set[int]:
        """Blobs, of any view, in which some definition may be as asked; none that has one is missing."""

    def blobs_containing(self, literal: str, view: ViewRow, most: int) -> set[int] | None:
        """Blobs of a view whose text may contain a literal, whatever the case of its ASCII letters.

        None when there are more than `most`, or when the literal is too short to tell.
        """

    def blobs_fulfilling(self, grams: Grams, view: ViewRow) -> set[int]:
        """Blobs of a view whose indexed text fulfils a condition on its trigrams."""

    def word_counts(self, words: Iterable[str]) -> tuple[dict[str, int], int]:
        """How many chunks, of any view, have each word, those left out that none has; and how many chunks there are."""

    def languages(self) -> dict[int, str]:
        """Blob → its language as it was detected, of every view; shared, so do not change it."""

    def blobs_noted(self, note: str) -> set[int]:
        """Blobs, of any view, that were indexed with a note."""

    def text_agreement(self) -> TextAgreement | None:
        """The text index beside the catalog; None where there is none yet."""

    @property
    def dropped_hits(self) -> int:
        """Hits left out since the store was opened, because the catalog does not know their blob."""


class IndexWriter(Protocol):
    """The one writer of a project, holding its lock."""

    epoch: int

    def beat(self) -> None:
        """Say that the writer is alive."""

    def raise_epoch(self) -> None:
        """Count every content as new from now on."""

    def known(self, keys: Sequence[tuple[bytes, str]]) -> dict[tuple[bytes, str], int]:
        """Blob ids by (content hash, language) in the current epoch."""

    def known_objects(self, oids: Sequence[bytes]) -> dict[tuple[bytes, str], int]:
        """Blob ids by (git object, language) in the current epoch."""

    def add(self, blob: NewBlob) -> int:
        """Store a blob that is not known yet; returns its id. Durable at the next publish or batch."""

    def has_lint(self, blob: int) -> bool: ...

    def add_lint(self, blob: int, messages: tuple[Diagnostic, ...]) -> None:
        """Note what a linter says of a blob, even if that is nothing."""

    def previous(self, name: str) -> tuple[ViewRow, dict[str, Entry]] | None: ...

    def skips_of(self, name: str) -> dict[str, str]:
        """Path → reason of every file the view left out."""

    def blobs_noted(self, note: str) -> set[int]:
        """Blobs, of any view, that were indexed with a note."""

    def symbol_count(self, blobs: Iterable[int]) -> int: ...

    def confirm(self, name: str, scanned_ns: int) -> None:
        """Note that a view was found unchanged by a later scan; readers see no difference."""

    def publish(self, view: NewView) -> int:
        """The one commit point: the view's rows and the new generation, all or nothing. Returns the generation."""

    def repair(self) -> bool:
        """Mend the text index where the published one is not known to hold what the catalog says; whether it was so.

        INDEX_INCOMPATIBLE where only indexing everything anew helps.
        """

    def tidy(self, *, thorough: bool = False) -> bool:
        """Publish a text index that was mended, or that deleted documents made too large; whether one was published.

        With `thorough` all that no view holds goes, else only what there is too much of.
        """

    def close(self) -> None: ...


class Records(Protocol):
    """Owned data: jobs and what the project was told. Never deleted by indexing."""

    def put_job(self, job: Job) -> None: ...

    def job(self, job_id: str) -> Job | None: ...

    def jobs(self, limit: int) -> list[Job]: ...

    def get(self, key: str) -> str | None: ...

    def set(self, key: str, value: str) -> None: ...

    def has_room(self) -> bool:
        """Whether something can be written; reading goes on where it cannot."""


class HistoryStore(Protocol):
    """What is known of git's history, by commit. Derived; several processes read and write it at once."""

    def records(self, commit: str) -> Sequence[CommitRecord]:
        """The records stored together with a commit's, its neighbours mostly; none when it is not stored."""

    def add_records(self, records: Sequence[CommitRecord]) -> None: ...

    def trace(self, commit: str, terms: str) -> Trace | None:
        """What was found for all files of a commit under these terms (window, limits)."""

    def traced(self, terms: str) -> Sequence[str]:
        """Commits that have a trace, the newest made first."""

    def put_trace(self, commit: str, terms: str, trace: Trace) -> None: ...

    def counts(self, commits: Iterable[str]) -> dict[tuple[str, bytes], tuple[int, int] | None]:
        """(commit, path) → lines added and deleted, as far as counted; None where they cannot be counted."""

    def add_counts(self, counted: Iterable[tuple[str, bytes, int | None, int | None]]) -> None: ...

    def blame(self, commit: str, path: bytes) -> Blame | None:
        """Whose the lines of a path are; the commit is the one that changed the path last."""

    def put_blame(self, commit: str, path: bytes, blame: Blame) -> None: ...


class Store(Protocol):
    """Everything kept for one project."""

    @property
    def records(self) -> Records: ...

    @property
    def history(self) -> HistoryStore: ...

    @property
    def portable(self) -> "Portable": ...

    @property
    def vectors(self) -> "VectorStore": ...

    @property
    def upkeep(self) -> "Upkeep": ...

    @property
    def memory(self) -> "MemoryCache": ...

    @property
    def recollections(self) -> "MemoryRecords": ...

    def state(self) -> StoreState: ...

    def pin(self) -> AbstractContextManager[Snapshot]: ...

    def writer(self, owner: Owner, *, fresh: bool = False) -> IndexWriter:
        """Take the lock and open for writing, with `fresh` from nothing; INDEX_IN_PROGRESS if another has it."""

    def writing(self) -> Owner | None:
        """Who writes now, if anybody."""

    def verify(self) -> list[str]:
        """Check every checksum there is; one line per damage."""

    def size(self) -> int: ...

    def drop_caches(self) -> None:
        """Free the memory of whatever can be read again."""

    def packaged_extension(self) -> str:
        """The library of the vector extension that came with its package; empty when there is none."""

    def trial_command(self, path: str, sha256: str, encoding: str) -> list[str]:
        """The command of a process without rights that loads a library of that hash, uses it, and tells how it went."""

    def close(self) -> None: ...
