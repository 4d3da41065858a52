"""Anchors: resolve claims to files, definitions and manifest entries of a tree. An ambiguous name has no anchor."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from codecompass.engine.memory.claims.definition_digests import (
    digest_definitions,
    select_representative,
    summarize_definition,
)
from codecompass.engine.memory.claims.tree_snapshot import MAX_MANIFESTS, TreeSnapshot, find_definitions
from codecompass.engine.memory.manifests.manifest_reader import get_family, get_runner_family
from codecompass.engine.memory.manifests.package_manifest import PackageManifest
from codecompass.engine.memory.prose_claims.claim_candidates import MAX_CLAIMS, extract_claims, split_name
from codecompass.engine.memory.prose_claims.word_search import (
    find_runtime_lines,
    find_stated,
    find_word,
    is_distinct,
    list_spellings,
    matches_version,
)
from codecompass.engine.navigation.diff.fingerprint import DefinitionTokens
from codecompass.engine.search.paths.path_roles import find_roles
from codecompass.model.memory_values import Anchor, Claim
from codecompass.model.path_text import display_path
from codecompass.repo.files.secret_names import is_secret

_DIGITS = re.compile(r"\d+")
_MAX_SHOWN = 160
_MIN_NAME_LENGTH = 3
_PREFERRED_GROUPS = ("callable", "type")
_DEFINITION_CLAIMS = ("symbol", "constant")
WORD_DIGEST, VALUE_DIGEST, VERSION_DIGEST = "word", "value", "version"
"""Digests of anchors of names that no definition has, of stated values, and of versions of runtimes."""
"""Kinds of claims that name a definition."""
_MAX_DEPENDENCIES = 1_000
_PLAIN_COMMAND_WORDS = 3
"""Number of words of a command that names no package: npm run test."""


def find_anchor(tree: TreeSnapshot, claim: Claim, near: Sequence[str] = ()) -> Anchor | None:
    """Find what a claim names. `near` are paths that the same text names; they select among equal names."""
    if claim.kind in ("path", "command"):
        found = find_path_anchor(tree.paths, claim.target, near)
        # Views exclude secrets, so a later check could not find them.
        return None if found is not None and is_secret(found.path) else found
    if claim.kind in _DEFINITION_CLAIMS:
        return find_symbol_anchor(tree, claim.target, near) or find_stated_anchor(tree, claim)
    if claim.kind in ("setting", "flag", "default", "version"):
        return find_stated_anchor(tree, claim)
    if claim.kind == "script":
        family = get_runner_family(claim.text)
        homes = (*_find_package_manifests(tree, claim.text), *near)
        return find_script_anchor(iter_manifests(tree, homes, family), claim.target, stated=bool(claim.expected))
    found = find_dependency_anchor(iter_manifests(tree, near), claim.target, stated=bool(claim.expected))
    if found is not None and claim.expected and found.digest not in ("v", f"v{parse_major_version(claim.expected)}"):
        # The text speaks of another version than the project uses: it states nothing about the project's.
        return None
    return found


def find_stated_anchor(tree: TreeSnapshot, claim: Claim) -> Anchor | None:
    """Find where code has a name that is not defined, or gives a name the value that the text states."""
    if claim.kind == "version":
        for path, lines in find_runtime_lines(tree, claim.target).items():
            line = next((one for one in lines if matches_version(one, claim.expected)), "")
            if line:
                return Anchor(path, claim.target, VERSION_DIGEST, line[:_MAX_SHOWN])
        return None
    is_exact = claim.kind != "default"
    words = list_words(claim)
    if claim.expected and not claim.expected.startswith(("(", "<")):
        stated = find_stated(tree, words, claim.expected, exact=is_exact)
        if stated is not None:
            return Anchor(stated[0], "\0".join(words), VALUE_DIGEST, stated[1][:_MAX_SHOWN])
    if not is_exact or not (is_distinct(claim.target) or claim.kind == "flag"):
        return None
    for spelling in list_spellings(words[0]) if claim.kind in ("flag", "setting") else (words[0],):
        places = find_word(tree, spelling)
        if places:
            return Anchor(places[0], spelling, WORD_DIGEST, spelling)
    return None


def list_words(claim: Claim) -> list[str]:
    """Return the words that a line of code about a claim has; of a qualified name, the last part."""
    if claim.kind == "default":
        return claim.target.split()
    return [split_name(claim.target)[-1]] if claim.kind in _DEFINITION_CLAIMS else [claim.target]


def find_path_anchor(paths: frozenset[str], target: str, near: Sequence[str] = ()) -> Anchor | None:
    """Find a file, a directory, or the only file whose path ends with `target`."""
    wanted = target.rstrip("/")
    if not wanted:
        return None
    homes = [""] + [one.rpartition("/")[0] + "/" for one in near if "/" in one]
    for home in homes:
        if home + wanted in paths:
            return Anchor(home + wanted, "", "file", display_path(home + wanted))
    if target.endswith("/") or "." not in wanted.rpartition("/")[2]:
        for home in homes:
            if any(path.startswith(home + wanted + "/") for path in paths):
                return Anchor(home + wanted, "", "directory", display_path(home + wanted) + "/")
    if "." in wanted.rpartition("/")[2]:
        ending = [path for path in paths if path.endswith("/" + wanted)]
        if len(ending) == 1:
            return Anchor(ending[0], "", "file", display_path(ending[0]))
    return None


def find_symbol_anchor(tree: TreeSnapshot, target: str, near: Sequence[str] = (), home: str = "") -> Anchor | None:
    """Find the only definition of a name, or the one in `home`. Definitions in one scope of one file count as one."""
    parts = split_name(target)
    if not parts or len(parts[-1]) < _MIN_NAME_LENGTH:
        return None
    name, scope = parts[-1], parts[-2] if len(parts) > 1 else ""
    if scope in ("self", "this", "cls", "super"):
        scope = ""
    homes = _find_definition_sites(tree, name, scope, near)
    if not homes and name[-1] in "!?":
        # In some languages the mark is part of the name, in others it calls a macro.
        name = name[:-1]
        homes = _find_definition_sites(tree, name, scope, near)
    if home:
        homes = {key: held for key, held in homes.items() if key[0] == home or key[0].startswith(home + "/")}
    if len(homes) > 1:
        homes = _select_named(homes, near)
    if len(homes) != 1:
        return None
    ((path, around), held) = next(iter(homes.items()))
    return Anchor(
        path, "\0".join((around, name)), digest_definitions(held), summarize_definition(select_representative(held))
    )


_DefinitionSites = dict[tuple[str, str], list[DefinitionTokens]]
"""(file, scope) → definitions of a name."""


def _find_definition_sites(tree: TreeSnapshot, name: str, scope: str, near: Sequence[str]) -> _DefinitionSites:
    homes: _DefinitionSites = {}
    for path in tree.find_defining_files(name, near):
        for one in find_definitions(tree.definitions_of(path), name, scope):
            homes.setdefault((path, one.definition.scope), []).append(one)
    return homes


def _select_named(homes: _DefinitionSites, near: Sequence[str]) -> _DefinitionSites:
    """Select the definitions in the files that the text names; within one file prefer functions and types."""
    named = {key: held for key, held in homes.items() if key[0] in near}
    if len(named) > 1 and len({path for path, _ in named}) == 1:
        return {key: held for key, held in named.items() if any(one.group in _PREFERRED_GROUPS for one in held)}
    return named


ManifestListing = Iterable[tuple[str, PackageManifest]]
"""(path, manifest) pairs in the order of precedence."""


def find_script_anchor(manifests: ManifestListing, name: str, *, stated: bool = False) -> Anchor | None:
    """Find the first script or target of a name.

    A text that only mentions the script claims that it exists; a text that states its command claims the command.
    """
    for where, manifest in manifests:
        command = dict(manifest.scripts).get(name)
        if command is not None:
            flat = " ".join(command.split())
            return Anchor(where, name, f"={flat}" if stated else "=", f"{name}: {flat}"[:_MAX_SHOWN])
    return None


def iter_manifests(tree: TreeSnapshot, near: Sequence[str], family: str = "") -> ManifestListing:
    """Yield manifests: those in `near`, those in directories above `near`, then those near the root."""
    paths = [path for path in tree.manifest_paths if not family or get_family(path) == family]
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
    for path in dict.fromkeys((*chosen, *paths[:MAX_MANIFESTS])):
        yield path, tree.get_manifest(path)


def is_secondary_manifest(path: str) -> bool:
    """Whether a manifest belongs to an example, a test or a vendored package."""
    return any(role.name in ("aside", "test") for role in find_roles(path))


def _find_package_manifests(tree: TreeSnapshot, command: str) -> Iterator[str]:
    """Yield manifests of the packages that a command names by directory or directory name."""
    words = [word.strip("/").removeprefix("./") for word in re.split(r"[\s=]+", command)]
    for path in tree.manifest_paths if len(words) > _PLAIN_COMMAND_WORDS else ():
        home = path.rpartition("/")[0]
        if home and any(word == home or word == home.rpartition("/")[2] for word in words):
            yield path


def normalize_package_name(name: str) -> str:
    """Normalize a package name as registries do."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def find_dependency_anchor(manifests: ManifestListing, name: str, *, stated: bool) -> Anchor | None:
    """Find a package in the manifests, with its major version if the text states one.

    If the text states a version, prefer a manifest that has one: others only say that the package is used.
    """
    bare = None
    for where, manifest in manifests:
        for package, version in _match_packages(
            manifest.dependencies[:_MAX_DEPENDENCIES], normalize_package_name(name)
        ):
            major = parse_major_version(version) if stated else ""
            found = Anchor(where, package, f"v{major}", f"{package} {version}".strip()[:_MAX_SHOWN])
            if major or not stated:
                return found
            bare = bare or found
    return bare


