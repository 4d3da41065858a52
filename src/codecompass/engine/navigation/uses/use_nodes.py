"""Use nodes: convert uses to the form shown in answers, with their line and enclosing definition."""

from codecompass.engine.navigation.symbols.symbol_nodes import build_symbol_node
from codecompass.engine.navigation.uses.references import Exclusion, UseSite
from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.path_text import display_path
from codecompass.model.queries.navigation_queries import ExcludedMention, SymbolNode, SymbolUse

TEXT_CHARS = 160


class UseNodeBuilder:
    """Builds use nodes, reading each file once."""

    def __init__(self, view: PinnedView, reader: ContentReader) -> None:
        self._view = view
        self._reader = reader
        self._lines: dict[str, list[str]] = {}
        self._nodes: dict[tuple[str, int], SymbolNode] = {}

    def build_use(self, site: UseSite) -> SymbolUse:
        return SymbolUse(
            path=display_path(site.path),
            line=site.line,
            column=site.column,
            kind=site.kind,
            resolution=site.resolution,
            text=self.get_line(site.path, site.line),
            inside=self.get_node(site.path, site.owner) if site.owner >= 0 else None,
            candidates=site.candidates,
            in_document=site.in_document,
        )

    def build_exclusion(self, item: Exclusion) -> ExcludedMention:
        return ExcludedMention(
            path=display_path(item.path),
            line=item.line,
            column=item.column,
            kind=item.kind,
            reason=item.reason,
            text=self.get_line(item.path, item.line),
            means=tuple(self.get_node(*place) for place in item.places),
            receiver=item.receiver.removeprefix(LOCAL),
        )

    def get_node(self, path: str, position: int) -> SymbolNode:
        known = self._nodes.get((path, position))
        if known is None:
            known = self._nodes[path, position] = build_symbol_node(self._view, self._view.symbol(path, position))
        return known

    def get_line(self, path: str, line: int) -> str:
        """Return one line of the indexed source; empty if its bytes are gone."""
        if path not in self._lines:
            self._lines[path] = self._reader.read_lines(self._view, path) or []
        lines = self._lines[path]
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1] + "…"
