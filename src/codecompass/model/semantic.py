"""How far search by meaning goes: values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SemanticState:
    """Whether the vectors of a view can be searched."""

    state: str
    """`on`; `building` while some files of the view have none yet; `off` where there is no model, or it fails."""
    model: str = ""
    dimensions: int = 0
    covered: int = 0
    """Files of the view that have vectors."""
    total: int = 0
    note: str = ""
    """Why it is off, or what is to be known."""
