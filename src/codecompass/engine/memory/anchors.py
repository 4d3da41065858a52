"""Anchors: what a claim names in a scene, or that it names nothing. A name that could mean two things names nothing."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from blake3 import blake3

from codecompass.engine.memory.manifests import Manifest
from codecompass.engine.memory.scene import Scene, definitions
from codecompass.engine.navigate.wording import Worded
from codecompass.engine.view import shown
from codecompass.model.memory import Anchor, Claim

_PARTS = re.compile(r"\.|::|#|->")
_DIGITS = re.compile(r"\d+")
_CLOSING = frozenset(")]}>")
_SHOWN = 160
_LEAST_NAME = 3
_MANY = 40


def anchor_of(scene: Scene, claim: Claim, near: Sequence[str] = ()) -> Anchor | None:
    """What a claim names; `near` are paths that the same text names, by which one of several twins may be meant."""
    if claim.kind in ("path", "command"):
        return path_anchor(scene.paths, claim.target, near)
    if claim.kind in ("symbol", "constant"):
        return symbol_anchor(scene, claim.target, near)
    if claim.kind == "script":
        return script_anchor(scene, claim.target, near, stated=bool(claim.expected))
    return dependency_anchor(scene, claim.target, near)


def path_anchor(paths: frozenset[str], target: str, near: Sequence[str] = ()) -> Anchor | None:
    """A file, a directory, or the only file whose path ends so."""
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


def symbol_anchor(scene: Scene, target: str, near: Sequence[str] = ()) -> Anchor | None:
    """The only definition of a name; several in one scope of one file are one."""
    parts = [part for part in _PARTS.split(target) if part]
    if not parts or len(parts[-1]) < _LEAST_NAME:
        return None
    name, scope = parts[-1], parts[-2] if len(parts) > 1 else ""
    if scope in ("self", "this", "cls"):
        scope = ""
    homes: dict[tuple[str, str], list[Worded]] = {}
    for path in scene.defining(name):
        for one in definitions(scene.sheet(path), name, scope):
            homes.setdefault((path, one.definition.scope), []).append(one)
    if len(homes) > 1:
        named = {key: held for key, held in homes.items() if key[0] in near}
        homes = named if len(named) == 1 else {}
    if len(homes) != 1:
        return None
    ((path, around), held) = next(iter(homes.items()))
    return Anchor(path, "\0".join((around, name)), wording_digest(held), one_line(held[0]))


def wording_digest(held: Iterable[Worded]) -> str:
    """What definitions say, whatever their name, layout and comments; a type is what it holds."""
    hashed = blake3()
    for one in held:
        words = one.whole
        # A comma before a closing bracket is layout.
        kept = [word for word, after in pairwise((*words, "")) if word != "," or after not in _CLOSING]
        hashed.update("\x1f".join((one.group, *kept)).encode("utf-8", "replace"))
        hashed.update(b"\x1e")
    return hashed.hexdigest(length=12)


def size_of(held: Sequence[Worded]) -> int:
    """How much definitions say: a tiny one looks like many others."""
    return sum(len(one.whole) for one in held)


def one_line(one: Worded) -> str:
    """A definition as a person would quote it."""
    text = one.text if one.group == "value" else one.definition.signature or one.text
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def script_anchor(scene: Scene, name: str, near: Sequence[str] = (), *, stated: bool = False) -> Anchor | None:
    """A script or target of that name, in a manifest that is named or the one nearest to the root.

    Who says only that it is to be run claims that it is there; who says what it runs claims its command.
    """
    for where, manifest in _nearest(scene, near):
        command = dict(manifest.scripts).get(name)
        if command is not None:
            said = " ".join(command.split())
            return Anchor(where, name, f"={said}" if stated else "=", f"{name}: {said}"[:_SHOWN])
    return None


def _nearest(scene: Scene, near: Sequence[str]) -> Iterable[tuple[str, Manifest]]:
    """Manifests, those that are named first."""
    return sorted(scene.manifests().items(), key=lambda pair: pair[0] not in near)


def package_key(name: str) -> str:
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def dependency_anchor(scene: Scene, name: str, near: Sequence[str] = (), *, stated: bool = True) -> Anchor | None:
    """A package that a manifest lists, with the first number of its version where that is wanted."""
    key = package_key(name)
    for where, manifest in _nearest(scene, near):
        for package, version in manifest.dependencies[: _MANY * 25]:
            if package_key(package) == key:
                major = major_of(version) if stated else ""
                return Anchor(where, package, f"v{major}", f"{package} {version}".strip()[:_SHOWN])
    return None


def major_of(version: str) -> str:
    """The first number of a version; of a nought the second too, which is what breaks there."""
    numbers = _DIGITS.findall(version)
    if not numbers:
        return ""
    return f"{numbers[0]}.{numbers[1]}" if numbers[0] == "0" and len(numbers) > 1 else numbers[0]
