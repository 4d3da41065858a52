"""The model that ships with the package; `training/` says how it was made."""

from pathlib import Path

from codecompass.embed.static_model import StaticEmbedder, open_static

WEIGHTS = Path(__file__).with_name("compass-static-1.ccvec")
DIGEST = "b3:f780769ba73d4bd99113d45cd0be84e9b728117f6a6baa9afcb28a305b4a7d0b"
"""Of the file of weights. A file with another one is refused: its vectors would not fit those already stored."""


def open_bundled() -> StaticEmbedder:
    """The bundled model; raises a `Failure` that search can do without when the file is missing or damaged."""
    return open_static(WEIGHTS, DIGEST)
