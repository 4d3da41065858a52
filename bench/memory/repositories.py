"""Repositories: which public histories are measured, at which commits, and clones of them to work on."""

import subprocess
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bench.copies import BRANCH, git

DATA = Path(__file__).parent.parent / "data"
LIST = DATA / "memory_repositories.toml"


class Repository(NamedTuple):
    name: str
    directory: str
    head: str
    before: str
    after: str


def read_repositories(only: list[str], path: Path = LIST) -> list[Repository]:
    """The repositories of the list, or those that were named."""
    with path.open("rb") as file:
        known = [Repository(**row) for row in tomllib.load(file)["repository"]]
    missing = set(only) - {one.name for one in known}
    if missing:
        raise SystemExit(f"No such repository in {path.name}: {', '.join(sorted(missing))}")
    return [one for one in known if not only or one.name in only]


def git_directory(repos: Path, repository: Repository) -> Path:
    """The git directory of a repository below `repos`: a bare clone, a working tree, or `repo` inside."""
    place = repos / repository.directory
    for candidate in (place, place / ".git", place / "repo"):
        if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
            return candidate.resolve()
    address = f"https://github.com/{repository.directory.replace('+', '/')}"
    raise SystemExit(f"{repository.name} is missing: git clone --bare {address} {place}")


def clone(source: Path, place: Path, commit: str) -> Path:
    """A clone whose working tree is one commit."""
    place.parent.mkdir(parents=True, exist_ok=True)
    git(place.parent, "clone", "--quiet", "--local", "--no-tags", "--no-checkout", str(source), str(place))
    move_to(place, commit)
    return place


def move_to(place: Path, commit: str) -> None:
    """Make the working tree another commit; what a partial mirror lacks is left out."""
    try:
        git(place, "checkout", "--quiet", "--force", "-B", BRANCH, commit)
    except subprocess.CalledProcessError:
        git(place, "update-ref", f"refs/heads/{BRANCH}", commit)
        git(place, "symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")
        git(place, "read-tree", "--reset", commit)
        with suppress(subprocess.CalledProcessError):
            git(place, "checkout-index", "--all", "--force")
