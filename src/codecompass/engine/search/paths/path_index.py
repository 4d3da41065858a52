"""Path index: match paths against query words, and the role, mode and name profile of each file."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from codecompass.cache import LRU
from codecompass.engine.search.paths.name_features import NameProfile, PathPostings, build_profile, distinctive_names
from codecompass.engine.search.paths.path_mentions import index_last_parts
from codecompass.engine.search.paths.path_roles import (
    PathRole,
    compute_role_prior,
    find_newest_versions,
    find_outdated_roles,
    find_roles,
    get_role_weight,
    is_test,
)
from codecompass.engine.view.file_modes import RECORDS_NOTE, detect_mode
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.text.tokens import stem_parts

_PACKAGE_FILES = frozenset(("mod", "index", "__init__", "init", "lib", "main", "package"))
"""Files that represent their directory and take its name."""
_SOURCE_ROOTS = frozenset(("src", "lib"))
MAX_CACHED_PROFILES = 6_000
MAX_DEFINING_FILES = 3
"""References to a name that more files define are not counted."""
_MANY_FILES_LOG = math.log1p(60)


@dataclass(frozen=True, slots=True)
class PathTerms:
    """The stems of one path."""

    stem: frozenset[str]
    """The stems of the file's own name."""
    words: Mapping[str, int]
    """Stem → how often it occurs in the path without its extension."""


