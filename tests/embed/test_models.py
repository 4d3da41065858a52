"""Models of others: directories as their makers publish them, read without a network."""

import json
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from codecompass.embed.models import NONE, ModelChoice, open_model
from codecompass.errors import Failure

WORDS = {"[PAD]": 0, "[UNK]": 1, "open": 2, "file": 3, "parse": 4, "json": 5}
TABLE = np.random.default_rng(5).standard_normal((len(WORDS), 6)).astype(np.float32)


def write_tokenizer(directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(directory / "tokenizer.json"))


def write_tensors(path: Path, **tensors: tuple[str, np.ndarray]) -> None:
    """A safetensors file: length of the head, head, bytes."""
    head, body = {}, b""
    for name, (kind, values) in tensors.items():
        data = values.tobytes()
        head[name] = {"dtype": kind, "shape": values.shape, "data_offsets": (len(body), len(body) + len(data))}
        body += data
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def model2vec(directory: Path) -> Path:
    write_tokenizer(directory)
    write_tensors(directory / "model.safetensors", embeddings=("F32", TABLE))
    return directory


# -- just enough protobuf to write an ONNX graph -----------------------------------------------------------------------


def _varint(value: int) -> bytes:
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _value(name: str, kind: int, *shape: str) -> bytes:
    dims = b"".join(_field(1, _field(2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def onnx(directory: Path, extra: str = "") -> Path:
    """A model whose last layer is a row of a table for each token."""
    write_tokenizer(directory)
    node = _field(1, "table") + _field(1, "input_ids") + _field(2, "last_hidden_state") + _field(4, "Gather")
    table = b"".join(_field(1, size) for size in TABLE.shape) + _field(2, 1) + _field(8, "table")
    graph = _field(1, node) + _field(2, "g") + _field(5, table + _field(9, TABLE.tobytes()))
    for name in ("input_ids", *filter(None, ("attention_mask", extra))):
        graph += _field(11, _value(name, 7, "batch", "length"))
    graph += _field(12, _value("last_hidden_state", 1, "batch", "length", "width"))
    (directory / "model.onnx").write_bytes(_field(1, 8) + _field(7, graph) + _field(8, _field(2, 13)))
    return directory


@pytest.mark.parametrize("make", [model2vec, onnx])
def test_a_directory_is_a_model(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """MODEL-LOCAL: a text is the mean of its tokens' rows, of length one; its name, width and digest are known."""
    model = open_model(ModelChoice(str(make(tmp_path / "mine"))))
    assert model is not None and (model.name, model.dimensions) == ("mine", 6)
    found = model.encode(["open file", "parse json json", "open"])
    for row, words in zip(found, ([2, 3], [4, 5, 5], [2]), strict=True):
        mean = TABLE[words].mean(axis=0)
        assert np.allclose(row, mean / np.linalg.norm(mean), atol=1e-5)
    assert model.encode([]).shape == (0, 6)
    assert model.digest == open_model(ModelChoice("mine", models_directory=str(tmp_path))).digest  # type: ignore[union-attr]


def test_what_model2vec_may_hold(tmp_path: Path) -> None:
    """MODEL-LOCAL: half precision, weights of tokens and a shared table are understood; unknown words are nothing."""
    directory = model2vec(tmp_path / "m")
    weights, mapping = np.array([0, 0, 1, 2, 1, 1], np.float32), np.array([0, 0, 1, 2, 2, 0], np.int64)
    small = TABLE[:3].astype(np.float16)
    write_tensors(
        directory / "model.safetensors", embeddings=("F16", small), weights=("F32", weights), mapping=("I64", mapping)
    )
    model = open_model(ModelChoice(str(directory)))
    assert model is not None
    wanted = (small[1].astype(np.float32) + 2 * small[2]) / 2
    found = model.encode(["open file zebra", "zebra"])
    assert np.allclose(found[0], wanted / np.linalg.norm(wanted), atol=1e-3) and not found[1].any()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def _spoilt(directory: Path, how: str) -> Path:
    if how == "tokenizer gone":
        (directory / "tokenizer.json").unlink()
    elif how == "tokenizer damaged":
        (directory / "tokenizer.json").write_text("{")
    elif how == "model cut":
        for path in directory.glob("model.*"):
            _cut(path)
    elif how == "head too long":
        (directory / "model.safetensors").write_bytes(struct.pack("<Q", 2**40) + b"{}")
    elif how == "table too small":
        write_tensors(directory / "model.safetensors", embeddings=("F32", TABLE[:2]))
    elif how == "no table":
        write_tensors(directory / "model.safetensors", other=("F32", TABLE))
    elif how == "mapping outside":
        mapping = np.full(len(WORDS), 99, np.int64)
        write_tensors(directory / "model.safetensors", embeddings=("F32", TABLE), mapping=("I64", mapping))
    return directory


@pytest.mark.parametrize(
    ("make", "how"),
    [
        *((model2vec, how) for how in ("tokenizer gone", "tokenizer damaged", "model cut", "head too long")),
        *((model2vec, how) for how in ("table too small", "no table", "mapping outside")),
        *((onnx, how) for how in ("tokenizer gone", "model cut")),
    ],
)
def test_a_spoilt_directory_is_refused(make: Callable[[Path], Path], how: str, tmp_path: Path) -> None:
    """MODEL-LOCAL: clear words and a way out, never a traceback or vectors of something else."""
    with pytest.raises(Failure) as refused:
        open_model(ModelChoice(str(_spoilt(make(tmp_path / "m"), how))))
    assert refused.value.code == "CAPABILITY_MISSING" and refused.value.hint
    assert str(tmp_path) not in refused.value.message


def test_a_graph_that_wants_more_is_refused(tmp_path: Path) -> None:
    """MODEL-LOCAL: a model with inputs that we cannot give is not run with guesses."""
    with pytest.raises(Failure) as refused:
        open_model(ModelChoice(str(onnx(tmp_path / "m", extra="pixel_values"))))
    assert "pixel_values" in refused.value.message


@pytest.mark.parametrize(("make", "library"), [(model2vec, "tokenizers"), (onnx, "tokenizers"), (onnx, "onnxruntime")])
def test_a_missing_library_is_named(
    make: Callable[[Path], Path], library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MODEL-CHOICE: what a model needs and is not installed is said with the extra that brings it."""
    directory = make(tmp_path / "m")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(Failure) as refused:
        open_model(ModelChoice(str(directory)))
    assert refused.value.code == "CAPABILITY_MISSING" and library in refused.value.message
    assert refused.value.hint == "pip install 'codecompass[models]'"


def test_words_for_a_choice(tmp_path: Path) -> None:
    """MODEL-CHOICE: `bundled` and `none` need nothing; a name or directory without a model is refused."""
    assert open_model(ModelChoice(NONE)) is None
    bundled = open_model(ModelChoice())
    assert bundled is not None and bundled.name == "compass-static-1"
    for wrong in (tmp_path / "none", tmp_path):
        with pytest.raises(Failure) as refused:
            open_model(ModelChoice(str(wrong)))
        assert refused.value.code == "CAPABILITY_MISSING" and refused.value.hint
