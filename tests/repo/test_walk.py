"""The listing of a working tree, held against what git itself lists."""

import os
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.repo.files.ignore_file import IgnoreFile
from codecompass.repo.files.tree_walk import TreeListing, WalkLimits, walk_tree
from codecompass.repo.git.repository import find_git
from tests.repo.gitrepo import ENV, commit, git, make_repo


def paths(listing: TreeListing) -> list[str]:
    return [file.path for file in listing.files]


def listed(root: Path) -> list[str]:
    return paths(walk_tree(root, find_git(root)))


def skipped(root: Path) -> dict[str, str]:
    return dict(walk_tree(root, find_git(root)).skipped)


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
    "a", "b", "ab", "*", "**", "?", "*.c", "a*", "*b", "[ab]", "[!a]", "[^b]", "[a-z]", "[[:alpha:]]", "[[:upper:]]*",
    "[]a]",
    "[a", "[z-a]", "a\\ b", "\\a", "\\*", "\\[a]", "a b", "é", "??", "a**", "**b", "a**b", "x-y", "d", "[\\a]",
    "[[:foo:]]", "a\\",
    "[a-]", "[-a]", "[!-a]", "***", "[[:digit:]a]", "\\#a", "\\!a", "#a", "[[a]", "[[:a]", "[A-[:digit:]]", "a?",
    "[!/]", "[/]", ".*",
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


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
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


def test_lists_what_git_lists_in_a_real_project() -> None:
    root = Path(__file__).parents[2]
    listing = walk_tree(root, find_git(root))
    assert sorted(paths(listing) + [path for path, _ in listing.skipped]) == git_listing(root)


@pytest.mark.parametrize(
    ("rules", "path", "verdict"),
    [
        ("*.pyc", "d/x.pyc", True),
        ("# comment", "# comment", None),
        ("\\# name", "# name", True),
        ("a/", "a", None),
        ("trailing\\ ", "trailing ", True),
        ("trailing  ", "trailing", True),
        ("*.log\n!keep.log", "d/keep.log", False),
        ("!keep.log\n*.log", "keep.log", True),
        ("/a", "b/a", None),
        ("d/a", "d/a", True),
        ("d/a", "e/d/a", None),
        ("**/d/a", "e/d/a", True),
        ("d/**", "d/e/f", True),
        ("d/**/f", "d/f", True),
        ("*.[oa]", "x.o", True),
        ("\ufeffa", "a", True),
        ("a\r\nb", "a", True),
        ("", "a", None),
        ("/", "a", None),
        ("!", "a", None),
    ],
)
def test_single_rules(rules: str, path: str, verdict: bool | None) -> None:
    assert IgnoreFile(rules.encode()).decide(path, path.rpartition("/")[2], is_directory=False) is verdict


def test_patterns_work_on_bytes_that_are_not_utf8() -> None:
    rules = IgnoreFile(b"caf\xe9*\n\xff?")
    assert rules.decide(os.fsdecode(b"caf\xe9.py"), os.fsdecode(b"caf\xe9.py"), is_directory=False)
    assert rules.decide(os.fsdecode(b"\xff\xfe"), os.fsdecode(b"\xff\xfe"), is_directory=False)


@pytest.mark.parametrize(
    "rules",
    [
        b"\n".join(b"**/a*/**/b*/**/c%d*/**" % number for number in range(1000)),
        b"\n".join(b"name%d" % number for number in range(100_000)),
        b"/".join([b"**"] * 5000),
        b"*" * 100_000,
        b"*a" * 2000,
        b"[" * 10_000,
        b"[" + b"a-z" * 10_000 + b"]",
        b"\\" * 9_999,
        bytes(range(256)) * 100,
    ],
    ids=["stars", "lines", "slashes", "one star", "star a", "brackets", "class", "backslashes", "bytes"],
)
def test_rules_made_to_hurt_do_not(rules: bytes, tmp_path: Path) -> None:
    put(tmp_path, "a/b/c/d.py", "a" * 200 + ".py", "x/" * 20 + "y.py")
    (tmp_path / ".gitignore").write_bytes(rules)
    assert len(walk_tree(tmp_path, None).files) + walk_tree(tmp_path, None).ignored >= 2


