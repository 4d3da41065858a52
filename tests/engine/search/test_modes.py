"""Which mode a file is in, and which texts look like records."""

import pytest

from codecompass.engine.view.file_modes import detect_mode
from codecompass.text.log_detection import looks_like_log


@pytest.mark.parametrize(
    ("path", "language", "noted", "mode"),
    [
        ("src/a.py", "python", False, "code"),
        ("docs/conf.py", "python", False, "code"),
        ("README.md", "markdown", False, "prose"),
        ("guide/intro.rst", "rst", False, "prose"),
        ("notes.txt", "", False, "prose"),
        ("LICENSE", "", False, "prose"),
        ("docs/index.html", "html", False, "prose"),
        ("web/index.html", "html", False, "code"),
        ("config.yml", "yaml", False, "code"),
        ("Makefile", "make", False, "code"),
        ("run.log", "", False, "records"),
        ("trace.out", "", False, "records"),
        ("run.txt", "", True, "records"),
        ("stderr", "", True, "records"),
        ("times.md", "markdown", True, "prose"),
        ("data.csv", "", True, "code"),
        ("paper.pdf", "pdf", False, "extracted-prose"),
    ],
)
def test_mode_of_a_file(path: str, language: str, noted: bool, mode: str) -> None:
    """SEA-MODES: path, language and looks decide, and every file is in exactly one mode."""
    assert detect_mode(path, language, looks_like_records=noted) == mode


@pytest.mark.parametrize(
    ("text", "is_log"),
    [
        ("2026-01-02 10:00:01 a\n2026-01-02 10:00:02 b\n2026-01-02T10:00:03Z c\n", True),
        ("[10:00:01] a\n[10:00:02] b\n  more\n[10:00:03] c\n", True),
        ("Jan  2 10:00:01 host a\n" * 3, True),
        ("some words\nTraceback (most recent call last):\n  File x\n", True),
        ("thread 'main' panicked at src/main.rs:3\n", True),
        ("Error: x\n    at run (/srv/a.js:1:2)\n    at go (/srv/b.js:3:4)\n", True),
        ("Dear reader,\nwe met at 10:00:01 and left.\nYours\n", False),
        ("2026-01-02 10:00:01 only once\n" + "prose goes on\n" * 20, False),
        ("", False),
    ],
)
def test_looks_of_records(text: str, is_log: bool) -> None:
    """SEA-MODES: times at the beginning of enough lines, or a trace of a failure, make records of a text."""
    assert looks_like_log(text.encode()) is is_log
