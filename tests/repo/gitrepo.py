"""Real repositories for the tests, made with the git program and untouched by the settings of whoever runs them."""

import os
import subprocess
from pathlib import Path

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "C",
    "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_COMMITTER_DATE": "1700000001 +0000",
    "LC_ALL": "C",
}


def git(directory: Path, *arguments: str, input: bytes = b"") -> str:
    """Run git in a directory and return what it printed."""
    argv = ["git", "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(argv, cwd=directory, env=ENV, input=input, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def make_repo(path: Path, files: dict[str, str] | None = None, *, object_format: str = "sha1") -> Path:
    """A repository on branch `main`, with one commit when files are given."""
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "-q", "-b", "main", f"--object-format={object_format}")
    if files:
        commit(path, files)
    return path


def commit(path: Path, files: dict[str, str], message: str = "change") -> str:
    """Write files, commit them, return the hash."""
    for name, text in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    git(path, "add", "-A", "-f")
    git(path, "commit", "-q", "--allow-empty", "-m", message)
    return git(path, "rev-parse", "HEAD")
