"""Language detection: the language of a file, from its name or, if that is ambiguous, its first bytes.

File names and extensions listed by a language decide. An extension of several languages is contested; for such a file
the first of these decides: the editor mode line, the shebang line, the patterns of the languages that contest the
extension (in the order of `turn`), the `disowned` patterns of the language that lists the extension (the file is then
plain text), and finally that language itself. For an unlisted name only mode line and shebang are checked. Patterns
are RE2, so matching takes linear time for any file.
"""

import re
from collections.abc import Iterable
from functools import cached_property

import re2

from codecompass.languages.language_catalog import LanguageRow

HEAD_BYTES = 16_384
"""Number of bytes at the start of a file that are examined."""
_MODE_LINES = 5
_MAX_LINE = 1_000
_EMACS = re.compile(rb"-\*-(?:.*?\bmode:[ \t]*|[ \t]*)([\w+#-]+)[ \t]*(?:;.*)?-\*-")
_VIM = re.compile(rb"(?:^|[ \t])(?:vim?|ex):.*?\b(?:ft|filetype|syntax)=([\w+#-]+)")
_BOM = b"\xef\xbb\xbf"


class LanguageDetector:
    """Detects languages by the names and patterns of a catalog."""

    def __init__(self, rows: Iterable[LanguageRow]) -> None:
        self._rows = sorted(rows, key=lambda row: (row.turn, row.name))
        self._by_extension = {ending: row.name for row in self._rows for ending in row.extensions}
        self._by_filename = {name: row.name for row in self._rows for name in row.filenames}
        self._by_start = {start: row.name for row in self._rows for start in row.name_starts}
        self._by_shebang = {word: row.name for row in self._rows for word in row.shebangs}
        self._by_alias = {alias: row.name for row in self._rows for alias in (*row.aliases, row.name)}
        self._contested = {ending for row in self._rows for ending in (*row.contested, *row.disowned)}

    @cached_property
    def _claims(self) -> dict[str, list[tuple[str, "re2.Pattern[bytes]"]]]:
        """Contested extension → (language, pattern) in order; the empty name means plain text."""
        found: dict[str, list[tuple[str, re2.Pattern[bytes]]]] = {}
        for row in self._rows:
            for ending, patterns in row.contested.items():
                found.setdefault(ending, []).append((row.name, _compile_any(patterns)))
        for row in self._rows:
            for ending, patterns in row.disowned.items():
                found.setdefault(ending, []).append(("", _compile_any(patterns)))
        return found

    @cached_property
    def _ignored_text(self) -> dict[str, "re2.Pattern[bytes]"]:
        """Contested extension → pattern of text to ignore."""
        found: dict[str, tuple[str, ...]] = {}
        for row in self._rows:
            for ending, patterns in row.overlooked.items():
                found[ending] = (*found.get(ending, ()), *patterns)
        return {ending: _compile_any(patterns) for ending, patterns in found.items()}

    def detect(self, path: str, head: bytes = b"") -> str:
        """Return the language of a file, or an empty string for plain text."""
        name = path.rpartition("/")[2]
        found = self._by_filename.get(name)
        if found is not None:
            return found
        ending = _get_extension(name)
        if ending in self._contested:
            return self._resolve_contested(ending, head[:HEAD_BYTES])
        found = self._by_extension.get(ending) or self._match_prefix(name)
        return found or self._read_declaration(head[:HEAD_BYTES])

    def resolve_name(self, spelling: str) -> str | None:
        """Return the language for any accepted spelling (`ts`, `c++`), or None."""
        return self._by_alias.get(spelling.strip().lower())

    def is_contested(self, path: str) -> bool:
        """Whether several languages use the extension, so that the content decides."""
        name = path.rpartition("/")[2]
        return name not in self._by_filename and _get_extension(name) in self._contested

    def _resolve_contested(self, ending: str, head: bytes) -> str:
        plain = self._by_extension.get(ending, "")
        if not head:
            return plain
        declared = self._read_declaration(head)
        if declared:
            return declared
        # Fast path: most files match no pattern even before ignored text is removed.
        if not any(pattern.search(head) for _, pattern in self._claims[ending]):
            return plain
        if ending in self._ignored_text:
            head = self._ignored_text[ending].sub(b" ", head)
        return next((name for name, pattern in self._claims[ending] if pattern.search(head)), plain)

    def _match_prefix(self, name: str) -> str:
        return next((found for start, found in self._by_start.items() if name.startswith(start)), "")

    def _read_declaration(self, head: bytes) -> str:
        """Return the language that a mode line or a shebang line declares, or an empty string."""
        if not head:
            return ""
        lines = head.removeprefix(_BOM).split(b"\n")
        for pattern, places in ((_EMACS, lines[:2]), (_VIM, (*lines[:_MODE_LINES], *lines[-_MODE_LINES - 1 :]))):
            for line in places:
                match = pattern.search(line[:_MAX_LINE])
                found = self.resolve_name(match[1].decode("latin-1")) if match else None
                if found:
                    return found
        if not lines[0].startswith(b"#!"):
            return ""
        words = lines[0][2:].decode("latin-1").split()
        programs = [word.rsplit("/", 1)[-1].rstrip("0123456789.") for word in words if not word.startswith("-")]
        return next((self._by_shebang[word] for word in programs if word in self._by_shebang), "")


def _get_extension(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return dot + ending.lower() if stem else ""


def _compile_any(patterns: tuple[str, ...]) -> "re2.Pattern[bytes]":
    return re2.compile(("(?m)" + "|".join(f"(?:{pattern})" for pattern in patterns)).encode())
