"""Parse cache: definitions of file contents that are in no view. Each content is parsed once."""

from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from blake3 import blake3

from codecompass import __version__
from codecompass.engine.index.parse_task import ParseTask
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.navigation.diff.changed_files import FactsSnapshot
from codecompass.engine.navigation.diff.fingerprint import FileDefinitions
from codecompass.engine.navigation.diff.sides import Side
from codecompass.engine.workspace.project import Project
from codecompass.languages.detection import HEAD_BYTES
from codecompass.model.code.facts import Comment
from codecompass.store.fact_codec import unpack_facts, unpack_references
from codecompass.text.sniff import decode, is_binary, sniff

CACHE_KIND = f"parsed masked {__version__}"
"""Includes the program's version, because another version may parse differently."""


class _CachedParse(NamedTuple):
    """The stored parse of one content."""

    facts: bytes
    comments: tuple[Comment, ...]


_ENCODER = msgspec.msgpack.Encoder()
_PARSED_DECODER = msgspec.msgpack.Decoder(_CachedParse)


@dataclass
class ParseCache:
    """Parses contents into `FileDefinitions`. Results are stored by content, so that a query that runs out of time
    is continued by the next one.
    """

    project: Project
    pool: WorkerPool

    def definitions_of(self, path: str, data: bytes) -> FileDefinitions | None:
        """Return the definitions of a content with their tokens; None if it cannot be parsed."""
        return self.find_cached(path, data) or self.parse(path, data)

    def find_cached(self, path: str, data: bytes) -> FileDefinitions | None:
        """Return the cached definitions; None if there are none."""
        key = self._make_key(path, data)
        pack = self.project.store.memory_cache.get_many(CACHE_KIND, [key]).get(key)
        return self._build_definitions(path, data, _PARSED_DECODER.decode(pack)) if pack is not None else None

    def parse(self, path: str, data: bytes) -> FileDefinitions | None:
        """Parse a content and cache the result."""
        if is_binary(data) or len(data) > self.project.options.max_file_bytes:
            return None
        task = ParseTask(self._detect_language(path, data), path.encode("utf-8", "replace").decode(), (), data)
        for _, _, parsed in self.pool.run(iter([(path, task)])):
            if parsed is not None and "poison" not in parsed.notes:
                made = _CachedParse(parsed.packs[0], unpack_references(parsed.packs[1]).comments)
                self.project.store.memory_cache.put_many(
                    CACHE_KIND, [(self._make_key(path, data), _ENCODER.encode(made))]
                )
                return self._build_definitions(path, data, made)
        return None

    def _build_definitions(self, path: str, data: bytes, parsed: _CachedParse) -> FileDefinitions:
        excerpt = FactsSnapshot()
        excerpt.add(path, unpack_facts(parsed.facts))
        return FileDefinitions(excerpt.to_view(Side(self.project)), path, _decode_source(data, path), parsed.comments)

    def _detect_language(self, path: str, data: bytes) -> str:
        return self.project.registry.detect(path, data[:HEAD_BYTES])

    def _make_key(self, path: str, data: bytes) -> bytes:
        return blake3(f"{self._detect_language(path, data)}\0".encode() + data).digest(length=16)


def _decode_source(data: bytes, path: str) -> bytes:
    """Return the bytes that the offsets of facts refer to."""
    text, notes = decode(data)
    return data if sniff(data, path).encoding == "utf-8" and not notes else text.encode("utf-8", "replace")
