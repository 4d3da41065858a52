"""Nesting: enclosing definitions, functions and blocks of an offset."""

from bisect import bisect_right
from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.code.facts import Definition

FUNCTIONS = frozenset({"fn", "method", "property", "macro"})
TYPES = frozenset({"class", "struct", "enum", "trait", "interface", "impl", "type"})


class NestedSpans:
    """Lookups over nested spans of one file, such as the blocks in which names are bound."""

    def __init__(self, nodes: list[Node]) -> None:
        spans = sorted((node.start_byte, -node.end_byte, number) for number, node in enumerate(nodes))
        self._starts = [start for start, _, _ in spans]
        self._ends = [-end for _, end, _ in spans]
        self._nodes = [nodes[number] for _, _, number in spans]
        self._above: list[int] = []
        opened: list[int] = []
        for at, start in enumerate(self._starts):
            while opened and self._ends[opened[-1]] <= start:
                opened.pop()
            self._above.append(opened[-1] if opened else -1)
            opened.append(at)

    def find_innermost(self, offset: int) -> int:
        """Return the index of the innermost span around an offset, or -1."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self._ends[at] <= offset:
            at = self._above[at]
        return at

    def find_last_before(self, offset: int) -> int:
        """Return the index of the last span that begins at or before an offset, or -1."""
        return bisect_right(self._starts, offset) - 1

    def get_parent(self, at: int) -> int:
        """Return the parent of a span, or -1."""
        return self._above[at]

    def get_span(self, at: int) -> tuple[int, int]:
        return self._starts[at], self._ends[at]

    def find_last_line(self, offset: int) -> int:
        """Return the last line of the innermost span around an offset, or 0."""
        at = self.find_innermost(offset)
        return self._nodes[at].end_point.row + 1 if at >= 0 else 0


class Nesting:
    """Lookups over the definitions of one file, which are in source order."""

    def __init__(self, definitions: tuple[Definition, ...], holders: tuple[str, ...] = ()) -> None:
        self.definitions = definitions
        self._types = TYPES.union(holders)
        """`holders` are further kinds that have methods."""
        self._starts = [item.byte_start for item in definitions]
        self._functions: dict[int, tuple[int, ...]] = {-1: (-1,)}
        self._names: dict[tuple[int, int], int] | None = None

    def find_owner(self, offset: int) -> int:
        """Return the innermost definition around an offset, or -1."""
        definitions = self.definitions
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and definitions[at].byte_end <= offset:
            at = definitions[at].parent
        return at

    def make_owner_lookup(self) -> Callable[[int], int]:
        """Return a faster `find_owner` for ascending offsets, which continues from the last position."""
        starts, ends = self._starts, [item.byte_end for item in self.definitions]
        count = len(starts)
        open_now: list[int] = []
        following = 0

        def owner(offset: int) -> int:
            nonlocal following
            while following < count and starts[following] <= offset:
                open_now.append(following)
                following += 1
            while open_now and ends[open_now[-1]] <= offset:
                open_now.pop()
            return open_now[-1] if open_now else -1

        return owner

    def split_by_owner(self, size: int) -> list[tuple[int, int, int]]:
        """Split the file where the innermost definition changes: (start, end, owner) in order."""
        found: list[tuple[int, int, int]] = []
        open_now: list[int] = []
        at = 0

        def close(until: int) -> None:
            nonlocal at
            while open_now and (end := self.definitions[open_now[-1]].byte_end) <= until:
                if end > at:
                    found.append((at, end, open_now[-1]))
                    at = end
                open_now.pop()

        for position, start in enumerate(self._starts):
            close(start)
            if start > at:
                found.append((at, start, open_now[-1] if open_now else -1))
                at = start
            open_now.append(position)
        close(size)
        found.append((at, size, -1))
        return found

    def find_functions(self, owner: int) -> tuple[int, ...]:
        """Return the functions around a definition, innermost first, including itself; -1 is the file."""
        known = self._functions.get(owner)
        if known is None:
            item = self.definitions[owner]
            above = self.find_functions(item.parent)
            known = self._functions[owner] = (owner, *above) if item.kind in FUNCTIONS else above
        return known

    def find_container(self, line: int, column: int, offset: int) -> int:
        """Return the definition that contains a name; for the name of a definition, its parent."""
        if self._names is None:
            self._names = {(item.name_line, item.name_col): item.parent for item in self.definitions}
        found = self._names.get((line, column))
        return self.find_owner(offset) if found is None else found

    def find_enclosing_type(self, owner: int) -> int:
        """Return the innermost type around a definition, including itself, or -1."""
        while owner >= 0 and self.definitions[owner].kind not in self._types:
            owner = self.definitions[owner].parent
        return owner
