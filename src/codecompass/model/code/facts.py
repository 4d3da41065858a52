"""Facts: everything extracted from one blob of source, independent of path and branch.

Packed values are NamedTuples: immutable, cheap to build by the hundred thousand in a parse worker, and encoded as
plain arrays, so the form on disk has no field names.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from codecompass.model.code.kinds import CALLABLE
from codecompass.model.code.traits import Analysis

REFERENCE_ROLES = ("call", "instance", "type", "inherit", "import", "decorator", "write", "read", "throw", "key")
"""Roles of a reference; the position in this tuple is the code on disk. A `key` gives a value to a field or
parameter by name, in an object or in a call."""


class Definition(NamedTuple):
    """One definition. Lines are 1-based and inclusive; columns and offsets count UTF-8 bytes from 0."""

    kind: str
    name: str
    scope: str
    """Names of the enclosing definitions (or receiver, or impl type), joined by the language's separator."""
    parent: int
    """Position of the enclosing definition in the same facts, or -1."""
    line_start: int
    line_end: int
    byte_start: int
    byte_end: int
    name_line: int
    name_col: int
    signature: str
    visibility: str
    doc: str
    decorators: tuple[str, ...]


class Reference(NamedTuple):
    """One use of a name, at a position that is not a definition."""

    role: str
    name: str
    line: int
    col: int
    owner: int
    """Position of the innermost definition that contains the reference, or -1 at file level."""
    receiver: str
    """The receiver, as a chain without arguments (`self`, `os.path`, `make().part[]`); empty for a bare name, `~` for a
    bare name bound in the enclosing function, `?` for any other expression."""


RECEIVER = "()@"
"""The binding name of a function's receiver type."""


class Binding(NamedTuple):
    """The type or value of a name: `x: Foo`, `x = make()`, `def f() -> Foo`."""

    owner: int
    """Position of the enclosing function, or of the type for a member; -1 at file level."""
    name: str
    """The name; with a leading `.` a member of the type; `()` the return value of the owner."""
    how: str
    """`type`: the text is a type. `value`: a chain with the same value. `item`: a chain over whose items it iterates.
    `test`: a type it is tested for.
    """
    text: str
    line: int
    scope: int
    """Position of the function in whose scope the text is resolved; -1 at file level."""
    until: int = 0
    """The last line of the block that limits it, else 0; `line` is then the line where its value ends."""


class Import(NamedTuple):
    """One imported name: `from module import name as alias`; `name` is empty if the whole module is imported."""

    module: str
    name: str
    alias: str
    line: int


class Comment(NamedTuple):
    """The position of a comment; its text is read from the source when needed."""

    is_doc: bool
    line_start: int
    line_end: int
    byte_start: int
    byte_end: int


class Chunk(NamedTuple):
    """A run of lines indexed as one text document."""

    line_start: int
    line_end: int
    owner: int
    """Position of the definition in this chunk, or -1 for text between definitions."""


class EmbeddedSegment(NamedTuple):
    """A range of a blob that is in another language than the blob."""

    language: str
    byte_start: int
    byte_end: int
    line_start: int
    line_end: int


class References(NamedTuple):
    """References and comments of one blob: the larger half of its facts, needed by fewer queries."""

    references: tuple[Reference, ...] = ()
    comments: tuple[Comment, ...] = ()


class Bindings(NamedTuple):
    """Bindings and base types of one blob: the part that name resolution needs."""

    bindings: tuple[Binding, ...] = ()
    bases: tuple[Reference, ...] = ()
    """References with the role `inherit`."""


class Facts(NamedTuple):
    """All facts of one blob. A store returns `references` and `comments` separately, as `References`, the `bindings` as
    `Bindings`, and the `insight` as `Analysis`.
    """

    language: str
    line_count: int
    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    comments: tuple[Comment, ...]
    chunks: tuple[Chunk, ...]
    parse_errors: int
    notes: tuple[str, ...]
    """How the blob was processed: `truncated`, `generated`, `minified`, `poison`, `lossy_utf8`,
    `latin1`, `template`, `inline_cells`."""
    package: str
    """The package or namespace that the file declares, if its language has such a declaration."""
    bindings: tuple[Binding, ...] = ()
    insight: Analysis = Analysis()
    segments: tuple[EmbeddedSegment, ...] = ()
    """Ranges in other languages, in source order; nested ranges overlap."""


class DefinitionHeader(NamedTuple):
    """The fields of a definition that ranking needs."""

    kind: str
    name: str
    parent: int
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class DefinitionHeaders:
    """The part of a blob's facts that ranking needs: cheaper to load and to keep than all facts.

    A server keeps those of thousands of files: columns need a quarter of the memory of one object per definition.
    """

    language: str
    package: str
    line_count: int
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    scopes: tuple[str, ...]
    numbers: "array[int]"
    """For definitions: all parents, all first lines, all last lines; for chunks: first lines, last lines, owners."""

    @classmethod
    def from_facts(cls, facts: Facts) -> "DefinitionHeaders":
        items = facts.definitions
        places = (
            [one.parent for one in items], [one.line_start for one in items], [one.line_end for one in items]
        )  # fmt: skip
        return cls(
            facts.language, facts.package, facts.line_count,
            tuple(one.kind for one in items), tuple(one.name for one in items), tuple(one.scope for one in items),
            array("i", chain(*places, *zip(*facts.chunks, strict=True))),
        )  # fmt: skip

    def get_header(self, position: int) -> DefinitionHeader:
        numbers, count, at = self.numbers, len(self.names), position
        return DefinitionHeader(
            self.kinds[at], self.names[at], numbers[at], numbers[count + at], numbers[2 * count + at]
        )

    def iter_ranges(self) -> Iterator[tuple[int, int, int]]:
        """Iterate over (parent, first line, last line) of all definitions."""
        numbers, count = self.numbers, len(self.names)
        return zip(numbers[:count], numbers[count : 2 * count], numbers[2 * count : 3 * count], strict=True)

    def get_first_line(self, position: int) -> int:
        """Return the first line of a definition."""
        return self.numbers[len(self.names) + position]

    @property
    def chunk_count(self) -> int:
        return (len(self.numbers) - 3 * len(self.names)) // 3

    def get_chunk(self, ordinal: int) -> Chunk:
        first, step = 3 * len(self.names) + ordinal, self.chunk_count
        return Chunk(self.numbers[first], self.numbers[first + step], self.numbers[first + 2 * step])

    def find_starting_definition(self, ordinal: int) -> int:
        """Return the definition that begins in a chunk and owns it, or -1; later chunks of a definition return -1."""
        first, last, owner = self.get_chunk(ordinal)
        return owner if owner >= 0 and first <= self.get_first_line(owner) <= last else -1

    def find_callable_owner(self, ordinal: int) -> int:
        """Return the function that owns a chunk, whichever part of it, or -1."""
        owner = self.get_chunk(ordinal).owner
        return owner if owner >= 0 and self.kinds[owner] in CALLABLE else -1

    def estimate_bytes(self) -> int:
        """Estimate the memory in bytes; names shared with other files are counted for each."""
        return 400 + 4 * len(self.numbers) + 120 * len(self.names)