@dataclass
class PathIndex:
    """The paths of one view, indexed by words; built once per generation and view."""

    paths: tuple[str, ...]
    _path_terms: dict[str, PathTerms] = field(default_factory=dict)
    _roles: dict[str, tuple[PathRole, ...]] = field(default_factory=dict)
    _profiles: LRU[int, NameProfile] = field(default_factory=lambda: LRU(MAX_CACHED_PROFILES))
    _reference_scores: dict[int, float] = field(default_factory=dict)
    _last_scores: tuple[frozenset[str], NDArray[np.float64]] | None = None
    _main_language: str | None = None
    _modes: dict[str, str] | None = None
    _files_in_modes: dict[tuple[str, ...], tuple[frozenset[str], frozenset[int]]] = field(default_factory=dict)

    @cached_property
    def postings(self) -> PathPostings:
        return PathPostings([self.path_terms(path).words for path in self.paths])

    @cached_property
    def path_numbers(self) -> dict[str, int]:
        """Path → its number."""
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def last_parts(self) -> Mapping[str, tuple[str, ...]]:
        """Last part of a path → the paths, for paths and modules that a text mentions."""
        return index_last_parts(self.paths)

    @cached_property
    def newest_versions(self) -> dict[str, int]:
        """Directory prefix → its newest version, where several versions exist."""
        return find_newest_versions(self.paths)

    def path_terms(self, path: str) -> PathTerms:
        cached = self._path_terms.get(path)
        if cached is None:
            cached = self._path_terms[path] = tokenize_path(path)
        return cached

    def role_prior(self, path: str, wanted: frozenset[str]) -> float:
        """Prior of the file's role: 1 for ordinary source, less for other roles."""
        cached = self._roles.get(path)
        if cached is None:
            cached = self._roles[path] = find_roles(path) + find_outdated_roles(path, self.newest_versions)
        return compute_role_prior(cached, wanted) if cached else 1.0

    def name_profile(self, view: PinnedView, path: str) -> NameProfile:
        """Return the name profile of a file; cached."""
        blob = view.entries[path].blob
        cached = self._profiles.get(blob)
        if cached is None:
            cached = build_profile(view.heads(blob))
            self._profiles.put(blob, cached)
        return cached

    def score_references(self, view: PinnedView, paths: Sequence[str]) -> list[float]:
        """Score how many other files, tests excluded, mention the names of each file, on a log scale in 0..1."""
        blobs = [view.entries[path].blob for path in paths]
        names_by_blob = {
            blob: distinctive_names(view.heads(blob)) for blob in blobs if blob not in self._reference_scores
        }
        names = {name for distinctive in names_by_blob.values() for name in distinctive}
        found = view.snapshot.find_blobs_mentioning(names, view.paths, MAX_DEFINING_FILES) if names else {}
        for blob, distinctive in names_by_blob.items():
            others = {other for name in distinctive for other in found.get(name, ())} - {blob}
            count = sum(any(not is_test(one) for one in view.paths.get(other, ())) for other in others)
            self._reference_scores[blob] = min(1.0, math.log1p(count) / _MANY_FILES_LOG)
        return [self._reference_scores[blob] for blob in blobs]

    def score(self, path: str, wanted: frozenset[str]) -> float:
        """BM25 of a path for these stems, relative to the best path of the view."""
        cached = self._last_scores
        if cached is None or cached[0] != wanted:
            # Cached for the other files and modes of the same search.
            cached = self._last_scores = wanted, self.postings.scores(wanted)
        return float(cached[1][self.path_numbers[path]])

    def main_language(self, view: PinnedView) -> str:
        """Return the language of more than half of the files; empty if there is none."""
        if self._main_language is None:
            counts = view.snapshot.language_counts(view.row)
            first = max(counts, key=counts.__getitem__, default="")
            self._main_language = first if 2 * counts.get(first, 0) > sum(counts.values()) else ""
        return self._main_language

    @cached_property
    def lowercase_paths(self) -> tuple[str, ...]:
        return tuple(path.lower() for path in self.paths)

    def modes(self, view: PinnedView) -> dict[str, str]:
        """Path → its mode."""
        if self._modes is None:
            languages = view.snapshot.languages()
            noted = view.snapshot.find_blobs_with_note(RECORDS_NOTE)
            entries = view.entries
            self._modes = {
                path: detect_mode(path, languages[blob], looks_like_records=blob in noted)
                for path, blob in ((path, entries[path].blob) for path in self.paths)
            }
        return self._modes

    def files_in_modes(self, view: PinnedView, wanted: tuple[str, ...]) -> tuple[frozenset[str], frozenset[int]]:
        """Return the paths of some modes and their blobs; computed once per generation."""
        cached = self._files_in_modes.get(wanted)
        if cached is None:
            modes, entries = self.modes(view), view.entries
            chosen = frozenset(path for path in self.paths if modes[path] in wanted)
            cached = self._files_in_modes[wanted] = chosen, frozenset(entries[path].blob for path in chosen)
        return cached

    def affinity(self, path: str, query: str, words: frozenset[str]) -> float:
        """Match of the path with the query, file name before directories, scaled by the file's role."""
        lowered = path.lower()
        fragment = query.strip().lower().replace("\\", "/")
        if fragment and (lowered == fragment or lowered.endswith("/" + fragment)):
            return 1.0
        if "/" in fragment and fragment in lowered:
            return 0.9
        if not words:
            return 0.0
        terms = self.path_terms(path)
        common = len(words & terms.stem)
        in_stem = common / len(words) + (0.5 * common / len(terms.stem) if terms.stem else 0.0)
        anywhere = len(words & terms.words.keys()) / len(words)
        return min(1.0, 0.6 * in_stem + 0.4 * anywhere) * get_role_weight(path, words)

    def find_containing(self, fragment: str, limit: int, within: frozenset[str] | None = None) -> tuple[list[str], int]:
        """Return paths that contain a fragment and their total: those ending in it first, then the shortest.

        `within` limits the search to these paths.
        """
        wanted = fragment.lower().replace("\\", "/").strip("/")
        if wanted.startswith("./"):
            wanted = wanted[2:]
        hits = [self.paths[number] for number, path in enumerate(self.lowercase_paths) if wanted in path]
        hits = hits if within is None else [path for path in hits if path in within]
        hits.sort(key=lambda path: (not path.lower().endswith(wanted), len(path), path))
        return hits[:limit], len(hits)

    def find_by_words(
        self, words: list[str], limit: int, within: frozenset[str] | None = None
    ) -> tuple[list[str], int]:
        """Return paths with at least two of the words (or the only one), most words first, and their total."""
        matches = self.postings.find_matching(words, min(2, len(words))) if words else []
        if within is not None:
            matches = [pair for pair in matches if self.paths[pair[1]] in within]
        matches.sort(key=lambda pair: (-pair[0], len(self.paths[pair[1]]), self.paths[pair[1]]))
        return [self.paths[number] for _, number in matches[:limit]], len(matches)


def tokenize_path(path: str) -> PathTerms:
    """Tokenize a path into stems."""
    folder, _, name = path.rpartition("/")
    stem = name.split(".")[0] or name
    if stem.lower() in _PACKAGE_FILES:
        above = [part for part in folder.split("/") if part not in _SOURCE_ROOTS]
        stem = (above[-1] if above else "") or stem
    shown = path if "." not in name[1:] else path.rpartition(".")[0]
    words = Counter(word for part in shown.split("/") for word in stem_parts(part))
    return PathTerms(frozenset(stem_parts(stem)), dict(words))


def get_path_index(project: Project, view: PinnedView) -> PathIndex:
    """Return the path index of a view; built once per generation."""

    def build() -> PathIndex:
        return PathIndex(tuple(sorted(path for path, entry in view.entries.items() if entry.blob)))

    return project.caches.get_for_view(PathIndex, view, build)
