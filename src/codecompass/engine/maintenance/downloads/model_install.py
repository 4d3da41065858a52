"""Model install: from an archive or file by file; only a usable model is moved to its final directory."""

import contextlib
import os
import shutil
from pathlib import Path

from codecompass.atomic import move_into_place
from codecompass.embed.models import FILES
from codecompass.embed.onnxfile import external_files
from codecompass.engine.maintenance.downloads.download_directory import (
    CALL_FAILURES,
    DownloadDirectory,
    DownloadSource,
    InstalledFile,
    hash_file,
)
from codecompass.engine.maintenance.downloads.installed_models import (
    CONFIG,
    TOKENIZER,
    WEIGHTS,
    find_defect,
    find_weights,
)
from codecompass.errors import Failure
from codecompass.fetch.archives import detect_kind, extract_archive
from codecompass.fetch.fetcher import CachedValidators, FetchResult
from codecompass.model.call import Call


def install_model_archive(
    downloads: DownloadDirectory, source: DownloadSource, downloaded: Path, call: Call
) -> InstalledFile:
    """Extract an archive and install the model in it, if it is usable."""
    if not detect_kind(downloaded):
        raise _make_model_failure("a model comes as an archive, or from the URL of a directory, which ends in a slash")
    with downloads.open_staging(source.name) as staged:
        extract_archive(downloaded, staged, name=source.name, check=call.check)
        inner = list(staged.iterdir())
        model_directory = inner[0] if len(inner) == 1 and inner[0].is_dir() and not find_weights(staged) else staged
        return _install_model(downloads, source, model_directory)


def _install_model(downloads: DownloadDirectory, source: DownloadSource, staged: Path) -> InstalledFile:
    if trouble := find_defect(staged):
        raise _make_model_failure(trouble)
    _remove_other_files(staged)
    target, old = downloads.reserve(source.name), downloads.incoming_path(f"{source.name}.old")
    digest, chief = hash_file(staged / find_weights(staged)), find_weights(staged)
    staged.chmod(0o755)
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        os.rename(target, old)
    try:
        move_into_place(staged, target)
    except OSError:
        if old.exists():
            os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return InstalledFile(f"{source.name}/{chief}", digest)


def _remove_other_files(staged: Path) -> None:
    """Remove all files that are not part of the model: another program might execute them."""
    chief = staged / find_weights(staged)
    beside = external_files(chief) if WEIGHTS[find_weights(staged)] == "onnx" else frozenset()
    kept = {staged / name for name in FILES} | {chief.parent / name for name in beside}
    for root, folders, files in os.walk(staged, topdown=False):
        for path in (Path(root, name) for name in files):
            if path not in kept:
                path.unlink()
        for folder in folders:
            with contextlib.suppress(OSError):
                Path(root, folder).rmdir()


def install_model_files(
    downloads: DownloadDirectory, source: DownloadSource, call: Call, known: CachedValidators | None
) -> tuple[FetchResult, InstalledFile | None]:
    """Download a model file by file from a directory URL; install nothing when its weights have not changed."""
    target_directory = downloads.incoming_path(f"{source.name}.files")
    try:
        weights = _fetch_weights(downloads, source, target_directory, call, known)
        if not weights.changed:
            return weights, None
        _fetch_file(downloads, source, target_directory, TOKENIZER, call)
        try:
            _fetch_file(downloads, source, target_directory, CONFIG, call)
        except Failure as failure:
            if failure.details.get("status") != 404:
                raise
        return weights, _install_model(downloads, source, target_directory)
    finally:
        _remove_finished_files(target_directory)


def _remove_finished_files(directory: Path) -> None:
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


def _fetch_weights(
    downloads: DownloadDirectory,
    source: DownloadSource,
    target_directory: Path,
    call: Call,
    known: CachedValidators | None,
) -> FetchResult:
    """Download the weights, under the first name that exists."""
    missing: Failure | None = None
    for name in WEIGHTS:
        try:
            return _fetch_file(downloads, source, target_directory, name, call, known, source.sha256)
        except Failure as failure:
            if failure.code in CALL_FAILURES or failure.details.get("status") != 404:
                raise
            missing = failure
    assert missing is not None
    raise _make_model_failure("the directory has neither model.safetensors nor model.onnx") from missing


def _fetch_file(
    downloads: DownloadDirectory,
    source: DownloadSource,
    target_directory: Path,
    name: str,
    call: Call,
    known: CachedValidators | None = None,
    sha256: str = "",
) -> FetchResult:
    return downloads.fetch_source(
        DownloadSource(source.name, source.url + name, sha256), target_directory / name, call, known
    )


def _make_model_failure(why: str) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"This is not a usable model: {why}.",
                   hint="A model has model.safetensors or model.onnx, and tokenizer.json.")  # fmt: skip
