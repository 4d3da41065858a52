"""Bundled model: the embedding model in the package; `training/` describes how it was trained."""

from pathlib import Path

from codecompass.embed.static_model import StaticEmbedder, open_static

WEIGHTS = Path(__file__).with_name("compass-static-1.ccvec")
DIGEST = "b3:f780769ba73d4bd99113d45cd0be84e9b728117f6a6baa9afcb28a305b4a7d0b"
"""The digest of the weights file. Another file is rejected: its vectors are not comparable with stored ones."""


def open_bundled() -> StaticEmbedder:
    """Open the bundled model; a `Failure` if the file is missing or damaged, which search tolerates."""
    return open_static(WEIGHTS, DIGEST)
