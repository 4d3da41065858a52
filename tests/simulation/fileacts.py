"""What a developer does to files: saves, renames, deletes, and the odd ways in which programs write."""

import mmap
import os
from random import Random

from tests.simulation.content import ending_of, make_line, make_path, make_text, words_of
from tests.simulation.world import KEPT, World

MOST_FILES = 40


def add_file(world: World, rng: Random) -> str | None:
    path = make_path(rng)
    if len(world.files()) > MOST_FILES or not _is_free(world, path):
        return None
    world.write(path, make_text(rng, path))
    return path


def _is_free(world: World, path: str) -> bool:
    """Whether a file can be made there: nothing stands in its way, and no parent is a file."""
    target = world.root / path
    return not os.path.lexists(target) and all(parent.is_dir() or not os.path.lexists(parent)
                                               for parent in target.parents)  # fmt: skip


def edit(world: World, rng: Random) -> str | None:
    """Some lines change, come or go."""
    path = _any(world, rng)
    if path is None:
        return None
    before = (world.root / path).read_bytes()
    lines = before.decode("utf-8", "replace").split("\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, new = rng.randrange(len(lines)), make_line(rng, ending_of(path))
        choice = rng.randrange(3)
        lines[at : at + (choice != 0)] = [new] if choice != 2 or len(lines) < 3 else []
    _forget(world, before, rng)
    world.write(path, "\n".join(lines))
    return path


def edit_many(world: World, rng: Random) -> str | None:
    """A mass edit, as a formatter or a search-and-replace makes."""
    done = [edit(world, rng) for _ in range(rng.randrange(3, 10))]
    return ", ".join(path for path in done if path) or None


def save_atomically(world: World, rng: Random) -> str | None:
    """A new file is renamed over the old one, as most editors save."""
    path = _any(world, rng)
    if path is None:
        return None
    _forget(world, (world.root / path).read_bytes(), rng)
    world.write(f"{path}.tmp", make_text(rng, path))
    os.replace(world.root / f"{path}.tmp", world.root / path)
    world.moved()
    return path


def save_same_size(world: World, rng: Random) -> str | None:
    """Other words of the same length, with the times of before: only the bytes tell."""
    path = _any(world, rng)
    if path is None:
        return None
    target = world.root / path
    info = target.stat()
    if change_words(world, rng, path) is None:
        return None
    if rng.random() < 0.5:
        os.utime(target, ns=(info.st_atime_ns, info.st_mtime_ns))
    return path


def change_words(world: World, rng: Random, path: str | None = None) -> str | None:
    """One word of a file becomes another of the same length, wherever it stands."""
    path = path or _any(world, rng)
    if path is None:
        return None
    before = (world.root / path).read_bytes()
    found = words_of(before)
    if not found:
        return None
    old = rng.choice(found)
    new = words_of((make_line(rng, ".txt") + "\n").encode())[0]
    _forget(world, before, rng)
    world.write(path, before.replace(old.encode(), new.encode()).replace(old.capitalize().encode(),
                                                                       new.capitalize().encode()))  # fmt: skip
    return path


def touch(world: World, rng: Random) -> str | None:
    path = _any(world, rng)
    if path is None:
        return None
    os.utime(world.root / path)
    return path


def rename(world: World, rng: Random) -> str | None:
    path, target = _any(world, rng), make_path(rng)
    if path is None or not _is_free(world, target):
        return None
    target = target.rsplit(".", 1)[0] + ending_of(path)
    if not _is_free(world, target):
        return None
    (world.root / target).parent.mkdir(parents=True, exist_ok=True)
    os.rename(world.root / path, world.root / target)
    world.moved()
    return f"{path} → {target}"


def change_case(world: World, rng: Random) -> str | None:
    """Only the case of a name changes."""
    path = _any(world, rng)
    if path is None:
        return None
    head, _, name = path.rpartition("/")
    target = f"{head}/{name.swapcase()}".lstrip("/")
    target = target[: len(target) - len(ending_of(path))] + ending_of(path)
    if target == path or not _is_free(world, target):
        return None
    os.rename(world.root / path, world.root / target)
    world.moved()
    return f"{path} → {target}"


def rename_folder(world: World, rng: Random) -> str | None:
    folders = sorted({path.rpartition("/")[0].split("/")[0] for path in world.files() if "/" in path})
    if not folders:
        return None
    old = rng.choice(folders)
    new = f"{old}x" if not old.endswith("x") else old[:-1]
    if os.path.lexists(world.root / new):
        return None
    os.rename(world.root / old, world.root / new)
    world.moved()
    return f"{old}/ → {new}/"


def delete(world: World, rng: Random) -> str | None:
    path = _any(world, rng)
    if path is None or len(world.files()) < 4:
        return None
    _forget(world, (world.root / path).read_bytes(), rng)
    os.unlink(world.root / path)
    world.moved()
    return path


def copy(world: World, rng: Random) -> str | None:
    """The same content under a second name."""
    path, target = _any(world, rng), make_path(rng)
    if path is None or not _is_free(world, target) or len(world.files()) > MOST_FILES:
        return None
    target = target.rsplit(".", 1)[0] + ending_of(path)
    if not _is_free(world, target):
        return None
    world.write(target, (world.root / path).read_bytes())
    return f"{path} → {target}"


def swap(world: World, rng: Random) -> str | None:
    """Two files exchange their contents, times and all."""
    one, other = _any(world, rng), _any(world, rng)
    if one is None or other is None or one == other or ending_of(one) != ending_of(other):
        return None
    left, right, spare = world.root / one, world.root / other, world.root / "swap.tmp"
    os.rename(left, spare)
    os.rename(right, left)
    os.rename(spare, right)
    world.moved()
    return f"{one} ↔ {other}"


def make_binary(world: World, rng: Random) -> str | None:
    path = _any(world, rng)
    if path is None:
        return None
    _forget(world, (world.root / path).read_bytes(), rng)
    world.write(path, b"\0\1\2" + rng.randbytes(60))
    return path


def write_through_link(world: World, rng: Random) -> str | None:
    """The file changes under a name outside the tree: nobody who watches the tree is told."""
    path = _any(world, rng)
    if path is None:
        return None
    outside = world.base / f"link{len(world.links)}"
    os.link(world.root / path, outside)
    world.links.append(outside)
    _forget(world, outside.read_bytes(), rng)
    outside.write_text(make_text(rng, path) + make_line(rng, ending_of(path)) + "\n")
    world.moved()
    return path


def write_through_old_link(world: World, rng: Random) -> str | None:
    """The same some steps later, when the link is no news any more."""
    if not world.links:
        return None
    outside = rng.choice(world.links)
    with outside.open("a") as file:
        file.write(make_line(rng, ".txt") + "\n" if rng.random() < 0.5 else "\n")
    world.moved()
    return outside.name


def write_through_mapping(world: World, rng: Random) -> str | None:
    """The bytes change in memory that is mapped from the file: no event, and the times move late."""
    path = _any(world, rng)
    if path is None:
        return None
    data = (world.root / path).read_bytes()
    found = words_of(data)
    if not found:
        return None
    old = rng.choice(found)
    new = words_of((make_line(rng, ".txt") + "\n").encode())[0]
    with (world.root / path).open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        at = data.lower().index(old.encode())
        mapped[at : at + len(new)] = new.encode()
    _forget(world, data, rng)
    world.moved()
    return f"{path}: {old} → {new}"


def hide_in_skipped(world: World, rng: Random) -> str | None:
    """Files that must never be found: in a directory of others' code, and a secret."""
    path = rng.choice(("node_modules/pack/index.js", ".env", "app/.env"))
    if (world.root / path).parent.is_file():
        return None
    text = make_text(rng, path) + "\n" + make_line(rng, ".js")
    world.write(path, text)
    world.remember(words_of(text.encode()))
    return path


def ignore(world: World, rng: Random) -> str | None:
    """Rules of what is left out come, change and go."""
    path = rng.choice((".gitignore", ".gitignore", ".codecompassignore", ".git/info/exclude"))
    rules = [f"{noun}*{ending}" for noun, ending in (("alpha", ".py"), ("beta", ".js"), ("gamma", ".txt"))]
    target = world.root / path
    if target.exists() and rng.random() < 0.4 and not path.startswith(".git/"):
        target.unlink()
        world.moved()
        return f"{path} removed"
    chosen = rng.sample(rules, rng.randrange(len(rules)))
    if path == ".gitignore" and rng.random() < 0.3:
        chosen.append("docs/")
    chosen += (found.rpartition("/")[2] for found in rng.sample(world.files(), min(len(world.files()), 2)))
    before = world.truth().texts
    world.write(path, "".join(f"{rule}\n" for rule in chosen))
    for gone in sorted(before.keys() - world.truth().texts.keys()):
        _forget(world, before[gone], rng)
    return f"{path}: {' '.join(chosen)}"


def _any(world: World, rng: Random) -> str | None:
    found = [path for path in world.files() if path != KEPT]
    return rng.choice(found) if found else None


def _forget(world: World, data: bytes, rng: Random) -> None:
    found = words_of(data)
    world.remember(rng.sample(found, min(len(found), 3)))
