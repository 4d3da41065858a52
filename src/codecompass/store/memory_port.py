"""Ports of memory: what is owned (records, marks, sessions), and what is only kept from one question to the next."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from codecompass.model.memory_values import Access, Anchor, Claim, Discovery, Session


class Mark(NamedTuple):
    """What became of a discovery: `superseded` by another, or `forgotten`."""

    id: str
    state: str
    by: str
    moment: str


class Recorded(NamedTuple):
    """A discovery as it was recorded, and what its claims named then."""

    discovery: Discovery
    anchors: tuple[tuple[Claim, Anchor], ...] = ()


class MemoryRecords(Protocol):
    """Owned; nothing here is ever deleted by indexing."""

    def change(self) -> int:
        """A number that moves with every change of discoveries or marks, whichever process made it."""

    def recorded(self) -> Sequence[Recorded]:
        """Everything recorded, the oldest first."""

    def record(self, item: Recorded, moment: str, marks: Sequence[Mark] = ()) -> bool:
        """Keep a discovery with marks on others, all or nothing; false when its id is there already."""

    def marks(self) -> Mapping[str, Mark]: ...

    def mark(self, mark: Mark) -> None: ...

    def note(self, session: str, client: str, kind: str, subject: str, moment: str) -> None:
        """Write down what a session did, beginning it if it is new; a `read` counts as an access of the file."""

    def end(self, session: str, moment: str) -> None: ...

    def sessions(self, limit: int, events: int) -> Sequence[Session]:
        """The newest sessions, each with its newest events in the order they happened."""

    def session(self, name: str, events: int) -> Session | None: ...

    def accesses(self) -> Sequence[Access]: ...


class MemoryCache(Protocol):
    """Derived; may be deleted at any time. Packed values by kind and key, written once and never changed."""

    def find(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]: ...

    def keep(self, kind: str, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep values; a full disk is no failure, they are found again."""
