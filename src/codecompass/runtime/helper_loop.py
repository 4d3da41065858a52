"""Helper loop: answers the calls that a server passes to this process, one at a time, until its pipe ends."""

import threading
import time
from queue import SimpleQueue
from typing import BinaryIO

from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.helper_messages import (
    READY,
    SIZE_BYTES,
    HelperCall,
    HelperReply,
    decode_call,
    encode_frame,
)


def answer_calls(dispatch: Dispatch, source: BinaryIO, sink: BinaryIO) -> None:
    """Announce that this process is ready, then answer until the server closes its end."""
    waiting: SimpleQueue[tuple[HelperCall, Call] | None] = SimpleQueue()
    answering = threading.Thread(target=_run_calls, args=(dispatch, waiting, sink), name="answers", daemon=True)
    answering.start()
    _send(sink, HelperReply(READY))
    last: tuple[int, Call] | None = None
    while len(head := source.read(SIZE_BYTES)) == SIZE_BYTES:
        asked = decode_call(source.read(int.from_bytes(head, "little")))
        if asked.cancelled:
            if last is not None and last[0] == asked.number:
                last[1].cancelled.set()
            continue
        deadline = None if asked.seconds is None else time.monotonic() + asked.seconds
        call = Call(deadline=deadline, client=asked.client, session=asked.session, trusted=asked.trusted)
        last = (asked.number, call)
        waiting.put((asked, call))
    waiting.put(None)


def _run_calls(dispatch: Dispatch, waiting: "SimpleQueue[tuple[HelperCall, Call] | None]", sink: BinaryIO) -> None:
    while (item := waiting.get()) is not None:
        asked, call = item
        try:
            frame = encode_frame(HelperReply(asked.number, dispatch.answer(asked.tool, asked.arguments, call)))
        except BaseException:  # broad: the server runs the call again, and reports what is wrong with it
            frame = encode_frame(HelperReply(asked.number))
        try:
            sink.write(frame)
            sink.flush()
        except OSError:
            return  # the server has ended


def _send(sink: BinaryIO, reply: HelperReply) -> None:
    sink.write(encode_frame(reply))
    sink.flush()
