"""Facts: what one blob of source says, independent of any path or branch.

What is packed is made of NamedTuples: frozen, cheap to build by the hundred thousand in a parse worker, and encoded as
plain arrays, so the packed form on disk carries no field names.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from codecompass.model.code.traits import Insight

ROLES = ("call", "instance", "type", "inherit", "import", "decorator", "write", "read", "throw", "key")
"""What a reference does with the name it mentions; the position in this tuple is its code on disk. A `key` gives
a value to a field or parameter by name, in an object or in a call."""


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
    """One mention of a name that this file does not define at that place."""

    role: str
    name: str
    line: int
    col: int
    owner: int
    """Position of the innermost definition that contains the mention, or -1 at file level."""
    receiver: str
    """What stands before the name, as a chain without arguments (`self`, `os.path`, `make().part[]`); empty for a bare
    name, `~` for a bare name that is bound inside the function around it, `?` for what is no chain of names."""


class Binding(NamedTuple):
    """What is known of the value behind a name: `x: Foo`, `x = make()`, `def f() -> Foo`."""

    owner: int
    """Position of the function the name lives in, or of the type for a member; -1 at file level."""
    name: str
    """The name; with a leading `.` a member of the type; `()` what the owner returns."""
    how: str
    """`type`: the text is a type. `value`: a chain whose value it is. `item`: a chain whose items it is, in turn.
    `test`: a type that it is tested for.
    """
    text: str
    line: int
    scope: int
    """Position of the function in which the text is to be read; -1 at file level."""
    until: int = 0
    """The last line on which it holds, where it ends with a block, else 0; `line` is then where its value ends."""


class Import(NamedTuple):
    """One imported name: `from module import name as alias`; `name` is empty when the whole module comes in."""

    module: str
    name: str
    alias: str
    line: int


class Comment(NamedTuple):
    """Where prose stands inside code; the words themselves are read from the source when needed."""

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
    """Position of the definition this chunk shows, or -1 for text between definitions."""


class Segment(NamedTuple):
    """Text of a blob that is in another language than the blob."""

    language: str
    byte_start: int
    byte_end: int
    line_start: int
    line_end: int


class Uses(NamedTuple):
    """What one blob mentions, and where its prose stands: the larger half of its facts, needed by fewer questions."""

    references: tuple[Reference, ...] = ()
    comments: tuple[Comment, ...] = ()


class Values(NamedTuple):
    """What names of one blob stand for: the part of its uses that following a name needs."""

    bindings: tuple[Binding, ...] = ()
    bases: tuple[Reference, ...] = ()
    """The references that name what a type inherits from."""


class Facts(NamedTuple):
    """All that is known of one blob. A store gives `references` and `comments` apart, as `Uses`, the `bindings` as
    `Values`, and the `insight` again apart.
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
    """Short words about how the blob was treated: `truncated`, `generated`, `minified`, `poison`, `lossy_utf8`,
    `latin1`, `template`, `inline_cells`."""
    package: str
    """The package or namespace the file declares for itself, where its language has such a line."""
    bindings: tuple[Binding, ...] = ()
    insight: Insight = Insight()
    segments: tuple[Segment, ...] = ()
    """Where other languages stand, in source order; inside one another where they are nested."""


class Head(NamedTuple):
    """What ranking needs of a definition."""

    kind: str
    name: str
    parent: int
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Heads:
    """The part of a blob's facts that ranking needs, a fraction of the whole in time and room.

    A server holds those of thousands of files: columns take a quarter of what an object for each definition would.
    """

    language: str
    package: str
    line_count: int
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    scopes: tuple[str, ...]
    numbers: "array[int]"
    """Of all definitions the parents, then the first lines, then the last ones; of all chunks the same with owners."""

    @classmethod
    def of(cls, facts: Facts) -> "Heads":
        items = facts.definitions
        places = (
            [one.parent for one in items], [one.line_start for one in items], [one.line_end for one in items]
        )  # fmt: skip
        return cls(
            facts.language, facts.package, facts.line_count,
            tuple(one.kind for one in items), tuple(one.name for one in items), tuple(one.scope for one in items),
            array("i", chain(*places, *zip(*facts.chunks, strict=True))),
        )  # fmt: skip

    def head(self, position: int) -> Head:
        numbers, count, at = self.numbers, len(self.names), position
        return Head(self.kinds[at], self.names[at], numbers[at], numbers[count + at], numbers[2 * count + at])

    def places(self) -> Iterator[tuple[int, int, int]]:
        """Of every definition its parent, its first and its last line."""
        numbers, count = self.numbers, len(self.names)
        return zip(numbers[:count], numbers[count : 2 * count], numbers[2 * count : 3 * count], strict=True)

    def line(self, position: int) -> int:
        """Where a definition begins."""
        return self.numbers[len(self.names) + position]

    @property
    def chunk_count(self) -> int:
        return (len(self.numbers) - 3 * len(self.names)) // 3

    def chunk(self, ordinal: int) -> Chunk:
        first, step = 3 * len(self.names) + ordinal, self.chunk_count
        return Chunk(self.numbers[first], self.numbers[first + step], self.numbers[first + 2 * step])

    def begun(self, ordinal: int) -> int:
        """The definition that begins in a chunk and owns it, or -1: later pieces of one are places of their own."""
        first, last, owner = self.chunk(ordinal)
        return owner if owner >= 0 and first <= self.line(owner) <= last else -1

    def size(self) -> int:
        """Bytes of memory, about; names that other files have too are counted here as well."""
        return 400 + 4 * len(self.numbers) + 120 * len(self.names)
