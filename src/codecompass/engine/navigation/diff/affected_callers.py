"""Affected callers: find the uses of a changed symbol and the remaining uses of a removed one."""

import re
from dataclasses import dataclass, field
from typing import Literal

from codecompass.engine.navigation.diff.fingerprint import GROUPS
from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.certain_resolver import CertainResolver
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.references import find_uses
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.engine.workspace.project import Project
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.call import Call
from codecompass.model.path_text import display_path
from codecompass.model.queries.symbol_difference import AffectedCaller
from codecompass.model.states import Resolution

_MAX_FILES = 2_000
"""Maximum files searched for a removed name; a name in more files is too common to indicate this symbol."""
_SEPARATORS = re.compile(r"::|->|[./\\]")
_RANK = {"resolved": 0, "ambiguous": 1, "unresolved": 2}


@dataclass
class CallerFinder:
    """Finds callers in the index of the head."""

    project: Project
    view: PinnedView
    call: Call
    resolver: Resolver = field(init=False)

    def __post_init__(self) -> None:
        self.resolver = CertainResolver(self.view, get_module_index(self.project, self.view))

    def find(self, symbol: Symbol) -> list[AffectedCaller]:
        """Return the uses of a symbol of the head, except imports of it and uses inside itself."""
        known = self._find_indexed(symbol)
        if known is None:
            return []
        return [
            self._build_caller(site.path, site.line, site.owner, site.role, site.resolution)
            for site in find_uses(self.resolver, known, self.call)
            if site.role != "import" and (site.path, site.owner) != (known.path, known.position)
        ]

    def _find_indexed(self, symbol: Symbol) -> Symbol | None:
        """Return the indexed version of the symbol, because positions differ in files edited since."""
        entry = self.view.entries.get(symbol.path)
        if entry is None or not entry.blob:
            return None
        wanted = _get_identity(symbol)
        found = [other for other in self.view.symbols(symbol.path) if _get_identity(other) == wanted]
        near = [other for other in found if other.position == symbol.position]
        return next(iter(near or found), None)

    def find_broken(self, symbol: Symbol) -> list[AffectedCaller]:
        """Return mentions in the head of a symbol that only the base has; they are broken unless they mean another."""
        found: list[AffectedCaller] = []
        name = symbol.definition.name
        looked_at = 0
        for blob, mentions in self.view.snapshot.mentions(name):
            for path in self.view.paths.get(blob, ()):
                looked_at += 1
                if looked_at > _MAX_FILES:
                    break
                self.call.check()
                imported = self._imports_symbol(path, symbol)
                for role, line, _, owner, receiver in mentions:
                    resolution = self._resolve_broken(symbol, path, (role, line, owner, receiver), imported=imported)
                    if resolution:
                        found.append(self._build_caller(path, line, owner, role, resolution))
        return sorted(set(found), key=lambda use: (_RANK[use.resolution], use.path, use.line))

    def _imports_symbol(self, path: str, symbol: Symbol) -> bool:
        """Return whether a file imports the symbol by name from a module named like its former module."""
        name = symbol.definition.name
        home = _split_name(symbol.qualified_name)[:-1]
        return any(
            item.name == name and bool(home) and _split_name(item.module)[-1:] == home[-1:]
            for item in self.view.facts(path).imports
        )

    def _is_bound_by_import(self, path: str, name: str) -> bool:
        return any(name in (item.alias or item.name, item.module) for item in self.view.facts(path).imports)

    def _resolve_broken(
        self, symbol: Symbol, path: str, mention: tuple[str, int, int, str], *, imported: bool
    ) -> Resolution | Literal[""]:
        """Return how certainly a mention means the removed symbol; empty if it means something else."""
        role, line, owner, receiver = mention
        if receiver == LOCAL or self._is_other_language(symbol, path):
            return ""
        outcome = self.resolver.resolve(path, role, symbol.definition.name, owner, receiver, line)
        if outcome.places:
            return ""
        if symbol.definition.scope:
            return "unresolved" if receiver and outcome.status == "unresolved" else ""
        if receiver:
            entities = self.resolver.evaluate(path, owner, receiver)
            return "resolved" if any(item.kind == "module" and item.path == symbol.path for item in entities) else ""
        if imported or (path == symbol.path and not self._is_bound_by_import(path, symbol.definition.name)):
            return "resolved"
        return "unresolved" if outcome.status == "unresolved" and role != "import" else ""

    def _is_other_language(self, symbol: Symbol, path: str) -> bool:
        """Return whether the language of a file cannot refer to the symbol."""
        mine, theirs = self.view.spec(symbol.language), self.view.spec(self.view.language_of(path))
        return mine is None or theirs is None or mine.resolve.imports != theirs.resolve.imports

    def _build_caller(self, path: str, line: int, owner: int, role: str, resolution: Resolution) -> AffectedCaller:
        name = self.view.symbol(path, owner).qualified_name if owner >= 0 else ""
        return AffectedCaller(display_path(path), line, name, role, resolution)


def _get_identity(symbol: Symbol) -> tuple[str, str, str]:
    item = symbol.definition
    return GROUPS.get(item.kind, item.kind), item.scope, item.name


def _split_name(name: str) -> list[str]:
    return [part for part in _SEPARATORS.split(name) if part]
