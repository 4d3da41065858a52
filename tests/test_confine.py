"""Confinement: one table of paths, for the check of a root and for every way to open what it allows."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass import confine
from codecompass.confine import AllowedRoots, ConfinedPath, find_escape, is_git_name, is_within

CANARY = b"CANARY-c0f1"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A root with links of every kind, a directory whose name begins like the root's, and a place outside."""
    base = tmp_path / "base"
    root = base / "top"
    (root / "d" / "e").mkdir(parents=True)
    (root / "d" / "file").write_bytes(b"inside")
    (base / "outside").mkdir()
    (base / "outside" / "file").write_bytes(CANARY)
    (base / "top-beside").mkdir()
    (root / ".GIT").mkdir()
    (root / "inward").symlink_to("d")
    (root / "outward").symlink_to(base / "outside")
    (root / "chain").symlink_to("outward")
    (root / "up").symlink_to("..")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to(base / "outside" / "none")
    (base / "alias").symlink_to("top")
    return base


PATHS = [
    ("top", ""),
    ("top/", ""),
    ("top/d", "d"),
    ("top/d/file", "d/file"),
    ("top/none/yet", "none/yet"),
    ("top/./d//e", "d/e"),
    ("top/d/../d/e", "d/e"),
    ("top/../top/d", "d"),
    ("alias/d", "d"),
    ("top/inward/file", "d/file"),
    ("top/up/top/d", "d"),
    ("top/.GIT", ".GIT"),
    ("", None),
    ("top/..", None),
    ("top/../outside/file", None),
    ("top/d/../../outside/file", None),
    ("top-beside", None),
    ("TOP/d", None),
    ("outside/file", None),
    ("top/outward", None),
    ("top/outward/file", None),
    ("top/outward/../top/outward/file", None),
    ("top/chain/file", None),
    ("top/up", None),
    ("top/up/outside/file", None),
    ("top/dangling", None),
    ("top/d/\0", None),
]
"""A path below the base → where it is in the root; None if it is outside."""


@pytest.mark.parametrize(("path", "relative"), PATHS)
def test_a_path_is_inside_or_outside(base: Path, path: str, relative: str | None) -> None:
    for roots in ((base / "top",), (base / "alias",), (str(base / "none"), base / "top")):
        found = AllowedRoots(roots).find(os.path.join(base, path))
        assert (found.relative if found else None) == relative
        assert (os.path.join(base, path) in AllowedRoots(roots)) is (relative is not None)
        if found is not None:
            assert found.root == base / "top" and found.path == base / "top" / (relative or "")


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("top/d/file", "d/file"),
        ("alias/d/file", "d/file"),
        ("top/none", "none"),
        ("top/inward/file", "inward/file"),
        ("top/outward/file", "outward/file"),
        ("top/inward/../d", "d"),
        ("top", None),
        ("alias", None),
        ("top/..", None),
        ("top/../outside/file", None),
        ("top-beside/x", None),
    ],
)
def test_a_path_as_it_is_spelled(base: Path, path: str, relative: str | None) -> None:
    """Links stay in it: whoever opens it does not follow them."""
    found = AllowedRoots((base / "alias", base / "top")).find_spelled(f"{base}/{path}")
    assert (found.relative if found else None) == relative
    if relative and "outward" in relative:
        assert found is not None
        with pytest.raises(OSError):
            found.open_file()


def test_no_roots_allow_nothing(base: Path) -> None:
    assert AllowedRoots(()).find(base / "top") is None


@pytest.mark.parametrize(
    "relative", ["outward/file", "inward/file", "chain/file", "dangling", "loop", "d/file/x", "none"]
)
@pytest.mark.parametrize("has_fds", [True, False])
def test_nothing_is_opened_through_a_link(
    base: Path, monkeypatch: pytest.MonkeyPatch, relative: str, *, has_fds: bool
) -> None:
    """A checked path whose directory has become a link is refused; so is one on a system without descriptors."""
    monkeypatch.setattr(confine, "HAS_DIRECTORY_FDS", has_fds)
    with pytest.raises(OSError):
        ConfinedPath(base / "top", tuple(relative.split("/"))).open_file()


