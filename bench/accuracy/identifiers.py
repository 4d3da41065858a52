"""Identifiers: where names stand in code, apart from words in comments and strings."""

from dataclasses import dataclass, field

from tree_sitter import Node

from bench.accuracy.sources import Place, Sources
from codecompass.languages.registry import Registry

_SUFFIX = "identifier"
"""How the grammars call every kind of name: `identifier`, `property_identifier`, `type_identifier`, …"""


@dataclass
class Identifiers:
    """The names of each file, found by parsing it when it is first asked about."""

    sources: Sources
    registry: Registry
    _known: dict[str, frozenset[tuple[int, int]]] = field(default_factory=dict)

    def has(self, place: Place) -> bool:
        known = self._known.get(place.path)
        if known is None:
            known = self._known[place.path] = self._parse(place.path)
        return (place.line, place.column) in known

    def _parse(self, path: str) -> frozenset[tuple[int, int]]:
        language = self.registry.get(self.registry.detect(path) or "")
        if language is None:
            return frozenset()
        tree = language.parser.parse(b"\n".join(self.sources.lines(path)))
        found, waiting = set(), [tree.root_node]
        while waiting:
            node: Node = waiting.pop()
            if node.type.endswith(_SUFFIX):
                found.add((node.start_point[0] + 1, node.start_point[1]))
            waiting += node.children
        return frozenset(found)
