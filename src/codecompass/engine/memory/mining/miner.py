"""Mining: the items of every content of a view, each content read once, whatever the path or branch it stands in."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
from blake3 import blake3

from codecompass.engine.memory.manifests.ci_pipelines import is_ci, mine_ci
from codecompass.engine.memory.manifests.manifest_reader import is_manifest, mine_manifest
from codecompass.engine.memory.markdown_export import HEAD, mine_export
from codecompass.engine.memory.mining.comment_miner import Span, mine_comments
from codecompass.engine.memory.mining.mined_item import Item
from codecompass.engine.memory.mining.prose_miner import kind_of, mine_prose
from codecompass.engine.memory.time_budget import Budget
from codecompass.engine.search.paths.path_roles import roles_of
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Comment
from codecompass.store.memory_port import MemoryCache

RULES = 5
"""Raised when the rules of mining change, so that what older ones found is found anew."""
KIND = "blob"
_BATCH = 200
SPOKEN = ("agent_file", "adr", "manifest", "ci", "document")
"""What is written to be read: it answers most questions, and comes before the comments of the code."""
CODE = ("code",)
_COMMENTED = ("code", "manifest", "ci")
"""What may have comments beside what it says."""
_PASSED_OVER = frozenset({"minified", "generated", "poison", "truncated", "unreadable"})
_ENCODER = msgspec.msgpack.Encoder()
_ITEMS = msgspec.msgpack.Decoder(tuple[Item, ...])


@dataclass
class Miner:
    """Mines one view, one kind of files after the other; what there was no time for is found by a later question."""

    view: PinnedView
    reader: ContentReader
    cache: MemoryCache
    unreadable: int = 0
    _packs: dict[bytes, bytes] = field(default_factory=dict)
    _new: list[tuple[bytes, bytes]] = field(default_factory=list)

    @cached_property
    def _files(self) -> dict[str, tuple[str, bytes]]:
        """Path → how it is mined, and under which key that is kept."""
        known_as = self.view.snapshot.identities(self.view.row)
        found = {}
        for path in sorted(self.view.entries):
            treatment = self._treatment(path)
            if treatment:
                found[path] = treatment, self._key(path, treatment, *known_as[self.view.entries[path].blob])
        self._packs = self.cache.find(KIND, {key for _, key in found.values()})
        return found

    @property
    def left(self) -> int:
        """Files that are not mined yet, but for those whose bytes are not to be had."""
        return sum(key not in self._packs for _, key in self._files.values()) - self.unreadable

    def mine(self, treatments: Container[str], budget: Budget, phase: str) -> None:
        """Mine the files of some kinds, as far as the time allows; `phase` is what progress calls it."""
        files = [(path, *how) for path, how in self._files.items() if how[0] in treatments]
        for number, (path, treatment, key) in enumerate(files):
            if key in self._packs:
                continue
            budget.step(phase, number, len(files))
            if budget.over():
                break
            made = self._mined(path, treatment)
            if made is None:
                self.unreadable += 1
                continue
            self._packs[key] = _ENCODER.encode(made)
            self._keep(key, self._packs[key])
        self._flush()

    def items(self) -> Iterator[tuple[str, Item]]:
        """(path, item) of every file that is mined, in the order of paths."""
        for path, (_, key) in self._files.items():
            for item in _ITEMS.decode(self._packs.get(key, b"\x90")):
                yield path, item

    def _treatment(self, path: str) -> str:
        """How a file is mined; empty for not at all."""
        if not self.view.entries[path].blob:
            return ""
        if is_ci(path):
            return "ci"
        if is_manifest(path):
            return "manifest"
        prose = kind_of(path)
        if prose:
            return prose
        return "" if any(role.name == "aside" for role in roles_of(path)) else "code"

    def _key(self, path: str, treatment: str, digest: bytes, language: str) -> bytes:
        # What a manifest says names the manifest; everything else is the same at every path.
        place = path if treatment in ("ci", "manifest") else ""
        head = f"{RULES} {treatment} {language} {place}\0".encode("utf-8", "surrogateescape")
        return blake3(head + digest).digest(length=16)

    def _mined(self, path: str, treatment: str) -> tuple[Item, ...] | None:
        """The items of one file; None when its bytes are not to be had now."""
        facts = self.view.facts(path)
        if not _PASSED_OVER.isdisjoint(facts.notes):
            return ()
        comments = self.view.snapshot.uses(self.view.entries[path].blob).comments if treatment in _COMMENTED else ()
        if treatment == "code" and not comments:
            return ()
        lines = self.reader.lines(self.view, path)
        if lines is None:
            return None
        if treatment == "code":
            return tuple(mine_comments(_spans(lines, comments)))
        if treatment in ("ci", "manifest"):
            mine = mine_ci if treatment == "ci" else mine_manifest
            return *mine(path, "\n".join(lines)), *mine_comments(_spans(lines, comments))
        if "\n".join(lines[:4]) == HEAD:
            return tuple(mine_export("\n".join(lines)))
        return tuple(mine_prose(treatment, lines, facts.definitions))

    def _keep(self, key: bytes, pack: bytes) -> None:
        self._new.append((key, pack))
        if len(self._new) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        self.cache.keep(KIND, self._new)
        self._new = []


def _spans(lines: list[str], comments: tuple[Comment, ...]) -> Iterator[Span]:
    for item in sorted(comments, key=lambda one: one.line_start):
        held = lines[item.line_start - 1 : item.line_end]
        if not held:
            continue
        if item.line_start == item.line_end:
            # A comment behind code begins where its mark stands.
            raw, size = held[0].encode("utf-8", "surrogatepass").rstrip(), item.byte_end - item.byte_start
            if len(raw.lstrip()) > size + 1:
                held = [raw[-size:].decode("utf-8", "replace")]
        yield Span(item.line_start, tuple(held), item.is_doc)
