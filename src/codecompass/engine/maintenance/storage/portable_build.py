"""Portable build: write a pinned view as one file that any SQLite can read."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from codecompass import __version__
from codecompass.engine.index.blob_parser import build_documents, group_comments
from codecompass.engine.index.blob_text import BlobTextReader, open_blob_reader
from codecompass.engine.search.retrieval.backends import ViewContents, get_contents, is_current
from codecompass.engine.view.file_modes import RECORDS_NOTE, detect_mode
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.code.facts import Facts
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Traits
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.model.path_text import display_path
from codecompass.model.timestamp import utc_timestamp
from codecompass.repo.process.child_process import read_start_time
from codecompass.store.portable_port import PortableBlob, PortableState, PortableSymbol, PortableVectors
from codecompass.store.ports import Document, Owner
from codecompass.store.vector_port import VectorIndex
from codecompass.text.documents import is_document
from codecompass.text.tokens import Tokenizer

FORMAT = "codecompass portable index"


def build_portable_index(
    project: Project, view: PinnedView, ref: str, order: PortableBuildRequest, target: Path | None, call: Call
) -> PortableReport:
    """Write a view to `target`, or to the project's own file; the old file stays readable until then."""
    contents = get_contents(project, view)
    if order.keep_current and target is None:
        found = _read_usable_state(project)
        same = (
            found is not None
            and found.meta.get("modes") == " ".join(order.modes)
            and _has_current_vectors(project, view, found)
        )
        if found is not None and same and is_current(found, view, contents):
            return make_portable_report(project, found, view)
    owner = Owner(os.getpid(), read_start_time(os.getpid()), "build_sqlite_index")
    writer = project.store.portable.open_writer(owner, target)
    try:
        export = _Export(project, view, order.modes, contents, call)
        for blob, documents in export.iter_blobs():
            writer.add(blob, documents)
        call.step("check", 0)
        size = writer.finish(export.make_meta(ref))
    finally:
        writer.close()
    made = PortableState(target or project.store.portable.path, size, export.make_meta(ref))
    return make_portable_report(project, made, view, built=True)


@dataclass
class _Export:
    """Export of the blobs of a view."""

    project: Project
    view: PinnedView
    modes: tuple[str, ...]
    contents: ViewContents
    call: Call
    files: int = 0
    chunks: int = 0
    symbols: int = 0
    without_text: int = 0
    left_out: bool = False
    vectors: int = 0
    _tokenizer: Tokenizer = field(init=False)

    def __post_init__(self) -> None:
        # Use the view's dictionary: queries to the file are tokenized with it too.
        self._tokenizer = Tokenizer(self.view.dictionary.split if self.view.dictionary else None)

    @cached_property
    def view_vectors(self) -> VectorIndex | None:
        """Vectors of the view; None without any."""
        return self.project.embedder.vector_index(self.view)

    def iter_blobs(self) -> Iterator[tuple[PortableBlob, tuple[Document, ...]]]:
        view, total = self.view, len(self.contents.identities)
        with open_blob_reader(self.project) as text_reader:
            for done, (number, (digest, language)) in enumerate(sorted(self.contents.identities.items())):
                self.call.step("export", done, total)
                facts = view.snapshot.facts(number)
                paths = tuple(
                    (path, mode)
                    for path in view.paths[number]
                    if (mode := detect_mode(path, facts.language, looks_like_records=RECORDS_NOTE in facts.notes))
                    in self.modes
                )
                self.left_out |= len(paths) < len(view.paths[number])
                if paths:
                    documents = self._read_documents(text_reader, number, digest, language, facts)
                    yield self._make_blob(number, digest, language, facts, paths, documents)

    def _make_blob(
        self, number: int, digest: bytes, language: str, facts: Facts, paths: tuple[tuple[str, str], ...],
        documents: tuple[Document, ...] | None,
    ) -> tuple[PortableBlob, tuple[Document, ...]]:  # fmt: skip
        insight = self.view.snapshot.analysis(number)
        traits = {item.at: item for item in insight.traits}
        self.files += len(paths)
        self.chunks += len(facts.chunks)
        self.symbols += len(facts.definitions)
        self.without_text += documents is None
        made = PortableBlob(
            id=number,
            hash=digest,
            language=language,
            shown_language=facts.language or "text",
            size=self.view.entries[paths[0][0]].size,
            lines=facts.line_count,
            notes=facts.notes,
            has_text=documents is not None,
            paths=tuple((display_path(path), mode) for path, mode in paths),
            symbols=tuple(
                PortableSymbol(
                    item.kind, item.name, item.scope, item.line_start, item.line_end, item.signature, item.visibility,
                    item.doc, _describe_symbol(traits.get(at, Traits(at)), item.decorators, insight.risks),
                )
                for at, item in enumerate(facts.definitions)
            ),
            passages=tuple((item.line_start, item.line_end, item.owner) for item in facts.chunks),
            vectors=self._read_vectors(number, [path for path, _ in paths]),
        )  # fmt: skip
        return made, documents or ()

    def _read_vectors(self, number: int, paths: list[str]) -> PortableVectors | None:
        """Return the vectors of a content; None while it has none."""
        if self.view_vectors is None:
            return None
        found, sides = self.view_vectors.chunk_vectors([number]).get(number), self.view_vectors.file_vectors(paths)
        if found is None or not sides:
            return None
        from codecompass.embed.quantised_vectors import quantise_to_bytes  # noqa: PLC0415 - loads numpy

        self.vectors += len(found)
        return PortableVectors(
            *quantise_to_bytes(found), tuple((path, *quantise_to_bytes(rows)) for path, rows in sides.items())
        )

    def _read_documents(
        self, text_reader: BlobTextReader, number: int, digest: bytes, language: str, facts: Facts
    ) -> tuple[Document, ...] | None:
        """Return the indexed text of each chunk, or None when its bytes no longer exist."""
        source = text_reader.read(self.view, number, digest, language, facts)
        if source is None:
            return None
        if is_document(language):
            lines = source.indexable.decode("utf-8", "replace").split("\n")
            cuts = [slice(chunk.line_start - 1, chunk.line_end) for chunk in facts.chunks]
            prose = {at: "\n".join(lines[cut]) for at, cut in enumerate(cuts)}
        else:
            whole = facts._replace(comments=self.view.snapshot.references(number).comments)
            prose = group_comments(whole, source.full)
        return build_documents(self._tokenizer, facts, source.indexable, prose)

    def make_meta(self, ref: str) -> dict[str, object]:
        row = self.view.row
        return {
            "format": FORMAT, "tool_version": __version__, "built_at": utc_timestamp(zone="+00:00"),
            "ref": ref, "view": row.name, "commit": row.commit, "generation": row.generation,
            "indexed_at": row.indexed_at, "checksum": self.contents.checksum,
            "modes": " ".join(self.modes), "partial": int(self.left_out), "files": self.files, "chunks": self.chunks,
            "symbols": self.symbols, "without_text": self.without_text, "vectors": self.vectors,
            **_describe_vectors(self.view_vectors),
        }  # fmt: skip


