"""Resolver values: the entities that a name can refer to, and the result of a resolution."""

from collections.abc import Iterable
from typing import NamedTuple

MAX_DEPTH = 16
"""Maximum number of steps in a chain of imports, aliases and results."""
MAX_ENTITIES = 40
NAMED_TYPES = frozenset({"class", "struct", "enum", "trait", "interface", "type", "impl"})
VALUE_KINDS = frozenset({"var", "const", "field", "property"})


class Entity(NamedTuple):
    """What a name refers to: a module, definition, instance, collection, namespace, or something external."""

    kind: str
    """`module`, `def`, `instance`, `collection`, `namespace` or `external`."""
    path: str = ""
    position: int = -1
    """The definition (`def`, `instance`), or the scope in which the text is interpreted (`collection`)."""
    text: str = ""
    """For `collection`: the type of its items. For `namespace`: its full name, as the file at `path` sees it."""


EXTERNAL = Entity("external")
Entities = tuple[Entity, ...]


class NameResolution(NamedTuple):
    """The resolution of a mention.

    `resolved` to one definition (overloads count as one), `ambiguous` between several, `external` if it is known to be
    outside the repository, `own_member` if the type of the receiver assigns a member of that name without a definition,
    else `unresolved`.
    """

    status: str
    places: tuple[tuple[str, int], ...] = ()
    """(path, position) of each definition."""


def merge(groups: Iterable[Entities]) -> Entities:
    """Join groups of entities, each entity once, up to the maximum number."""
    return tuple(dict.fromkeys(entity for group in groups for entity in group))[:MAX_ENTITIES]


def to_defs(path: str, positions: Iterable[int]) -> Entities:
    return tuple(Entity("def", path, position) for position in positions)


def to_instance(entity: Entity) -> Entity:
    return Entity("instance", entity.path, entity.position) if entity.kind == "def" else entity
