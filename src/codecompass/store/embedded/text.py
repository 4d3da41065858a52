"""The text index: Tantivy over chunks (words) and whole files (trigrams), append-only by blob.

A writer works in `work/`. Publishing freezes it: the immutable segment files are hard-linked into `g<generation>/` with
their checksums listed for the catalog, which names the generation in its own transaction. So a reader never meets a
half-written index, and a writer that dies leaves at most a directory nobody refers to.
"""

import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tantivy
import xxhash

from codecompass.errors import Failure, system_failure
from codecompass.model.grep import Grams
from codecompass.store.ports import Document, Segment
from codecompass.store.words import NAME_BOOST, NAME_PARTS_BOOST, PARTS_BOOST, Clause
from codecompass.text.trigrams import trigram_word

HEAP = 48 * 2**20
"""Bytes Tantivy may hold before it writes a segment: small enough that little is left to write when parsing ends."""
_FREEZE_TRIES = 40
_WORDS = "words"
_PLAIN = "plain"
LONGEST_TERM = 500
"""Bytes; the longest word that is made has a hundred characters of at most four."""
FILTERS_KEPT = 8
FILE_DOCUMENT = 2**32 - 1
"""The ordinal of the one document that stands for a whole file."""


def schema() -> tantivy.Schema:
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


def _register(index: tantivy.Index) -> None:
    """`words` are made by us and separated by spaces; `plain` is source text, cut at every non-alphanumeric."""
    short = tantivy.Filter.remove_long(LONGEST_TERM)
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(short).build()
    plain = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(short).filter(tantivy.Filter.lowercase())
    index.register_tokenizer(_WORDS, words)
    index.register_tokenizer(_PLAIN, plain.build())


_NUMBERED = re.compile(r"(?:os error |Os \{ code: )(\d{1,4})")


def _system_error(error: BaseException) -> int | None:
    """The number of the system's error behind one of Tantivy's; None where it is about the files themselves."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (found := _NUMBERED.search(str(error))):
        number = int(found[1])
    return None if number == errno.ENOENT else number


@contextmanager
def contained(what: str) -> Iterator[None]:
    """Tantivy's panics derive from BaseException; here they end as a failure like any other damage."""
    try:
        yield
    except Failure:
        raise
    except BaseException as error:  # broad: a Rust panic is no Exception; everything else is passed on below
        if type(error).__name__ == "PanicException" or isinstance(error, (ValueError, OSError)):
            number = _system_error(error)
            if number is not None:
                raise system_failure(number, f"have the text index {what}") from error
            message = f"The text index cannot be {what}: {str(error)[:200]}"
            raise Failure(
                "INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "text"}
            ) from error
        raise


class TextWriter:
    """The one writer of a project's text index."""

    def __init__(self, directory: Path, *, threads: int = 1) -> None:
        self._directory = directory
        self._work = directory / "work"
        self._work.mkdir(parents=True, exist_ok=True)
        with contained("opened for writing"):
            self._index = tantivy.Index(schema(), path=str(self._work))
            _register(self._index)
            self._writer = self._index.writer(heap_size=HEAP, num_threads=threads)

    def add(self, blob: int, language: str, documents: Sequence[Document], trigrams: str) -> None:
        """Queue the documents of one blob; nothing is visible before `commit` and `freeze`."""
        with contained("written"):
            for item in documents:
                fields = {"name": item.names, "body": item.body, "extras": item.extras, "prose": item.prose}
                self._writer.add_document(_document(blob, item.ordinal, language, fields))
            self._writer.add_document(_document(blob, FILE_DOCUMENT, language, {"trigrams": trigrams}))

    def remove_range(self, first: int, last: int) -> None:
        """Drop every document of the blobs first..last: leftovers of a writer that died."""
        with contained("written"):
            query = tantivy.Query.range_query(self._index.schema, "blob", tantivy.FieldType.Unsigned, first, last)
            self._writer.delete_documents_by_query(query)

    def remove(self, blobs: Sequence[int]) -> None:
        """Drop the documents of blobs that no view holds any more."""
        with contained("written"):
            for blob in blobs:
                self._writer.delete_documents_by_term("blob", blob)

    def commit(self) -> None:
        """Make what was added durable in the working directory."""
        with contained("committed"):
            self._writer.commit()

    def close(self) -> None:
        """Wait for merges; the writer cannot be used afterwards."""
        with contained("closed"):
            self._writer.wait_merging_threads()

    def freeze(self, generation: int) -> tuple[Segment, ...]:
        """Link the committed files into the generation's own directory and say what each must hash to."""
        target = self._directory / f"g{generation}"
        with contained("frozen"):
            for _ in range(_FREEZE_TRIES - 1):
                # A background merge may replace segments between reading their list and linking them.
                try:
                    return _freeze(self._work, target)
                except FileNotFoundError:
                    time.sleep(0.05)
            return _freeze(self._work, target)

    def sweep(self, keep: int) -> None:
        """Remove frozen generations other than `keep` and the one before it, which a reader may be about to open."""
        for child in self._directory.glob("g*"):
            number = child.name[1:]
            if number.isdigit() and int(number) not in (keep, keep - 1):
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


