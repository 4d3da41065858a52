"""The listing of a working tree, held against what git itself lists."""

import os
import subprocess
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.repo.gitdir import find_git
from codecompass.repo.walk import Listing, walk
from tests.repo.gitrepo import ENV, git, make_repo


def paths(listing: Listing) -> list[str]:
    return [file.path for file in listing.files]


def listed(root: Path) -> list[str]:
    return paths(walk(root, find_git(root)))


def skipped(root: Path) -> dict[str, str]:
    return dict(walk(root, find_git(root)).skipped)


def put(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


def git_listing(root: Path) -> list[str]:
    argv = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    done = subprocess.run(argv, cwd=root, env=ENV, capture_output=True, check=True)
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return sorted({name for name in names if name and os.path.lexists(root / name)})


NAMES = ["a", "b", "ab", "a.c", "b.c", "a b", "a ", "é", "[a]", "a*", "x-y", "#a", "!a", "aab", "A", "a\\b", "A1", ".h"]
DIRECTORIES = ["a", "b", "ab", "a b", "d", "é", "A", "x-y"]
PIECES = [
    "a", "b", "ab", "*", "**", "?", "*.c", "a*", "*b", "[ab]", "[!a]", "[^b]", "[a-z]", "[[:alpha:]]", "[[:upper:]]*", "[]a]",
    "[a", "[z-a]", "a\\ b", "\\a", "\\*", "\\[a]", "a b", "é", "??", "a**", "**b", "a**b", "x-y", "d", "[\\a]", "[[:foo:]]", "a\\",
    "[a-]", "[-a]", "[!-a]", "***", "[[:digit:]a]", "\\#a", "\\!a", "#a", "[[a]", "[[:a]", "[A-[:digit:]]", "a?", "[!/]", "[/]", ".*",
]  # fmt: skip

trees = st.sets(
    st.builds(
        lambda above, name: "/".join([*above, name]),
        st.lists(st.sampled_from(DIRECTORIES), max_size=3),
        st.sampled_from(NAMES),
    ),
    min_size=1,
    max_size=14,
)
lines = st.builds(
    lambda bang, slash, pieces, end, space: bang + slash + "/".join(pieces) + end + space,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
    st.sampled_from(["", "", "", " ", "\\ ", "\r"]),
)
rule_files = st.lists(lines, max_size=5)


@settings(
    max_examples=int(os.environ.get("WALK_EXAMPLES", "120")), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(trees, rule_files, rule_files, rule_files, st.sampled_from(DIRECTORIES), st.booleans())
def test_lists_what_git_lists_whatever_the_rules(
    tree: set[str], root_rules: list[str], nested_rules: list[str], excludes: list[str], nested: str, track: bool
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = make_repo(Path(directory))
        for name in sorted(tree):
            target = root / name
            if not target.parent.is_dir() and any(part.is_file() for part in target.parents):
                continue
            if not target.exists():
                put(root, name)
        if track:
            git(root, "add", "-A", "-f")
        (root / ".gitignore").write_bytes("\n".join(root_rules).encode())
        if (root / nested).is_dir():
            (root / nested / ".gitignore").write_bytes("\n".join(nested_rules).encode())
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/exclude").write_bytes("\n".join(excludes).encode())
        assert listed(root) == git_listing(root)
