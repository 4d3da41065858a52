"""JSON-RPC batches: several messages sent as one, with their answers collected into one.

Clients of the revisions before 2025-06-18 may send a list of messages. Each message is handled as if sent alone;
the answers are sent together when all are complete. Notifications have no answer, so a batch of nothing else is
not answered at all.
"""

import threading
from dataclasses import dataclass, field

from codecompass.contract.encoding import encode
from codecompass.surfaces.mcp.rpc_errors import INVALID_REQUEST, Refusal

MAX_MESSAGES = 256
"""Most messages of one batch."""
MAX_OPEN = 8
"""Most unanswered batches of one connection; with `MAX_MESSAGES` it bounds the memory for them."""


@dataclass(slots=True)
class _PendingBatch:
    """The answers of one batch so far, and its unanswered requests."""

    waiting: set[str]
    answers: list[bytes] = field(default_factory=list)

    def join_if_complete(self) -> bytes | None:
        return join_answers(self.answers) if self.answers and not self.waiting else None


def join_answers(answers: list[bytes]) -> bytes:
    """Join encoded answers into one JSON array."""
    return b"[" + b",".join(answers) + b"]"


def refuse_batch(count: int, revision: str, *, accepted: bool) -> Refusal | None:
    """Return the refusal of a whole batch, or None when it is accepted."""
    if not revision:
        return Refusal(None, INVALID_REQUEST, "Invalid request: the connection is not initialized")
    if not accepted:
        reason = f"revision {revision} of the protocol has no batches; send the messages one by one"
        return Refusal(None, INVALID_REQUEST, f"Invalid request: {reason}")
    if count == 0:
        return Refusal(None, INVALID_REQUEST, "Invalid request: a batch must hold a message")
    if count > MAX_MESSAGES:
        return Refusal(None, INVALID_REQUEST, f"Invalid request: a batch has at most {MAX_MESSAGES} messages")
    return None


class PendingBatches:
    """The unanswered batches of one connection. Answers may come from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_request: dict[str, _PendingBatch] = {}

    @property
    def full(self) -> bool:
        with self._lock:
            return len({id(one) for one in self._by_request.values()}) >= MAX_OPEN

    def open(self, requests: list[str], refusals: list[Refusal]) -> bytes | None:
        """Register a batch by the ids of its requests; return its answer if there is nothing to wait for."""
        batch = _PendingBatch(set(requests), [encode(one.form) for one in refusals])
        with self._lock:
            self._by_request.update(dict.fromkeys(requests, batch))
        return batch.join_if_complete()

    def settle(self, request_id: object, answer: bytes | None) -> bytes | None:
        """Return what to send when a request has its answer (or, with None, will have none).

        That is the answer itself for a request outside a batch, the whole batch for the last of one, else nothing.
        """
        with self._lock:
            batch = self._by_request.pop(str(request_id), None)
            if batch is None:
                return answer
            batch.waiting.discard(str(request_id))
            if answer is not None:
                batch.answers.append(answer)
            return batch.join_if_complete()
