"""Shared parameter types of tools, each with the limits that its schema states.

An optional parameter has the type `… | UnsetType = UNSET`: null is not the same as absent, and is refused.
"""

from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

from codecompass.model.states import DetailLevel, ExplainLevel, FreshnessPolicy

T = TypeVar("T")

MAX_REF = 255
MAX_WORKSPACE = 4_096
# No limits where a value is looked up anyway: the schema is repeated in every tool, and the error for a ref, directory
# or language that does not exist says what does.
LOOKED_UP = {"looked_up": True}
"""Marks such a type: decoding refuses an empty text, which would be taken for none, and an endless one."""
LookedUp = Annotated[str, Meta(extra=LOOKED_UP)]
Ref = LookedUp
Workspace = LookedUp
Limit = Annotated[int, Meta(ge=1, le=100)]
# `next_cursor` of an earlier answer to the same call; opaque, and without a description in every tool.
Cursor = str
Language = LookedUp
Platform = Annotated[str, Meta(max_length=40)]
Kind = LookedUp
# `\S` makes a blank string a violation of the schema itself.
Query = Annotated[str, Meta(max_length=20_000, pattern=r"\S")]
Name = Annotated[str, Meta(pattern=r"\S", extra=LOOKED_UP)]
# Paths and handles have no limits here, to keep tool lists short: they are looked up, and the error for one that is
# not found says what to give instead.
FilePath = str
Handle = str
Line = Annotated[int, Meta(ge=1)]
Depth = Literal["top", "all"]

__all__ = (
    "UNSET", "Cursor", "Depth", "DetailLevel", "ExplainLevel", "FilePath", "FreshnessPolicy", "Handle", "Kind",
    "Language", "LOOKED_UP", "Limit", "Line", "LookedUp", "Name", "Platform", "Query", "Ref", "UnsetType", "Workspace",
    "unset_to_none",
)  # fmt: skip


def unset_to_none(value: T | UnsetType) -> T | None:
    """Return the value, or None when the caller left the field out."""
    return None if isinstance(value, UnsetType) else value
