"""Pinned view: one view of one generation, with its files, facts, symbols and source text.

Everything that depends on the path (module, qualified name, handles) is computed here from the view's row and the
blob's facts. Source text is read only from where the view was indexed.
"""

from dataclasses import dataclass, field
from functools import cached_property

from blake3 import blake3

from codecompass.engine.view.tree_sources import select_indexed_bytes
from codecompass.languages.language_spec import LanguageSpec
from codecompass.languages.qualified_names import build_qualified_name, derive_module_name
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Definition, DefinitionHeaders, Facts, References
from codecompass.model.ids import make_stable_id, make_symbol_id, normalize_signature
from codecompass.model.path_text import display_path
from codecompass.repo.files.path_guard import read_regular
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.workspace import Workspace
from codecompass.store.ports import Snapshot, TextChannel, ViewEntry, ViewRow
from codecompass.store.vector_port import VectorIndex
from codecompass.text.dictionary import Dictionary
from codecompass.text.documents import is_document
from codecompass.text.sniff import decode


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition at a path: a fact of a blob together with the path that the view has for it."""

    path: str
    position: int
    language: str
    definition: Definition
    qualified_name: str


@dataclass(frozen=True, slots=True)
class Handles:
    """The public ids of a symbol; computed only for results, because hashing costs more than ranking."""

    symbol_id: str
    stable_id: str


@dataclass
class PinnedView:
    """Read access to one view; lives as long as the call that pinned the snapshot."""

    snapshot: Snapshot
    row: ViewRow
    registry: Registry
    text_channel: TextChannel | None = None
    """Text index to use instead of the snapshot's own."""
    dictionary: Dictionary | None = None
    """Dictionary with which the view's compound words were split."""
    vector_indexes: dict[tuple[str, bool], VectorIndex | None] = field(default_factory=dict)
    """(Digest of a model, whether the text index is the snapshot's own) → its vectors, looked up once."""
    _symbols: dict[tuple[str, int], Symbol] = field(default_factory=dict)
    _modules: dict[str, str] = field(default_factory=dict)
    _last_facts: tuple[int, Facts] | None = None
    _namesakes: dict[str, dict[tuple[str, str, str], list[int]]] = field(default_factory=dict)
    """Path → (kind, scope, name) → positions of the definitions that share them."""
    _uses: dict[int, References] = field(default_factory=dict)
    _heads: dict[int, DefinitionHeaders] = field(default_factory=dict)

    @cached_property
    def entries(self) -> dict[str, ViewEntry]:
        return self.snapshot.entries(self.row)

    @cached_property
    def paths(self) -> dict[int, list[str]]:
        """Blob → its paths in this view."""
        return self.snapshot.paths(self.row)

    @property
    def text(self) -> TextChannel:
        return self.text_channel or self.snapshot

    def spec(self, language: str) -> LanguageSpec | None:
        found = self.registry.get(language)
        return found.spec if found else None

    def facts(self, path: str) -> Facts:
        """Return the facts of a file. The last are cached here, because the store's cache may be too small for them."""
        blob = self.entries[path].blob
        if self._last_facts is None or self._last_facts[0] != blob:
            self._last_facts = (blob, self.snapshot.facts(blob))
        return self._last_facts[1]

    def heads(self, blob: int) -> DefinitionHeaders:
        """Return the part of a blob's facts that ranking needs; cached, because a search reads it hundreds of times."""
        cached = self._heads.get(blob)
        if cached is None:
            cached = self._heads[blob] = self.snapshot.definition_headers(blob)
        return cached

    def language_of(self, path: str) -> str:
        """Return the language of a file; empty for text and for a file without indexed content, such as a picture."""
        blob = self.entries[path].blob
        return self.heads(blob).language if blob else ""

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """Return all definitions of a file, in source order."""
        return tuple(self.symbol(path, position) for position in range(len(self.facts(path).definitions)))

    def symbol(self, path: str, position: int) -> Symbol:
        """Return one definition of a file by its position in the facts."""
        key = (path, position)
        cached = self._symbols.get(key)
        if cached is None:
            cached = self._symbols[key] = self._make_symbol(path, position)
        return cached

    def _make_symbol(self, path: str, position: int) -> Symbol:
        facts = self.facts(path)
        item = facts.definitions[position]
        spec, module = self.spec(facts.language), self._module_name(path, facts)
        return Symbol(path, position, facts.language, item, build_qualified_name(spec, module, item.scope, item.name))

    def get_qualified_name(self, path: str, position: int) -> str:
        """Return only the qualified name: ranking needs it for many definitions that are never shown."""
        heads = self.heads(self.entries[path].blob)
        spec, module = self.spec(heads.language), self._module_name(path, heads)
        return build_qualified_name(spec, module, heads.scopes[position], heads.names[position])

    def _module_name(self, path: str, facts: Facts | DefinitionHeaders) -> str:
        cached = self._modules.get(path)
        if cached is None:
            cached = self._modules[path] = derive_module_name(
                self.spec(facts.language), display_path(path), facts.package
            )
        return cached

    def uses(self, path: str) -> References:
        """Return the references in a file; read once per view."""
        blob = self.entries[path].blob
        cached = self._uses.get(blob)
        if cached is None:
            cached = self._uses[blob] = self.snapshot.references(blob)
        return cached

    def handles(self, symbol: Symbol) -> Handles:
        """Return the ids of a symbol; equal definitions in one file are distinguished by their order."""
        item = symbol.definition
        identifier = make_symbol_id(
            symbol.path, item.kind, item.name, symbol.qualified_name, len(self._preceding_namesakes(symbol))
        )
        return Handles(identifier, self.stable_id(symbol))

    def stable_id(self, symbol: Symbol) -> str:
        """Return the id of a symbol that does not depend on its position."""
        facts, item = self.facts(symbol.path), symbol.definition
        spec = self.spec(facts.language)
        # In a language without modules, only the path distinguishes two equal names.
        home = self._module_name(symbol.path, facts) if spec and spec.module != "none" else symbol.path
        # Overloads differ in their signatures: their order must not change the stable handle.
        signature = normalize_signature(item.signature)
        copies = sum(
            1 for other in self._preceding_namesakes(symbol) if normalize_signature(other.signature) == signature
        )
        name = f"{home}|{symbol.qualified_name}"
        return make_stable_id(facts.language, item.kind, item.name, name, signature, copies)

    def _preceding_namesakes(self, symbol: Symbol) -> list[Definition]:
        """Return the earlier definitions of the file with the same kind, scope and name."""
        item, definitions = symbol.definition, self.facts(symbol.path).definitions
        grouped = self._namesakes.get(symbol.path)
        if grouped is None:
            # Computed once per file: an outline needs it for every definition, and a long file has tens of thousands.
            grouped = self._namesakes[symbol.path] = {}
            for at, other in enumerate(definitions):
                grouped.setdefault((other.kind, other.scope, other.name), []).append(at)
        same = grouped[(item.kind, item.scope, item.name)]
        return [definitions[at] for at in same if at < symbol.position]


