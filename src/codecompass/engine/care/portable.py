"""The portable index: a pinned view written out as one file that any SQLite can read."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from blake3 import blake3

from codecompass import __version__
from codecompass.engine.index.parse import comments_of, documents_of
from codecompass.engine.index.source import indexed_bytes
from codecompass.engine.project import Project
from codecompass.engine.query.channels import Contents, holds
from codecompass.engine.query.modes import NOTE, mode_of
from codecompass.engine.view import PinnedView, shown
from codecompass.errors import Failure
from codecompass.languages.embedded import spoken_text
from codecompass.model.call import Call
from codecompass.model.code import Facts
from codecompass.model.portable import PortableOrder, PortableReport
from codecompass.model.risk import Risks
from codecompass.model.traits import Traits
from codecompass.repo.guard import TreeReader
from codecompass.repo.process import process_start_time
from codecompass.store.exchange import PortableBlob, PortableState, PortableSymbol
from codecompass.store.ports import Document, Owner
from codecompass.text.documents import is_document
from codecompass.text.sniff import decode
from codecompass.text.tokens import Tokenizer

FORMAT = "codecompass portable index"


def build(
    project: Project, view: PinnedView, ref: str, order: PortableOrder, target: Path | None, call: Call
) -> PortableReport:
    """Write a view out, to the project's own place unless there is a target; the old file answers until then."""
    contents = project.contents(view)
    if order.keep_current and target is None:
        found = _usable(project)
        if found is not None and holds(found, view, contents) and found.meta.get("modes") == " ".join(order.modes):
            return report(project, found, view)
    owner = Owner(os.getpid(), process_start_time(os.getpid()), "build_sqlite_index")
    writer = project.store.portable.writer(owner, target)
    try:
        export = _Export(project, view, order.modes, contents, call)
        for blob, documents in export.blobs():
            writer.add(blob, documents)
        call.step("check", 0)
        size = writer.finish(export.meta(ref))
    finally:
        writer.close()
    made = PortableState(target or project.store.portable.path, size, export.meta(ref))
    return report(project, made, view, built=True)


