"""Cue words: patterns that show that a sentence prescribes, explains, decides or reports a problem.

Most of them are applied to every text of a repository, so they use RE2, which matches in linear time.
"""

import re

import re2

from codecompass.model.states import DiscoveryType


class CueWords:
    """A case-insensitive RE2 pattern of words."""

    def __init__(self, *patterns: str) -> None:
        options = re2.Options()
        options.case_sensitive = False
        self._words = re2.compile("".join(patterns).encode(), options)

    def search(self, text: str) -> bool:
        # Lone surrogates are replaced; no pattern contains one.
        return self._words.search(text.encode("utf-8", "replace")) is not None


PRESCRIPTION_CUES = CueWords(
    r"\b(?:must(?: not|n't)?|never|always|do not|don['’]t|should(?: not|n't)?|shall|required?s?|requirement|forbidden"
    r"|not allowed|disallow(?:ed)?|avoid|prefer(?:red|s)?|instead of|rather than|make sure|ensure|only ever|no longer"
    r"|please|convention|guideline|rule|we (?:use|chose|choose|decided|prefer|support|do not|don't|want|require)"
    r"|is used|are used|supports?|policy|run `|use `)",
)
EXPLANATION_CUES = CueWords(
    r"\b(?:because|since|so that|due to|in order to|otherwise|the reason|therefore|as a result|instead of|rather than"
    r"|to avoid|to prevent|to allow|to ensure|workaround|work around|this (?:way|means|makes|allows|fixes|avoids))\b",
)
WARNING_CUES = CueWords(
    r"\b(?:because|do not|don['’]t|must(?: not)?|never|always|on purpose|deliberately|intentional(?:ly)?|workaround"
    r"|work around|otherwise|careful|beware|caution|important|note:|warning:|so that|to avoid|to prevent|backward"
    r"|backwards|compatib)\b",
)
STRONG_CUES = CueWords(r"\b(?:because|must not|do not|never|deliberately|on purpose|intentionally)\b")
DECISION_VERBS = re.compile(
    r"^(?:\S+:\s*)?(?:\S+\(.*?\)!?:\s*)?(?:drop|remove|replace|switch|migrate|move|deprecate|use|adopt|rename|require|bump"
    r"|forbid|disallow|make|stop|prefer|allow|support|add support|enable|disable|default|change|introduce|refactor"
    r"|simplify|split|merge|extract|upgrade|downgrade|pin|unpin|limit|enforce|convert|rewrite|reintroduce|restore"
    r"|raise|return|add|implement|improve|optimi[sz]e|avoid|don't|do not|never|always|ensure|handle|expose|hide"
    r"|set|skip|treat|turn|update|clarify|document|speed|cache|reduce|increase)(?:s|d|ed|ing)?\b",
    re.IGNORECASE,
)
FIX_CUES = CueWords(r"\b(?:fix(?:e[sd]|ing)?|bug|regression|broken|crash(?:es|ed)?|hotfix|leak)\b")
RULE_CUES = CueWords(r"\b(?:must|never|always|do not|don['’]t|required?|forbidden|not allowed|shall)\b")
DECISION_CUES = CueWords(
    r"\b(?:decided|decision|chose|choose|chosen|instead of|rather than|went with|adopted?|we use|switched)\b",
)
PROBLEM_CUES = CueWords(r"\b(?:known issue|bug|broken|does not work|doesn't work|fails?|limitation)\b")


def classify_type(text: str) -> DiscoveryType:
    """Classify a sentence by its words."""
    if DECISION_CUES.search(text):
        return "decision"
    if RULE_CUES.search(text):
        return "rule"
    return "issue" if PROBLEM_CUES.search(text) else "pattern"