def _freeze(work: Path, target: Path) -> tuple[Segment, ...]:
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
    _sync_directory(target)
    _sync_directory(target.parent)
    return tuple(Segment(path.name, path.stat().st_size, file_digest(path)) for path in sorted(target.iterdir()))


def link_file(source: Path, target: Path) -> None:
    """Hard-link where the file system can, copy where it cannot."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def file_digest(path: Path) -> str:
    state = xxhash.xxh3_128()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            state.update(block)
    return state.hexdigest()


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Terms:
    """One word of a query as the index knows it: the whole word, and its parts when it has several."""

    whole: str
    parts: tuple[str, ...] = ()


_Make = Callable[[Terms], tantivy.Query]


@dataclass(frozen=True, slots=True)
class BlobFilter:
    """Which blobs may answer: all but `ids`, or only `ids`."""

    ids: tuple[int, ...] = ()
    exclude: bool = True


class TextReader:
    """A frozen generation, verified file by file before the first query."""

    def __init__(
        self, directory: Path, generation: int, segments: Sequence[Segment], verified: set[tuple[str, str]]
    ) -> None:
        root = directory / f"g{generation}"
        _verify(root, segments, verified)
        with contained("opened"):
            self._index = tantivy.Index.open(str(root))
            _register(self._index)
            self._searcher = self._index.searcher()
        self._schema = self._index.schema
        self._filters: dict[BlobFilter, tantivy.Query | None] = {}

    def search(
        self,
        words: Sequence[Terms],
        *,
        every: bool,
        blobs: BlobFilter,
        language: str,
        limit: int,
        clause: Clause | None = None,
        prose: bool = False,
    ) -> tuple[list[tuple[float, int, int]], int]:
        """(score, blob, ordinal) of the best chunks, and how many chunks match in all; a clause replaces the words, and
        `prose` looks only into comments and documentation.
        """
        make = self._spoken if prose else self._word
        query = self._clause(clause, make) if clause is not None else self._query(words, make, every=every)
        return self._run(self._narrowed(query, blobs, language), limit)

    def counts(self, words: Iterable[str]) -> tuple[dict[str, int], int]:
        """Word → how many chunks have it in their text; and the number of documents."""
        with contained("searched"):
            found = {}
            for word in words:
                holders = max(self._searcher.doc_freq("body", word), self._searcher.doc_freq("extras", word))
                if holders:
                    found[word] = holders
            return found, self._searcher.num_docs

    def files_with_trigrams(self, grams: Sequence[str], *, blobs: BlobFilter, limit: int) -> tuple[list[int], int]:
        """Blobs that contain every trigram: candidates for a substring or a regular expression."""
        musts = [
            (tantivy.Occur.Must, tantivy.Query.term_query(self._schema, "trigrams", gram, "basic")) for gram in grams
        ]
        found, total = self._run(self._narrowed(tantivy.Query.boolean_query(musts), blobs, ""), limit)
        return [blob for _, blob, _ in found], total

    def files_fulfilling(self, grams: Grams, *, blobs: BlobFilter) -> list[int]:
        """Blobs whose trigrams fulfil a condition that is not empty."""
        query = tantivy.Query.const_score_query(self._condition(grams), 1.0)
        found, _ = self._run(self._narrowed(query, blobs, ""), self._searcher.num_docs)
        return [blob for _, blob, _ in found]

    def _condition(self, grams: Grams) -> tantivy.Query:
        occur = tantivy.Occur.Should if grams.any else tantivy.Occur.Must
        words = [
            tantivy.Query.term_query(self._schema, "trigrams", trigram_word(run), "basic")
            for run in sorted(grams.words)
        ]
        parts = [self._condition(part) for part in grams.parts]
        return tantivy.Query.boolean_query([(occur, query) for query in (*words, *parts)])

    def _run(self, query: tantivy.Query, limit: int) -> tuple[list[tuple[float, int, int]], int]:
        with contained("searched"):
            result = self._searcher.search(query, limit=max(limit, 1), count=True)
            addresses = [address for _, address in result.hits]
            blobs = self._numbers("blob", addresses)
            ordinals = self._numbers("ordinal", addresses)
        scores = [score for score, _ in result.hits]
        return list(zip(scores, blobs, ordinals, strict=True)), int(getattr(result, "count", 0) or 0)

    def _numbers(self, field: str, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [int(value or 0) for value in self._searcher.fast_field_values(field, addresses)]

    def _query(self, words: Sequence[Terms], make: _Make, *, every: bool) -> tantivy.Query:
        occur = tantivy.Occur.Must if every else tantivy.Occur.Should
        return tantivy.Query.boolean_query([(occur, make(word)) for word in words])

    def _spoken(self, word: Terms) -> tantivy.Query:
        """A word in comments and documentation, whole or in all its parts."""

        def term(value: str) -> tantivy.Query:
            return tantivy.Query.term_query(self._schema, "prose", value, "basic")

        if not word.parts:
            return term(word.whole)
        parts = tantivy.Query.boolean_query([(tantivy.Occur.Must, term(part)) for part in word.parts])
        return tantivy.Query.disjunction_max_query([term(word.whole), parts])

    def _clause(self, clause: Clause, make: _Make) -> tantivy.Query:
        if clause.kind == "word":
            found = make(Terms(*clause.word))
            return found if clause.share == 1.0 else tantivy.Query.boost_query(found, clause.share)
        occur = tantivy.Occur.Should if clause.kind == "any" else tantivy.Occur.Must
        nots = [item.items[0] for item in clause.items if item.kind == "not"]
        barred = [(tantivy.Occur.MustNot, self._clause(item, make)) for item in nots]
        asked = [(occur, self._clause(item, make)) for item in clause.items if item.kind != "not"]
        return tantivy.Query.boolean_query(asked + barred)

    def _word(self, word: Terms) -> tantivy.Query:
        """The whole word anywhere, and some more in a name; or all its parts, worth less than the word itself."""
        named = tantivy.Query.boost_query(self._term("name", word.whole), NAME_BOOST)
        choices = [self._anywhere(word.whole), named]
        if word.parts:
            body = [(tantivy.Occur.Must, self._anywhere(part)) for part in word.parts]
            name = [(tantivy.Occur.Must, self._term("name", part)) for part in word.parts]
            choices.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(body), PARTS_BOOST))
            choices.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(name), NAME_PARTS_BOOST))
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, choice) for choice in choices])

    def _anywhere(self, value: str) -> tantivy.Query:
        """A word in the text itself, or among what we added to it."""
        found = [self._term("body", value), self._term("extras", value)]
        return tantivy.Query.disjunction_max_query(found)

    def _term(self, field: str, value: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, value, "freq")

    def _narrowed(self, query: tantivy.Query, blobs: BlobFilter, language: str) -> tantivy.Query:
        clauses = [(tantivy.Occur.Must, query)]
        if language:
            only = tantivy.Query.term_query(self._schema, "language", language, "basic")
            clauses.append((tantivy.Occur.Must, tantivy.Query.const_score_query(only, 0.0)))
        chosen = self._blob_query(blobs)
        if chosen is not None:
            occur = tantivy.Occur.MustNot if blobs.exclude else tantivy.Occur.Must
            clauses.append((occur, tantivy.Query.const_score_query(chosen, 0.0)))
        return tantivy.Query.boolean_query(clauses)

    def _blob_query(self, blobs: BlobFilter) -> tantivy.Query | None:
        if blobs.exclude and not blobs.ids:
            return None
        if blobs not in self._filters:
            if len(self._filters) >= FILTERS_KEPT:
                self._filters.clear()
            self._filters[blobs] = tantivy.Query.term_set_query(self._schema, "blob", list(blobs.ids))
        return self._filters[blobs]


def _verify(root: Path, segments: Sequence[Segment], verified: set[tuple[str, str]]) -> None:
    """Every file there, of its size and hash; a file once seen right in this process is not read again."""
    for item in segments:
        path = root / item.name
        details: dict[str, object] = {"schema_status": "corrupt_manifest", "part": "text", "file": item.name}
        try:
            size = path.stat().st_size
            good = size == item.size and ((item.name, item.xxh3) in verified or file_digest(path) == item.xxh3)
        except FileNotFoundError as error:
            raise Failure("INDEX_INCOMPATIBLE", f"The text index lacks its file {item.name}.", details) from error
        if not good:
            message = f"The text index's file {item.name} does not match its checksum."
            raise Failure("INDEX_INCOMPATIBLE", message, details)
        verified.add((item.name, item.xxh3))


def verify_work(directory: Path, segments: Sequence[Segment]) -> None:
    """Check the published files still in the working directory: a merge would copy damage under a fresh checksum."""
    work = directory / "work"
    here = [item for item in segments if item.name != "meta.json" and (work / item.name).exists()]
    _verify(work, here, set())