@dataclass
class _Export:
    """One pass over the blobs of a view."""

    project: Project
    view: PinnedView
    modes: tuple[str, ...]
    contents: Contents
    call: Call
    files: int = 0
    chunks: int = 0
    symbols: int = 0
    without_text: int = 0
    left_out: bool = False
    _tokenizer: Tokenizer = field(default_factory=Tokenizer)

    def blobs(self) -> Iterator[tuple[PortableBlob, tuple[Document, ...]]]:
        view, total = self.view, len(self.contents.identities)
        reader = TreeReader(self.project.workspace.root)
        try:
            for done, (number, (digest, language)) in enumerate(sorted(self.contents.identities.items())):
                self.call.step("export", done, total)
                facts = view.snapshot.facts(number)
                paths = tuple(
                    (path, mode)
                    for path in view.paths[number]
                    if (mode := mode_of(path, facts.language, looks_like_records=NOTE in facts.notes)) in self.modes
                )
                self.left_out |= len(paths) < len(view.paths[number])
                if paths:
                    documents = self._documents(reader, number, digest, language, facts)
                    yield self._blob(number, digest, language, facts, paths, documents)
        finally:
            reader.close()

    def _blob(
        self, number: int, digest: bytes, language: str, facts: Facts, paths: tuple[tuple[str, str], ...],
        documents: tuple[Document, ...] | None,
    ) -> tuple[PortableBlob, tuple[Document, ...]]:  # fmt: skip
        insight = self.view.snapshot.insight(number)
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
            paths=tuple((shown(path), mode) for path, mode in paths),
            symbols=tuple(
                PortableSymbol(
                    item.kind, item.name, item.scope, item.line_start, item.line_end, item.signature, item.visibility,
                    item.doc, _facts(traits.get(at, Traits(at)), item.decorators, insight.risks),
                )
                for at, item in enumerate(facts.definitions)
            ),
            passages=tuple((item.line_start, item.line_end, item.owner) for item in facts.chunks),
        )  # fmt: skip
        return made, documents or ()

    def _documents(
        self, reader: TreeReader, number: int, digest: bytes, language: str, facts: Facts
    ) -> tuple[Document, ...] | None:
        """The text that was indexed, chunk by chunk, or None when those bytes are no longer to be had."""
        if is_document(language):
            rendered = self.view.snapshot.rendition(number)
            lines = rendered.split("\n")
            cuts = [slice(chunk.line_start - 1, chunk.line_end) for chunk in facts.chunks]
            prose = {at: "\n".join(lines[cut]) for at, cut in enumerate(cuts)}
            return documents_of(self._tokenizer, facts, rendered.encode("utf-8", "replace"), prose)
        data = self._bytes(reader, number, digest)
        if data is None:
            return None
        text, notes = decode(data)
        # As parsing does: bytes that are clean UTF-8 stay what they are, so that offsets of comments fit.
        source = text.encode("utf-8", "replace") if notes else data
        whole = facts._replace(comments=self.view.snapshot.uses(number).comments)
        spec = self.view.spec(language)
        spoken = spoken_text(source, facts.segments) if spec is not None and spec.cells else source
        return documents_of(self._tokenizer, facts, spoken, comments_of(whole, source))

    def _bytes(self, reader: TreeReader, number: int, digest: bytes) -> bytes | None:
        """From the working tree where it still has them, else from git."""
        limit = self.project.options.max_file_bytes
        if self.view.row.name.startswith("live:"):
            for path in self.view.paths[number]:
                found = reader.read(path, limit)
                if found.data is not None:
                    data = indexed_bytes(found.data, truncated=found.reason == "truncated")
                    if blake3(data).digest() == digest:
                        return data
        oid = self.view.snapshot.identity(number)[1]
        if not oid or self.project.workspace.git is None:
            return None
        return self.project.git().read_blob(oid.hex(), limit)

    def meta(self, ref: str) -> dict[str, object]:
        row = self.view.row
        return {
            "format": FORMAT, "tool_version": __version__, "built_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "ref": ref, "view": row.name, "commit": row.commit, "generation": row.generation,
            "indexed_at": row.indexed_at, "checksum": self.contents.checksum,
            "modes": " ".join(self.modes), "partial": int(self.left_out), "files": self.files, "chunks": self.chunks,
            "symbols": self.symbols, "without_text": self.without_text, "vectors": 0,
        }  # fmt: skip


def _facts(traits: Traits, decorators: tuple[str, ...], risks: Risks) -> dict[str, object]:
    """The traits of a definition that it has, under the names of the filters."""
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


def _usable(project: Project) -> PortableState | None:
    try:
        return project.store.portable.state()
    except Failure:
        return None


def report(
    project: Project,
    state: PortableState | None,
    view: PinnedView | None = None,
    *,
    built: bool = False,
) -> PortableReport:
    """What a file says of itself; with a view also whether it is current."""
    if state is None:
        return PortableReport(str(project.store.portable.path), exists=False)
    meta = state.meta
    fresh = view is not None and holds(state, view, project.contents(view))
    return PortableReport(
        path=str(state.path), exists=True, usable=True, fresh=fresh, bytes=state.size, ref=str(meta["ref"]),
        commit=str(meta["commit"]), generation=_number(meta, "generation"), built_at=str(meta["built_at"]),
        modes=tuple(str(meta["modes"]).split()), files=_number(meta, "files"), chunks=_number(meta, "chunks"),
        symbols=_number(meta, "symbols"), without_text=_number(meta, "without_text"), vectors=_number(meta, "vectors"),
        built=built,
    )  # fmt: skip


def _number(meta: Mapping[str, object], key: str) -> int:
    value = meta[key]
    return value if isinstance(value, int) else 0


def portable_report(project: Project, view: PinnedView | None) -> PortableReport:
    """The project's own file, as far as it can be read; never raises for a file that cannot."""
    path = project.store.portable.path
    try:
        return report(project, project.store.portable.state(), view)
    except Failure as failure:
        size = path.stat().st_size if path.exists() else 0
        return PortableReport(str(path), exists=path.exists(), bytes=size, message=failure.message)
