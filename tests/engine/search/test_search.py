"""Search: what is found for which words, that odd words never break it, and that the numbers are true."""

import re
from collections.abc import Iterator

import pytest

from codecompass.engine.search.ranking.scorer import BM25_HALF, WEIGHTS
from codecompass.errors import Failure
from codecompass.model.queries.results import Hits
from codecompass.text.tokens import Tokenizer
from tests.badinput.oddrepo import facts_by_path
from tests.engine.search.small_repo import FILES
from tests.engine.support import Desk

QUERIES = [
    "validate_token", "Session", "where are tokens validated", "rate limit", "src/auth/token.py", "token.py",
    '"connection refused by peer"', "basket", "computeTotalPrice", "open", "std::io::Error",
    "visitor basket session", "check",
]  # fmt: skip
ODD = [
    "std::io::Error", "foo(bar)", '"unbalanced', "'", "`", "a AND (", "a OR b NOT", "NOT", "*", "?", "[a TO",
    "[a TO b]", "{x", "field:", "body:token", "blob:1", "language:python", "trigrams:abcd", "/re/", "/(/",
    "~1000", "token~2", "token^9", "+token -basket", "\\", "\\x", "NEAR(", "'; drop table symbols; --", "%",
    "_", "__", "$", "🦀", "👩‍👩‍👧", "é" * 300, "\u0301" * 1000, "\u202etoken", "a" * 5000, "\0", "token\0basket",
    "\n", "\t token \r\n", ".", "..", "/", "//", "../..", "::", "()", "#", "->", "word " * 10_000,
    " ".join(f"w{number}" for number in range(10_000)), " OR ".join(["token"] * 1000), "x_" * 3000, "1", "٣",
    "ß", "İstanbul", "日本語",
]  # fmt: skip


def first(shop: Desk, query: str) -> str:
    hit = shop.search(query).hits[0]
    return f"{hit.path}:{hit.name}"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("validate_token", "src/auth/token.py:validate_token"),
        ("Session", "src/auth/session.py:Session"),
        ("Stock", "src/store/stock.go:Stock"),
        ("RateLimiter", "src/net/limiter.rs:RateLimiter"),
        ("computeTotalPrice", "src/store/basket.ts:computeTotalPrice"),
        ("def check_signature", "src/auth/token.py:check_signature"),
    ],
)
def test_a_name_finds_its_definition_first(shop: Desk, query: str, expected: str) -> None:
    """SEARCH-SYMBOL: the definition of the very name is the first result."""
    assert first(shop, query) == expected


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("validateToken", "src/auth/token.py"),
        ("ValidateToken", "src/auth/token.py"),
        ("VALIDATE_TOKEN", "src/auth/token.py"),
        ("compute_total_price", "src/store/basket.ts"),
        ("parse_http_response", "lib/legacy.js"),
        ("rateLimiter", "src/net/limiter.rs"),
        ("rate_limiter", "src/net/limiter.rs"),
        ("open-socket", "src/net/socket.c"),
        ("addItem", "src/store/basket.ts"),
    ],
)
def test_spelling_conventions_meet(shop: Desk, query: str, path: str) -> None:
    """SEARCH-CASES: camelCase, snake_case, kebab-case and upper case find one another."""
    assert first(shop, query).startswith(path)


