"""Paths: how well a path answers words, and what role a file plays."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from codecompass.text.tokens import split_identifier

_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing|testdata|fixtures)/|(?:^|/)test_[^/]*$|[._-](?:test|spec|tests)\.\w+$|_test\.\w+$"
)
_ASIDE = re.compile(
    r"(?:^|/)(?:vendor|third_party|node_modules|dist|build|examples?|samples?|docs?|locale|migrations|generated)/"
)


@dataclass
class PathIndex:
    """The paths of one view by their words; built once per generation and view."""

    paths: tuple[str, ...]
    _split: dict[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)

    @cached_property
    def words(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, path in enumerate(self.paths):
            for word in path_words(path):
                found.setdefault(word, []).append(number)
        return found

    @cached_property
    def lowered(self) -> tuple[str, ...]:
        return tuple(path.lower() for path in self.paths)

    def affinity(self, path: str, query: str, words: frozenset[str]) -> float:
        """How much of the question the path itself says, file name before directories, scaled by the file's role."""
        lowered = path.lower()
        fragment = query.strip().lower().replace("\\", "/")
        if fragment and (lowered == fragment or lowered.endswith("/" + fragment)):
            return 1.0
        if "/" in fragment and fragment in lowered:
            return 0.9
        if not words:
            return 0.0
        known = self._split.get(path)
        if known is None:
            known = self._split[path] = (path_words(path.rsplit("/", 1)[-1].split(".")[0]), path_words(path))
        stem, everywhere = known
        common = len(words & stem)
        in_stem = common / len(words) + (0.5 * common / len(stem) if stem else 0.0)
        anywhere = len(words & everywhere) / len(words)
        return min(1.0, 0.6 * in_stem + 0.4 * anywhere) * role_prior(path, words)

    def containing(self, fragment: str, limit: int) -> tuple[list[str], int]:
        """Paths that contain a fragment: those ending in it first, then the shortest; and how many there are."""
        wanted = fragment.lower().replace("\\", "/").strip("/")
        if wanted.startswith("./"):
            wanted = wanted[2:]
        hits = [self.paths[number] for number, path in enumerate(self.lowered) if wanted in path]
        hits.sort(key=lambda path: (not path.lower().endswith(wanted), len(path), path))
        return hits[:limit], len(hits)

    def with_words(self, words: list[str], limit: int) -> tuple[list[str], int]:
        """Paths that hold at least two of the words (or the only one), most first; and how many there are."""
        counts: dict[int, int] = {}
        for word in words:
            for number in self.words.get(word, ()):
                counts[number] = counts.get(number, 0) + 1
        needed = min(2, len(words))
        kept = [(count, number) for number, count in counts.items() if count >= needed]
        kept.sort(key=lambda pair: (-pair[0], len(self.paths[pair[1]]), self.paths[pair[1]]))
        return [self.paths[number] for _, number in kept[:limit]], len(kept)


def path_words(path: str) -> frozenset[str]:
    return frozenset(split_identifier(path.replace("/", " ")))


def is_test(path: str) -> bool:
    return bool(_TEST.search(path))


def role_prior(path: str, words: frozenset[str]) -> float:
    """1 for ordinary source, less for tests and side material, unless the question asks for them."""
    if is_test(path):
        return 1.0 if words & {"test", "tests", "spec", "fixture", "testing"} else 0.55
    if _ASIDE.search(path):
        return 1.0 if words & {"docs", "doc", "example", "vendor", "migration", "locale"} else 0.75
    return 1.0
