"""Nesting: which definition an offset lies in, and which functions are around it."""

from bisect import bisect_right
from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.code.facts import Definition

FUNCTIONS = frozenset({"fn", "method", "property", "macro"})
TYPES = frozenset({"class", "struct", "enum", "trait", "interface", "impl", "type"})


class Blocks:
    """Look-ups over nested spans of one file, such as the blocks in which names are bound."""

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

    def innermost(self, offset: int) -> int:
        """The number of the innermost block around an offset, or -1."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self._ends[at] <= offset:
            at = self._above[at]
        return at

    def before(self, offset: int) -> int:
        """The number of the last block that begins at or before an offset, or -1."""
        return bisect_right(self._starts, offset) - 1

    def above(self, at: int) -> int:
        """The block around a block, or -1."""
        return self._above[at]

    def span(self, at: int) -> tuple[int, int]:
        return self._starts[at], self._ends[at]

    def last_line(self, offset: int) -> int:
        """The line on which the innermost block around an offset ends, or 0."""
        at = self.innermost(offset)
        return self._nodes[at].end_point.row + 1 if at >= 0 else 0


class Nesting:
    """Look-ups over the definitions of one file, which are in source order."""

    def __init__(self, definitions: tuple[Definition, ...], holders: tuple[str, ...] = ()) -> None:
        self.definitions = definitions
        self._types = TYPES.union(holders)
        """`holders` are further kinds that have methods as a type has."""
        self._starts = [item.byte_start for item in definitions]
        self._functions: dict[int, tuple[int, ...]] = {-1: (-1,)}
        self._names: dict[tuple[int, int], int] | None = None

    def owner(self, offset: int) -> int:
        """The innermost definition around an offset, or -1."""
        definitions = self.definitions
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and definitions[at].byte_end <= offset:
            at = definitions[at].parent
        return at

    def walker(self) -> Callable[[int], int]:
        """`owner` for offsets that only rise: cheaper, because it goes on from where it stood."""
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

    def stretches(self, size: int) -> list[tuple[int, int, int]]:
        """The file cut where the innermost definition changes: (start, end, owner) of each piece, in order."""
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

    def functions(self, owner: int) -> tuple[int, ...]:
        """The functions around a definition, innermost first, the definition itself included; -1 is the file."""
        known = self._functions.get(owner)
        if known is None:
            item = self.definitions[owner]
            above = self.functions(item.parent)
            known = self._functions[owner] = (owner, *above) if item.kind in FUNCTIONS else above
        return known

    def home(self, line: int, column: int, offset: int) -> int:
        """What a name stands in; for the name of a definition that is what is around the definition."""
        if self._names is None:
            self._names = {(item.name_line, item.name_col): item.parent for item in self.definitions}
        found = self._names.get((line, column))
        return self.owner(offset) if found is None else found

    def type_around(self, owner: int) -> int:
        """The innermost type around a definition, itself included, or -1."""
        while owner >= 0 and self.definitions[owner].kind not in self._types:
            owner = self.definitions[owner].parent
        return owner
