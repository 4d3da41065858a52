"""Weights file: the memory-mapped file format of a static model.

    magic (8 bytes) · length of the header (4, little-endian) · header (JSON) · vocabulary · scales · table

The header contains the model's name and the length of each section. The vocabulary has one part per line; the scales
are one 32-bit float per row, the table one signed byte per component. Rows after the vocabulary are the buckets. The
table is memory-mapped, so that all processes of a machine share it.
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
_PREFIX_BYTES = len(MAGIC) + 4


@dataclass(frozen=True, slots=True)
class ModelWeights:
    """The vocabulary, scales and vector table of a model."""

    name: str
    digest: str
    vocabulary: tuple[str, ...]
    buckets: int
    scales: NDArray[np.float32]
    table: NDArray[np.int8]


def pack_weights(name: str, vocabulary: tuple[str, ...], scales: NDArray[np.float32], table: NDArray[np.int8]) -> bytes:
    """Return the bytes of a weights file; `hash_weights` computes its digest."""
    words = "\n".join(vocabulary).encode()
    words += b"\n" * (-len(words) % 4)
    head: dict[str, Any] = {
        "name": name, "dimensions": table.shape[1], "rows": table.shape[0],
        "parts": len(vocabulary), "words": len(words),
    }  # fmt: skip
    text = json.dumps(head).encode()
    text += b" " * (-(len(text) + _PREFIX_BYTES) % 4)
    return b"".join(
        (MAGIC, len(text).to_bytes(4, "little"), text, words, scales.astype("<f4").tobytes(), table.tobytes())
    )


def hash_weights(data: bytes | mmap) -> str:
    """Return the BLAKE3 digest of a whole file."""
    return "b3:" + blake3(data).hexdigest()


def read_weights(path: Path, expected: str = "") -> ModelWeights:
    """Map a weights file; a file that is damaged, truncated or not the expected one is rejected."""
    try:
        with path.open("rb") as file:
            data = mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _make_weights_failure(path, "it cannot be read") from error
    digest = hash_weights(data)
    if data[: len(MAGIC)] != MAGIC:
        raise _make_weights_failure(path, "it is not a weights file")
    if expected and digest != expected:
        raise _make_weights_failure(path, "its checksum is not the one this version expects")
    at = _PREFIX_BYTES + int.from_bytes(data[len(MAGIC) : _PREFIX_BYTES], "little")
    try:
        head = json.loads(data[_PREFIX_BYTES:at])
        name, width, rows = str(head["name"]), int(head["dimensions"]), int(head["rows"])
        parts, words = int(head["parts"]), int(head["words"])
    except (ValueError, KeyError, TypeError) as error:
        raise _make_weights_failure(path, "its header is damaged") from error
    if min(width, rows, parts, words, rows - parts) < 0 or len(data) != at + words + 4 * rows + rows * width:
        raise _make_weights_failure(path, "its length does not match its header")
    vocabulary = tuple(data[at : at + words].decode("utf-8", "replace").rstrip("\n").split("\n"))
    if len(vocabulary) != parts:
        raise _make_weights_failure(path, "its vocabulary is damaged")
    scales = np.frombuffer(data, "<f4", rows, at + words)
    table = np.frombuffer(data, np.int8, rows * width, at + words + 4 * rows).reshape(rows, width)
    return ModelWeights(name, digest, vocabulary, rows - parts, scales, table)


def _make_weights_failure(path: Path, why: str) -> Failure:
    return Failure(
        "CAPABILITY_MISSING",
        f"The embedding model {path.name} cannot be used: {why}. Search by words works without it.",
        hint="Install the package again to restore the model, or name another one in the settings.",
    )
