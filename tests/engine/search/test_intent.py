"""Intent: labelled queries, one line each, in `intents.txt`."""

import time
from collections import Counter
from pathlib import Path

import pytest

from codecompass.engine.search.query.intent import classify
from codecompass.model.states import INTENTS

LINES = (Path(__file__).parent / "intents.txt").read_text(encoding="utf-8").splitlines()
CASES = [(intent, query) for intent, _, query in (line.partition("\t") for line in LINES)]
LEAST = 0.95


def test_the_cases_are_many_and_even() -> None:
    """QUERY-INTENT: at least a hundred labelled queries, at least twenty of each intent."""
    counts = Counter(intent for intent, _ in CASES)
    assert len(CASES) == len(set(CASES)) >= 100
    assert set(counts) == set(INTENTS) and min(counts.values()) >= 20


def test_nearly_all_queries_are_understood() -> None:
    """QUERY-INTENT: at least 95 of 100 labelled queries get the intent a person gives them."""
    wrong = [
        f"{query!r}: {classify(query)} instead of {intent}" for intent, query in CASES if classify(query) != intent
    ]
    assert len(wrong) <= len(CASES) * (1 - LEAST), "\n".join(wrong)


@pytest.mark.parametrize(
    ("intent", "query"),
    [
        ("symbol", "validate_token"),
        ("symbol", "HTTPServer"),
        ("path", "src/auth/token.py"),
        ("path", "token.py"),
        ("error", '"connection refused"'),
        ("error", "E0308"),
        ("error", "Traceback (most recent call last)"),
        ("natural_language", "where is rate limiting implemented"),
    ],
)
def test_the_documented_triggers(intent: str, query: str) -> None:
    """QUERY-INTENT: the triggers the document names decide, always."""
    assert classify(query) == classify(f"  {query}  ") == intent


@pytest.mark.parametrize(
    "query", ["a" * 50_000, "/" * 50_000, "a." * 25_000, "error " * 10_000, '"' * 50_000, "a/" * 25_000 + "!"]
)
def test_a_long_query_is_classified_at_once(query: str) -> None:
    """QUERY-INTENT: no pattern takes more than linear time."""
    started = time.monotonic()
    assert classify(query) in INTENTS
    assert time.monotonic() - started < 1.0


@pytest.mark.parametrize("query", ["", " ", "*", "\0", "🦀", "\u202e", "\n\n"])
def test_a_query_without_words_has_an_intent(query: str) -> None:
    """QUERY-INTENT: the fallback takes whatever is left."""
    assert classify(query) == "natural_language"
