"""Path roles: tests, documentation, vendored and legacy files by their paths; they rank below ordinary source."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from codecompass.text.stems import stem


class PathRole(NamedTuple):
    """A role of files and its ranking penalty."""

    name: str
    pattern: re.Pattern[str]
    penalty: float
    """Subtracted from 1; the penalties of several roles add up."""
    query_stems: frozenset[str] = frozenset()
    """Query stems that ask for this role; then the penalty does not apply."""


def _make_role(name: str, pattern: str, cost: float, asked_by: str = "") -> PathRole:
    return PathRole(name, re.compile(pattern, re.IGNORECASE), cost, frozenset(map(stem, asked_by.split())))


ROLES = (
    _make_role(
        "test",
        r"(?:^|/)(?:tests?|testing|__tests__|specs?|testdata|fixtures?)/|(?:_tests?|_spec|\.tests?|\.spec|(?-i:[a-z0-9](?:Tests?|Spec)))\.[a-z]+$"
        r"|(?:^|/)test_[^/]*$|(?:^|/)conftest\.py$",
        0.8,
        "test spec fixture mock conftest",
    ),
    _make_role(
        "aside",
        r"(?:^|/)(?:examples?|samples?|demos?|benchmarks?|bench|vendor|third_party|node_modules|dist|locale|generated)/",
        0.8,
        "example sample demo benchmark bench vendor locale generated",
    ),
    _make_role(
        "documentation",
        r"(?:^|/)docs?/|\.(?:md|mdx|rst|txt|adoc|html?|css|svg|csv|xml|json|ya?ml|toml|lock)$",
        1.0,
        "doc documentation readme guide changelog manual tutorial json yaml yml toml xml html css markdown",
    ),
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

ROLE_STEMS = frozenset().union(*(role.query_stems for role in ROLES))
"""Query stems that ask for files of any role."""

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


def find_roles(path: str) -> tuple[PathRole, ...]:
    return tuple(role for role in ROLES if role.pattern.search(path))


def compute_role_prior(roles: tuple[PathRole, ...], wanted: frozenset[str]) -> float:
    """Compute the prior of a file: 1 minus the penalties of its roles, unless the query asks for them."""
    return max(0.0, 1.0 - sum(role.penalty for role in roles if not role.query_stems & wanted))
