"""Batches: several messages sent as one, and their answers collected into one.

Clients of the revisions before 2025-06-18 may send a list of messages. Each message is handled as if it stood alone;
the answers leave together when the last of them is there. Notifications have no answer, so a batch of nothing else is
not answered at all.
"""

import threading
from dataclasses import dataclass, field

from codecompass.contract.encoding import encode
from codecompass.surfaces.mcp.rpc_errors import INVALID_REQUEST, Refusal

MAX_MESSAGES = 256
"""Messages of one batch."""
MAX_OPEN = 8
"""Batches of one connection that wait for answers; with the number above it bounds what is held for them."""


@dataclass(slots=True)
class _Collection:
    """The answers of one batch so far, and the requests that still have none."""

    waiting: set[str]
    answers: list[bytes] = field(default_factory=list)

    def joined(self) -> bytes | None:
        return join(self.answers) if self.answers and not self.waiting else None


def join(answers: list[bytes]) -> bytes:
    """Encoded answers as one JSON array."""
    return b"[" + b",".join(answers) + b"]"


def refuse_batch(count: int, revision: str, *, accepted: bool) -> Refusal | None:
    """Why a batch of so many messages is refused as a whole; None when it is taken."""
    if not revision:
        return Refusal(None, INVALID_REQUEST, "Invalid request: the connection is not initialized")
    if not accepted:
        said = f"revision {revision} of the protocol has no batches; send the messages one by one"
        return Refusal(None, INVALID_REQUEST, f"Invalid request: {said}")
    if count == 0:
        return Refusal(None, INVALID_REQUEST, "Invalid request: a batch must hold a message")
    if count > MAX_MESSAGES:
        return Refusal(None, INVALID_REQUEST, f"Invalid request: a batch has at most {MAX_MESSAGES} messages")
    return None


class Batches:
    """The batches of one connection that are not answered yet. Answers may come from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_request: dict[str, _Collection] = {}

    @property
    def full(self) -> bool:
        with self._lock:
            return len({id(one) for one in self._by_request.values()}) >= MAX_OPEN

    def open(self, requests: list[str], refusals: list[Refusal]) -> bytes | None:
        """Take the requests of a batch by their ids; what to send at once, if there is nothing to wait for."""
        batch = _Collection(set(requests), [encode(one.form) for one in refusals])
        with self._lock:
            self._by_request.update(dict.fromkeys(requests, batch))
        return batch.joined()

    def settle(self, request_id: object, answer: bytes | None) -> bytes | None:
        """What to send when a request has its answer (or, with None, will have none).

        That is the answer itself for a request outside a batch, the whole batch for the last of one, else nothing.
        """
        with self._lock:
            batch = self._by_request.pop(str(request_id), None)
            if batch is None:
                return answer
            batch.waiting.discard(str(request_id))
            if answer is not None:
                batch.answers.append(answer)
            return batch.joined()
