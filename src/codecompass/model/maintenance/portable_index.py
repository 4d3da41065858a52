"""Portable index values: the build request and the report."""

from dataclasses import dataclass

from codecompass.model.states import MODES, TextMode


@dataclass(frozen=True, slots=True)
class PortableBuildRequest:
    """A portable index to build."""

    ref: str | None = None
    modes: tuple[TextMode, ...] = MODES
    out: str | None = None
    """Output path instead of the project's own: absolute, or relative to the repository root."""
    keep_current: bool = False
    """Do not rebuild a file that is up to date."""


@dataclass(frozen=True, slots=True)
class PortableReport:
    """The state of a portable index file."""

    path: str
    exists: bool
    usable: bool = False
    fresh: bool = False
    """It has the same contents as its view has now."""
    bytes: int = 0
    ref: str = ""
    commit: str = ""
    generation: int = 0
    built_at: str = ""
    modes: tuple[str, ...] = ()
    files: int = 0
    chunks: int = 0
    symbols: int = 0
    without_text: int = 0
    """Files whose bytes were no longer available; their words are missing."""
    vectors: int = 0
    message: str = ""
    """Why it cannot be used."""
    built: bool = False
    """This call built the file; otherwise it existed."""
