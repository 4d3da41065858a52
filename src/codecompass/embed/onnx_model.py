"""ONNX model: an embedder that runs a transformer on the CPU, much slower than a static model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from codecompass.embed.embedder import Vectors, normalise
from codecompass.embed.hf_tokenizer import (
    hash_files,
    import_required,
    make_model_failure,
    map_library_errors,
    open_tokenizer,
)
from codecompass.embed.onnxfile import external_files, is_confined
from codecompass.ownership import require_own

MAX_TOKENS = 256
"""Maximum tokens of a text to encode."""
BATCH = 16
_KNOWN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class OnnxEmbedder:
    """Encodes as the mean of the last layer, or the model's own text vector if it has one. Thread-safe."""

    def __init__(self, directory: Path, session: Any, tokenizer: Any, digest: str) -> None:  # noqa: ANN401
        self.name = directory.name
        self.digest = digest
        self._session = session
        self._tokenizer = tokenizer
        self._directory = directory
        self._inputs = [item.name for item in session.get_inputs()]
        if not set(self._inputs) <= set(_KNOWN_INPUTS) or "input_ids" not in self._inputs:
            raise make_model_failure(directory, f"its inputs are {', '.join(self._inputs)[:100]}")
        self.dimensions = int(self._run(["a"]).shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        # Batch texts of similar length, because a batch is padded to its longest text.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for begun in range(0, len(order), BATCH):
            part = order[begun : begun + BATCH]
            vectors[part] = self._run([texts[at] for at in part])
        return normalise(vectors)

    def _run(self, texts: list[str]) -> Vectors:
        found = [item.ids for item in self._tokenizer.encode_batch_fast(texts)]
        longest = max(1, *map(len, found))
        tokens = np.zeros((len(found), longest), np.int64)
        mask = np.zeros_like(tokens)
        for at, ids in enumerate(found):
            tokens[at, : len(ids)], mask[at, : len(ids)] = ids, 1
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        with map_library_errors("onnxruntime", self._directory, "it cannot be run"):
            answer = np.asarray(self._session.run(None, {name: given[name] for name in self._inputs})[0], np.float32)
        if answer.ndim == 2 and len(answer) == len(texts):
            return answer
        if answer.ndim != 3 or answer.shape[:2] != tokens.shape:
            raise make_model_failure(self._directory, f"its output has the shape {answer.shape}")
        weights = mask[:, :, None].astype(np.float32)
        return np.asarray((answer * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1), np.float32)


def check_references(directory: Path, path: Path, top: Path) -> None:
    """Reject a model that references files outside its directory, or files that other users may change."""
    try:
        named = external_files(path)
    except (ValueError, OSError) as error:
        raise make_model_failure(directory, "its graph cannot be read") from error
    for name in sorted(named):
        beside = path.parent / name
        if not is_confined(name) or beside.is_symlink() or not beside.is_file():
            raise make_model_failure(directory, "it references a file that is not a regular file next to it")
        require_own(beside, top, "the directory of models")


def open_onnx(directory: Path, path: Path, top: Path) -> OnnxEmbedder:
    """Open the model of a directory; a Failure describes what is wrong with it.

    Only operators of the runtime are available: a library that comes with a model is never registered.
    """
    runtime = import_required("onnxruntime")
    check_references(directory, path, top)
    tokenizer = open_tokenizer(directory, MAX_TOKENS)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    with map_library_errors("onnxruntime", directory, "its graph cannot be read"):
        session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return OnnxEmbedder(directory, session, tokenizer, hash_files([path, directory / "tokenizer.json"]))
