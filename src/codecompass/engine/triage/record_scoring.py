"""Record scoring: BM25 scores of triage records, with the parts that explain them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.search.query.query_tree import CandidateText
from codecompass.findings.record_writer import to_markdown
from codecompass.model.queries.results import ScoreFactor
from codecompass.model.triage_values import RECORDS_FOLDER, TriageRecord, to_json_object
from codecompass.text.bm25 import compute_bm25_idf, compute_length_norm, score_term
from codecompass.text.tokens import stem_parts

K1, B = 1.2, 0.75
"""BM25 parameters, the same as in the text index."""
BM25 = "bm25_score"
FILTERS = "filters"
FORMULA = (
    "of a record: final_score = weight * bm25_score, where the weight is 1 / the most that bm25_score could be for this"
    " query; bm25_score is the sum over the query's words of rarity (weight) * frequency in the record (value);"
    " without words every record that passes the filters has 1"
)
_WORD = re.compile(r"\w{1,100}")


@dataclass
class RecordDocument:
    """One record as text, tokenized on demand."""

    record: TriageRecord

    @cached_property
    def text(self) -> str:
        return to_markdown(self.record)

    def get_fields(self) -> Mapping[str, object]:
        """Return all fields by the names that they have in the JSON file."""
        return self._fields

    @cached_property
    def _fields(self) -> Mapping[str, object]:
        whole = to_json_object(self.record)
        assert isinstance(whole, dict)
        return whole

    @cached_property
    def place_text(self) -> CandidateText:
        return CandidateText(self.text)

    @cached_property
    def counts(self) -> Counter[str]:
        """Stem → number of occurrences."""
        found: Counter[str] = Counter()
        for word, times in Counter(_WORD.findall(self.text)).items():
            for one in stem_parts(word):
                found[one] += times
        return found

    @property
    def path(self) -> str:
        return f"{RECORDS_FOLDER}/{self.record.record_id}.md"


def count_word(document: RecordDocument, word: str) -> int:
    """Count a word in a record; for a word of several parts, the count of the rarest part."""
    parts = stem_parts(word)
    if not parts:
        return int(document.place_text.has_word(word))
    return min(document.counts[part] for part in parts)


class RecordScorer:
    """BM25 over the records that pass the filters, normalized by the maximum score of the query."""

    def __init__(self, words: Sequence[str], documents: list[RecordDocument]) -> None:
        self._words: dict[str, float] = {}
        if not words:
            return
        sizes = [document.counts.total() for document in documents]
        self._mean = sum(sizes) / len(sizes) if sizes else 1.0
        for word in words:
            holders = sum(1 for document in documents if count_word(document, word))
            self._words[word] = compute_bm25_idf(len(documents), holders)

    def score(self, document: RecordDocument) -> ScoreFactor:
        """Return the score of a record with the contribution of each word."""
        if not self._words:
            return ScoreFactor(FILTERS, 1.0, 1.0, 1.0)
        norm = compute_length_norm(document.counts.total(), self._mean or 1.0, K1, B)
        parts = []
        for word, rarity in self._words.items():
            if count := count_word(document, word):
                frequency = score_term(count, norm, maximum=K1 + 1)
                parts.append(ScoreFactor(word, frequency, rarity, rarity * frequency))
        gained = sum(part.contribution for part in parts)
        best = sum(self._words.values()) * (K1 + 1) or 1.0
        return ScoreFactor(BM25, gained, 1 / best, gained / best, tuple(parts))