@dataclass
class ContentReader:
    """Reads files of one workspace; only views of commits need `git`."""

    workspace: Workspace
    git: ShadowGit | None
    max_bytes: int
    masked: bool = True
    """Whether credentials are masked."""

    def read_lines(self, view: PinnedView, path: str) -> list[str] | None:
        """Read the lines that were indexed; None if those bytes are no longer available."""
        text = self._read_text(view, path)
        return text.split("\n") if text is not None else None

    def read_span(self, view: PinnedView, path: str, first: int, last: int) -> list[str]:
        """Read a range of indexed lines, counted from 1; empty if they are no longer available."""
        text = self._read_text(view, path)
        # The text after the range is not split.
        return text.split("\n", last)[first - 1 : last] if text is not None else []

    def _read_text(self, view: PinnedView, path: str) -> str | None:
        if not view.entries[path].blob:
            return None
        if is_document(view.language_of(path)):
            return view.snapshot.document_text(view.entries[path].blob)
        data = self._read_bytes(view, path)
        return decode(data, masked=self.masked)[0] if data is not None else None

    def _read_bytes(self, view: PinnedView, path: str) -> bytes | None:
        entry = view.entries[path]
        if not view.row.name.startswith("live:"):
            _, oid = view.snapshot.identity(entry.blob)
            return self.git.read_blob(oid.hex(), self.max_bytes) if self.git and oid else None
        found = read_regular(self.workspace.root, path, self.max_bytes)
        if found.data is None:
            return None
        digest, _ = view.snapshot.identity(entry.blob)
        data = select_indexed_bytes(found.data, truncated=found.reason == "truncated")
        # If the file was edited since it was indexed, its lines are not those that matched.
        return data if blake3(data).digest() == digest else None
