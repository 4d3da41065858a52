"""Text index: a Tantivy index over chunks (words) and whole files (trigrams), append-only by blob.

A writer works in `work/`. Publishing freezes it: the immutable segment files are hard-linked into `g<generation>/`, and
the catalog stores their checksums and the generation in its own transaction. So a reader never sees a half-written
index, and a writer that dies leaves at most an unreferenced directory.
"""

import errno
import json
import os
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import tantivy
import xxhash

from codecompass.atomic import sync_directory
from codecompass.errors import Failure, to_system_failure
from codecompass.store.embedded.text.segment_merge import (
    MIN_DELETED_SHARE,
    arrange_merge,
    count_stored_documents,
    read_delete_files,
)
from codecompass.store.ports import Document, TextSegment

HEAP_BYTES = 48 * 2**20
"""Bytes that Tantivy buffers before it writes a segment: small, so that little is left to write when parsing ends."""
_FREEZE_TRIES = 40
_WORDS = "words"
_PLAIN = "plain"
LONGEST_TERM = 500
"""Bytes; our longest words have a hundred characters of at most four bytes."""
FILE_DOCUMENT = 2**32 - 1
"""The ordinal of the document for a whole file."""
WORK = "work"
_DELETE_SUFFIX = ".del"
FILLER_BLOB = 0
"""The blob id of documents that exist only during a merge; no real blob has it."""
REMOVAL_BATCH = 10_000
MERGE_LEFTOVERS = 8
"""The number of deleted documents that a merge itself leaves."""
DELETED_FLOOR = 200
DELETED_SHARE = 0.25
"""Tolerated deleted documents: `DELETED_FLOOR`, or this share of the live ones, whichever is more."""