@pytest.mark.parametrize("has_fds", [True, False])
def test_what_is_inside_is_opened(base: Path, monkeypatch: pytest.MonkeyPatch, *, has_fds: bool) -> None:
    monkeypatch.setattr(confine, "HAS_DIRECTORY_FDS", has_fds)
    found = AllowedRoots((base / "top",)).find(base / "top/inward/file")
    assert found is not None
    with open(found.open_file(), "rb") as file:
        assert file.read() == b"inside"


def _swap_directory(base: Path) -> None:
    (base / "top" / "d").rename(base / "top" / "was")
    (base / "top" / "d").symlink_to(base / "outside")


def _swap_root(base: Path) -> None:
    (base / "top").rename(base / "was")
    (base / "outside" / "d").mkdir()
    (base / "outside" / "d" / "file").write_bytes(CANARY)
    (base / "top").symlink_to(base / "outside")


@pytest.mark.parametrize("swap", [_swap_directory, _swap_root])
def test_a_link_that_appears_after_the_check(base: Path, swap: Callable[[Path], None]) -> None:
    roots = AllowedRoots((base / "top",))
    file, directory = roots.find(base / "top/d/file"), roots.find(base / "top/d")
    assert file is not None and directory is not None
    swap(base)
    with pytest.raises(OSError):
        file.open_file()
    with pytest.raises(OSError):
        directory.open_directory()
    assert roots.find(base / "top/d/file") is None, "a root that becomes a link allows no other place"


@pytest.mark.parametrize(
    ("parts", "internal"),
    [
        ((".git",), True),
        ((".GIT", "hooks"), True),
        (("a", ".Git", "b"), True),
        (("git~1",), True),
        ((".g\u200cit",), True),
        ((".git. ",), True),
        ((".git::$INDEX_ALLOCATION",), True),
        ((".github",), False),
        ((".gitignore",), False),
        (("git",), False),
        ((), False),
    ],
)
def test_names_that_some_system_takes_for_git(parts: tuple[str, ...], *, internal: bool) -> None:
    assert ConfinedPath(Path("/r"), parts).is_git_internal is internal is any(map(is_git_name, parts))


@pytest.mark.parametrize(
    ("name", "escape"),
    [
        ("a/b", ""),
        ("a/..b/...", ""),
        ("./a", ""),
        ("", ""),
        ("..", "traversal"),
        ("a/../b", "traversal"),
        ("a\\..\\b", "traversal"),
        ("/a", "absolute"),
        ("\\a", "absolute"),
        ("\\\\host\\share", "absolute"),
        ("C:/a", "absolute"),
        ("c:a", "absolute"),
    ],
)
def test_names_that_leave_a_directory(name: str, escape: str) -> None:
    assert find_escape(name) == escape


@pytest.mark.parametrize(
    ("path", "within"),
    [
        ("top", True),
        ("top/d/none", True),
        ("alias/d", True),
        ("outside/../top", True),
        ("top/outward", False),
        ("top-beside", False),
        ("outside", False),
        ("none", False),
    ],
)
def test_a_place_that_is_refused(base: Path, path: str, *, within: bool) -> None:
    assert is_within(base / path, base / "top") is within
    assert is_within(base / path, base / "alias") is within
    assert not is_within(base / path, base / "none" / "at-all")


def test_another_spelling_of_a_refused_place(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where case is ignored, `TOP` is the same directory as `top`."""
    stat = os.stat

    def ignoring_case(path: str | Path) -> os.stat_result:
        return stat(str(path).replace("TOP", "top"))

    monkeypatch.setattr(os, "stat", ignoring_case)
    assert is_within(base / "TOP" / "d", base / "top")
    assert not is_within(base / "OUTSIDE", base / "top")
