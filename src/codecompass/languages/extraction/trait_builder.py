"""Trait builder: collects the traits of the definitions of one file, and converts nodes to text."""

from collections import defaultdict
from typing import NamedTuple

from tree_sitter import Node

from codecompass.languages.extraction.name_chains import LITERAL, UNKNOWN, chain
from codecompass.languages.extraction.nesting import FUNCTIONS, Blocks, Nesting
from codecompass.languages.language_spec import LanguageSpec
from codecompass.model.code.facts import Import, Reference
from codecompass.model.code.traits import Parameter, TypedName

MAX_TEXT = 120
"""Maximum characters of a type or a default."""
Captures = dict[str, list[Node]]


class Draft:
    """Mutable traits of one definition during collection."""

    __slots__ = ("parameters", "returns", "types", "words")

    def __init__(self) -> None:
        self.parameters: list[Parameter] = []
        self.returns = ""
        self.types: list[TypedName] = []
        self.words: defaultdict[str, set[str]] = defaultdict(set)


class Source(NamedTuple):
    """Input for trait collection: a parsed file with its references and imports."""

    spec: LanguageSpec
    text: bytes
    nesting: Nesting
    captures: Captures
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    claimed: frozenset[int]
    """Offsets of names that are not reads: declarations, calls, types."""


class Sheet:
    """Trait drafts by position of the definition; -1 is the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.spec = source.spec
        self.captures = source.captures
        nesting = source.nesting
        # The code of a member that a function defines (`self.x = …`) belongs to the function.
        around = [nesting.functions(at)[0] for at in range(len(nesting.definitions))]
        self.homes = [at if function < 0 else function for at, function in enumerate(around)]
        self.homes.append(-1)
        self.drafts: defaultdict[int, Draft] = defaultdict(Draft)
        self._lambdas = _Lambdas(source)

    def home(self, at: int) -> int:
        """Return the definition whose draft an offset belongs to."""
        return self.homes[self.source.nesting.owner(at)]

    def draft(self, node: Node) -> Draft:
        return self.drafts[self.home(node.start_byte)]

    def is_hidden(self, offset: int, home: int) -> bool:
        """Whether an anonymous function lies between an offset and its definition."""
        return self._lambdas.hide(offset, home)

    def flat(self, node: Node) -> str:
        """Return the text of a node on one line, truncated."""
        text = self.source.text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if len(text) < MAX_TEXT and text.isidentifier():
            return text
        flat = " ".join(text.split())
        return flat if len(flat) <= MAX_TEXT else flat[: MAX_TEXT - 1] + "…"

    def path(self, node: Node) -> str:
        """Return an expression as a chain of names, or its text if it is not a chain."""
        text = self.source.text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if text.isidentifier():
            return text
        found = chain(text)
        return self.flat(node) if found in (UNKNOWN, LITERAL) else found

    def groups(self, name: str) -> list[tuple[Node, Captures]]:
        """Return each node captured as `name` with its parts, which belong to the innermost such node around them."""
        wholes = sorted(self.captures.get(name, ()), key=lambda node: (node.start_byte, -node.end_byte))
        found: list[tuple[Node, Captures]] = [(node, {}) for node in wholes]
        if not wholes:
            return found
        spans = Blocks(wholes)
        for label in ("name", "tail", "type", "default", "behind", "value"):
            for node in sorted(self.captures.get(f"{name}.{label}", ()), key=start_of):
                if label in ("tail", "behind"):
                    at = spans.before(node.start_byte)
                    found[at][1].setdefault("name" if label == "tail" else "default", []).append(node)
                    continue
                at = spans.innermost(node.start_byte)
                while at >= 0 and spans.span(at)[1] < node.end_byte:
                    at = spans.above(at)
                if at >= 0:
                    found[at][1].setdefault(label, []).append(node)
        return found


def start_of(node: Node) -> int:
    return node.start_byte


class _Lambdas:
    """Anonymous functions, whose code does not count for the enclosing definition."""

    def __init__(self, source: Source) -> None:
        self._definitions = source.nesting.definitions
        nodes = source.captures.get("lambda")
        self._spans = Blocks(nodes) if nodes else None

    def hide(self, offset: int, home: int) -> bool:
        """Whether an anonymous function lies between an offset and its definition."""
        if self._spans is None:
            return False
        item = self._definitions[home] if home >= 0 else None
        at = self._spans.innermost(offset)
        while at >= 0:
            start, end = self._spans.span(at)
            if item is not None and start <= item.byte_start:
                return False
            # A definition may be a variable whose value is the function: both end together.
            if item is None or item.kind not in FUNCTIONS or item.byte_end - end > 2:
                return True
            at = self._spans.above(at)
        return False
