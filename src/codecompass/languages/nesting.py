"""Nesting: which definition an offset lies in, and which functions are around it."""

from bisect import bisect_right

from codecompass.model.code import Definition

FUNCTIONS = frozenset({"fn", "method", "property", "macro"})
TYPES = frozenset({"class", "struct", "enum", "trait", "interface", "impl", "type"})


class Nesting:
    """Look-ups over the definitions of one file, which are in source order."""

    def __init__(self, definitions: tuple[Definition, ...]) -> None:
        self.definitions = definitions
        self._starts = [item.byte_start for item in definitions]
        self._functions: dict[int, tuple[int, ...]] = {-1: (-1,)}

    def owner(self, offset: int) -> int:
        """The innermost definition around an offset, or -1."""
        definitions = self.definitions
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and definitions[at].byte_end <= offset:
            at = definitions[at].parent
        return at

    def functions(self, owner: int) -> tuple[int, ...]:
        """The functions around a definition, innermost first, the definition itself included; -1 is the file."""
        known = self._functions.get(owner)
        if known is None:
            item = self.definitions[owner]
            above = self.functions(item.parent)
            known = self._functions[owner] = (owner, *above) if item.kind in FUNCTIONS else above
        return known

    def type_around(self, owner: int) -> int:
        """The innermost type around a definition, itself included, or -1."""
        while owner >= 0 and self.definitions[owner].kind not in TYPES:
            owner = self.definitions[owner].parent
        return owner
