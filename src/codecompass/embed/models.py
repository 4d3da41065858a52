"""Embedding models: selection and opening of the configured model. Nothing is ever downloaded.

`bundled` is the model in the package, `none` means no vectors, `endpoint` a service of your choice, used only if the
network is allowed as well. Anything else is a directory with a model2vec model (`model.safetensors`) or an ONNX model
(`model.onnx`) and its `tokenizer.json`.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from codecompass.errors import Failure
from codecompass.ownership import require_own

if TYPE_CHECKING:  # numpy is loaded only where a model is used
    from codecompass.embed.embedder import Embedder

BUNDLED, NONE, ENDPOINT = "bundled", "none", "endpoint"
FILES = ("model.safetensors", "model.onnx", "onnx/model.onnx", "tokenizer.json", "config.json")
"""All files of a model, except those that an ONNX graph references."""
EXTRA = "models"
"""The extra of the package that local models need."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model settings."""

    model: str = BUNDLED
    endpoint_url: str = ""
    endpoint_model: str = ""
    endpoint_token: str = field(default="", repr=False)
    allow_network: bool = False
    timeout_s: float = 30.0
    models_directory: str = ""
    """The directory in which models given by name are looked up."""


def open_model(choice: ModelChoice) -> "Embedder | None":
    """Open the configured model, None if there is none; a Failure explains why it cannot be used and what helps."""
    if choice.model in (NONE, ""):
        return None
    if choice.model == BUNDLED:
        from codecompass.embed.bundled import open_bundled  # noqa: PLC0415 - each model loads only what it needs

        return open_bundled()
    if choice.model == ENDPOINT:
        return _open_endpoint(choice)
    named = Path(choice.models_directory, choice.model)
    if choice.models_directory and named.is_dir():
        # A configured path may be absolute, and then it is outside the models directory.
        return _open_local(
            named, Path(choice.models_directory).parent if named.is_relative_to(choice.models_directory) else named
        )
    directory = Path(choice.model).expanduser()
    return _open_local(directory, directory)


def _open_endpoint(choice: ModelChoice) -> "Embedder":
    if not choice.endpoint_url or not choice.allow_network:
        reason = "embed.endpoint_url is not set" if not choice.endpoint_url else "embed.allow_network is not true"
        raise Failure(
            "CAPABILITY_MISSING",
            f"The embedding service is not used: {reason}. Search by words works without it.",
            hint="Code leaves this machine only when both are set in your own settings.",
        )
    from codecompass.embed.endpoint import open_endpoint  # noqa: PLC0415

    return open_endpoint(choice.endpoint_url, choice.endpoint_model, choice.endpoint_token, choice.timeout_s)


def check_owner(directory: Path, top: Path) -> None:
    """Reject a model that another user owns or may write: its files, and every directory above them up to `top`."""
    for name in FILES:
        if os.path.lexists(directory / name):
            require_own(directory / name, top, "the directory of models" if top == directory else "the data directory")


def _open_local(directory: Path, top: Path) -> "Embedder":
    if not directory.is_dir():
        raise Failure(
            "CAPABILITY_MISSING",
            f"embed.model is not a directory: {directory.name!r}. Search by words works without it.",
            hint="Name a directory with a model2vec or ONNX model, or one of: bundled, none, endpoint.",
        )
    check_owner(directory, top)
    if (directory / "model.safetensors").is_file():
        from codecompass.embed.model2vec import open_model2vec  # noqa: PLC0415

        return open_model2vec(directory)
    for name in ("model.onnx", "onnx/model.onnx"):
        if (directory / name).is_file():
            from codecompass.embed.onnx_model import open_onnx  # noqa: PLC0415

            return open_onnx(directory, directory / name, top)
    raise Failure(
        "CAPABILITY_MISSING",
        f"The directory {directory.name!r} contains neither model.safetensors nor model.onnx.",
        hint="Name a directory with a model2vec or ONNX model, or one of: bundled, none, endpoint.",
    )
