"""PinnedView: one view of one generation, and the symbols its paths and blobs make together.

What depends on the path (module, qualified name, handles) is computed here, from the view's row and the blob's facts.
"""

from dataclasses import dataclass, field
from functools import cached_property

from codecompass.languages.names import module_name, qualified_name
from codecompass.languages.registry import Registry
from codecompass.languages.spec import LanguageSpec
from codecompass.model.code import Definition, Facts
from codecompass.model.ids import symbol_id, symbol_stable_id
from codecompass.store.ports import Entry, Snapshot, ViewRow


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition at a place: a blob's fact seen through a view's path."""

    path: str
    blob: int
    position: int
    language: str
    definition: Definition
    qualified_name: str
    symbol_id: str
    stable_id: str


@dataclass
class PinnedView:
    """Reads of one view; lives as long as the call that pinned the snapshot."""

    snapshot: Snapshot
    row: ViewRow
    registry: Registry
    _symbols: dict[tuple[str, int], Symbol] = field(default_factory=dict)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        return self.snapshot.entries(self.row)

    @cached_property
    def paths(self) -> dict[int, list[str]]:
        """Blob → the paths that hold it in this view."""
        found: dict[int, list[str]] = {}
        for path, entry in self.entries.items():
            found.setdefault(entry.blob, []).append(path)
        return found

    def spec(self, language: str) -> LanguageSpec | None:
        found = self.registry.get(language)
        return found.spec if found else None

    def facts(self, path: str) -> Facts:
        return self.snapshot.facts(self.entries[path].blob)

    def language_of(self, path: str) -> str:
        return self.facts(path).language

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """All definitions of a file, in source order."""
        return tuple(self.symbol(path, position) for position in range(len(self.facts(path).definitions)))

    def symbol(self, path: str, position: int) -> Symbol:
        """One definition of a file by its position in the facts."""
        key = (path, position)
        known = self._symbols.get(key)
        if known is None:
            known = self._symbols[key] = self._make_symbol(path, position)
        return known

    def _make_symbol(self, path: str, position: int) -> Symbol:
        blob = self.entries[path].blob
        facts = self.snapshot.facts(blob)
        spec = self.spec(facts.language)
        module = module_name(spec, path, facts.package)
        # A language without modules has only the path to tell two equal names apart.
        home = module if spec and spec.module != "none" else path
        item = facts.definitions[position]
        full = qualified_name(spec, module, item)
        same = (item.kind, item.scope, item.name)
        twin = sum(1 for other in facts.definitions[:position] if (other.kind, other.scope, other.name) == same)
        return Symbol(
            path,
            blob,
            position,
            facts.language,
            item,
            full,
            symbol_id(path, item.kind, full, twin),
            symbol_stable_id(facts.language, item.kind, f"{home}|{full}", item.signature, twin),
        )
