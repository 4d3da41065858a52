"""Edits: a new definition written into a source file, in the words of its language."""

import random
from pathlib import Path

DEFINITION = {
    ".py": "\n\ndef {name}():\n    return 1\n",
    ".ts": "\nexport function {name}() {{ return 1; }}\n",
    ".js": "\nfunction {name}() {{ return 1; }}\n",
    ".go": "\nfunc {name}() int {{ return 1 }}\n",
    ".rs": "\npub fn {name}() -> i32 {{ 1 }}\n",
    ".java": "\nclass {name} {{ }}\n",
    ".cs": "\nclass {name} {{ }}\n",
    ".c": "\nint {name}(void) {{ return 1; }}\n",
    ".cpp": "\nint {name}() {{ return 1; }}\n",
    ".hpp": "\ninline int {name}() {{ return 1; }}\n",
    ".rb": "\ndef {name}\n  1\nend\n",
    ".php": "\nfunction {name}() {{ return 1; }}\n",
}
SMALLEST, LARGEST = 200, 60_000
"""Bytes of a file that is fit to be edited: neither empty nor a giant."""


def editable(files: dict[str, int], seed: int) -> list[str]:
    """Files a definition can be appended to, shuffled; always the same order for one seed."""
    right_size = [path for path, size in sorted(files.items()) if SMALLEST <= size <= LARGEST]
    fit = [path for path in right_size if Path(path).suffix in DEFINITION]
    random.Random(seed).shuffle(fit)
    if not fit:
        raise SystemExit("The repository has no file in a language the benchmark can edit.")
    return fit


def append_definition(root: Path, path: str, name: str) -> None:
    with (root / path).open("a", encoding="utf-8") as file:
        file.write(DEFINITION[Path(path).suffix].format(name=name))
