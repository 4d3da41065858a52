"""Model install: from an archive or file by file; only a usable model is moved to its final directory."""

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


def place_model(downloads: Shelf, source: Source, downloaded: Path, call: Call) -> Placed:
    """Extract an archive and install the model in it, if it is usable."""
    if not kind_of(downloaded):
        raise _no_model("a model comes as an archive, or from the URL of a directory, which ends in a slash")
    with downloads.staging(source.name) as staged:
        open_archive(downloaded, staged, name=source.name, check=call.check)
        inner = list(staged.iterdir())
        model_directory = inner[0] if len(inner) == 1 and inner[0].is_dir() and not chief_file(staged) else staged
        return _settle(downloads, source, model_directory)


def _settle(downloads: Shelf, source: Source, staged: Path) -> Placed:
    if trouble := trouble_with(staged):
        raise _no_model(trouble)
    _drop_strangers(staged)
    target, old = downloads.claim(source.name), downloads.incoming(f"{source.name}.old")
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
    """Remove all files that are not part of the model: another program might execute them."""
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


def bring_model(downloads: Shelf, source: Source, call: Call, known: Known | None) -> tuple[Fetched, Placed | None]:
    """Download a model file by file from a directory URL; install nothing when its weights have not changed."""
    target_directory = downloads.incoming(f"{source.name}.files")
    try:
        weights = _first(downloads, source, target_directory, call, known)
        if not weights.changed:
            return weights, None
        _bring(downloads, source, target_directory, TOKENIZER, call)
        try:
            _bring(downloads, source, target_directory, CONFIG, call)
        except Failure as failure:
            if failure.details.get("status") != 404:
                raise
        return weights, _settle(downloads, source, target_directory)
    finally:
        _tidy(target_directory)


def _tidy(directory: Path) -> None:
    """Remove everything except partial downloads that a later attempt can resume."""
    for root, folders, files in os.walk(directory, topdown=False):
        for name in files:
            if not name.endswith((".part", ".part.json")):
                Path(root, name).unlink(missing_ok=True)
        for name in folders:
            with contextlib.suppress(OSError):
                Path(root, name).rmdir()
    with contextlib.suppress(OSError):
        directory.rmdir()


def _first(downloads: Shelf, source: Source, target_directory: Path, call: Call, known: Known | None) -> Fetched:
    """Download the weights, under the first name that exists."""
    missing: Failure | None = None
    for name in WEIGHTS:
        try:
            return _bring(downloads, source, target_directory, name, call, known, source.sha256)
        except Failure as failure:
            if failure.code in STOPPING or failure.details.get("status") != 404:
                raise
            missing = failure
    assert missing is not None
    raise _no_model("the directory has neither model.safetensors nor model.onnx") from missing


def _bring(
    downloads: Shelf,
    source: Source,
    target_directory: Path,
    name: str,
    call: Call,
    known: Known | None = None,
    sha256: str = "",
) -> Fetched:
    return downloads.bring(Source(source.name, source.url + name, sha256), target_directory / name, call, known)


def _no_model(why: str) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"This is not a usable model: {why}.",
                   hint="A model has model.safetensors or model.onnx, and tokenizer.json.")  # fmt: skip
