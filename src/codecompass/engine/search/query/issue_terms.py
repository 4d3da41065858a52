"""Issue terms: the words of an issue that are worth searching for, each with the weight of the parts it occurs in."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from codecompass.engine.search.issue.parts import RULES, Issue
from codecompass.engine.search.query.query_terms import STOPWORDS, QueryTerms, TermWeights
from codecompass.store.ports import Snapshot
from codecompass.text.bm25 import compute_bm25_idf
from codecompass.text.dictionary import Dictionary
from codecompass.text.tokens import list_inflections, split_identifier, split_query_words, stem, stem_parts

MAX_TERMS = 28
"""Words that the text search asks for; those that weigh most."""
MAX_NAMES = 24
"""Names whose definitions are looked up."""
_MAX_LOOKED_UP = 240
"""Words whose frequency is looked up."""
_MAX_FORMS = 3
_REPEAT_GAIN = 0.3
"""How much each doubling of a word's occurrences adds to its weight."""
_MEANING_CHARS = 600
"""How much of the sentences is compared with the vectors."""
_FORM_WORDS = frozenset(
    "issue bug problem error expected actual please version instead following like also however would could should when"
    " but not no only just still after before same e g https http com org www pr commit patch change changes".split()
)


@dataclass(frozen=True, slots=True)
class IssueTerms:
    """What an issue asks the index for."""

    issue: Issue
    question: QueryTerms
    weights: TermWeights
    boosts: Mapping[str, float]
    """Word → its weight in the text search."""
    names: Mapping[str, float]
    """Name → how much the issue is about it."""
    title_stems: frozenset[str]


def plan_terms(issue: Issue, text: str, dictionary: Dictionary | None) -> QueryTerms:
    """Return the terms of an issue before their frequencies are known: all of its words."""
    words = tuple(_weigh_words(issue)) or tuple(split_query_words(text)[:_MAX_LOOKED_UP])
    split = dictionary.split if dictionary is not None else split_identifier
    return QueryTerms(text, words, frozenset(part for word in words for part in split(word)), dictionary)


def choose_terms(issue: Issue, planned: QueryTerms, snapshot: Snapshot) -> IssueTerms:
    """Choose the words that weigh most by their parts of the issue and by how rare they are here."""
    weighed = _weigh_words(issue)
    found = {word: weighed.get(word, 1.0) for word in planned.words}
    looked_up = sorted(found, key=lambda word: -found[word])[:_MAX_LOOKED_UP]
    parts = {word: tuple(planned.split(word)) or (word.lower(),) for word in looked_up}
    asked = dict.fromkeys(one for word in looked_up for one in (word.lower(), *parts[word]))
    counts, documents = snapshot.document_frequencies(list(asked))
    idfs = {one: compute_bm25_idf(documents, count) for one, count in counts.items()}
    values = {word: found[word] * _rarity(word, parts[word], idfs) for word in looked_up}
    chosen = [word for word in sorted(looked_up, key=lambda word: -values[word])[:MAX_TERMS] if values[word] > 0]
    chosen = chosen or list(planned.words[:MAX_TERMS])
    forms = _list_forms(chosen, parts, snapshot)
    shares: dict[str, float] = {}
    for word in chosen:
        for part in parts[word]:
            if len(part) > 1:
                weight = found[word] * idfs.get(part, 0.0)
                shares[stem(part)] = max(shares.get(stem(part), 0.0), weight)
    total = sum(shares.values()) or 1.0
    names = _weigh_names(issue)
    question = QueryTerms(
        _meaning_text(issue, planned.text), tuple(chosen),
        frozenset(part for word in chosen for part in parts[word]), planned.dictionary,
    )  # fmt: skip
    weights = TermWeights({one: value / total for one, value in shares.items()}, total, names, forms)
    boosts = MappingProxyType({word.lower(): found[word] for word in chosen})
    return IssueTerms(issue, question, weights, boosts, names, frozenset(stem_parts(issue.title.replace(" ", "_"))))


def _rarity(word: str, parts: tuple[str, ...], idfs: Mapping[str, float]) -> float:
    """The IDF of a word, or of its parts if it occurs only in those; 0 if neither does."""
    whole = idfs.get(word.lower())
    if whole is not None:
        return whole
    known = [idfs[part] for part in parts if part in idfs]
    return sum(known) / len(parts) if len(parts) > 1 and known else 0.0


def _list_forms(
    words: Iterable[str], parts: Mapping[str, tuple[str, ...]], snapshot: Snapshot
) -> dict[str, tuple[str, ...]]:
    """Return the commonest forms of plain words that the index has; identifiers have none."""
    tried: dict[str, tuple[str, ...]] = {}
    for word in words:
        for part in parts[word]:
            plain = len(parts[word]) == 1 and part.isascii() and part.isalpha()
            tried[part] = list_inflections(part) if plain else (part,)
    counts, _ = snapshot.document_frequencies(list(dict.fromkeys(form for forms in tried.values() for form in forms)))
    return {
        part: tuple(sorted((form for form in forms if form in counts), key=lambda form: -counts[form])[:_MAX_FORMS])
        for part, forms in tried.items()
    }


def _weigh_words(issue: Issue) -> dict[str, float]:
    """Return each word with the weight of the best part it occurs in; repeated words weigh more."""
    best: dict[str, float] = {}
    seen: dict[str, int] = {}
    texts = [(RULES[part.kind].words, part.text) for part in issue.parts if RULES[part.kind].words > 0]
    texts += [(RULES["frame"].words, frame.function) for frame in issue.frames if frame.function]
    for weight, text in texts:
        for word in split_query_words(text):
            folded = word.lower()
            if len(word) < 2 or folded in STOPWORDS or folded in _FORM_WORDS or word.isdigit():
                continue
            best[word] = max(best.get(word, 0.0), weight)
            seen[word] = seen.get(word, 0) + 1
    return {word: weight * (1 + _REPEAT_GAIN * math.log2(seen[word])) for word, weight in best.items()}


def _weigh_names(issue: Issue) -> dict[str, float]:
    """Return the names an issue mentions, those that weigh most."""
    found: dict[str, float] = {}
    for part in issue.parts:
        if RULES[part.kind].channel == "names" and len(part.text) > 2:
            found[part.text] = max(found.get(part.text, 0.0), RULES[part.kind].weight)
    for word in split_query_words(issue.title):
        if len(split_identifier(word)) > 1 or "_" in word:
            found[word] = 1.0
    return dict(sorted(found.items(), key=lambda pair: -pair[1])[:MAX_NAMES])


def _meaning_text(issue: Issue, text: str) -> str:
    """Return the sentences that the vectors compare."""
    told = " ".join((*issue.texts("title"), *issue.texts("prose"), *issue.texts("error")))
    return (told or text)[:_MEANING_CHARS]