def test_a_name_in_underscores_is_found_by_its_word(shop: Desk) -> None:
    """SEARCH-CASES: leading and trailing underscores do not hide a word."""
    assert "src/auth/session.py" in shop.paths("config")


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("where is the rate limit checked", "src/net/limiter.rs"),
        ("how are tokens validated before a session opens", "src/auth/session.py"),
        ("guide on tokens that are validated before a session opens", "docs/guide.md"),
        ("total price of the basket", "src/store/basket.ts"),
        ("deliver a message by mail", "lib/mail.rb"),
    ],
)
def test_the_words_of_a_sentence(shop: Desk, query: str, path: str) -> None:
    """SEARCH-WORDS: a question finds the place that its words describe among the first three."""
    assert path in shop.paths(query)[:3]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("src/auth/token.py", "src/auth/token.py"),
        ("auth/session", "src/auth/session.py"),
        ("stock.go", "src/store/stock.go"),
        ("./lib/mail.rb", "lib/mail.rb"),
        ("Store/Basket.ts", "src/store/basket.ts"),
        ("docs/", "docs/guide.md"),
        ("config\\limits.yml", "config/limits.yml"),
    ],
)
def test_a_path_finds_its_file_first(shop: Desk, query: str, path: str) -> None:
    """SEARCH-PATH: a path or a piece of one gives the file itself first."""
    hit = shop.search(query).hits[0]
    assert (hit.path, hit.result_type) == (path, "file")


def test_an_error_finds_its_line(shop: Desk) -> None:
    """SEARCH-ERROR: the text of an error finds the line that raises it, and shows it."""
    for query, path in (
        ('"connection refused by peer"', "src/net/Client.java"),
        ("ValueError: token must not be empty", "src/auth/token.py"),
    ):
        found = shop.search(query)
        assert (found.intent, found.hits[0].path) == ("error", path)
    (hit, *_) = shop.search('"echo shop"').hits
    assert (hit.path, hit.snippet) == ("Makefile", "echo shop")


@pytest.mark.parametrize("query", ODD, ids=lambda query: ascii(query)[:24])
def test_no_query_breaks_the_search(shop: Desk, query: str) -> None:
    """SEARCH-ODD: an odd query is answered or refused as invalid; it is never an error of ours."""
    for ask in (shop.search, shop.locate):
        try:
            found = ask(query)
        except Failure as failure:
            assert failure.code == "INVALID_REQUEST"
        else:
            assert found.total >= len(found.hits)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("std::io::Error", "src/net/limiter.rs"),
        ("foo(bar)", "docs/guide.md"),
        ("validate_token;", "src/auth/token.py"),
        ("(Session)", "src/auth/session.py"),
    ],
)
def test_marks_around_words_do_not_hide_them(shop: Desk, query: str, path: str) -> None:
    """SEARCH-ODD: words between the marks of code are found."""
    assert path in shop.paths(query)[:3]


def test_any_word_answers_when_not_all_do(shop: Desk) -> None:
    """SEARCH-RELAXED: only when no chunk has every word do chunks with some answer, and the answer says so."""
    assert shop.search("validate_token nonexistentword").relaxed
    assert "src/auth/token.py" in shop.paths("validate_token nonexistentword")
    assert not shop.search("validate_token").relaxed
    assert not shop.search("nonexistentword othernothing").relaxed
    assert shop.search("nonexistentword othernothing").hits == ()


def test_the_total_counts_everything_that_matched(shop: Desk) -> None:
    """SEARCH-TOTAL: what is shown and what is left out add up, whatever the limit."""
    for query in QUERIES:
        everything = shop.search(query, limit=1000)
        assert everything.total == len(everything.hits), query
        assert not everything.truncated
        for limit in (1, 3):
            cut = shop.search(query, limit=limit)
            assert cut.total == everything.total >= len(cut.hits)
            assert cut.truncated == (cut.total > len(cut.hits))
            assert [hit.result_id for hit in cut.hits] == [hit.result_id for hit in everything.hits[:limit]]


def chunks_with(shop: Desk, word: str) -> Iterator[tuple[str, int]]:
    """By brute force: (path, first line) of every chunk that has a word or a part of one."""
    tokenizer = Tokenizer()
    for path, facts in facts_by_path(shop).items():
        lines = FILES[path].split("\n")
        for chunk in facts.chunks:
            text = "\n".join(lines[chunk.line_start - 1 : chunk.line_end])
            if word in {*re.findall(r"[^\W_]+", text.lower()), *tokenizer.find_extra_tokens(text).split()}:
                yield path, chunk.line_start