def test_the_global_ignore_file_and_ignore_files_above_have_no_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    put(home, ".config/git/ignore")
    (home / ".config/git/ignore").write_text("*.py\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    (tmp_path / ".gitignore").write_text("*.py\n")
    root = make_repo(tmp_path / "r", {"a.py": ""})
    assert listed(root) == ["a.py"]


@pytest.mark.parametrize("above", ["build", "node_modules", ".venv", "target", "tmp.git"])
def test_a_project_below_a_directory_with_a_telling_name_is_listed(tmp_path: Path, above: str) -> None:
    root = tmp_path / above / "project"
    put(root, "a.py")
    assert listed(root) == ["a.py"]


def test_caches_are_left_out_and_builds_are_not(tmp_path: Path) -> None:
    put(
        tmp_path,
        "node_modules/x.js",
        "a/__pycache__/x.py",
        ".venv/x.py",
        "build/a.py",
        "dist/a.py",
        "vendor/a.py",
        "node_modules.md",
    )
    listing = walk_tree(tmp_path, None)
    assert paths(listing) == ["build/a.py", "dist/a.py", "node_modules.md", "vendor/a.py"]
    assert (listing.skipped, listing.ignored) == ([], 3)


def test_target_is_a_cache_only_where_cargo_made_it(tmp_path: Path) -> None:
    put(
        tmp_path,
        "java/target/a.py",
        "rust/Cargo.toml",
        "rust/target/b.py",
        "tagged/target/CACHEDIR.TAG",
        "tagged/target/c.py",
    )
    assert listed(tmp_path) == ["java/target/a.py", "rust/Cargo.toml"]


def test_our_own_ignore_file_has_the_first_word(tmp_path: Path) -> None:
    root = make_repo(tmp_path)
    put(root, "node_modules/x.js", "venv/x.py", "generated/x.py", "big/x.py", "sub/keep/y.py", "sub/y.py")
    (root / ".gitignore").write_text("generated/\n")
    (root / ".codecompassignore").write_text("!node_modules/\n!generated/\n/big/\n!.git\n")
    put(root, "sub/.codecompassignore")
    (root / "sub/.codecompassignore").write_text("*\n!keep/\n!keep/y.py\n")
    git(root, "add", "-f", "big/x.py")
    found = [path for path in listed(root) if not path.startswith(".")]
    assert found == ["generated/x.py", "node_modules/x.js", "sub/keep/y.py"]


def test_a_tracked_file_is_listed_though_a_rule_ignores_it(tmp_path: Path) -> None:
    root = make_repo(tmp_path, {"out/deep/tracked.py": "", "a.log": ""})
    (root / ".gitignore").write_text("out/\n*.log\n")
    put(root, "out/untracked.py", "out/deep/untracked.py", "b.log", "outside/x.py")
    assert listed(root) == [".gitignore", "a.log", "out/deep/tracked.py", "outside/x.py"]
    assert listed(root) == git_listing(root)


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_every_form_of_the_index_is_read(tmp_path: Path, version: str, object_format: str) -> None:
    names = {f"d{number % 7}/{'x' * number}.log": "" for number in range(60)}
    root = make_repo(tmp_path, names, object_format=object_format)
    git(root, "update-index", f"--index-version={version}")
    if version == "3":
        put(root, "intended.log")
        git(root, "add", "-N", "-f", "intended.log")
    (root / ".gitignore").write_text("*.log\n")
    put(root, "d1/new.log")
    assert listed(root) == git_listing(root)
    assert len(listed(root)) == 61 + (version == "3")


@pytest.mark.parametrize(
    "damage", [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff", b"DIRC\0\0\0\2\0\0\0\1" + b"x" * 100, b"junk" * 100]
)
def test_a_damaged_index_changes_nothing_but_the_tracked_exceptions(tmp_path: Path, damage: bytes) -> None:
    root = make_repo(tmp_path, {"a.py": "", "b.log": ""})
    (root / ".gitignore").write_text("*.log\n")
    (root / ".git/index").write_bytes(damage)
    assert listed(root) == [".gitignore", "a.py"]


def test_info_exclude_of_the_main_repository_holds_in_a_linked_worktree(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": ""})
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("private/\n")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "w"))
    put(tmp_path / "w", "private/x.py", "b.py")
    assert listed(tmp_path / "w") == ["a.py", "b.py"]


def test_everything_left_out_for_its_nature_is_named_with_the_reason(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r")
    put(root, "a.py", ".env", "logo.png", "LIB.SO", ".ssh/config", ".aws/credentials", ".aws/notes.md", "paper.pdf")
    make_repo(root / "nested", {"x.py": ""})
    put(root, "bare/HEAD", "bare/objects/x", "bare/refs/x", "module/.git", "module/x.py")
    (root / "link").symlink_to("a.py")
    (root / "linked").symlink_to("/etc")
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))
        assert skipped(root) == {
            ".env": "secret",
            ".ssh": "secret",
            ".aws/credentials": "secret",
            "LIB.SO": "binary_name",
            "logo.png": "binary_name",
            "nested": "nested_repository",
            "bare": "nested_repository",
            "module": "nested_repository",
            "link": "symlink",
            "linked": "symlink",
            "fifo": "not_regular",
            "socket": "not_regular",
        }
    assert listed(root) == [".aws/notes.md", "a.py", "paper.pdf"]


