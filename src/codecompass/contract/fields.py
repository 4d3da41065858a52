"""The shared vocabulary of parameters: each word is defined here once, with the limits its schema states.

An optional word is typed `… | UnsetType = UNSET`: absent and null are different things, and null is refused.
"""

from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

T = TypeVar("T")

Ref = Annotated[str, Meta(min_length=1, max_length=255)]
Workspace = Annotated[str, Meta(min_length=1, max_length=4096, description="Absolute path; default: the server's.")]
Limit = Annotated[int, Meta(ge=1, le=100)]
Language = Annotated[str, Meta(min_length=1, max_length=40)]
Kind = Annotated[str, Meta(min_length=1, max_length=40, description="fn, method, class, struct, …")]
# `\S` makes a blank string a violation of the schema itself, not of a rule hidden behind it.
Query = Annotated[str, Meta(min_length=1, max_length=1000, pattern=r"\S")]
Name = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]
FilePath = Annotated[str, Meta(min_length=1, max_length=4096, description="Relative to the repository root.")]
# No pattern: what is no handle is refused with words that say what a handle is.
Handle = Annotated[str, Meta(min_length=1, max_length=60)]
Line = Annotated[int, Meta(ge=1, le=100_000_000)]
Depth = Literal["top", "all"]
DetailLevel = Literal["location", "signature", "context"]
FreshnessPolicy = Literal["strict", "balanced", "best_effort"]
ExplainLevel = Literal["off", "basic", "full"]

__all__ = (
    "UNSET", "Depth", "DetailLevel", "ExplainLevel", "FilePath", "FreshnessPolicy", "Handle", "Kind", "Language",
    "Limit", "Line", "Name", "Query", "Ref", "UnsetType", "Workspace", "given",
)  # fmt: skip


def given(value: T | UnsetType) -> T | None:
    """The value, or None when the caller left the field out."""
    return None if isinstance(value, UnsetType) else value
