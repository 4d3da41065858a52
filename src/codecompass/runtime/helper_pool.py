"""Helper pool: passes calls to helper processes, so that a server computes on several cores.

Everything that clients share stays in the server: sessions, limits, the queue, deadlines and metrics. A helper only
runs the tool. Whatever a helper cannot answer, because it ended, failed or is behind the files, the server answers
itself; so the end of a helper loses no call.
"""

import threading
import time
from collections.abc import Callable
from itertools import count
from queue import Empty, LifoQueue

import msgspec

from codecompass.contract.tool import Answer
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.helper_messages import (
    READY,
    SIZE_BYTES,
    HelperCall,
    HelperChannel,
    HelperReply,
    decode_reply,
    encode_frame,
)
from codecompass.runtime.log import Log

START_S = 120.0
"""Seconds that a helper has to become ready."""
CANCEL_S = 2.0
"""Seconds that a helper has to return from a cancelled call; after them it is replaced."""
IDLE_WAIT_S = 0.25
"""Seconds that a call waits for an idle helper before the server runs it itself."""
_FIRST_DELAY_S, _MAX_DELAY_S = 0.5, 60.0
"""Delay before a helper that ended is replaced: doubled each time, until one has answered a call."""


class HelperPool:
    """Starts helpers and passes calls to those that are idle."""

    def __init__(self, start: Callable[[], HelperChannel], size: int, log: Log) -> None:
        self._start = start
        self._log = log
        self._idle: LifoQueue[HelperChannel] = LifoQueue()
        self._numbers = count(READY + 1)
        self._lock = threading.Lock()
        self._channels: set[HelperChannel] = set()
        self._ready = 0
        self._closed = threading.Event()
        self._delay_s = _FIRST_DELAY_S
        for _ in range(size):
            self._add_helper(0.0)

    def answer(self, tool: str, arguments: object, call: Call) -> Answer | None:
        """Return the answer of a helper; None if the caller must run the call itself."""
        if not self._ready:
            return None
        try:
            channel = self._idle.get(timeout=IDLE_WAIT_S)
        except Empty:
            return None
        number = next(self._numbers)
        seconds = None if call.deadline is None else max(call.deadline - time.monotonic(), 0.0)
        asked = HelperCall(number, tool, arguments, seconds, call.client, call.session, call.trusted)
        try:
            frame = encode_frame(asked)
        except (TypeError, ValueError, OverflowError):  # arguments that JSON allows and this encoding does not
            self._idle.put(channel)
            return None
        try:
            channel.write(frame)
            reply = _read_reply(channel, number, call)
        except (Failure, msgspec.DecodeError) as error:
            self._replace(channel, error)
            call.check()
            return None
        self._delay_s = _FIRST_DELAY_S
        self._idle.put(channel)
        answer = reply.answer
        # A helper starts no sync: an answer behind the files comes from the server, which may start one.
        return answer if answer is None or answer.state is None or answer.state.freshness == "fresh" else None

    def close(self) -> None:
        """End all helpers."""
        self._closed.set()
        with self._lock:
            channels = list(self._channels)
        for channel in channels:
            channel.close()

    def _add_helper(self, delay_s: float) -> None:
        threading.Thread(target=self._open_helper, args=(delay_s,), name="helper-start", daemon=True).start()

    def _open_helper(self, delay_s: float) -> None:
        if self._closed.wait(delay_s):
            return
        channel: HelperChannel | None = None
        try:
            channel = self._start()
            with self._lock:
                self._channels.add(channel)
            _read_reply(channel, READY, Call(deadline=time.monotonic() + START_S))
        except (Failure, OSError, msgspec.DecodeError) as error:
            if channel is not None:
                self._drop(channel)
            self._retry(error)
            return
        if self._closed.is_set():
            self._drop(channel)
            return
        with self._lock:
            self._ready += 1
        self._idle.put(channel)

    def _replace(self, channel: HelperChannel, error: Exception) -> None:
        with self._lock:
            self._ready -= 1
        self._drop(channel)
        self._retry(error)

    def _drop(self, channel: HelperChannel) -> None:
        with self._lock:
            self._channels.discard(channel)
        channel.close()

    def _retry(self, error: Exception) -> None:
        if self._closed.is_set():
            return
        self._log.event("warning", "helper_ended", text=str(error)[:200], retry_s=self._delay_s)
        self._add_helper(self._delay_s)
        self._delay_s = min(self._delay_s * 2, _MAX_DELAY_S)


def _read_reply(channel: HelperChannel, number: int, call: Call) -> HelperReply:
    """Read the reply to one call; a cancelled call is cancelled in the helper, which must then return soon."""
    cancelled_at, size = 0.0, 0
    while True:
        try:
            size = size or int.from_bytes(channel.read_exact(SIZE_BYTES), "little")
            reply, size = decode_reply(channel.read_exact(size)), 0
        except Failure as failure:
            if failure.code != "TOOL_TIMEOUT":
                raise
            now = time.monotonic()
            overdue = call.deadline is not None and now > call.deadline
            if not cancelled_at and (overdue or call.cancelled.is_set()):
                cancelled_at = now
                channel.write(encode_frame(HelperCall(number, cancelled=True)))
            if cancelled_at and now - cancelled_at > CANCEL_S:
                raise Failure("INTERNAL", "A helper did not return from a cancelled call.") from None
            continue
        if reply.number == number:
            return reply