def test_what_is_ignored_is_not_named_as_skipped(tmp_path: Path) -> None:
    put(tmp_path, ".env", "logo.png")
    (tmp_path / ".gitignore").write_text(".env\n*.png\n")
    assert skipped(tmp_path) == {}


def test_a_symlinked_ignore_file_is_not_believed(tmp_path: Path) -> None:
    put(tmp_path, "r/a.py", "rules")
    (tmp_path / "rules").write_text("*.py\n")
    (tmp_path / "r/.gitignore").symlink_to("../rules")
    assert listed(tmp_path / "r") == ["a.py"]


def test_names_that_are_not_utf8_are_kept_and_sorted(tmp_path: Path) -> None:
    raw = [b"\xff.py", b"a.py", "é.py".encode(), b"new\nline.py"]
    for name in raw:
        Path(tmp_path, os.fsdecode(name)).write_text("x")
    assert [os.fsencode(path) for path in listed(tmp_path)] == [b"a.py", b"new\nline.py", "é.py".encode(), b"\xff.py"]


def test_each_file_comes_with_what_tells_a_change(tmp_path: Path) -> None:
    put(tmp_path, "a.py")
    status = os.stat(tmp_path / "a.py")
    [file] = walk_tree(tmp_path, None).files
    assert file == ("a.py", 2, status.st_mtime_ns, status.st_ino, status.st_ctime_ns, 1)


def test_limits_end_a_listing_and_say_so(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "b.py", "c.py", "d/e/f/g.py")
    listing = walk_tree(tmp_path, None, limits=WalkLimits(max_files=2, max_depth=1))
    assert len(listing.files) == 2
    assert [reason for _, reason in listing.skipped] == ["too_many", "too_deep"]


def test_a_directory_a_thousand_deep_is_no_trouble(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    at = os.open(top, os.O_RDONLY)
    for _ in range(1000):
        os.mkdir("deepdir", dir_fd=at)
        below = os.open("deepdir", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    try:
        listing = walk_tree(top, None, limits=WalkLimits(max_depth=5000))
    finally:
        # pytest's own clean-up recurses and cannot remove such a tree.
        subprocess.run(["rm", "-rf", str(top)], check=True)
    assert [skip.reason for skip in listing.skipped] == ["unreadable"]


def test_a_missing_root_is_unreadable_not_an_error(tmp_path: Path) -> None:
    listing = walk_tree(tmp_path / "gone", None)
    assert (listing.files, [skip.reason for skip in listing.skipped]) == ([], ["unreadable"])


def test_a_commit_makes_no_difference_to_the_listing(tmp_path: Path) -> None:
    root = make_repo(tmp_path)
    put(root, "a.py", "d/b.py")
    before = listed(root)
    commit(root, {})
    assert listed(root) == before == ["a.py", "d/b.py"]
