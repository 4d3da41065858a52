"""The portable index: what is to be built, and what is known of it."""

from dataclasses import dataclass

from codecompass.model.code.modes import MODES


@dataclass(frozen=True, slots=True)
class PortableOrder:
    """What is to be built."""

    ref: str | None = None
    modes: tuple[str, ...] = MODES
    out: str | None = None
    """Another place than the project's own: a path, absolute or from the root of the repository."""
    keep_current: bool = False
    """A file that is current is left as it is."""


@dataclass(frozen=True, slots=True)
class PortableReport:
    """What is known of a portable file."""

    path: str
    exists: bool
    usable: bool = False
    fresh: bool = False
    """It holds the very contents that the view it was made from holds now."""
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
    """Files whose bytes were not to be had any more, so that their words are missing."""
    vectors: int = 0
    message: str = ""
    """Why it cannot be used."""
    built: bool = False
    """This call made it; otherwise it was there."""
