"""Detection: which language a file is in, from its name and, where the name does not settle it, its first bytes.

A name is settled by the file names and endings that languages list. Some endings belong to several languages: those
are contested. A contested file is asked in this order: the mode line a person wrote for an editor, the interpreter
line, the claims of the languages that contest the ending (patterns, in the order of their turn), then whether the
language that lists the ending disowns the file (nobody's then, plain text); else that language has it. A name nobody
lists is asked for mode line and interpreter only. Patterns are those of RE2: whatever a file holds, time stays linear.
"""

import re
from collections.abc import Iterable
from functools import cached_property

import re2

from codecompass.languages.language_catalog import LanguageRow

HEAD_BYTES = 16_384
"""How much of a file is looked at."""
_MODE_LINES = 5
_MAX_LINE = 1_000
_EMACS = re.compile(rb"-\*-(?:.*?\bmode:[ \t]*|[ \t]*)([\w+#-]+)[ \t]*(?:;.*)?-\*-")
_VIM = re.compile(rb"(?:^|[ \t])(?:vim?|ex):.*?\b(?:ft|filetype|syntax)=([\w+#-]+)")
_BOM = b"\xef\xbb\xbf"


class Detection:
    """All names and claims of a catalogue, ready to be asked."""

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
        """Contested ending → who claims it by which pattern, in turn; the empty name disowns."""
        found: dict[str, list[tuple[str, re2.Pattern[bytes]]]] = {}
        for row in self._rows:
            for ending, patterns in row.contested.items():
                found.setdefault(ending, []).append((row.name, _any_of(patterns)))
        for row in self._rows:
            for ending, patterns in row.disowned.items():
                found.setdefault(ending, []).append(("", _any_of(patterns)))
        return found

    @cached_property
    def _overlooked(self) -> dict[str, "re2.Pattern[bytes]"]:
        """Contested ending → what is no evidence of anything."""
        found: dict[str, tuple[str, ...]] = {}
        for row in self._rows:
            for ending, patterns in row.overlooked.items():
                found[ending] = (*found.get(ending, ()), *patterns)
        return {ending: _any_of(patterns) for ending, patterns in found.items()}

    def detect(self, path: str, head: bytes = b"") -> str:
        """The language of a file, or an empty string for plain text."""
        name = path.rpartition("/")[2]
        found = self._by_filename.get(name)
        if found is not None:
            return found
        ending = _ending(name)
        if ending in self._contested:
            return self._settle(ending, head[:HEAD_BYTES])
        found = self._by_extension.get(ending) or self._by_beginning(name)
        return found or self._said(head[:HEAD_BYTES])

    def canonical(self, spelling: str) -> str | None:
        """The name of a language in any accepted spelling (`ts`, `c++`), or None."""
        return self._by_alias.get(spelling.strip().lower())

    def is_contested(self, path: str) -> bool:
        """Whether the content decides between several languages."""
        name = path.rpartition("/")[2]
        return name not in self._by_filename and _ending(name) in self._contested

    def _settle(self, ending: str, head: bytes) -> str:
        plain = self._by_extension.get(ending, "")
        if not head:
            return plain
        said = self._said(head)
        if said:
            return said
        # Most files are claimed by nobody, and that is seen without taking them apart.
        if not any(pattern.search(head) for _, pattern in self._claims[ending]):
            return plain
        if ending in self._overlooked:
            head = self._overlooked[ending].sub(b" ", head)
        return next((name for name, pattern in self._claims[ending] if pattern.search(head)), plain)

    def _by_beginning(self, name: str) -> str:
        return next((found for start, found in self._by_start.items() if name.startswith(start)), "")

    def _said(self, head: bytes) -> str:
        """What the file says of itself: a mode line, or the program that runs it."""
        if not head:
            return ""
        lines = head.removeprefix(_BOM).split(b"\n")
        for pattern, places in ((_EMACS, lines[:2]), (_VIM, (*lines[:_MODE_LINES], *lines[-_MODE_LINES - 1 :]))):
            for line in places:
                match = pattern.search(line[:_MAX_LINE])
                found = self.canonical(match[1].decode("latin-1")) if match else None
                if found:
                    return found
        if not lines[0].startswith(b"#!"):
            return ""
        words = lines[0][2:].decode("latin-1").split()
        programs = [word.rsplit("/", 1)[-1].rstrip("0123456789.") for word in words if not word.startswith("-")]
        return next((self._by_shebang[word] for word in programs if word in self._by_shebang), "")


def _ending(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return dot + ending.lower() if stem else ""


def _any_of(patterns: tuple[str, ...]) -> "re2.Pattern[bytes]":
    return re2.compile(("(?m)" + "|".join(f"(?:{pattern})" for pattern in patterns)).encode())
