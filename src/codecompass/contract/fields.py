"""Shared parameter types of tools, each with the limits that its schema states.

An optional parameter has the type `… | UnsetType = UNSET`: null is not the same as absent, and is refused.
"""

from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

from codecompass.model.states import DetailLevel, ExplainLevel, FreshnessPolicy

T = TypeVar("T")

MAX_REF = 255
MAX_WORKSPACE = 4_096
Ref = Annotated[str, Meta(min_length=1, max_length=MAX_REF)]
# No maximum length: the schema is repeated in every tool, and a path that is too long is not a directory.
Workspace = Annotated[str, Meta(min_length=1, description="Absolute path.")]
Limit = Annotated[int, Meta(ge=1, le=100)]
Language = Annotated[str, Meta(max_length=40)]
Kind = Annotated[str, Meta(max_length=40, description="fn, method, class, struct, …")]
# `\S` makes a blank string a violation of the schema itself.
Query = Annotated[str, Meta(max_length=1000, pattern=r"\S")]
Name = Annotated[str, Meta(max_length=500, pattern=r"\S")]
# Paths and handles have no limits here, to keep tool lists short: they are looked up, and the error for one that is
# not found says what to give instead.
FilePath = Annotated[str, Meta(description="Relative to the root.")]
Handle = str
Line = Annotated[int, Meta(ge=1)]
Depth = Literal["top", "all"]

__all__ = (
    "UNSET", "Depth", "DetailLevel", "ExplainLevel", "FilePath", "FreshnessPolicy", "Handle", "Kind", "Language",
    "Limit", "Line", "Name", "Query", "Ref", "UnsetType", "Workspace", "unset_to_none",
)  # fmt: skip


def unset_to_none(value: T | UnsetType) -> T | None:
    """Return the value, or None when the caller left the field out."""
    return None if isinstance(value, UnsetType) else value