@pytest.mark.parametrize("word", ["token", "basket", "rate", "visitor", "return", "puts", "count"])
def test_one_word_finds_every_chunk_that_has_it(shop: Desk, word: str) -> None:
    """SEARCH-TOTAL: text results of a single word are exactly the chunks that contain it."""
    every = shop.search(word, limit=1000).hits
    hits = [hit for hit in every if hit.result_type != "file" and hit.reasons.bm25_score > 0]
    assert {hit.path for hit in hits} == {path for path, _ in chunks_with(shop, word)}
    assert len(hits) == len(list(chunks_with(shop, word)))


def recomputed(found: Hits) -> Iterator[tuple[float, float]]:
    weights = WEIGHTS[found.intent]
    for hit in found.hits:
        why = hit.reasons
        total = (
            weights["exact"] * why.exact_match_boost
            + weights["qualified"] * why.qualified_name_boost
            + weights["path"] * why.path_affinity
            + weights["definition"] * why.definition_boost
            + weights["kind"] * why.kind_match
            + weights["semantic"] * why.semantic_score
            + weights["bm25"] * why.bm25_score / (why.bm25_score + BM25_HALF)
        )
        yield hit.score, min(max(total, 0.0), 1.0)


@pytest.mark.parametrize("query", QUERIES)
def test_scores_are_sorted_and_explained(shop: Desk, query: str) -> None:
    """SEARCH-SCORES: scores lie in 0..1, fall along the list, and follow from the reasons by the stated formula."""
    found = shop.search(query, limit=100)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    for score, again in recomputed(found):
        assert score == pytest.approx(again, abs=2e-4)
    assert abs(sum(WEIGHTS[found.intent].values()) - 1.0) < 1e-9


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_question_has_the_same_answer(shop: Desk, query: str) -> None:
    """SEARCH-DETERMINISTIC: results, order and numbers do not depend on when one asks."""
    assert shop.search(query, limit=100) == shop.search(query, limit=100)


@pytest.mark.parametrize("language", ["python", "typescript", "go", "rust", "java", "c", "ruby", "javascript"])
def test_a_language_narrows(shop: Desk, language: str) -> None:
    """SEARCH-LANGUAGE: with a language only files of it answer, and none that would have is lost."""
    for query in ("token", "basket", "return", "item", "open", "wishlistmarker"):
        every = [hit.result_id for hit in shop.search(query, limit=1000).hits if hit.language == language]
        narrow = shop.search(query, limit=1000, language=language)
        assert sorted(hit.result_id for hit in narrow.hits) == sorted(every), query
        assert narrow.total == len(narrow.hits)


def test_plain_text_is_a_language(shop: Desk) -> None:
    """SEARCH-LANGUAGE: files in no language answer to the name under which they are shown."""
    shown = {hit.path for hit in shop.search("creditsmarker", limit=100).hits if hit.language == "text"}
    narrow = shop.search("creditsmarker", limit=100, language="text")
    assert {hit.path for hit in narrow.hits} == shown == {"notes/credits.txt"}


def test_a_snippet_is_one_line_of_the_source(shop: Desk) -> None:
    """SEARCH-SNIPPET: what is shown stands in the file, within the lines that are named."""
    for query in QUERIES:
        for hit in shop.search(query, limit=100).hits:
            if hit.result_type == "snippet" and hit.snippet:
                lines = FILES[hit.path].split("\n")[hit.line_start - 1 : hit.line_end]
                assert re.sub(r"\s+", " ", hit.snippet) in [" ".join(line.split()) for line in lines]


def test_an_unknown_language_is_refused(shop: Desk) -> None:
    """SEARCH-LANGUAGE-KNOWN: an empty answer would look as if the code were not there."""
    with pytest.raises(Failure) as caught:
        shop.search("token", language="klingon")
    assert caught.value.code == "INVALID_REQUEST"
    assert "python" in caught.value.effective_hint and "typescript" in caught.value.effective_hint