def build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("blob", indexed=True, fast=True)
    builder.add_unsigned_field("ordinal", fast=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("name", tokenizer_name=_WORDS, index_option="freq")
    builder.add_text_field("body", tokenizer_name=_PLAIN, index_option="freq")
    builder.add_text_field("extras", tokenizer_name=_WORDS, index_option="basic")
    builder.add_text_field("prose", tokenizer_name=_PLAIN, index_option="basic")
    builder.add_text_field("trigrams", tokenizer_name=_WORDS, index_option="basic")
    return builder.build()


def _register_tokenizers(index: tantivy.Index) -> None:
    """Register our tokenizers: `words` splits our own tokens at spaces, `plain` source text at non-alphanumerics."""
    short = tantivy.Filter.remove_long(LONGEST_TERM)
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(short).build()
    plain = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(short).filter(tantivy.Filter.lowercase())
    index.register_tokenizer(_WORDS, words)
    index.register_tokenizer(_PLAIN, plain.build())


_ERROR_NUMBER = re.compile(r"(?:os error |Os \{ code: )(\d{1,4})")
_WORKER_DIED = "io::Error most likely"
"""Tantivy's message if one of its threads could not write; it does not include the reason."""
_MIN_FREE_BYTES = 2**20
"""A disk with less free space counts as full for a worker that writes segments."""


def _system_error(error: BaseException, directory: Path | None) -> int | None:
    """Return the errno behind a Tantivy error; None if the index files themselves are at fault."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (found := _ERROR_NUMBER.search(str(error))):
        number = int(found[1])
    if number is None and _WORKER_DIED in str(error):
        # A worker that died does not say of what. On a full disk it could not write.
        full = directory is not None and shutil.disk_usage(directory).free < _MIN_FREE_BYTES
        number = errno.ENOSPC if full else errno.EIO
    return None if number == errno.ENOENT else number


def open_index(directory: Path) -> tantivy.Index:
    """Open a frozen generation for reading."""
    if os.access(directory, os.W_OK) or not directory.is_dir():
        index = tantivy.Index.open(str(directory))
    else:
        index = _open_readonly(directory)
    _register_tokenizers(index)
    return index


def _open_readonly(directory: Path) -> tantivy.Index:
    """Open a generation in a directory that cannot be written: Tantivy creates a lock file beside what it reads.

    The files are read through links in a directory of our own, and stay mapped when that is deleted.
    """
    with tempfile.TemporaryDirectory(prefix="codecompass-") as links:
        for file in (one for one in directory.iterdir() if one.suffix != ".lock"):
            os.symlink(file.absolute(), os.path.join(links, file.name))
        return tantivy.Index.open(links)


def make_file_query(of: tantivy.Schema) -> tantivy.Query:
    """Build a query for the whole-file document of each blob."""
    return tantivy.Query.range_query(of, "ordinal", tantivy.FieldType.Unsigned, FILE_DOCUMENT, FILE_DOCUMENT)


def find_blobs(searcher: tantivy.Searcher, query: tantivy.Query) -> list[int]:
    """Return the blob of every live document that matches."""
    found = searcher.search(query, limit=max(int(searcher.num_docs), 1), count=False)
    return [int(value or 0) for value in searcher.fast_field_values("blob", [address for _, address in found.hits])]


@contextmanager
def map_tantivy_errors(what: str, directory: Path | None = None) -> Iterator[None]:
    """Turn Tantivy's errors into failures, including panics, which derive from BaseException."""
    try:
        yield
    except Failure:
        raise
    except BaseException as error:  # broad: a Rust panic is not an Exception; everything else is re-raised below
        if type(error).__name__ == "PanicException" or isinstance(error, (ValueError, OSError)):
            number = _system_error(error, directory)
            if number is not None:
                raise to_system_failure(number, f"have the text index {what}") from error
            message = f"The text index cannot be {what}: {str(error)[:200]}"
            raise Failure(
                "INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "text"}
            ) from error
        raise


class TextWriter:
    """The single writer of a project's text index."""

    def __init__(self, directory: Path, *, threads: int = 1) -> None:
        self._directory = directory
        self._threads = threads
        self.work = directory / WORK
        self.work.mkdir(parents=True, exist_ok=True)
        self._open()

    def _open(self) -> None:
        with map_tantivy_errors("opened for writing", self._directory):
            self._index = tantivy.Index(build_schema(), path=str(self.work))
            _register_tokenizers(self._index)
            self._writer = self._index.writer(heap_size=HEAP_BYTES, num_threads=self._threads)

    def add(self, blob: int, language: str, documents: Sequence[Document], trigrams: str) -> None:
        """Queue the documents of one blob; nothing is visible before `commit` and `freeze`."""
        with map_tantivy_errors("written", self._directory):
            for item in documents:
                fields = {"name": item.names, "body": item.body, "extras": item.extras, "prose": item.prose}
                self._writer.add_document(_document(blob, item.ordinal, language, fields))
            self._writer.add_document(_document(blob, FILE_DOCUMENT, language, {"trigrams": trigrams}))

    def remove_range(self, first: int, last: int) -> None:
        """Delete every document of the blobs first..last: leftovers of a writer that died."""
        with map_tantivy_errors("written", self._directory):
            query = tantivy.Query.range_query(self._index.schema, "blob", tantivy.FieldType.Unsigned, first, last)
            self._writer.delete_documents_by_query(query)

    def remove(self, blobs: Iterable[int]) -> None:
        """Delete the documents of these blobs at the next commit.

        By query, because deleting by term silently does nothing for a numeric field (tantivy 0.25 to 0.27). Callers
        must compare `count_documents` with the expected number afterwards.
        """
        ids = sorted(blobs)
        with map_tantivy_errors("written", self._directory):
            for at in range(0, len(ids), REMOVAL_BATCH):
                some = ids[at : at + REMOVAL_BATCH]
                query = tantivy.Query.term_set_query(self._index.schema, "blob", some)
                self._writer.delete_documents_by_query(query)

    def commit(self) -> None:
        """Make what was added durable in the working directory."""
        with map_tantivy_errors("committed", self._directory):
            self._writer.commit()

    def count_documents(self) -> int:
        """Return the number of live documents after the last commit."""
        with map_tantivy_errors("counted", self._directory):
            self._index.reload()
            return int(self._index.searcher().num_docs)

    def count_by_blob(self) -> Counter[int]:
        """Return blob → number of live documents after the last commit."""
        with map_tantivy_errors("counted", self._directory):
            self._index.reload()
            return Counter(find_blobs(self._index.searcher(), tantivy.Query.all_query()))

    @property
    def is_bloated(self) -> bool:
        """Whether deleted documents take so much space, and distort scores so much, that merging pays off."""
        live = self.count_documents()
        return count_stored_documents(self.work) - live > max(DELETED_FLOOR, DELETED_SHARE * live)

    def has_deleted(self, *, every: bool = False) -> bool:
        """Whether there are more deleted documents than a merge leaves, or with `every` any at all."""
        return count_stored_documents(self.work) - self.count_documents() > (0 if every else MERGE_LEFTOVERS)

    def finish_merges(self) -> None:
        """Wait for merges in the background, and open the writer again."""
        self.close()
        self._open()

    def merge(self, *, every: bool = False) -> None:
        """Rewrite the segments with many deleted documents, or every one with any; commits all added documents."""
        self.commit()
        self.close()
        fillers = arrange_merge(self.work, 0.0 if every else MIN_DELETED_SHARE)
        self._open()
        with map_tantivy_errors("merged", self._directory):
            for _ in range(fillers):
                self._writer.add_document(_document(FILLER_BLOB, FILE_DOCUMENT, "", {}))
                self._writer.commit()
        # Wait for the merge first: it is aborted if one of its segments is deleted.
        self.close()
        self._open()
        self.remove_range(FILLER_BLOB, FILLER_BLOB)
        self.commit()

    def restore(self, generation: int) -> None:
        """Replace the working directory by a frozen generation."""
        self.close()
        shutil.rmtree(self.work)
        self.work.mkdir()
        with map_tantivy_errors("restored", self._directory):
            seed_work_directory(self._directory / f"g{generation}", self.work)
        self._open()

    def close(self) -> None:
        """Wait for merges and close; the writer cannot be used afterwards."""
        with map_tantivy_errors("closed", self._directory):
            self._writer.wait_merging_threads()

    def freeze(self, generation: int) -> tuple[TextSegment, ...]:
        """Link the committed files into the generation's directory and return them with their checksums."""
        target = self._directory / f"g{generation}"
        with map_tantivy_errors("frozen", self._directory):
            for _ in range(_FREEZE_TRIES - 1):
                # A background merge may replace segments between reading their list and linking them.
                try:
                    return _freeze(self.work, target)
                except FileNotFoundError:
                    time.sleep(0.05)
            return _freeze(self.work, target)

    def sweep(self, keep: int) -> None:
        """Remove every frozen generation but `keep`.

        A reader that has one open can continue, one that was about to open it retries, and an export has its own links.
        """
        for child in self._directory.glob("g*"):
            number = child.name[1:]
            if number.isdigit() and int(number) != keep:
                shutil.rmtree(child, ignore_errors=True)


def _document(blob: int, ordinal: int, language: str, fields: dict[str, str]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("blob", blob)
    document.add_unsigned("ordinal", ordinal)
    document.add_text("language", language)
    for name, text in fields.items():
        if text:
            document.add_text(name, text)
    return document


def _freeze(work: Path, target: Path) -> tuple[TextSegment, ...]:
    if target.exists():
        shutil.rmtree(target)
    target.mkdir()
    listing = (work / "meta.json").read_bytes()
    ids = {item["segment_id"].replace("-", "") for item in json.loads(listing)["segments"]}
    for name in sorted(os.listdir(work)):
        if name.split(".")[0] in ids:
            link_file(work / name, target / name)
    with (target / "meta.json").open("wb") as stream:
        stream.write(listing)
        stream.flush()
        os.fsync(stream.fileno())
    if (work / "meta.json").read_bytes() != listing:
        raise FileNotFoundError("the segments changed while they were linked")
    sync_directory(target)
    sync_directory(target.parent)
    return tuple(TextSegment(path.name, path.stat().st_size, hash_file(path)) for path in sorted(target.iterdir()))


def seed_work_directory(frozen: Path, work: Path) -> None:
    """Fill an empty working directory with the files of a frozen generation, so that a writer can continue from it."""
    names = sorted(os.listdir(frozen))
    for name in names:
        if name == "meta.json":
            shutil.copyfile(frozen / name, work / name)
        else:
            link_file(frozen / name, work / name)
    # Tantivy deletes only files that are listed here.
    (work / ".managed.json").write_text(json.dumps(names) + "\n", encoding="utf-8")


def link_file(source: Path, target: Path) -> None:
    """Hard-link a file, or copy it if the file system cannot link."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def hash_file(path: Path) -> str:
    state = xxhash.xxh3_128()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            state.update(block)
    return state.hexdigest()


def verify_files(root: Path, segments: Sequence[TextSegment], verified: set[tuple[str, str]]) -> None:
    """Verify presence, size and checksum of every file; a file verified before in this process is not read again."""
    for item in segments:
        path = root / item.name
        details: dict[str, object] = {"schema_status": "corrupt_manifest", "part": "text", "file": item.name}
        try:
            size = path.stat().st_size
            good = size == item.size and ((item.name, item.xxh3) in verified or hash_file(path) == item.xxh3)
        except FileNotFoundError as error:
            raise Failure("INDEX_INCOMPATIBLE", f"The text index lacks its file {item.name}.", details) from error
        if not good:
            message = f"The text index's file {item.name} does not match its checksum."
            raise Failure("INDEX_INCOMPATIBLE", message, details)
        verified.add((item.name, item.xxh3))


def verify_work(directory: Path, segments: Sequence[TextSegment]) -> None:
    """Verify published files in the working directory: a merge would copy damage under a new checksum.

    Files that a commit replaced since are gone: those of merged segments, and earlier files of deletions. Tantivy takes
    a missing file of positions for an empty one, so every other file of a listed segment must exist.
    """
    work = directory / WORK
    deletes = read_delete_files(work)

    def is_needed(name: str) -> bool:
        stem = name.partition(".")[0]
        return stem in deletes and (not name.endswith(_DELETE_SUFFIX) or name == deletes[stem])

    here = [item for item in segments if is_needed(item.name) or (work / item.name).exists()]
    verify_files(work, [item for item in here if item.name != "meta.json"], set())
