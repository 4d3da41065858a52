"""Query terms: tokenize a query into words, parts and stems."""

from dataclasses import dataclass, replace

from codecompass.text.dictionary import Dictionary
from codecompass.text.stems import stem_parts
from codecompass.text.tokens import name_parts, split_identifier, split_query_words

STOPWORDS = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its me of on or our show tell that"
    " the their them there these this to use used uses using was we were what when where which who why will with you"
    " your implemented implement implementation defined define happen happens work works".split()
)
"""Words that carry no meaning in a query. Common words of code (`file`, `get`) are not among them: their IDF is low
anyway, and some queries are about just those.
"""
LONG_QUERY_WORDS = 3
"""Number of words from which on a query is a sentence, of which few chunks contain every word."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of one query."""

    text: str
    words: tuple[str, ...]
    """Words as typed, without stop words, unless there are only stop words."""
    parts: frozenset[str]
    """Lower-case parts of all words."""
    dictionary: Dictionary | None = None
    """Dictionary with which the index split compound words."""

    def split(self, word: str) -> list[str]:
        """Split a word into parts as the index does."""
        return self.dictionary.split(word) if self.dictionary is not None else split_identifier(word)

    def name_parts(self, name: str) -> frozenset[str]:
        """Return the distinct parts of a name, split as the index does."""
        return name_parts(name) if self.dictionary is None else frozenset(self.dictionary.split(name))

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all parts."""
        return frozenset(one for word in self.words for one in stem_parts(word))

    @property
    def text_words(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each word and, if it is a compound, its parts, as the text index expects them."""
        found = []
        for word in self.words:
            parts = tuple(self.split(word))
            found.append((word.lower(), parts if len(parts) > 1 else ()))
        return tuple(dict.fromkeys(found))


def drop_words(question: QueryTerms, dropped: frozenset[str]) -> QueryTerms:
    """Drop some of the words, unless nothing would be left."""
    words = tuple(word for word in question.words if word not in dropped)
    if not words or len(words) == len(question.words):
        return question
    return replace(question, words=words, parts=frozenset(part for word in words for part in question.split(word)))


def tokenize_query(query: str, dictionary: Dictionary | None = None) -> QueryTerms:
    """Tokenize a query and drop its stop words."""
    every = split_query_words(query)
    words = [word for word in every if word.lower() not in STOPWORDS] if len(every) > 1 else every
    words = words or every
    split = dictionary.split if dictionary is not None else split_identifier
    parts = frozenset(part for word in words for part in split(word))
    return QueryTerms(query, tuple(words[:64]), parts, dictionary)
