"""Anchored BM25: word statistics over whole texts, helped by the names and paths that a question mentions."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from bench.plainbm25 import PlainBM25

_IDENTIFIER = re.compile(r"\b(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b|`(\w+)`")
_PATH = re.compile(r"[\w./-]+\.\w{1,5}\b")
ANCHOR = 6.0
"""What a defined name that is mentioned adds, divided by how many texts define it; twice that for a path."""


class AnchoredBM25:
    """Texts by name, and the names that each defines."""

    def __init__(self, texts: Mapping[str, str], defined: Mapping[str, set[str]]) -> None:
        self._plain = PlainBM25(texts)
        self._by_name: dict[str, set[str]] = {}
        self._by_file: dict[str, set[str]] = {}
        for key, names in defined.items():
            self._by_file.setdefault(PurePosixPath(key.partition("#")[0]).name, set()).add(key)
            for name in names:
                self._by_name.setdefault(name, set()).add(key)

    def best(self, question: str, limit: int) -> list[str]:
        scores = self._plain.scores(question)
        mentioned = {found[0].strip("`") for found in _IDENTIFIER.finditer(question)}
        for name in mentioned:
            holders = self._by_name.get(name, set())
            for key in holders:
                scores[key] = scores.get(key, 0.0) + ANCHOR / len(holders)
        for found in _PATH.findall(question):
            holders = self._by_file.get(PurePosixPath(found).name, set())
            for key in holders:
                scores[key] = scores.get(key, 0.0) + 2 * ANCHOR / len(holders)
        return sorted(scores, key=lambda key: (-scores[key], key))[:limit]
