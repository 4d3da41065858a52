"""Terms: the words of a question, as search needs them."""

from dataclasses import dataclass, replace

from codecompass.text.dictionary import Dictionary
from codecompass.text.stems import stems
from codecompass.text.tokens import name_parts, query_words, split_identifier

STOPWORDS = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its me of on or our show tell that"
    " the their them there these this to use used uses using was we were what when where which who why will with you"
    " your implemented implement implementation defined define happen happens work works".split()
)
"""Words that say nothing of what is looked for. What code is made of (`file`, `get`) is none of them: the index knows
how common it is, and some ask for just that.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A query taken apart."""

    text: str
    words: tuple[str, ...]
    """Words as typed, without the empty ones of a sentence, unless nothing else is left."""
    parts: frozenset[str]
    """Lower-case parts of all words."""
    dictionary: Dictionary | None = None
    """By which the index that is asked took compounds apart."""

    def split(self, word: str) -> list[str]:
        """The parts of a word, as the index has them."""
        return self.dictionary.split(word) if self.dictionary is not None else split_identifier(word)

    def name_parts(self, name: str) -> frozenset[str]:
        """The different parts of a name, taken apart likewise."""
        return name_parts(name) if self.dictionary is None else frozenset(self.dictionary.split(name))

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all parts."""
        return frozenset(one for word in self.words for one in stems(word))

    @property
    def text_words(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each word whole and, when compound, its parts: what the text index is asked for."""
        found = []
        for word in self.words:
            parts = tuple(self.split(word))
            found.append((word.lower(), parts if len(parts) > 1 else ()))
        return tuple(dict.fromkeys(found))


def without(question: Question, said: frozenset[str]) -> Question:
    """The question without some of its words, unless nothing else is left."""
    words = tuple(word for word in question.words if word not in said)
    if not words or len(words) == len(question.words):
        return question
    return replace(question, words=words, parts=frozenset(part for word in words for part in question.split(word)))


def take_apart(query: str, dictionary: Dictionary | None = None) -> Question:
    every = query_words(query)
    words = [word for word in every if word.lower() not in STOPWORDS] if len(every) > 1 else every
    words = words or every
    split = dictionary.split if dictionary is not None else split_identifier
    parts = frozenset(part for word in words for part in split(word))
    return Question(query, tuple(words[:64]), parts, dictionary)
