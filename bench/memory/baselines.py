"""Baselines: what `git log --grep` and a plain BM25 over messages and documents find for the same questions."""

import re
from collections import Counter
from functools import cached_property
from itertools import combinations
from pathlib import Path, PurePosixPath

from bench.memory.questions import Asked, Found
from bench.memory.trees import Tree, ask_git
from codecompass.text.bm25 import compute_bm25_idf, compute_length_norm, score_term

DEPTH = 5
K1, B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9_]+")
_COMMIT, _FIELD = "\x02", "\x01"
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".markdown")
_HEADING = re.compile(r"(?m)^(?=#{1,4} )|^(?=[^\n]+\n[=~^-]{4,}\s*$)")
_STOP = frozenset(
    "a about all also although an and any are as at be been but by can could did do does for from had has have "
    "here how i if in instead into is it its may might must my need no not now of on once one only or other our "
    "out should since so some still than that the their them then there they this those though to up us was we "
    "were what when where which while who whose why will with without would you".split()
)


def words_of(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if len(word) > 1 and word not in _STOP]


class Messages:
    """Every commit message that the head of a repository reaches, the newest first."""

    def __init__(self, directory: Path, head: str) -> None:
        self.directory = directory
        self.head = head

    @cached_property
    def rows(self) -> list[tuple[str, str]]:
        """(commit, message)."""
        form = f"--format=%H{_FIELD}%B{_COMMIT}"
        out = ask_git(self.directory, ["log", form, self.head]).decode("utf-8", "replace")
        parts = (part.strip().partition(_FIELD) for part in out.split(_COMMIT))
        return [(commit, message) for commit, _, message in parts if commit]

    @cached_property
    def lowered(self) -> list[tuple[str, str]]:
        return [(commit, message.lower()) for commit, message in self.rows]

    def rarity(self, word: str) -> int:
        """How many messages have the word anywhere, as `--grep -i` sees it."""
        return sum(word in message for _, message in self.lowered)

    def grep(self, words: tuple[str, ...]) -> list[Found]:
        """The newest messages with all the words: `git log -i --all-match --grep=… -5`."""
        hits = [commit for commit, message in self.lowered if all(word in message for word in words)]
        return [Found(commit=commit) for commit in hits[:DEPTH]]


def by_grep(messages: Messages, asked: Asked) -> list[Found]:
    """As somebody would try: the three rarest words that occur at all, then two, then one."""
    counts = {word: messages.rarity(word) for word in dict.fromkeys(words_of(asked.question))}
    known = sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))
    for many in (3, 2, 1):
        found = messages.grep(tuple(known[:many])) if len(known) >= many else []
        if found:
            return found
    return []


def by_best_grep(messages: Messages, asked: Asked) -> list[Found]:
    """The most that grep could give: the first pair or single word of the question under which an answer shows up."""
    words = list(dict.fromkeys(words_of(asked.question)))
    for chosen in [*combinations(words, 2), *((word,) for word in words)]:
        found = messages.grep(chosen)
        if any(one.commit in asked.commits for one in found):
            return found
    return []


class Bm25:
    """Plain BM25 over whole messages and sections of documents: words as they are, no stems, no weights."""

    def __init__(self, documents: list[tuple[Found, str]]) -> None:
        self._places = [place for place, _ in documents]
        self._counts = [Counter(words_of(text)) for _, text in documents]
        self._sizes = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._sizes) / max(len(self._sizes), 1) or 1.0
        self._postings: dict[str, list[int]] = {}
        for at, counts in enumerate(self._counts):
            for word in counts:
                self._postings.setdefault(word, []).append(at)

    def search(self, question: str, limit: int = DEPTH) -> list[Found]:
        scores: Counter[int] = Counter()
        for word in set(words_of(question)):
            holders = self._postings.get(word, [])
            weight = compute_bm25_idf(len(self._places), len(holders))
            for at in holders:
                times = self._counts[at][word]
                norm = compute_length_norm(self._sizes[at], self._mean, K1, B)
                scores[at] += score_term(times, norm, weight, K1 + 1)  # type: ignore[assignment]
        ranked = sorted(scores, key=lambda at: (-scores[at], at))
        return list(dict.fromkeys(self._places[at] for at in ranked))[:limit]


def bm25_of(messages: Messages, tree: Tree) -> Bm25:
    documents = [(Found(commit=commit), message) for commit, message in messages.rows]
    for path, text in tree.texts.items():
        if path.endswith(_PROSE) or not PurePosixPath(path).suffix and path.isupper():
            documents += [(Found(path=path), part) for part in _HEADING.split(text) if part.strip()]
    return Bm25(documents)
