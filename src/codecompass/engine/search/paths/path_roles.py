"""Path roles: tests, documentation, vendored and legacy files by their paths; they rank below ordinary source."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from codecompass.text.tokens import stem


class PathRole(NamedTuple):
    """A role of files and its ranking penalty."""

    name: str
    pattern: re.Pattern[str]
    penalty: float
    """Subtracted from 1 in searches by words; the penalties of several roles add up."""
    query_stems: frozenset[str] = frozenset()
    """Query stems that ask for this role; then neither penalty nor weight applies."""
    weight: float = 1.0
    """Factor of a match by path, error message or name; of several roles the least counts."""


def _make_role(name: str, pattern: str, cost: float, asked_by: str = "", weight: float = 1.0) -> PathRole:
    return PathRole(name, re.compile(pattern, re.IGNORECASE), cost, frozenset(map(stem, asked_by.split())), weight)


_DOCUMENT_WORDS = "doc documentation readme guide changelog manual tutorial json yaml yml toml xml html css markdown"

ROLES = (
    _make_role(
        "test",
        r"(?:^|/)(?:tests?|testing|__tests__|specs?|testdata|fixtures?)/|(?:[._-](?:tests?|spec)|(?-i:[a-z0-9](?:Tests?|Spec)))\.\w+$"
        r"|(?:^|/)test_[^/]*$|(?:^|/)conftest\.py$",
        0.8,
        "test spec fixture mock conftest",
        0.55,
    ),
    _make_role(
        "aside",
        r"(?:^|/)(?:examples?|samples?|demos?|benchmarks?|bench|vendor|third_party|node_modules|dist|locale|generated)/",
        0.8,
        "example sample demo benchmark bench vendor locale generated",
        0.75,
    ),
    _make_role(
        "documentation",
        r"\.(?:md|mdx|rst|txt|adoc|html?|css|svg|csv|xml|json|ya?ml|toml|lock)$",
        1.0,
        _DOCUMENT_WORDS,
    ),
    _make_role("documentation directory", r"(?:^|/)docs?/", 1.0, _DOCUMENT_WORDS, 0.75),
    _make_role("build", r"(?:^|/)(?:build|migrations)/", 0.0, "migration", 0.75),
    _make_role(
        "legacy",
        r"(?:^|[/_.-])(?:legacy|deprecated|compat|old|obsolete|shims?|polyfills?)(?=[/_.-]|$)",
        0.5,
        "legacy deprecated compat compatibility old obsolete shim polyfill",
    ),
    _make_role("header", r"\.(?:h|hpp|hh|hxx|mli|pyi)$", 0.3, "header"),
    _make_role(
        "interface",
        r"(?:^|/)(?:contracts?|interfaces?|abstractions?|types?|typings)/|\.d\.ts$",
        0.25,
        "contract interface abstraction type typing",
    ),
)

ROLE_STEMS = frozenset().union(*(role.query_stems for role in ROLES if role.penalty))
"""Query stems that ask for files of a role with a penalty."""
_MAX_CACHED_PATHS = 40_000
"""Cache size; every query reads the roles of hundreds of files."""

_LEGACY_STEMS = next(role.query_stems for role in ROLES if role.name == "legacy")
_VERSION = re.compile(r"(?:^|[/_.-])v(\d{1,3})(?=[/_.-]|$)", re.IGNORECASE)
_OUTDATED_PENALTY = 0.5


def find_newest_versions(paths: Iterable[str]) -> dict[str, int]:
    """Find the newest version of each versioned prefix: `src/v` → 4 for `src/v3/a.ts` and `src/v4/a.ts`."""
    found: dict[str, int] = {}
    for path in paths:
        for match in _VERSION.finditer(path):
            prefix = path[: match.start(1)]
            found[prefix] = max(found.get(prefix, 0), int(match[1]))
    return found


def find_outdated_roles(path: str, newest: Mapping[str, int]) -> tuple[PathRole, ...]:
    """Return the `outdated` role if a newer version of the file's directory exists."""
    return tuple(
        PathRole("outdated", _VERSION, _OUTDATED_PENALTY, frozenset({stem(f"v{match[1]}"), *_LEGACY_STEMS}))
        for match in _VERSION.finditer(path)
        if int(match[1]) < newest.get(path[: match.start(1)], 0)
    )


@lru_cache(maxsize=_MAX_CACHED_PATHS)
def find_roles(path: str) -> tuple[PathRole, ...]:
    return tuple(role for role in ROLES if role.pattern.search(path))


def is_test(path: str) -> bool:
    return any(role.name == "test" for role in find_roles(path))


def get_role_weight(path: str, wanted: frozenset[str] = frozenset()) -> float:
    """Return the least weight of the roles of a file that the query (its stems) does not ask for."""
    return min((role.weight for role in find_roles(path) if not role.query_stems & wanted), default=1.0)


def compute_role_prior(roles: tuple[PathRole, ...], wanted: frozenset[str]) -> float:
    """Compute the prior of a file: 1 minus the penalties of its roles, unless the query asks for them."""
    return max(0.0, 1.0 - sum(role.penalty for role in roles if not role.query_stems & wanted))
