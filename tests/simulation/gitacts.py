"""What a developer does with git."""

import os
import shutil
from random import Random

from tests.simulation.content import make_text
from tests.simulation.world import World

MOST_BRANCHES = 8


def commit(world: World, rng: Random) -> str:
    world.commit(f"change {rng.randrange(10**6)}")
    return world.commit_of("HEAD")[:10]


def amend(world: World, rng: Random) -> str:
    world.git("add", "-A")
    world.git("commit", "-q", "--allow-empty", "--amend", "-m", f"again {rng.randrange(10**6)}")
    return world.commit_of("HEAD")[:10]


def make_branch(world: World, rng: Random) -> str | None:
    if len(world.refs("heads")) >= MOST_BRANCHES:
        return None
    name = f"b{rng.randrange(100)}" if rng.random() < 0.8 else f"feature/f{rng.randrange(100)}"
    done = world.try_git("branch", name)
    return name if not done.returncode else None


def switch(world: World, rng: Random) -> str | None:
    """Another branch is checked out, with what was not committed left behind in a stash or carried along."""
    name = _other(world, rng)
    if name is None:
        return None
    if rng.random() < 0.7:
        _put_aside(world, rng)
    done = world.try_git("checkout", "-q", name)
    return name if not done.returncode else None


def switch_and_back(world: World, rng: Random) -> str | None:
    """To another branch and back before anybody looks: the times of the files move, their bytes do not."""
    name, here = _other(world, rng), world.branch()
    if name is None or not here:
        return None
    _put_aside(world, rng)
    done = world.try_git("checkout", "-q", name)
    world.try_git("checkout", "-q", here)
    return name if not done.returncode else None


def detach(world: World, rng: Random) -> str | None:
    _put_aside(world, rng)
    done = world.try_git("checkout", "-q", "--detach", rng.choice(("HEAD", "HEAD~1", "HEAD~2")))
    return world.commit_of("HEAD")[:10] if not done.returncode else None


def stash(world: World, rng: Random) -> str | None:
    done = world.try_git("stash", "push", "-q", "-u")
    return "put aside" if not done.returncode else None


def unstash(world: World, rng: Random) -> str | None:
    if world.try_git("stash", "pop", "-q").returncode:
        # What does not fit stays in the stash; a half of it must not stay in the tree.
        world.git("reset", "-q", "--hard")
        return None
    world.git("reset", "-q")
    return "taken back"


def reset(world: World, rng: Random) -> str | None:
    done = world.try_git("reset", "-q", "--hard", rng.choice(("HEAD", "HEAD~1", "HEAD~3")))
    return world.commit_of("HEAD")[:10] if not done.returncode else None


def merge(world: World, rng: Random) -> str | None:
    name = _other(world, rng)
    if name is None:
        return None
    _put_aside(world, rng)
    how = rng.choice(("ours", "theirs"))
    if world.try_git("merge", "-q", "--no-edit", "-X", how, name).returncode:
        _give_up(world, "merge")
        return None
    return name


def rebase(world: World, rng: Random) -> str | None:
    name = _other(world, rng)
    if name is None:
        return None
    _put_aside(world, rng)
    if world.try_git("rebase", "-q", "-X", "theirs", name).returncode:
        _give_up(world, "rebase")
        return None
    return name


def cherry_pick(world: World, rng: Random) -> str | None:
    name = _other(world, rng)
    if name is None:
        return None
    _put_aside(world, rng)
    if world.try_git("cherry-pick", "-X", "theirs", "--allow-empty", "--keep-redundant-commits", name).returncode:
        _give_up(world, "cherry-pick")
        return None
    return name


def tag(world: World, rng: Random) -> str | None:
    name = f"v{rng.randrange(6)}"
    return name if not world.try_git("tag", "-f", name).returncode else None


def delete_ref(world: World, rng: Random) -> str | None:
    """A branch or a tag goes; what was indexed of it is of nothing any more."""
    kind = rng.choice(("heads", "tags"))
    taken = {world.branch(place) for place in world.places}
    names = sorted(set(world.refs(kind)) - taken)
    if not names:
        return None
    name = rng.choice(names)
    world.git("update-ref", "-d", f"refs/{kind}/{name}")
    return f"{kind}/{name}"


def pack(world: World, rng: Random) -> str:
    """Objects and refs move into other files."""
    world.git("pack-refs", "--all", "--prune")
    world.git("repack", "-q", "-d")
    return "refs and objects"


def add_submodule(world: World, rng: Random) -> str | None:
    name = f"sub{rng.randrange(3)}"
    source = world.base / "other"
    if not source.exists():
        source.mkdir()
        world.git("init", "-q", "-b", "main", at=source)
        world.write("inner.py", make_text(rng, "inner.py") + "def innermostok(value): return 1\n", source)
        world.commit("inner", at=source)
    if os.path.lexists(world.root / name) or (world.root / ".git" / "modules" / name).exists():
        return None
    done = world.try_git("submodule", "add", "-q", "-f", str(source), name)
    return name if not done.returncode else None


def drop_submodule(world: World, rng: Random) -> str | None:
    names = [f"sub{number}" for number in range(3) if (world.root / f"sub{number}").is_dir()]
    if not names:
        return None
    name = rng.choice(names)
    world.try_git("rm", "-q", "-r", "-f", name)
    shutil.rmtree(world.root / name, ignore_errors=True)
    shutil.rmtree(world.root / ".git" / "modules" / name, ignore_errors=True)
    world.moved()
    return name


def add_worktree(world: World, rng: Random) -> str | None:
    if len(world.places) > 2:
        return None
    place = world.base / f"tree{rng.randrange(3)}"
    if place.exists():
        return None
    done = world.try_git("worktree", "add", "-q", "-b", f"w{rng.randrange(1000)}", str(place))
    if done.returncode:
        return None
    world.places.append(place)
    return place.name


def edit_worktree(world: World, rng: Random) -> str | None:
    if len(world.places) < 2:
        return None
    place = rng.choice(world.places[1:])
    path = f"only_{place.name}.py"
    world.write(path, make_text(rng, path), place)
    if rng.random() < 0.4:
        world.commit("in the worktree", at=place)
    return f"{place.name}/{path}"


def drop_worktree(world: World, rng: Random) -> str | None:
    if len(world.places) < 2:
        return None
    place = rng.choice(world.places[1:])
    world.places.remove(place)
    branch = world.branch(place)
    world.git("worktree", "remove", "--force", str(place))
    world.git("branch", "-q", "-D", branch)
    return place.name


def _other(world: World, rng: Random) -> str | None:
    """A branch that is checked out nowhere."""
    taken = {world.branch(place) for place in world.places}
    names = sorted(set(world.refs("heads")) - taken)
    return rng.choice(names) if names else None


def _put_aside(world: World, rng: Random) -> None:
    """A clean tree, by a commit, a stash, or by throwing away what is not committed."""
    choice = rng.randrange(3)
    if choice == 0:
        world.commit("wip")
    elif choice == 1:
        world.try_git("stash", "push", "-q", "-u")
    else:
        world.git("reset", "-q", "--hard")


def _give_up(world: World, what: str) -> None:
    world.try_git(what, "--abort")
    world.git("reset", "-q", "--hard")
