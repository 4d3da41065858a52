"""Versions that clients may compare, and the rules for raising them."""

from codecompass import __version__

SCHEMA_VERSION = "1.7.0"
"""SemVer of the whole set of tool definitions."""

PROTOCOL_VERSION = "1.0"
"""Version of the compass metadata block."""

TOOL_VERSION = __version__
"""Version of the package, emitted as `toolVersion` and `toolingVersion`."""

BUMPS = (
    ("tool removed or renamed", "major"),
    ("tool version raised", "major"),
    ("parameter removed", "major"),
    ("parameter made required", "major"),
    ("parameter narrowed", "major"),
    ("tool added", "minor"),
    ("parameter added", "minor"),
    ("parameter widened", "minor"),
    ("wording changed", "patch"),
)
"""The version bump that each kind of difference needs. A major bump also raises the version of the changed tool."""

BUMP_ORDER = ("none", "patch", "minor", "major")


def find_bump(differences: list[tuple[str, str]]) -> str:
    """Return the largest bump that a list of (kind, location) differences needs."""
    costs = dict(BUMPS)
    return max((costs[kind] for kind, _ in differences), key=BUMP_ORDER.index, default="none")


def is_bumped(old: str, new: str, bump: str) -> bool:
    """Whether `new` is at least the given bump above `old`."""
    before, after = ([int(part) for part in version.split(".")] for version in (old, new))
    wanted = {
        "none": before,
        "patch": [before[0], before[1], before[2] + 1],
        "minor": [before[0], before[1] + 1, 0],
        "major": [before[0] + 1, 0, 0],
    }[bump]
    return after >= wanted
