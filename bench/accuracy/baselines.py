"""Baselines: what a word search and universal-ctags answer to the same questions."""

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field

from bench.accuracy.sources import Place
from bench.accuracy.truth import Truth, TruthSymbol

_WORD = re.compile(rb"[^\W\d][\w$]*|\$[\w$]*")
_TIMEOUT_S = 300


@dataclass
class Grep:
    """`grep -w` over the files the truth knows: every word with its places, comments and strings among them."""

    truth: Truth
    _words: dict[bytes, list[Place]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for path in sorted(self.truth.paths):
            for number, line in enumerate(self.truth.sources.lines(path), 1):
                for match in _WORD.finditer(line):
                    self._words[match[0]].append(Place(path, number, match.start()))

    def places(self, symbol: TruthSymbol) -> set[Place]:
        """All hits but the definition itself."""
        private = symbol.name.startswith("#")
        word = symbol.name.removeprefix("#").encode()
        found = {place._replace(column=place.column - private) for place in self._words.get(word, ())}
        return found - symbol.definitions

    def calls(self, symbol: TruthSymbol) -> set[Place]:
        """Hits right before an opening bracket: `grep 'name('`."""
        size = len(symbol.name.encode())
        lines = self.truth.sources
        return {place for place in self.places(symbol)
                if lines.line(place.path, place.line)[place.column + size :][:1] == b"("}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tag:
    path: str
    line: int
    name: str
    scope: str


def tags_of(truth: Truth, binary: str) -> dict[str, list[Tag]]:
    """Name → tags in order of path and line, from universal-ctags over the files the truth knows."""
    argv = [binary, "-L", "-", "--fields=+nKs", "--output-format=json", "--sort=no", "-f", "-"]
    done = subprocess.run(argv, cwd=truth.sources.root, input="\n".join(sorted(truth.paths)), capture_output=True,
                          text=True, timeout=_TIMEOUT_S, check=True)  # fmt: skip
    found: dict[str, list[Tag]] = defaultdict(list)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row.get("_type") == "tag":
            found[row["name"]].append(Tag(row["path"], row["line"], row["name"], row.get("scope", "")))
    return found


def first_tag(tags: dict[str, list[Tag]], name: str, scope: tuple[str, ...]) -> Tag | None:
    """The first tag with that name whose scope ends in the scope that was asked for."""
    wanted = list(scope)
    for tag in tags.get(name, ()):
        own = re.split(r"[./:]+", tag.scope) if tag.scope else []
        if (own[-len(wanted) :] == wanted) if wanted else not own:
            return tag
    return None
