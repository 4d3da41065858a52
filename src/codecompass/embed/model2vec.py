"""Model2vec: an embedder from a table of token vectors (`model.safetensors`); a text is the mean of its tokens."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from codecompass.embed.embedder import Vectors, normalise
from codecompass.embed.hf_tokenizer import hash_files, make_model_failure, open_tokenizer

MAX_TOKENS = 512
"""Maximum tokens of a text to encode."""
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I8": "<i1"}
_HEADER_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 2**24


class Model2Vec:
    """A model2vec embedder. Immutable after opening, therefore thread-safe."""

    def __init__(self, directory: Path, tensors: dict[str, Any], tokenizer: Any, digest: str) -> None:  # noqa: ANN401
        self.name = directory.name
        self.digest = digest
        self._table = tensors["embeddings"]
        self._mapping = tensors.get("mapping")
        self._weights = tensors.get("weights")
        self._tokenizer = tokenizer
        unknown = tokenizer.token_to_id("[UNK]")
        self._unknown = -1 if unknown is None else int(unknown)
        self.dimensions = int(self._table.shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text; zero if it has no known tokens."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for at, found in enumerate(self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)):
            tokens = np.array([number for number in found.ids if number != self._unknown], np.int64)
            if not len(tokens):
                continue
            rows = self._table[self._mapping[tokens] if self._mapping is not None else tokens].astype(np.float32)
            if self._weights is not None:
                rows = rows * self._weights[tokens, None].astype(np.float32)
            vectors[at] = rows.mean(axis=0)
        return normalise(vectors)


def open_model2vec(directory: Path) -> Model2Vec:
    """Open the model of a directory, mapped into memory; a Failure describes what is wrong with it."""
    path = directory / "model.safetensors"
    tokenizer = open_tokenizer(directory, MAX_TOKENS)
    tensors = _map_tensors(directory, path)
    table, size = tensors.get("embeddings"), tokenizer.get_vocab_size()
    if table is None or table.ndim != 2 or not table.size:
        raise make_model_failure(directory, "model.safetensors contains no table named embeddings")
    mapping, weights = tensors.get("mapping"), tensors.get("weights")
    short = len(table) < size if mapping is None else len(mapping) < size or not 0 <= mapping.max() < len(table)
    if short or (weights is not None and len(weights) < size):
        raise make_model_failure(directory, "its table is smaller than its vocabulary")
    return Model2Vec(directory, tensors, tokenizer, hash_files([path, directory / "tokenizer.json"]))


def _map_tensors(directory: Path, path: Path) -> dict[str, Any]:
    """Map the file into memory and return name → array."""
    try:
        data = np.memmap(path, np.uint8, "r")
        length = int.from_bytes(data[:_HEADER_LENGTH_BYTES].tobytes(), "little")
        if length > min(_MAX_HEADER_BYTES, len(data)):
            raise ValueError("the header is longer than the file")
        head = json.loads(data[_HEADER_LENGTH_BYTES : _HEADER_LENGTH_BYTES + length].tobytes())
        body = data[_HEADER_LENGTH_BYTES + length :]
        return {
            name: body[slice(*row["data_offsets"])].view(_TYPES[row["dtype"]]).reshape(row["shape"])
            for name, row in head.items()
            if name in ("embeddings", "mapping", "weights")
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise make_model_failure(directory, "model.safetensors is damaged") from error
