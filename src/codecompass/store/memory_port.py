"""Memory ports: owned records (discoveries, marks, sessions) and a derived cache."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from codecompass.model.memory_values import Anchor, Claim, Discovery, FileAccess, SessionRecord
from codecompass.model.states import DiscoveryState


class DiscoveryMark(NamedTuple):
    """The state of a discovery: `superseded` by another, or `forgotten`."""

    id: str
    state: DiscoveryState
    by: str
    moment: str


class RecordedDiscovery(NamedTuple):
    """A discovery as it was recorded, with the anchors of its claims at that time."""

    discovery: Discovery
    anchors: tuple[tuple[Claim, Anchor], ...] = ()


class MemoryRecords(Protocol):
    """Owned memory data; indexing never deletes any of it."""

    def read_change_counter(self) -> int:
        """Return a number that changes with every write to discoveries or marks, by any process."""

    def read_discoveries(self) -> Sequence[RecordedDiscovery]:
        """Return all recorded discoveries, oldest first."""

    def record_discovery(self, item: RecordedDiscovery, moment: str, marks: Sequence[DiscoveryMark] = ()) -> bool:
        """Store a discovery and marks on others in one transaction; false if its id exists already."""

    def read_marks(self) -> Mapping[str, DiscoveryMark]: ...

    def set_mark(self, mark: DiscoveryMark) -> None: ...

    def record_event(self, session: str, client: str, kind: str, subject: str, moment: str) -> None:
        """Record an event of a session, starting the session if it is new; a `read` counts as a file access."""

    def end_session(self, session: str, moment: str) -> None: ...

    def read_sessions(self, limit: int, events: int) -> Sequence[SessionRecord]:
        """Return the newest sessions, each with its newest events in chronological order."""

    def read_session(self, name: str, events: int) -> SessionRecord | None: ...

    def read_accesses(self) -> Sequence[FileAccess]: ...


class MemoryCache(Protocol):
    """Derived cache of packed values by kind and key, written once and never changed. May be deleted at any time."""

    def get_many(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]: ...

    def put_many(self, kind: str, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Store values; a full disk is not an error, since they can be computed again."""
