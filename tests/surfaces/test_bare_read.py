"""read_file on a project that nobody indexed: from outside, with real processes."""

import json

import pytest

from tests.surfaces.conftest import SOURCE, Shell, git


@pytest.fixture
def bare(fresh: Shell) -> Shell:
    """A project that is registered and not indexed."""
    assert fresh.run("init").returncode == 0
    (fresh.cwd / ".gitignore").write_text("hidden/\n")
    (fresh.cwd / "hidden").mkdir()
    (fresh.cwd / "hidden" / "note.txt").write_text("not for you")
    (fresh.cwd / ".env").write_text("KEY=not for you")
    (fresh.cwd / "node_modules").mkdir()
    (fresh.cwd / "node_modules" / "x.js").write_text("not for you")
    (fresh.cwd / "photo.png").write_bytes(b"\x89PNG\0not for you")
    (fresh.cwd / "big.txt").write_bytes(b"a" * 1_000_001)
    (fresh.cwd / "out").symlink_to("/etc/hostname")
    return fresh


def read(shell: Shell, *words: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(shell.run("tool", "read_file", *words).stdout)
    return found


def test_a_file_is_read_without_an_index(bare: Shell) -> None:
    """READ-BARE: whole, as it is now, with a note about what is not known; and of any commit."""
    (bare.cwd / "src" / "auth.py").write_text(SOURCE + "# new\n")
    found = read(bare, "src/auth.py", "--include-deps")
    assert found["file"]["content"] == SOURCE + "# new\n"  # type: ignore[index]
    assert found["file"]["language"] == "python" and found["dependencies"] == []  # type: ignore[index]
    assert "not indexed" in found["metadata"]["notes"][0]  # type: ignore[index]
    assert found["metadata"]["freshness"] == "fresh" and found["metadata"]["lastModified"]  # type: ignore[index]
    git(bare.cwd, "branch", "old")
    assert read(bare, "src/auth.py", "--ref", "old")["file"]["content"] == SOURCE  # type: ignore[index]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("none.py", "File not found"), (".env", "Permission denied"), ("hidden/note.txt", "Permission denied"),
        ("node_modules/x.js", "Permission denied"), ("../outside.txt", "Path traversal not allowed"),
        ("/etc/hostname", "Absolute paths not allowed"), ("out", "Permission denied"), ("photo.png", "Not a text file"),
        ("big.txt", "File too large"), (".git/config", "Permission denied"), ("src", "Permission denied"),
    ],
)  # fmt: skip
def test_the_guard_stands_without_an_index(bare: Shell, path: str, error: str) -> None:
    """READ-BARE: what must not be read is refused in the same words."""
    said = read(bare, path)
    assert (said["error"], said["path"], said["tool"]) == (error, path, "read_file"), said
    assert "not for you" not in json.dumps(said)


def test_what_is_not_registered_is_said_to_be_that(fresh: Shell) -> None:
    """READ-BARE: a directory that is no project stays one."""
    said = read(fresh, "src/auth.py")
    assert said["code"] == "NOT_FOUND" and "codecompass init" in str(said["suggestion"])
