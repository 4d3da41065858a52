"""Use nodes: convert uses to the form shown in answers, with their line and enclosing definition."""

from codecompass.engine.navigation.symbols.symbol_nodes import symbol_node
from codecompass.engine.navigation.uses.references import Exclusion, UseSite
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.queries.navigation_queries import ExcludedMention, SymbolNode, Use

TEXT_CHARS = 160


class UseShaper:
    """Builds use nodes, reading each file once."""

    def __init__(self, view: PinnedView, reader: ContentReader) -> None:
        self._view = view
        self._reader = reader
        self._lines: dict[str, list[str]] = {}
        self._nodes: dict[tuple[str, int], SymbolNode] = {}

    def use(self, site: UseSite) -> Use:
        return Use(
            path=shown(site.path),
            line=site.line,
            column=site.column,
            kind=site.kind,
            resolution=site.resolution,
            text=self.text(site.path, site.line),
            inside=self.node(site.path, site.owner) if site.owner >= 0 else None,
            candidates=site.candidates,
            in_document=site.in_document,
        )

    def exclusion(self, item: Exclusion) -> ExcludedMention:
        return ExcludedMention(
            path=shown(item.path),
            line=item.line,
            column=item.column,
            kind=item.kind,
            reason=item.reason,
            text=self.text(item.path, item.line),
            means=tuple(self.node(*place) for place in item.places),
            receiver=item.receiver.removeprefix(LOCAL),
        )

    def node(self, path: str, position: int) -> SymbolNode:
        known = self._nodes.get((path, position))
        if known is None:
            known = self._nodes[path, position] = symbol_node(self._view, self._view.symbol(path, position))
        return known

    def text(self, path: str, line: int) -> str:
        """Return one line of the indexed source; empty if its bytes are gone."""
        if path not in self._lines:
            self._lines[path] = self._reader.lines(self._view, path) or []
        lines = self._lines[path]
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1] + "…"
