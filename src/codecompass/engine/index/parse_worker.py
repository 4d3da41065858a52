"""Parse worker: a process that reads batches of tasks from stdin and writes results to stdout, one frame each.

It opens no socket and no file except the dictionary and risk rules it is given, and has a memory limit. Its parent
enforces the time limit, and it exits with its parent. A file that kills it affects no other worker.
"""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import (
    HEADER_BYTES,
    HEARTBEAT,
    MASK_ARGUMENT,
    ParsedBlob,
    ParseTask,
    encode_frame,
)
from codecompass.languages.registry import Registry
from codecompass.languages.taint.risk_rules import RiskRules
from codecompass.repo.process.subreaper import die_with_parent
from codecompass.system.resource_limits import lower_limit, set_soft_limit
from codecompass.text.dictionary import load_dictionary
from codecompass.text.tokens import Tokenizer

_TASKS = msgspec.msgpack.Decoder(list[ParseTask])
_ENCODER = msgspec.msgpack.Encoder()


def _limit_memory(megabytes: int) -> None:
    if megabytes > 0:
        set_soft_limit("memory_bytes", megabytes * 2**20)
    lower_limit("core", 0)


def serve_batches(
    source: BinaryIO, sink: BinaryIO, rules: Sequence[str] = (), dictionary: str = "", *, masked: bool = True
) -> None:
    """Process batches until stdin ends."""
    words = load_dictionary(Path(dictionary), "") if dictionary else None
    if dictionary and words is None:
        sys.exit(1)  # without the dictionary it would tokenize differently from the other workers

    def send_heartbeat() -> None:
        sink.write(HEARTBEAT)
        sink.flush()

    tokenizer = Tokenizer(words.split if words else None)
    context = ParserContext(Registry(rules=RiskRules(rules)), tokenizer, masked=masked, send_heartbeat=send_heartbeat)
    while len(head := source.read(HEADER_BYTES)) == HEADER_BYTES:
        tasks = _TASKS.decode(source.read(int.from_bytes(head, "little")))
        answers: list[ParsedBlob] = [parse_blob(context, task) for task in tasks]
        sink.write(encode_frame(_ENCODER.encode(answers)))
        sink.flush()


if __name__ == "__main__":
    if sys.platform == "linux" and not die_with_parent(int(sys.argv[1])):
        sys.exit()  # the parent has already exited
    _limit_memory(int(sys.argv[2]))
    # Facts contain no reference cycles, so frequent garbage collection is wasted time.
    gc.set_threshold(100_000, 50, 50)
    serve_batches(sys.stdin.buffer, sys.stdout.buffer, sys.argv[5:], sys.argv[3], masked=sys.argv[4] == MASK_ARGUMENT)
