"""Things: what a name can stand for while it is being resolved."""

from typing import NamedTuple


class Thing(NamedTuple):
    """A module, a definition, an object of a type, a holder of many, a namespace, or something outside."""

    kind: str
    """`module`, `def`, `instance`, `many`, `space` or `external`."""
    path: str = ""
    position: int = -1
    """Of the definition (`def`, `instance`) or of the scope in which the text is to be read (`many`)."""
    text: str = ""
    """For `many`: the type of what is held. For `space`: its full name, as the file at `path` sees it."""


EXTERNAL = Thing("external")
Things = tuple[Thing, ...]


class Outcome(NamedTuple):
    """What a mention means: `resolved` to one definition (its overloads count as one), `ambiguous` between several,
    `external` when it is known to be none of the repository's, `own_member` when the type before it sets a member of
    that name without a definition, else `unresolved`.
    """

    status: str
    places: tuple[tuple[str, int], ...] = ()
    """(path, position) of each definition."""
