"""A small repository of files that are hard to search, and ripgrep's answers about it."""

import json
import random
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple

from codecompass.engine.grep.grep_scope import EXCLUDED_DIRECTORIES
from tests.repo.gitrepo import make_repo

RG = shutil.which("rg", path=sysconfig.get_path("scripts")) or shutil.which("rg") or ""

WORDS = (
    "session", "Session", "SESSION", "token", "jwt.sign", "handleAuth", "get_user_set", "naïve", "façade", "Straße",
    "ΑΒΓδ", "λόγος", "привет", "Привет", "日本語", "k\u212a", "\u017fet", "ⓐⓑ", "x1", "42", "٣٤", "foo_bar", "foo-bar",
    "a" * 30, "e\u0301", "ab", "Ab", "(x)", "[y]", "$z", "^w", "a+b", "q\\r", "//", "/*", "é", "É", "ﬁ", "İ", "ı",
    "ß", "ẞ", "Ǆǅǆ", "µm",
)  # fmt: skip
GAPS = (" ", "  ", "\t", ".", ",", "(", ")", "=", "", "-", ":", "\u00a0", "\u2003", "\x0b", "\x0c", "\x85", "\u2028")

NOTEBOOK = {
    "cells": [{"cell_type": "code", "source": ["session = 1\n"], "outputs": [], "metadata": {"tags": ["token ab"]}}],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip


def _lines(rng: random.Random, count: int) -> list[str]:
    def line() -> str:
        words = "".join(rng.choice(WORDS) + rng.choice(GAPS) for _ in range(rng.randrange(8)))
        return words + rng.choice(("", " ", "\r", ";"))

    return [line() for _ in range(count)]


def thicket(directory: Path) -> Path:
    """The repository; always the same."""
    rng = random.Random(8)
    repo = make_repo(directory, {"README.md": "# Thicket\n\nsession token\n", ".gitignore": "ignored/\n*.skip\n"})
    text = {name: "\n".join(_lines(rng, 24)) + "\n" for name in ("src/a.py", "src/b.ts", "lib/deep/c.rs", "d d/ü.md")}
    files: dict[str, bytes] = {name: body.encode() for name, body in text.items()}
    ascii_only = [line.encode("ascii", "ignore") for line in _lines(rng, 30)]
    files |= {
        "plain.py": b"\n".join(ascii_only) + b"\n",
        "crlf.txt": "\r\n".join(_lines(rng, 20)).encode(),
        "cr_only.txt": b"session\rtoken\rab\r",
        "empty.py": b"",
        "newlines.txt": b"\n\n\n",
        "no_end.py": b"first session\nlast token",
        "blank_end.txt": b"ab\n\n",
        "long.js": b"var x=" + b"session,ab(1)," * 200 + b"token;\nshort ab\n" + b"z" * 900 + "naïve".encode() + b"\n",
        "broken.txt": "naïve\n".encode() + b"ab\xff\xfe session\xc3 token\nok caf\xe9 session\n\xe9t\xe9\n",
        "latin.txt": "été façade naïve\nsession café\n".encode("latin-1"),
        "bom.cs": "\ufeffsession first\nab naïve\n".encode(),
        "wide.txt": "session λόγος\r\ntoken ab\r\n".encode("utf-16"),
        "big.txt": b"\xfe\xff" + "Session привет\nab 42\n".encode("utf-16-be"),
        "binary.dat2": b"session\x00token ab\n",
        "book.ipynb": json.dumps(NOTEBOOK, indent=1).encode(),
        ".github/flow.yml": b"on: session\nab: 1\n",
        ".hidden": b"hidden session ab\n",
        "ignored/x.py": b"session ignored\n",
        "y.skip": b"session skipped\n",
        "node_modules/m/i.js": b"session modules\n",
        "dist/o.js": b"session dist\n",
        "src/build/o.js": b"session build\n",
        ".env": b"SECRET=session\n",
        "keys/id.pem": b"session key\n",
    }  # fmt: skip
    for name, data in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return repo


class Line(NamedTuple):
    """One line as both programs tell it."""

    file: str
    line: int
    column: int
    text: str


def ripgrep(repo: Path, pattern: str, *, case_sensitive: bool = False) -> list[Line] | None:
    """What ripgrep finds in the files that we would search; None for a pattern that it refuses."""
    command = [
        RG, "--no-config", "--no-heading", "--null", "--line-number", "--column", "--color=never", "--hidden",
        "--no-ignore-global", "--no-ignore-parent", "--no-ignore-dot", "--threads=1",
        "--case-sensitive" if case_sensitive else "--ignore-case",
    ]  # fmt: skip
    for name in (*(f"{one}/" for one in sorted(EXCLUDED_DIRECTORIES)), ".env", "*.pem"):
        command += ["--glob", f"!{name}"]
    done = subprocess.run([*command, "-e", pattern, "--", "."], cwd=repo, capture_output=True, check=False, timeout=60)
    if done.returncode == 2:
        return None
    return sorted(_line(raw) for raw in done.stdout.split(b"\n") if b"\0" in raw)


def _line(raw: bytes) -> Line:
    path, _, rest = raw.partition(b"\0")
    line, _, text = rest.partition(b":")
    column, _, after = text.partition(b":")
    if column.isdigit():
        text = after
    # An empty match behind the last byte of a file is told without its place.
    at = int(column) if column.isdigit() else len(text) + 1
    shown = text.removesuffix(b"\r").decode("utf-8", "replace")
    return Line(path.decode().removeprefix("./"), int(line), at, shown)
