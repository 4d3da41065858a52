"""Model shelf: a model comes from an archive or file by file, and gets to its place only when it can be used."""

import contextlib
import os
import shutil
from pathlib import Path

from codecompass.embed.models import FILES
from codecompass.embed.onnxfile import external_files
from codecompass.engine.maintenance.downloads.download_directory import STOPPING, Placed, Shelf, Source, hash_file
from codecompass.engine.maintenance.downloads.installed_models import (
    CONFIG,
    TOKENIZER,
    WEIGHTS,
    chief_file,
    trouble_with,
)
from codecompass.errors import Failure
from codecompass.fetch.archives import kind_of, open_archive
from codecompass.fetch.fetcher import Fetched, Known
from codecompass.model.call import Call


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
    _drop_strangers(staged)
    target, old = shelf.claim(source.name), shelf.incoming(f"{source.name}.old")
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


def _drop_strangers(staged: Path) -> None:
    """Leave nothing but a model's own files: whatever else an archive holds could be read as a program somewhere."""
    chief = staged / chief_file(staged)
    beside = external_files(chief) if WEIGHTS[chief_file(staged)] == "onnx" else frozenset()
    kept = {staged / name for name in FILES} | {chief.parent / name for name in beside}
    for root, folders, files in os.walk(staged, topdown=False):
        for path in (Path(root, name) for name in files):
            if path not in kept:
                path.unlink()
        for folder in folders:
            with contextlib.suppress(OSError):
                Path(root, folder).rmdir()


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
