"""Hugging Face tokenizer: reads the `tokenizer.json` of local models with a library of an optional extra."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from blake3 import blake3

from codecompass.embed.models import EXTRA
from codecompass.errors import Failure


def import_required(name: str) -> ModuleType:
    """Import a library of the extra; a Failure names the extra if it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise Failure(
            "CAPABILITY_MISSING",
            f"This embedding model needs the library {name}, which is not installed. Search by words works without it.",
            hint=f"pip install 'codecompass[{EXTRA}]'",
        ) from error


def make_model_failure(directory: Path, why: str) -> Failure:
    return Failure(
        "CAPABILITY_MISSING",
        f"The embedding model {directory.name!r} cannot be used: {why}. Search by words works without it.",
        hint="Name another one as embed.model; `bundled` needs nothing.",
    )


@contextmanager
def map_library_errors(library: str, directory: Path, why: str) -> Iterator[None]:
    """Turn errors of a library into failures; its exceptions have no common type, or only `Exception`."""
    try:
        yield
    except Exception as error:
        if type(error) is not Exception and not type(error).__module__.startswith(library):
            raise
        raise make_model_failure(directory, why) from error


def open_tokenizer(directory: Path, longest: int) -> Any:  # noqa: ANN401 - the library has no types of its own
    """Open the tokenizer of a model; it truncates texts to `longest` tokens and does not pad."""
    library = import_required("tokenizers")
    path = directory / "tokenizer.json"
    if not path.is_file():
        raise make_model_failure(directory, "it has no tokenizer.json")
    with map_library_errors("tokenizers", directory, "its tokenizer.json cannot be read"):
        tokenizer = library.Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(longest)
    tokenizer.no_padding()
    return tokenizer


def hash_files(paths: list[Path]) -> str:
    """Compute one digest of the content of several files."""
    state = blake3()
    for path in paths:
        part = blake3(max_threads=blake3.AUTO)
        part.update_mmap(path)
        state.update(part.digest())
    return "b3:" + state.hexdigest()
