"""File rank: which files a first index publishes first: code, then tests, then documents, then everything aside."""

from codecompass.engine.search.paths.path_roles import find_roles
from codecompass.languages.registry import Registry

_RANKS = {"test": 1, "documentation": 2, "aside": 3}
"""Path role → rank; a file of several roles has the highest. Other roles do not delay a file."""
_PLAIN_TEXT = 2


def rank_file(registry: Registry, path: str) -> int:
    """Return 0 for source code and more for files that fewer queries ask for."""
    rank = max((_RANKS.get(role.name, 0) for role in find_roles(path)), default=0)
    return rank if registry.detect(path) else max(rank, _PLAIN_TEXT)
