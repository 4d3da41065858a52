"""Memory ports: owned records (discoveries, marks, sessions) and a derived cache."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from codecompass.model.memory_values import Access, Anchor, Claim, Discovery, Session


class Mark(NamedTuple):
    """The state of a discovery: `superseded` by another, or `forgotten`."""

    id: str
    state: str
    by: str
    moment: str


class Recorded(NamedTuple):
    """A discovery as it was recorded, with the anchors of its claims at that time."""

    discovery: Discovery
    anchors: tuple[tuple[Claim, Anchor], ...] = ()


class MemoryRecords(Protocol):
    """Owned memory data; indexing never deletes any of it."""

    def change(self) -> int:
        """Return a number that changes with every write to discoveries or marks, by any process."""

    def recorded(self) -> Sequence[Recorded]:
        """Return all recorded discoveries, oldest first."""

    def record(self, item: Recorded, moment: str, marks: Sequence[Mark] = ()) -> bool:
        """Store a discovery and marks on others in one transaction; false if its id exists already."""

    def marks(self) -> Mapping[str, Mark]: ...

    def mark(self, mark: Mark) -> None: ...

    def note(self, session: str, client: str, kind: str, subject: str, moment: str) -> None:
        """Record an event of a session, starting the session if it is new; a `read` counts as a file access."""

    def end(self, session: str, moment: str) -> None: ...

    def sessions(self, limit: int, events: int) -> Sequence[Session]:
        """Return the newest sessions, each with its newest events in chronological order."""

    def session(self, name: str, events: int) -> Session | None: ...

    def accesses(self) -> Sequence[Access]: ...


class MemoryCache(Protocol):
    """Derived cache of packed values by kind and key, written once and never changed. May be deleted at any time."""

    def find(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]: ...

    def keep(self, kind: str, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Store values; a full disk is not an error, since they can be computed again."""
