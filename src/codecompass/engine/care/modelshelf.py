"""Model shelf: directories that hold an embedding model, recognised by what lies in them, usable by their name."""

import contextlib
import json
import os
import shutil
from pathlib import Path

from codecompass.engine.care.artifacts import total_size
from codecompass.engine.care.downloads import STOPPING, Placed, Shelf, Source, hash_file
from codecompass.errors import Failure
from codecompass.fetch.archives import kind_of, open_archive
from codecompass.fetch.fetcher import Fetched, Known
from codecompass.model.call import Call
from codecompass.model.supplies import ModelCard

WEIGHTS = {"model.safetensors": "model2vec", "onnx/model.onnx": "onnx", "model.onnx": "onnx"}
"""The chief file of a model → its kind, in the order in which they are looked for."""
TOKENIZER, CONFIG = "tokenizer.json", "config.json"
_MAX_HEAD = 64 * 2**20
_MAX_JSON = 64 * 2**20
_ONNX_BEGINS = (0x08, 0x12, 0x1A, 0x22, 0x2A, 0x3A, 0x42)
"""First bytes of a serialised model: a field of its outermost message."""


def chief_file(directory: Path) -> str:
    """The file of weights; empty when there is none."""
    return next((name for name in WEIGHTS if (directory / name).is_file()), "")


def trouble_with(directory: Path) -> str:
    """Why a directory is no usable model; empty when it is one."""
    chief = chief_file(directory)
    if not chief:
        return "it has neither model.safetensors nor model.onnx"
    if not _is_json(directory / TOKENIZER):
        return f"its {TOKENIZER} is missing or damaged"
    if (directory / CONFIG).exists() and not _is_json(directory / CONFIG):
        return f"its {CONFIG} is damaged"
    if WEIGHTS[chief] == "onnx":
        with (directory / chief).open("rb") as file:
            head = file.read(2)
        return "" if len(head) == 2 and head[0] in _ONNX_BEGINS else f"its {chief} is no ONNX model"
    return _trouble_with_tensors(directory / chief)


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return isinstance(json.loads(file.read(_MAX_JSON)), dict)
    except (OSError, ValueError, RecursionError):
        return False


def _trouble_with_tensors(path: Path) -> str:
    """The head of a safetensors file says where each tensor lies; it must be true, and there must be a table."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(size - 8, _MAX_HEAD):
            return "its model.safetensors is cut or damaged"
        try:
            head = json.loads(file.read(length))
            spans = [row["data_offsets"] for name, row in head.items() if name != "__metadata__"]
            fits = all(0 <= begin <= end <= size - 8 - length for begin, end in spans)
            tables = [row["shape"] for name, row in head.items() if name != "__metadata__" and len(row["shape"]) == 2]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return "the head of its model.safetensors is damaged"
    if not fits or max((end for _, end in spans), default=0) != size - 8 - length:
        return "its model.safetensors is cut or damaged"
    return "" if tables else "its model.safetensors holds no table of vectors"


def cards(directory: Path) -> tuple[ModelCard, ...]:
    """Every directory on the shelf, usable or not."""
    if not directory.is_dir():
        return ()
    names = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir(follow_symlinks=True))
    return tuple(_card(directory / name) for name in names if not name.startswith("."))


def _card(path: Path) -> ModelCard:
    try:
        trouble = trouble_with(path)
        kind = WEIGHTS.get(chief_file(path), "")
        return ModelCard(path.name, kind, str(path), total_size(path), trouble)
    except OSError:
        return ModelCard(path.name, "", str(path), 0, "it cannot be read")


def place_model(shelf: Shelf, source: Source, came: Path, call: Call) -> Placed:
    """Open an archive and put the model in it on the shelf; only one that can be used gets there."""
    if not kind_of(came):
        raise _no_model("a model comes as an archive, or from the URL of a directory, which ends in a slash")
    with shelf.staging(source.name) as staged:
        open_archive(came, staged, name=source.name, check=call.check)
        inner = list(staged.iterdir())
        home = inner[0] if len(inner) == 1 and inner[0].is_dir() and not chief_file(staged) else staged
        return _settle(shelf, source, home)


def _settle(shelf: Shelf, source: Source, staged: Path) -> Placed:
    if trouble := trouble_with(staged):
        raise _no_model(trouble)
    target, old = shelf.directory / source.name, shelf.incoming(f"{source.name}.old")
    digest, chief = hash_file(staged / chief_file(staged)), chief_file(staged)
    staged.chmod(0o755)
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        os.rename(target, old)
    try:
        os.rename(staged, target)
    except OSError:
        if old.exists():
            os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return Placed(f"{source.name}/{chief}", digest)


def bring_model(shelf: Shelf, source: Source, call: Call, known: Known | None) -> tuple[Fetched, Placed | None]:
    """Fetch a model file by file from a directory; nothing is placed when its weights have not changed."""
    into = shelf.incoming(f"{source.name}.files")
    try:
        weights = _first(shelf, source, into, call, known)
        if not weights.changed:
            return weights, None
        _bring(shelf, source, into, TOKENIZER, call)
        try:
            _bring(shelf, source, into, CONFIG, call)
        except Failure as failure:
            if failure.details.get("status") != 404:
                raise
        return weights, _settle(shelf, source, into)
    finally:
        _tidy(into)


def _tidy(directory: Path) -> None:
    """Leave nothing but parts that a later attempt can go on with."""
    for root, folders, files in os.walk(directory, topdown=False):
        for name in files:
            if not name.endswith((".part", ".part.json")):
                Path(root, name).unlink(missing_ok=True)
        for name in folders:
            with contextlib.suppress(OSError):
                Path(root, name).rmdir()
    with contextlib.suppress(OSError):
        directory.rmdir()


def _first(shelf: Shelf, source: Source, into: Path, call: Call, known: Known | None) -> Fetched:
    """The weights, under the first name that the directory has."""
    missing: Failure | None = None
    for name in WEIGHTS:
        try:
            return _bring(shelf, source, into, name, call, known, source.sha256)
        except Failure as failure:
            if failure.code in STOPPING or failure.details.get("status") != 404:
                raise
            missing = failure
    assert missing is not None
    raise _no_model("the directory has neither model.safetensors nor model.onnx") from missing


def _bring(
    shelf: Shelf, source: Source, into: Path, name: str, call: Call, known: Known | None = None, sha256: str = ""
) -> Fetched:
    return shelf.bring(Source(source.name, source.url + name, sha256), into / name, call, known)


def _no_model(why: str) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"This is no model that can be used: {why}.",
                   hint="A model has model.safetensors or model.onnx, and tokenizer.json.")  # fmt: skip
