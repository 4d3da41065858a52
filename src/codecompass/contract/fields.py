"""The shared vocabulary of parameters: each word is defined here once, with the limits its schema states.

An optional word is typed `… | UnsetType = UNSET`: absent and null are different things, and null is refused.
"""

from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

T = TypeVar("T")

MAX_REF = 255
MAX_WORKSPACE = 4_096
Ref = Annotated[str, Meta(min_length=1, max_length=MAX_REF)]
# No longest length: the schema stands in every tool, and a path that is too long is no directory.
Workspace = Annotated[str, Meta(min_length=1, description="Absolute path.")]
Limit = Annotated[int, Meta(ge=1, le=100)]
Language = Annotated[str, Meta(max_length=40)]
Kind = Annotated[str, Meta(max_length=40, description="fn, method, class, struct, …")]
# `\S` makes a blank string a violation of the schema itself, not of a rule hidden behind it.
Query = Annotated[str, Meta(max_length=1000, pattern=r"\S")]
Name = Annotated[str, Meta(max_length=500, pattern=r"\S")]
# Paths and handles have no limits here, which every list of tools would pay for: they are looked up, and what is not
# found is refused with words that say what to give instead.
FilePath = Annotated[str, Meta(description="Relative to the root.")]
Handle = str
Line = Annotated[int, Meta(ge=1)]
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
