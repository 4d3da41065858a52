"""Embedding: vectors for what a view holds, made after the view was published, so that search by words never waits.

Only what has no vectors yet is read again. It goes on in steps: after each one what was made is durable, and readers
see it. Whoever is second waits for the first, which makes the vectors of both.
"""

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from codecompass.engine.index.blob_text import Passages, open_blob_texts
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.model.code.facts import Facts
from codecompass.repo.process.child_process import process_start_time
from codecompass.store.ports import Owner
from codecompass.store.vector_port import VectorBatch, VectorWriter

if TYPE_CHECKING:  # numpy is loaded only where vectors are
    from codecompass.embed.embedder import Embedder

STEP_CHUNKS = 4_000
"""Chunks after which what was made is written down."""
STEP_S = 5.0
"""The same for a slow model, in seconds."""
MOST_CHUNKS = 400
"""Of one file; what follows is found by words only."""
MOST_NAMES = 150
NAMELESS = frozenset({"section", "key", "use"})
"""Kinds of definitions whose names say little of a file."""
_WAIT_S = 0.1
_PATIENCE_S = 300.0
"""Seconds to wait for another process that makes vectors; a file that stays locked must not hold a job for ever."""
Missing = list[tuple[str, int, bool]]


class FileTexts(NamedTuple):
    """What of one file is embedded."""

    path: str
    blob: int
    chunks: tuple[str, ...] | None
    """None where the blob has its vectors already, under another path."""
    outline: str
    stem: str


def embed_view(project: Project, ref: str, model: "Embedder", call: Call) -> int:
    """Make every vector that a view lacks; returns how many files were given some."""
    owner = Owner(os.getpid(), process_start_time(os.getpid()), "embed")
    total = 0
    hopeless: set[tuple[str, int]] = set()
    waited = 0.0
    while True:
        call.check()
        try:
            writer = project.store.vectors.writer(owner, model.digest, model.dimensions)
        except Failure as failure:
            if failure.code != "INDEX_IN_PROGRESS":
                raise
            if _is_done(project, ref, model):
                return total
            waited += _WAIT_S
            if waited > _PATIENCE_S:
                raise
            time.sleep(_WAIT_S)
            continue
        try:
            while True:
                done = _step(project, ref, model, writer, call, hopeless, total)
                if done is None:
                    return total
                total += done
        finally:
            writer.close()


def _is_done(project: Project, ref: str, model: "Embedder") -> bool:
    with project.pinned(ref) as view:
        field = view.snapshot.vectors(view.row, model.digest)
        return field is not None and field.complete


def _step(
    project: Project, ref: str, model: "Embedder", writer: VectorWriter, call: Call, hopeless: set[tuple[str, int]],
    before: int,
) -> int | None:  # fmt: skip
    """Vectors for some files of the view as it stands now; None when nothing is left that could be done."""
    began, chunks, done = time.monotonic(), 0, 0
    with project.pinned(ref) as view, open_blob_texts(project) as passages:
        missing = [row for row in writer.missing(view.snapshot, view.row) if row[:2] not in hopeless]
        if not missing:
            writer.sweep(view.snapshot)
            return None
        call.report(Progress("vectors", before, before + len(missing)))
        for texts in _texts(view, passages, missing, hopeless):
            call.check()
            writer.add(_batch(model, texts))
            done += 1
            call.report(Progress("vectors", before + done, before + len(missing)))
            chunks += len(texts.chunks or ())
            if chunks >= STEP_CHUNKS or time.monotonic() - began > STEP_S:
                break
        writer.flush()
    return done


def _texts(
    view: PinnedView, passages: Passages, missing: Missing, hopeless: set[tuple[str, int]]
) -> Iterator[FileTexts]:
    """The texts of files that lack vectors; files whose bytes are gone are noted as hopeless."""
    identities = view.snapshot.identities(view.row)
    made: set[int] = set()
    for path, blob, has_chunks in missing:
        facts = view.snapshot.facts(blob)
        chunks: tuple[str, ...] | None = None
        if not has_chunks and blob not in made:
            source = passages.of(view, blob, *identities[blob], facts)
            if source is None:
                hopeless.add((path, blob))
                continue
            chunks = chunk_texts(facts, source.spoken)
            made.add(blob)
        yield FileTexts(path, blob, chunks, outline_text(path, facts), stem_text(path))


def chunk_texts(facts: Facts, source: bytes) -> tuple[str, ...]:
    """The lines of each chunk under the name of the definition that it shows; never none."""
    lines = source.decode("utf-8", "replace").split("\n")
    found = []
    for chunk in facts.chunks[:MOST_CHUNKS]:
        owner = facts.definitions[chunk.owner] if chunk.owner >= 0 else None
        head = f"{owner.scope} {owner.name}\n" if owner else ""
        found.append(head + "\n".join(lines[chunk.line_start - 1 : chunk.line_end]))
    return tuple(found) or ("",)


def outline_text(path: str, facts: Facts) -> str:
    """A path and the names that the file defines."""
    names = [item.name for item in facts.definitions if item.kind not in NAMELESS]
    return " ".join((path, *names[:MOST_NAMES]))


def stem_text(path: str) -> str:
    """A path without its ending."""
    head, _, tail = path.rpartition("/")
    return f"{head}/{tail.rsplit('.', 1)[0]}"


def _batch(model: "Embedder", texts: FileTexts) -> VectorBatch:
    from codecompass.embed.quantised_vectors import quantise  # noqa: PLC0415 - loads numpy

    made, scales = quantise(model.encode([texts.outline, texts.stem, *(texts.chunks or ())]))
    chunks = None if texts.chunks is None else made[2:]
    return VectorBatch(texts.path, texts.blob, chunks, scales[2:] if texts.chunks else None, made[:2], scales[:2])
