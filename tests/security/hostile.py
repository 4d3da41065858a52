"""A hostile workspace: files that would run something of theirs if any tool could be talked into it."""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from codecompass.engine.maintenance.downloads.extension_install import platform_key
from tests.surfaces.conftest import Shell, environment, git, make_repository

KEY = platform_key()
COMPILER = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
SOURCE = """
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void mark(void) {
    int file = open("%s", O_CREAT | O_WRONLY, 0666);
    if (file >= 0) close(file);
}
"""


@dataclass(frozen=True)
class HostileWorkspace:
    """A repository that its reader does not control, and the file that exists once something of it has run."""

    shell: Shell
    root: Path
    marker: Path
    library: Path

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.library.read_bytes()).hexdigest()

    @property
    def source(self) -> str:
        """The library as an argument of `download_extensions`."""
        return f"{KEY}=file://{self.library}#sha256={self.sha256}"

    @property
    def data(self) -> Path:
        return Path(self.shell.env["CODECOMPASS_STORAGE_DATA_DIR"])

    def has_run(self) -> bool:
        return self.marker.exists()


def make_library(path: Path, marker: Path) -> None:
    """A library whose constructor leaves a mark; without a compiler, bytes that only look like one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if COMPILER is None:
        path.write_bytes(b"\x7fELF" + bytes(60))
        return
    source = path.with_suffix(".c")
    source.write_text(SOURCE % marker)
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", str(path), str(source)], check=True, capture_output=True)


def make_hostile_workspace(base: Path) -> HostileWorkspace:
    """A git repository with traps of every kind that a tool could step into."""
    marker = base / "it-ran"
    root = make_repository(base / "repo")
    library = root / "vendor" / "vec0.so"
    make_library(library, marker)
    mark = f"__import__('pathlib').Path({str(marker)!r}).touch()\n"
    # Names that this program itself imports, should the workspace ever stand on its path.
    for name in ("numpy", "onnxruntime", "tokenizers", "token", "secrets", "apsw", "pypdfium2", "mammoth"):
        (root / f"{name}.py").write_text(mark)
    package = root / "sqlite_vec"
    package.mkdir()
    (package / "__init__.py").write_text(mark)
    shutil.copy(library, package / "vec0.so")
    # What linters, git and this program would read as their own configuration.
    (root / "ruff.toml").write_text('extend = "/etc/passwd"\n[lint]\nselect = ["ALL"]\n')
    (root / "pyproject.toml").write_text('[tool.ruff]\nextend = "../outside.toml"\n')
    (root / ".gitattributes").write_text("* filter=trap diff=trap\n")
    (root / "rules.toml").write_text('[[rule]]\nid = "x"\n')
    _write_archive(root / "vendor" / "model.tar", library)
    (root / "vendor" / "words.txt").write_text("alpha\nbeta\n--index-url https://example.org\n")
    (root / "findings.json").write_text(json.dumps([{"id": "F-1", "title": "x", "severity": "low"}]))
    (root / "link").symlink_to("/etc")
    git(root, "add", "-f", "src", "vendor", "findings.json")
    git(root, "commit", "-qm", "traps")
    _set_git_traps(root, marker)  # last, for git itself would step into them
    assert not marker.exists()
    return HostileWorkspace(Shell(root, environment(base)), root, marker, library)


def _set_git_traps(root: Path, marker: Path) -> None:
    """Programs that git itself would start: hooks, a file-system monitor, filters, a pager, an external diff."""
    trap = root / "trap.sh"
    trap.write_text(f"#!/bin/sh\n: > '{marker}'\n")
    trap.chmod(0o755)
    hooks = root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(trap, hooks / name)
    settings = {
        "core.fsmonitor": str(trap), "core.pager": str(trap), "core.sshCommand": str(trap),
        "core.hooksPath": str(hooks),
        "diff.external": str(trap), "diff.trap.command": str(trap), "filter.trap.smudge": str(trap),
    }  # fmt: skip
    config = root / ".git" / "config"
    for name, value in settings.items():
        section, key = name.rsplit(".", 1)
        head, _, sub = section.partition(".")
        title = f'[{head} "{sub}"]' if sub else f"[{head}]"
        config.write_text(f"{config.read_text()}{title}\n\t{key} = {value}\n")


def _write_archive(path: Path, library: Path) -> None:
    """A usable model with more in it than a model has."""
    from tests.engine.maintenance.supplylab import MODEL2VEC  # noqa: PLC0415 - only here

    staged = path.parent / "model"
    staged.mkdir()
    for name, data in MODEL2VEC.items():
        (staged / name).write_bytes(data)
    shutil.copy(library, staged / "vec0.so")
    (staged / "__init__.py").write_text("raise SystemExit\n")
    with tarfile.open(path, "w") as archive:
        archive.add(staged, arcname="model")


def program(*words: str) -> list[str]:
    return [sys.executable, "-m", "codecompass", *words]
