"""Vector build: embed the files of a view after it was published, so that word search never waits.

Only files without vectors are read. The build runs in steps: after each one its vectors are durable and visible to
readers. A second process waits for the first, which builds the vectors of both.
"""

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from codecompass.engine.index.blob_text import BlobTextReader, open_blob_reader
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.model.code.facts import Facts
from codecompass.repo.process.child_process import read_start_time
from codecompass.store.ports import Owner, Snapshot, ViewRow
from codecompass.store.vector_port import VectorBatch, VectorWriter

if TYPE_CHECKING:  # numpy is loaded only where vectors are
    from codecompass.embed.embedder import Embedder

STEP_CHUNKS = 4_000
"""Chunks after which vectors are flushed to disk."""
STEP_S = 5.0
"""Seconds after which vectors are flushed, for slow models."""
MAX_CHUNKS = 400
"""Maximum chunks per file; later chunks are found by words only."""
MAX_NAMES = 150
UNINFORMATIVE_KINDS = frozenset({"section", "key", "use"})
"""Kinds of definitions whose names say little about a file."""
_WAIT_S = 0.1
_LOCK_TIMEOUT_S = 300.0
"""Seconds to wait for another process that builds vectors; a stuck lock must not block a job for ever."""
Missing = list[tuple[str, int, bool]]


class FileTexts(NamedTuple):
    """Texts of one file to embed."""

    path: str
    blob: int
    chunks: tuple[str, ...] | None
    """None if the blob already has vectors, under another path."""
    outline: str
    stem: str


def embed_view(project: Project, ref: str, model: "Embedder", call: Call) -> int:
    """Build every missing vector of a view, then those of the other views; return the number of files embedded.

    Other views lack vectors after a damaged file was replaced. Files that cannot be read from here stay missing.
    """
    owner = Owner(os.getpid(), read_start_time(os.getpid()), "embed")
    total = 0
    unreadable: set[tuple[str, int]] = set()
    waited = 0.0
    while True:
        call.check()
        try:
            writer = project.store.vectors.open_writer(owner, model.digest, model.dimensions)
        except Failure as failure:
            if failure.code != "INDEX_IN_PROGRESS":
                raise
            if _is_complete(project, ref, model):
                return total
            waited += _WAIT_S
            if waited > _LOCK_TIMEOUT_S:
                raise
            time.sleep(_WAIT_S)
            continue
        try:
            while True:
                done = _embed_step(project, ref, model, writer, call, unreadable, total)
                if done is None:
                    return total
                total += done
        finally:
            writer.close()


def _select_missing(
    project: Project, ref: str, snapshot: Snapshot, writer: VectorWriter, unreadable: set[tuple[str, int]]
) -> tuple[ViewRow, Missing]:
    """Return the first view with files to embed and these files: the view of `ref` first."""
    own = project.find_view(snapshot, ref)
    for row in (own, *(row for row in snapshot.views() if row.id != own.id)):
        missing = [file for file in writer.find_missing(snapshot, row) if file[:2] not in unreadable]
        if missing:
            return row, missing
    return own, []


def _is_complete(project: Project, ref: str, model: "Embedder") -> bool:
    with project.open_view(ref) as view:
        field = view.snapshot.vectors(view.row, model.digest)
        return field is not None and field.is_complete


def _embed_step(
    project: Project, ref: str, model: "Embedder", writer: VectorWriter, call: Call, unreadable: set[tuple[str, int]],
    before: int,
) -> int | None:  # fmt: skip
    """Embed some files of one view; None when no embeddable file is left."""
    began, chunks, done = time.monotonic(), 0, 0
    with project.store.pin() as snapshot, open_blob_reader(project) as reader:
        row, missing = _select_missing(project, ref, snapshot, writer, unreadable)
        if not missing:
            writer.sweep(snapshot)
            return None
        view = project.make_pinned_view(snapshot, row)
        call.report(Progress("vectors", before, before + len(missing)))
        for texts in _read_texts(view, reader, missing, unreadable):
            call.check()
            writer.add(_make_batch(model, texts))
            done += 1
            call.report(Progress("vectors", before + done, before + len(missing)))
            chunks += len(texts.chunks or ())
            if chunks >= STEP_CHUNKS or time.monotonic() - began > STEP_S:
                break
        writer.flush()
    return done


def _read_texts(
    view: PinnedView, reader: BlobTextReader, missing: Missing, unreadable: set[tuple[str, int]]
) -> Iterator[FileTexts]:
    """Yield the texts of files without vectors; add files whose bytes no longer exist to `unreadable`."""
    identities = view.snapshot.identities(view.row)
    made: set[int] = set()
    for path, blob, has_chunks in missing:
        facts = view.snapshot.facts(blob)
        chunks: tuple[str, ...] | None = None
        if not has_chunks and blob not in made:
            source = reader.read(view, blob, *identities[blob], facts)
            if source is None:
                unreadable.add((path, blob))
                continue
            chunks = make_chunk_texts(facts, source.indexable)
            made.add(blob)
        yield FileTexts(path, blob, chunks, make_outline_text(path, facts), make_stem_text(path))


def make_chunk_texts(facts: Facts, source: bytes) -> tuple[str, ...]:
    """Return the lines of each chunk with the name of its definition; never empty."""
    lines = source.decode("utf-8", "replace").split("\n")
    found = []
    for chunk in facts.chunks[:MAX_CHUNKS]:
        owner = facts.definitions[chunk.owner] if chunk.owner >= 0 else None
        head = f"{owner.scope} {owner.name}\n" if owner else ""
        found.append(head + "\n".join(lines[chunk.line_start - 1 : chunk.line_end]))
    return tuple(found) or ("",)


def make_outline_text(path: str, facts: Facts) -> str:
    """Return a path and the names that the file defines."""
    names = [item.name for item in facts.definitions if item.kind not in UNINFORMATIVE_KINDS]
    return " ".join((path, *names[:MAX_NAMES]))


def make_stem_text(path: str) -> str:
    """Return a path without its suffix."""
    head, _, tail = path.rpartition("/")
    return f"{head}/{tail.rsplit('.', 1)[0]}"


def _make_batch(model: "Embedder", texts: FileTexts) -> VectorBatch:
    from codecompass.embed.quantised_vectors import quantise  # noqa: PLC0415 - loads numpy

    made, scales = quantise(model.encode([texts.outline, texts.stem, *(texts.chunks or ())]))
    chunks = None if texts.chunks is None else made[2:]
    return VectorBatch(texts.path, texts.blob, chunks, scales[2:] if texts.chunks else None, made[:2], scales[:2])
