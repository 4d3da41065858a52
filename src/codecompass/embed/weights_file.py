"""Weights: the file of a static model, read in place.

    magic (8 bytes) · length of the head (4, little-endian) · head (JSON) · vocabulary · scales · table

The head names the model and says how long each part is. The vocabulary is the parts, one a line; the scales are one
32-bit float a row, the table one signed byte a number. Rows after the vocabulary are the buckets. The table is mapped,
not read, so that all processes of a machine share it.
"""

import json
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from codecompass.errors import Failure

MAGIC = b"ccvec\x00\x00\x01"
_HEAD = len(MAGIC) + 4


@dataclass(frozen=True, slots=True)
class Weights:
    """A model's numbers and words."""

    name: str
    digest: str
    vocabulary: tuple[str, ...]
    buckets: int
    scales: NDArray[np.float32]
    table: NDArray[np.int8]


def pack_weights(name: str, vocabulary: tuple[str, ...], scales: NDArray[np.float32], table: NDArray[np.int8]) -> bytes:
    """The bytes of a file; `digest_of` says its digest."""
    words = "\n".join(vocabulary).encode()
    words += b"\n" * (-len(words) % 4)
    head: dict[str, Any] = {
        "name": name, "dimensions": table.shape[1], "rows": table.shape[0],
        "parts": len(vocabulary), "words": len(words),
    }  # fmt: skip
    text = json.dumps(head).encode()
    text += b" " * (-(len(text) + _HEAD) % 4)
    return b"".join(
        (MAGIC, len(text).to_bytes(4, "little"), text, words, scales.astype("<f4").tobytes(), table.tobytes())
    )


def digest_of(data: bytes | mmap) -> str:
    """The BLAKE3 of a whole file."""
    return "b3:" + blake3(data).hexdigest()


def read_weights(path: Path, expected: str = "") -> Weights:
    """Map a file of weights; a file that is damaged, cut or not the one expected is refused."""
    try:
        with path.open("rb") as file:
            data = mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _refused(path, "it cannot be read") from error
    digest = digest_of(data)
    if data[: len(MAGIC)] != MAGIC:
        raise _refused(path, "it is no file of weights")
    if expected and digest != expected:
        raise _refused(path, "its checksum is not the one this version was made with")
    at = _HEAD + int.from_bytes(data[len(MAGIC) : _HEAD], "little")
    try:
        head = json.loads(data[_HEAD:at])
        name, width, rows = str(head["name"]), int(head["dimensions"]), int(head["rows"])
        parts, words = int(head["parts"]), int(head["words"])
    except (ValueError, KeyError, TypeError) as error:
        raise _refused(path, "its head is damaged") from error
    if min(width, rows, parts, words, rows - parts) < 0 or len(data) != at + words + 4 * rows + rows * width:
        raise _refused(path, "its length is not what its head says")
    vocabulary = tuple(data[at : at + words].decode("utf-8", "replace").rstrip("\n").split("\n"))
    if len(vocabulary) != parts:
        raise _refused(path, "its vocabulary is damaged")
    scales = np.frombuffer(data, "<f4", rows, at + words)
    table = np.frombuffer(data, np.int8, rows * width, at + words + 4 * rows).reshape(rows, width)
    return Weights(name, digest, vocabulary, rows - parts, scales, table)


def _refused(path: Path, why: str) -> Failure:
    return Failure(
        "CAPABILITY_MISSING",
        f"The embedding model {path.name} cannot be used: {why}. Search by words works without it.",
        hint="Install the package again to restore the model, or name another one in the settings.",
    )