def _match_packages(packages: Sequence[tuple[str, str]], key: str) -> list[tuple[str, str]]:
    """Return packages with a name; for `group:name` the name suffices if only one group has it."""
    whole = [row for row in packages if normalize_package_name(row[0]) == key]
    if whole or ":" in key:
        return whole
    inside = [row for row in packages if ":" in row[0] and normalize_package_name(row[0].partition(":")[2]) == key]
    return inside if len({package for package, _ in inside}) == 1 else []


def parse_major_version(version: str) -> str:
    """Return the major version; for 0.x also the minor version, which may break compatibility."""
    numbers = _DIGITS.findall(version)
    if not numbers:
        return ""
    return f"{numbers[0]}.{numbers[1]}" if numbers[0] == "0" and len(numbers) > 1 else numbers[0]


def _find_stated_path(text: str, claim: Claim, found: Sequence[tuple[Claim, Anchor]]) -> str:
    """Return the file that the text states for a name: `name` in `path`, or `name` (`path`)."""
    for named, anchor in found:
        if named.kind == "path" and anchor.digest == "file":
            words = rf"{re.escape(claim.text)}[`)\s]*(?:\b(?:in|from|inside|within)\b|\()\s*`*{re.escape(named.text)}"
            if re.search(words, text):
                return anchor.path
    return ""


