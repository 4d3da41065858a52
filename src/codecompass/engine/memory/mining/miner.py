"""View miner: mine the files of a view. Each content is read once, regardless of path and branch."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

import msgspec
from blake3 import blake3

from codecompass.engine.memory.manifests.ci_pipelines import is_ci_file, mine_ci
from codecompass.engine.memory.manifests.manifest_reader import is_manifest, mine_manifest
from codecompass.engine.memory.markdown_export import HEAD, mine_export
from codecompass.engine.memory.mining.comment_miner import CommentBlock, mine_comments
from codecompass.engine.memory.mining.mined_item import MinedItem
from codecompass.engine.memory.mining.prose_miner import classify_prose, mine_prose
from codecompass.engine.search.paths.path_roles import find_roles
from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.model.code.facts import Comment
from codecompass.model.states import CommentedKind, FileTreatment
from codecompass.model.time_budget import TimeBudget
from codecompass.store.memory_port import MemoryCache

RULES_VERSION = 6
"""Raise when the mining rules change, so that cached results of older rules are not used."""
CACHE_KIND = "blob"
_BATCH_SIZE = 200
DOCUMENT_TREATMENTS = ("agent_file", "adr", "manifest", "ci", "document")
"""Kinds of files written for readers. They answer most queries and are mined before code comments."""
CODE_TREATMENTS = ("code",)
_TREATMENTS_WITH_COMMENTS: tuple[FileTreatment, ...] = get_args(CommentedKind)
"""Kinds of files whose comments are mined."""
_SKIPPED_NOTES = frozenset({"minified", "generated", "poison", "truncated", "unreadable"})
_ENCODER = msgspec.msgpack.Encoder()
_ITEMS_DECODER = msgspec.msgpack.Decoder(tuple[MinedItem, ...])


@dataclass
class ViewMiner:
    """Mines the files of one view, kind by kind; files that the time does not suffice for are left to a later query."""

    view: PinnedView
    reader: ContentReader
    cache: MemoryCache
    unreadable: int = 0
    _packs: dict[bytes, bytes] = field(default_factory=dict)
    _new: list[tuple[bytes, bytes]] = field(default_factory=list)

    @cached_property
    def _files(self) -> dict[str, tuple[FileTreatment, bytes]]:
        """Path → (treatment, cache key)."""
        known_as = self.view.snapshot.identities(self.view.row)
        found = {}
        for path in sorted(self.view.entries):
            treatment = self._classify_file(path)
            if treatment:
                found[path] = treatment, self._make_key(path, treatment, *known_as[self.view.entries[path].blob])
        self._packs = self.cache.get_many(CACHE_KIND, {key for _, key in found.values()})
        return found

    @property
    def remaining_files(self) -> int:
        """Number of files that are not mined yet, without unreadable ones."""
        return sum(key not in self._packs for _, key in self._files.values()) - self.unreadable

    def mine(self, treatments: Container[str], budget: TimeBudget, phase: str) -> None:
        """Mine files of some kinds as far as the time allows; `phase` is the name for progress reports."""
        files = [(path, *how) for path, how in self._files.items() if how[0] in treatments]
        for number, (path, treatment, key) in enumerate(files):
            if key in self._packs:
                continue
            budget.report_progress(phase, number, len(files))
            if budget.is_over():
                break
            made = self._mine_file(path, treatment)
            if made is None:
                self.unreadable += 1
                continue
            self._packs[key] = _ENCODER.encode(made)
            self._store_pack(key, self._packs[key])
        self._flush()

    def iter_items(self) -> Iterator[tuple[str, MinedItem]]:
        """Yield (path, item) for each mined file, sorted by path."""
        for path, (_, key) in self._files.items():
            for item in _ITEMS_DECODER.decode(self._packs.get(key, b"\x90")):
                yield path, item

    def _classify_file(self, path: str) -> FileTreatment | None:
        """Return how a file is mined; None if it is not."""
        if not self.view.entries[path].blob:
            return None
        if is_ci_file(path):
            return "ci"
        if is_manifest(path):
            return "manifest"
        prose = classify_prose(path)
        if prose:
            return prose
        return None if any(role.name == "aside" for role in find_roles(path)) else "code"

    def _make_key(self, path: str, treatment: FileTreatment, digest: bytes, language: str) -> bytes:
        # Items of manifests contain the path; all others depend on the content only.
        place = path if treatment in ("ci", "manifest") else ""
        head = f"{RULES_VERSION} {treatment} {language} {place}\0".encode("utf-8", "surrogateescape")
        return blake3(head + digest).digest(length=16)

    def _mine_file(self, path: str, treatment: FileTreatment) -> tuple[MinedItem, ...] | None:
        """Mine one file; None if it cannot be read now."""
        facts = self.view.facts(path)
        if not _SKIPPED_NOTES.isdisjoint(facts.notes):
            return ()
        comments = (
            self.view.snapshot.references(self.view.entries[path].blob).comments
            if treatment in _TREATMENTS_WITH_COMMENTS
            else ()
        )
        if treatment == "code" and not comments:
            return ()
        lines = self.reader.read_lines(self.view, path)
        if lines is None:
            return None
        if treatment == "code":
            return tuple(mine_comments(_to_comment_blocks(lines, comments)))
        if treatment == "ci" or treatment == "manifest":
            mine = mine_ci if treatment == "ci" else mine_manifest
            return *mine(path, "\n".join(lines)), *mine_comments(_to_comment_blocks(lines, comments))
        if "\n".join(lines[:4]) == HEAD:
            return tuple(mine_export("\n".join(lines)))
        return tuple(mine_prose(treatment, lines, facts.definitions))

    def _store_pack(self, key: bytes, pack: bytes) -> None:
        self._new.append((key, pack))
        if len(self._new) >= _BATCH_SIZE:
            self._flush()

    def _flush(self) -> None:
        self.cache.put_many(CACHE_KIND, self._new)
        self._new = []


def _to_comment_blocks(lines: list[str], comments: tuple[Comment, ...]) -> Iterator[CommentBlock]:
    for item in sorted(comments, key=lambda one: one.line_start):
        held = lines[item.line_start - 1 : item.line_end]
        if not held:
            continue
        if item.line_start == item.line_end:
            # A comment behind code begins at its mark.
            raw, size = held[0].encode("utf-8", "surrogatepass").rstrip(), item.byte_end - item.byte_start
            if len(raw.lstrip()) > size + 1:
                held = [raw[-size:].decode("utf-8", "replace")]
        yield CommentBlock(item.line_start, tuple(held), item.is_doc)
