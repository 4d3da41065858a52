"""Installed models: find directories with an embedding model and check their files."""

import json
import os
from pathlib import Path

from codecompass.embed.models import FILES
from codecompass.embed.onnxfile import external_files, is_confined
from codecompass.engine.maintenance.storage.artifacts import measure_directory
from codecompass.model.maintenance.download_values import InstalledModel
from codecompass.ownership import find_ownership_problem

WEIGHTS = {"model.safetensors": "model2vec", "onnx/model.onnx": "onnx", "model.onnx": "onnx"}
"""Weights file of a model → its format, in the order of preference."""
TOKENIZER, CONFIG = "tokenizer.json", "config.json"
TENSOR_SUFFIXES = (".data", "_data", ".bin", ".weight", ".bias")
"""Suffixes of the external data files of an ONNX graph; no program executes such files."""
_MAX_HEAD = 64 * 2**20
_MAX_JSON = 64 * 2**20
_ONNX_FIRST_BYTES = (0x08, 0x12, 0x1A, 0x22, 0x2A, 0x3A, 0x42)
"""Possible first bytes of a serialised model: the tags of fields of its outermost message."""


def find_weights(directory: Path) -> str:
    """Return the weights file; empty when there is none."""
    return next((name for name in WEIGHTS if (directory / name).is_file()), "")


def find_defect(directory: Path) -> str:
    """Return why a directory is not a usable model; empty when it is one."""
    weights = find_weights(directory)
    if not weights:
        return "it has neither model.safetensors nor model.onnx"
    if not _is_json(directory / TOKENIZER):
        return f"its {TOKENIZER} is missing or damaged"
    if (directory / CONFIG).exists() and not _is_json(directory / CONFIG):
        return f"its {CONFIG} is damaged"
    if WEIGHTS[weights] == "onnx":
        return _find_graph_defect(directory / weights)
    return _find_tensor_defect(directory / weights)


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return isinstance(json.loads(file.read(_MAX_JSON)), dict)
    except (OSError, ValueError, RecursionError):
        return False


def _find_graph_defect(path: Path) -> str:
    """Check an ONNX graph: it may only reference data files in its own directory."""
    with path.open("rb") as file:
        head = file.read(2)
    try:
        data_files = external_files(path)
    except ValueError:
        data_files = None
    if data_files is None or head[0] not in _ONNX_FIRST_BYTES:
        return f"its {path.name} is not an ONNX model"
    if not all(is_confined(name) and name.endswith(TENSOR_SUFFIXES) for name in data_files):
        return f"its {path.name} references files outside its directory"
    complete = all((path.parent / name).is_file() for name in data_files)
    return "" if complete else f"files that its {path.name} needs are missing"


def _find_tensor_defect(path: Path) -> str:
    """Check a safetensors file: its header must give correct offsets, and it must contain a matrix."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(size - 8, _MAX_HEAD):
            return "its model.safetensors is truncated or damaged"
        try:
            head = json.loads(file.read(length))
            spans = [row["data_offsets"] for name, row in head.items() if name != "__metadata__"]
            fits = all(0 <= begin <= end <= size - 8 - length for begin, end in spans)
            tables = [row["shape"] for name, row in head.items() if name != "__metadata__" and len(row["shape"]) == 2]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return "the header of its model.safetensors is damaged"
    if not fits or max((end for _, end in spans), default=0) != size - 8 - length:
        return "its model.safetensors is truncated or damaged"
    return "" if tables else "its model.safetensors contains no table of vectors"


def list_models(directory: Path) -> tuple[InstalledModel, ...]:
    """List every model directory, usable or not."""
    if not directory.is_dir():
        return ()
    names = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir(follow_symlinks=True))
    return tuple(_describe_model(directory / name, directory.parent) for name in names if not name.startswith("."))


def _describe_model(path: Path, top: Path) -> InstalledModel:
    try:
        weak = [find_ownership_problem(path / name, top) for name in FILES if (path / name).exists()]
        trouble = next((f"{found.path.name} {found.reason}" for found in weak if found), "") or find_defect(path)
        kind = WEIGHTS.get(find_weights(path), "")
        return InstalledModel(path.name, kind, str(path), measure_directory(path), trouble)
    except OSError:
        return InstalledModel(path.name, "", str(path), 0, "it cannot be read")