def find_anchors(
    tree: TreeSnapshot, text: str, near: Sequence[str] = (), only: Container[Claim] | None = None
) -> tuple[tuple[Claim, Anchor], ...]:
    """Return the claims of a text, or those in `only`, that name something in the tree, with their anchors."""
    found: list[tuple[Claim, Anchor]] = []
    claims = [claim for claim in extract_claims(text) if only is None or claim in only or claim.kind == "path"]
    named = [claim for claim in claims if claim.kind in ("path", "command")]
    others = [claim for claim in claims if claim.kind not in ("path", "command")]
    places = []
    for claim in named:
        anchor = find_anchor(tree, claim, near)
        if anchor is not None:
            found.append((claim, anchor))
            places.append(anchor.path)
    tree.prefetch_names(
        part for claim in others if claim.kind in _DEFINITION_CLAIMS for part in split_name(claim.target)[-1:]
    )
    for claim in others:
        if len(found) >= MAX_CLAIMS:
            break
        home = _find_stated_path(text, claim, found) if claim.kind in _DEFINITION_CLAIMS else ""
        if home and tree.definitions_of(home) is not None:
            anchor = find_symbol_anchor(tree, claim.target, (*places, *near), home) or find_stated_anchor(tree, claim)
        else:
            anchor = find_anchor(tree, claim, (*places, *near))
        if anchor is not None and not any(anchor == other for _, other in found):
            found.append((claim, anchor))
    # A dotted name may be a package: then its manifest tells more than that the name occurs.
    listed = {claim.target for claim, _ in found if claim.kind in ("dependency", "path", "command")}
    kept = [(claim, anchor) for claim, anchor in found if anchor.digest != WORD_DIGEST or claim.target not in listed]
    return tuple(kept[:MAX_CLAIMS])
