"""Anchors: resolve claims to files, definitions and manifest entries of a tree. An ambiguous name has no anchor."""

import re
from collections.abc import Iterable, Iterator, Sequence

from codecompass.engine.memory.claims.claim_candidates import MOST, claims_of
from codecompass.engine.memory.claims.definition_digests import one_line, weightiest, wording_digest
from codecompass.engine.memory.claims.tree_snapshot import MANIFESTS, Scene, definitions
from codecompass.engine.memory.manifests.manifest_reader import family_of, runs_scripts_of
from codecompass.engine.memory.manifests.package_manifest import Manifest
from codecompass.engine.navigation.diff.fingerprint import Worded
from codecompass.engine.search.paths.path_roles import roles_of
from codecompass.engine.view.pinned_view import shown
from codecompass.model.memory_values import Anchor, Claim
from codecompass.repo.files.secret_names import is_secret

_PARTS = re.compile(r"\.|::|#|->")
_DIGITS = re.compile(r"\d+")
_SHOWN = 160
_LEAST_NAME = 3
_STRONG = ("callable", "type")
_NAMES = ("symbol", "constant")
"""Kinds of claims that name a definition."""
_MAX_DEPENDENCIES = 1_000
_PLAIN_CALL = 3
"""Number of words of a command that names no package: npm run test."""


def anchor_of(tree: Scene, claim: Claim, near: Sequence[str] = ()) -> Anchor | None:
    """Find what a claim names. `near` are paths that the same text names; they select among equal names."""
    if claim.kind in ("path", "command"):
        found = path_anchor(tree.paths, claim.target, near)
        # Views exclude secrets, so a later check could not find them.
        return None if found is not None and is_secret(found.path) else found
    if claim.kind in _NAMES:
        return symbol_anchor(tree, claim.target, near)
    if claim.kind == "script":
        family = runs_scripts_of(claim.text)
        homes = (*_packages(tree, claim.text), *near)
        return script_anchor(listing(tree, homes, family), claim.target, stated=bool(claim.expected))
    return dependency_anchor(listing(tree, near), claim.target, stated=bool(claim.expected))


def path_anchor(paths: frozenset[str], target: str, near: Sequence[str] = ()) -> Anchor | None:
    """Find a file, a directory, or the only file whose path ends with `target`."""
    wanted = target.rstrip("/")
    if not wanted:
        return None
    homes = [""] + [one.rpartition("/")[0] + "/" for one in near if "/" in one]
    for home in homes:
        if home + wanted in paths:
            return Anchor(home + wanted, "", "file", shown(home + wanted))
    if target.endswith("/") or "." not in wanted.rpartition("/")[2]:
        for home in homes:
            if any(path.startswith(home + wanted + "/") for path in paths):
                return Anchor(home + wanted, "", "directory", shown(home + wanted) + "/")
    if "." in wanted.rpartition("/")[2]:
        ending = [path for path in paths if path.endswith("/" + wanted)]
        if len(ending) == 1:
            return Anchor(ending[0], "", "file", shown(ending[0]))
    return None


def name_parts(target: str) -> list[str]:
    """Split a qualified name at any separator."""
    return [part for part in _PARTS.split(target) if part]


def symbol_anchor(tree: Scene, target: str, near: Sequence[str] = (), home: str = "") -> Anchor | None:
    """Find the only definition of a name, or the one in `home`. Definitions in one scope of one file count as one."""
    parts = name_parts(target)
    if not parts or len(parts[-1]) < _LEAST_NAME:
        return None
    name, scope = parts[-1], parts[-2] if len(parts) > 1 else ""
    if scope in ("self", "this", "cls"):
        scope = ""
    homes = _homes(tree, name, scope, near)
    if not homes and name[-1] in "!?":
        # In some languages the mark is part of the name, in others it calls a macro.
        name = name[:-1]
        homes = _homes(tree, name, scope, near)
    if home:
        homes = {key: held for key, held in homes.items() if key[0] == home or key[0].startswith(home + "/")}
    if len(homes) > 1:
        homes = _meant(homes, near)
    if len(homes) != 1:
        return None
    ((path, around), held) = next(iter(homes.items()))
    return Anchor(path, "\0".join((around, name)), wording_digest(held), one_line(weightiest(held)))


_Homes = dict[tuple[str, str], list[Worded]]
"""(file, scope) → definitions of a name."""


def _homes(tree: Scene, name: str, scope: str, near: Sequence[str]) -> _Homes:
    homes: _Homes = {}
    for path in tree.defining(name, near):
        for one in definitions(tree.sheet(path), name, scope):
            homes.setdefault((path, one.definition.scope), []).append(one)
    return homes


def _meant(homes: _Homes, near: Sequence[str]) -> _Homes:
    """Select the definitions in the files that the text names; within one file prefer functions and types."""
    named = {key: held for key, held in homes.items() if key[0] in near}
    if len(named) > 1 and len({path for path, _ in named}) == 1:
        return {key: held for key, held in named.items() if any(one.group in _STRONG for one in held)}
    return named