def _describe_vectors(field: VectorIndex | None) -> dict[str, object]:
    """Describe the vectors for the file's metadata."""
    if field is None:
        return {}
    return {"model": field.model, "dimensions": field.dimensions, "vectors_complete": int(field.is_complete)}


def _has_current_vectors(project: Project, view: PinnedView, found: PortableState) -> bool:
    """Whether a file has the current vectors of the view."""
    return _describe_vectors(project.embedder.vector_index(view)).items() <= found.meta.items()


def _describe_symbol(traits: Traits, decorators: tuple[str, ...], risks: Risks) -> dict[str, object]:
    """Return the traits of a definition under the names of the filters, without empty ones."""
    flow = {name: count for name, count in traits.flow._asdict().items() if count}
    uses = [item for item in risks.uses if item.owner == traits.at]
    flows = [f"{item.origin.name}->{item.reach.name}" for item in risks.flows if item.owner == traits.at]
    risk = {
        "tags": sorted({tag for item in uses for tag in item.tags}),
        "categories": sorted({item.category for item in uses if item.kind == "sink"}),
        "sources": sorted({item.name for item in uses if item.kind == "source"}),
        "sinks": sorted({item.name for item in uses if item.kind == "sink"}),
        "flows": sorted(set(flows)),
    }
    found: dict[str, object] = {
        "params": [{key: value for key, value in item._asdict().items() if value} for item in traits.parameters],
        "returnType": traits.returns, "marks": traits.marks, "decorators": decorators, "extends": traits.bases,
        "throws": traits.throws, "awaits": traits.awaits, "calls": traits.calls, "imports": traits.imports,
        "uses": traits.uses, "reads": traits.reads, "writes": traits.writes, "mutates": traits.mutations,
        "aliases": traits.aliases, "types": [item._asdict() for item in traits.types], "controlFlow": flow,
        "risk": {key: value for key, value in risk.items() if value},
    }  # fmt: skip
    return {key: value for key, value in found.items() if value}


def _read_usable_state(project: Project) -> PortableState | None:
    try:
        return project.store.portable.state()
    except Failure:
        return None


def make_portable_report(
    project: Project,
    state: PortableState | None,
    view: PinnedView | None = None,
    *,
    built: bool = False,
) -> PortableReport:
    """Report the metadata of a file; with a view also whether it is current."""
    if state is None:
        return PortableReport(str(project.store.portable.path), exists=False)
    meta = state.meta
    fresh = view is not None and is_current(state, view, get_contents(project, view))
    return PortableReport(
        path=str(state.path),
        exists=True,
        usable=True,
        fresh=fresh,
        bytes=state.size,
        ref=str(meta["ref"]),
        commit=str(meta["commit"]),
        generation=_get_int(meta, "generation"),
        built_at=str(meta["built_at"]),
        modes=tuple(str(meta["modes"]).split()),
        files=_get_int(meta, "files"),
        chunks=_get_int(meta, "chunks"),
        symbols=_get_int(meta, "symbols"),
        without_text=_get_int(meta, "without_text"),
        vectors=_get_int(meta, "vectors"),
        built=built,
    )


def _get_int(meta: Mapping[str, object], key: str) -> int:
    value = meta[key]
    return value if isinstance(value, int) else 0


def read_portable_report(project: Project, view: PinnedView | None) -> PortableReport:
    """Report the project's own file; never raises for an unreadable one."""
    path = project.store.portable.path
    try:
        return make_portable_report(project, project.store.portable.state(), view)
    except Failure as failure:
        size = path.stat().st_size if path.exists() else 0
        return PortableReport(str(path), exists=path.exists(), bytes=size, message=failure.message)
