"""Trait builder: collects the traits of the definitions of one file, and converts nodes to text."""

from collections import defaultdict
from typing import NamedTuple

from tree_sitter import Node

from codecompass.languages.extraction.name_chains import LITERAL, UNKNOWN, to_chain
from codecompass.languages.extraction.nesting import FUNCTIONS, NestedSpans, Nesting
from codecompass.languages.language_spec import LanguageSpec
from codecompass.model.code.facts import Import, Reference
from codecompass.model.code.traits import Parameter, TypedName

MAX_TEXT = 120
"""Maximum characters of a type or a default."""
Captures = dict[str, list[Node]]


class TraitDraft:
    """Mutable traits of one definition during collection."""

    __slots__ = ("parameters", "returns", "types", "words")

    def __init__(self) -> None:
        self.parameters: list[Parameter] = []
        self.returns = ""
        self.types: list[TypedName] = []
        self.words: defaultdict[str, set[str]] = defaultdict(set)


class TraitSource(NamedTuple):
    """Input for trait collection: a parsed file with its references and imports."""

    spec: LanguageSpec
    text: bytes
    nesting: Nesting
    captures: Captures
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    claimed: frozenset[int]
    """Offsets of names that are not reads: declarations, calls, types."""


class TraitBuilder:
    """Trait drafts by position of the definition; -1 is the file."""

    def __init__(self, source: TraitSource) -> None:
        self.source = source
        self.spec = source.spec
        self.captures = source.captures
        nesting = source.nesting
        # The code of a member that a function defines (`self.x = …`) belongs to the function.
        around = [nesting.find_functions(at)[0] for at in range(len(nesting.definitions))]
        self.owners = [at if function < 0 else function for at, function in enumerate(around)]
        self.owners.append(-1)
        self.drafts: defaultdict[int, TraitDraft] = defaultdict(TraitDraft)
        self._lambdas = _LambdaSpans(source)

    def find_owner(self, at: int) -> int:
        """Return the definition whose draft an offset belongs to."""
        return self.owners[self.source.nesting.find_owner(at)]

    def get_draft(self, node: Node) -> TraitDraft:
        return self.drafts[self.find_owner(node.start_byte)]

    def is_in_lambda(self, offset: int, home: int) -> bool:
        """Whether an anonymous function lies between an offset and its definition."""
        return self._lambdas.separates(offset, home)

    def to_line(self, node: Node) -> str:
        """Return the text of a node on one line, truncated."""
        text = self.source.text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if len(text) < MAX_TEXT and text.isidentifier():
            return text
        flat = " ".join(text.split())
        return flat if len(flat) <= MAX_TEXT else flat[: MAX_TEXT - 1] + "…"

    def to_chain(self, node: Node) -> str:
        """Return an expression as a chain of names, or its text if it is not a chain."""
        text = self.source.text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if text.isidentifier():
            return text
        found = to_chain(text)
        return self.to_line(node) if found in (UNKNOWN, LITERAL) else found

    def group_captures(self, name: str) -> list[tuple[Node, Captures]]:
        """Return each node captured as `name` with its parts, which belong to the innermost such node around them."""
        wholes = sorted(self.captures.get(name, ()), key=lambda node: (node.start_byte, -node.end_byte))
        found: list[tuple[Node, Captures]] = [(node, {}) for node in wholes]
        if not wholes:
            return found
        spans = NestedSpans(wholes)
        for label in ("name", "tail", "type", "default", "behind", "value"):
            for node in sorted(self.captures.get(f"{name}.{label}", ()), key=get_start):
                if label in ("tail", "behind"):
                    at = spans.find_last_before(node.start_byte)
                    found[at][1].setdefault("name" if label == "tail" else "default", []).append(node)
                    continue
                at = spans.find_innermost(node.start_byte)
                while at >= 0 and spans.get_span(at)[1] < node.end_byte:
                    at = spans.get_parent(at)
                if at >= 0:
                    found[at][1].setdefault(label, []).append(node)
        return found


def get_start(node: Node) -> int:
    return node.start_byte


class _LambdaSpans:
    """Anonymous functions, whose code does not count for the enclosing definition."""

    def __init__(self, source: TraitSource) -> None:
        self._definitions = source.nesting.definitions
        nodes = source.captures.get("lambda")
        self._spans = NestedSpans(nodes) if nodes else None

    def separates(self, offset: int, home: int) -> bool:
        """Whether an anonymous function lies between an offset and its definition."""
        if self._spans is None:
            return False
        item = self._definitions[home] if home >= 0 else None
        at = self._spans.find_innermost(offset)
        while at >= 0:
            start, end = self._spans.get_span(at)
            if item is not None and start <= item.byte_start:
                return False
            # A definition may be a variable whose value is the function: both end together.
            if item is None or item.kind not in FUNCTIONS or item.byte_end - end > 2:
                return True
            at = self._spans.get_parent(at)
        return False
