"""Shadow git directory: an empty repository of our own that uses the object store of another. Runs no program."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from codecompass.atomic import is_temporary_name, write_file
from codecompass.confine import AllowedRoots
from codecompass.errors import Failure
from codecompass.repo.git.ref_name import is_hash
from codecompass.repo.git.repository import GitDir, read_small

_CONFIGS = {
    "sha1": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    "sha256": "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
}
_HEAD = b"ref: refs/heads/none\n"
_EMPTY_DIRECTORIES = frozenset({"objects", "refs"})
"""Both stay empty."""
_REQUIRED_NAMES = _EMPTY_DIRECTORIES | {"HEAD", "config"}
_KNOWN_NAMES = _REQUIRED_NAMES | {"shallow"}
_MAX_ALTERNATES = 100
_MAX_DEPTH = 5
_LIMIT = 2**20


def prepare_shadow(git: GitDir, shadow: Path) -> frozenset[str]:
    """Create, repair or update the shadow directory. Several processes may do so at once.

    Return the commits at which a shallow clone's history ends.
    """
    if not _is_intact(shadow):
        _create(git, shadow)
    _write_if_changed(shadow / "config", _CONFIGS[git.object_format])
    return _copy_shallow(git, shadow)


def _is_intact(shadow: Path) -> bool:
    """Whether the directory holds only what we wrote; files whose content may change are compared elsewhere."""
    try:
        names = {name for name in os.listdir(shadow) if not is_temporary_name(name)}
        if not _REQUIRED_NAMES <= names <= _KNOWN_NAMES or (shadow / "HEAD").read_bytes() != _HEAD:
            return False
        folders = all((shadow / name).is_dir() and not os.listdir(shadow / name) for name in _EMPTY_DIRECTORIES)
        return folders and all((shadow / name).is_file() for name in names.difference(_EMPTY_DIRECTORIES))
    except OSError:
        return False


def _create(git: GitDir, shadow: Path) -> None:
    """Replace the directory with a new one; if several processes do so at once, the first one wins."""
    shadow.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".shadow-", dir=shadow.parent))
    old = made.with_name(f"{made.name}-old")
    try:
        for name in _EMPTY_DIRECTORIES:
            (made / name).mkdir()
        (made / "config").write_text(_CONFIGS[git.object_format])
        (made / "HEAD").write_bytes(_HEAD)
        with suppress(FileNotFoundError):
            os.rename(shadow, old)
        os.rename(made, shadow)
    except OSError:
        # Renaming onto a directory that is not empty fails: another process has created it.
        if not _is_intact(shadow):
            raise
    finally:
        for left in (made, old):
            _remove(left)


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def check_objects(common_dir: Path, other_roots: Sequence[str] = ()) -> None:
    """Refuse an object store or alternate outside the other roots and the directory that contains the repository."""
    objects = common_dir / "objects"
    inside = common_dir.parent.parent
    if inside == inside.parent:
        inside = common_dir.parent
    roots = AllowedRoots((inside, *other_roots))
    queue = [(os.fspath(objects), 0)]
    seen: set[str] = set()
    while queue:
        path, depth = queue.pop()
        found = roots.find(path)
        if found is None:
            border = os.path.realpath(inside)
            message = f"The repository borrows git objects from {ascii(path)}, outside {border}."
            raise Failure("FORBIDDEN", message, hint="Allow that directory in the setting index.object_roots.")
        real = str(found.path)
        if real in seen:
            continue
        seen.add(real)
        if depth > _MAX_DEPTH or len(seen) > _MAX_ALTERNATES:
            raise Failure("FORBIDDEN", "The repository borrows git objects through too many alternates.")
        queue += [(other, depth + 1) for other in _read_alternates(real)]


def _read_alternates(objects: str) -> list[str]:
    path = os.path.join(objects, "info", "alternates")
    if not os.path.lexists(path):
        return []
    data = read_small(path, _LIMIT)
    if data is None:
        raise Failure("FORBIDDEN", "the repository's objects/info/alternates is not a plain file")
    # A line in quotes is C-quoted. Only an attacker needs that, so such a file is refused.
    lines = [os.fsdecode(line) for line in data.split(b"\n") if line and not line.startswith(b"#")]
    if any(line.startswith('"') or "\0" in line for line in lines):
        raise Failure("FORBIDDEN", "the repository's objects/info/alternates has a quoted path")
    return [os.path.join(objects, line) for line in lines]


def _copy_shallow(git: GitDir, shadow: Path) -> frozenset[str]:
    """Copy the list of commits whose parents are missing; without it git treats a shallow history as broken."""
    data = read_small(git.common_dir / "shallow", 2**24)
    lines = (data or b"").decode("ascii", "replace").split("\n")
    hashes = [line for line in lines if is_hash(line, git.object_format)]
    target = shadow / "shallow"
    if hashes:
        _write_if_changed(target, "\n".join(hashes) + "\n")
    else:
        target.unlink(missing_ok=True)
    return frozenset(hashes)


def _write_if_changed(path: Path, text: str) -> None:
    with suppress(OSError):
        if path.read_bytes() == text.encode("ascii"):
            return
    write_file(path, text.encode("ascii"))