Listing = Iterable[tuple[str, Manifest]]
"""(path, manifest) pairs in the order of precedence."""


def script_anchor(manifests: Listing, name: str, *, stated: bool = False) -> Anchor | None:
    """Find the first script or target of a name.

    A text that only mentions the script claims that it exists; a text that states its command claims the command.
    """
    for where, manifest in manifests:
        command = dict(manifest.scripts).get(name)
        if command is not None:
            flat = " ".join(command.split())
            return Anchor(where, name, f"={flat}" if stated else "=", f"{name}: {flat}"[:_SHOWN])
    return None


def listing(tree: Scene, near: Sequence[str], family: str = "") -> Listing:
    """Yield manifests: those in `near`, those in directories above `near`, then those near the root."""
    paths = [path for path in tree.manifest_paths if not family or family_of(path) == family]
    places: dict[str, list[str]] = {}
    for path in paths:
        places.setdefault(path.rpartition("/")[0], []).append(path)
    known = set(paths)
    chosen = [path for path in near if path in known]
    for path in near:
        home = path.rpartition("/")[0]
        while home:
            chosen += places.get(home, ())
            home = home.rpartition("/")[0]
    for path in dict.fromkeys((*chosen, *paths[:MANIFESTS])):
        yield path, tree.manifest(path)


def is_aside(path: str) -> bool:
    """Whether a manifest belongs to an example, a test or a vendored package."""
    return any(role.name in ("aside", "test") for role in roles_of(path))


def _packages(tree: Scene, command: str) -> Iterator[str]:
    """Yield manifests of the packages that a command names by directory or directory name."""
    words = [word.strip("/").removeprefix("./") for word in re.split(r"[\s=]+", command)]
    for path in tree.manifest_paths if len(words) > _PLAIN_CALL else ():
        home = path.rpartition("/")[0]
        if home and any(word == home or word == home.rpartition("/")[2] for word in words):
            yield path


def package_key(name: str) -> str:
    """Normalize a package name as registries do."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def dependency_anchor(manifests: Listing, name: str, *, stated: bool) -> Anchor | None:
    """Find a package in the manifests, with its major version if the text states one.

    If the text states a version, prefer a manifest that has one: others only say that the package is used.
    """
    bare = None
    for where, manifest in manifests:
        for package, version in _called(manifest.dependencies[:_MAX_DEPENDENCIES], package_key(name)):
            major = major_of(version) if stated else ""
            found = Anchor(where, package, f"v{major}", f"{package} {version}".strip()[:_SHOWN])
            if major or not stated:
                return found
            bare = bare or found
    return bare


def _called(packages: Sequence[tuple[str, str]], key: str) -> list[tuple[str, str]]:
    """Return packages with a name; for `group:name` the name suffices if only one group has it."""
    whole = [row for row in packages if package_key(row[0]) == key]
    if whole or ":" in key:
        return whole
    inside = [row for row in packages if ":" in row[0] and package_key(row[0].partition(":")[2]) == key]
    return inside if len({package for package, _ in inside}) == 1 else []


def major_of(version: str) -> str:
    """Return the major version; for 0.x also the minor version, which may break compatibility."""
    numbers = _DIGITS.findall(version)
    if not numbers:
        return ""
    return f"{numbers[0]}.{numbers[1]}" if numbers[0] == "0" and len(numbers) > 1 else numbers[0]


def _said_home(text: str, claim: Claim, found: Sequence[tuple[Claim, Anchor]]) -> str:
    """Return the file that the text states for a name: `name` in `path`, or `name` (`path`)."""
    for named, anchor in found:
        if named.kind == "path" and anchor.digest == "file":
            words = rf"{re.escape(claim.text)}[`)\s]*(?:\b(?:in|from|inside|within)\b|\()\s*`*{re.escape(named.text)}"
            if re.search(words, text):
                return anchor.path
    return ""


def anchored(tree: Scene, text: str, near: Sequence[str] = ()) -> tuple[tuple[Claim, Anchor], ...]:
    """Return the claims of a text that name something in the tree, with their anchors."""
    found: list[tuple[Claim, Anchor]] = []
    claims = claims_of(text)
    named = [claim for claim in claims if claim.kind in ("path", "command")]
    others = [claim for claim in claims if claim.kind not in ("path", "command")]
    places = []
    for claim in named:
        anchor = anchor_of(tree, claim, near)
        if anchor is not None:
            found.append((claim, anchor))
            places.append(anchor.path)
    tree.expect(part for claim in others if claim.kind in _NAMES for part in name_parts(claim.target)[-1:])
    for claim in others:
        if len(found) >= MOST:
            break
        home = _said_home(text, claim, found) if claim.kind in _NAMES else ""
        if home and tree.sheet(home) is not None:
            anchor = symbol_anchor(tree, claim.target, (*places, *near), home)
        else:
            anchor = anchor_of(tree, claim, (*places, *near))
        if anchor is not None and not any(anchor == other for _, other in found):
            found.append((claim, anchor))
    return tuple(found[:MOST])
