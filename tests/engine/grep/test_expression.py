"""Patterns: understood as RE2 understands them, and what trigrams they need is never too much."""

import random

import pytest
import re2

from codecompass.engine.grep.line_matches import (
    MAX_LINE_CHARS,
    LineMatch,
    LineSearch,
    build_excerpt,
    to_searchable_text,
)
from codecompass.engine.grep.regex.pattern import Expression
from codecompass.errors import Failure
from codecompass.model.queries.grep_query import TrigramQuery
from codecompass.text.trigram_code import trigram_word
from codecompass.text.trigrams import trigram_words
from tests.engine.grep.patterns import patterns
from tests.engine.grep.regex_repo import GAPS, WORDS

SOUP = r"ab01 _.*+?|()[]{}^$\-:,=dwsDWSbBAzQEpPLx4in<>P!é"
TEXT = b"ab a0b 11-1_b\n(a) [b] {0} ^a$ a|b .*+?\naa bb  ab,a=b:a\n\\a \\Q x41 A B a-b <P>\n\n aab1"


def places(pattern: str, text: bytes, *, case_sensitive: bool = True, want: int = 1_000) -> list[LineMatch]:
    made = Expression.from_pattern(pattern, case_sensitive=case_sensitive)
    return LineSearch(text, want).run(made.split_by_matcher(text)).matches


def by_re2(pattern: str, lines: list[bytes]) -> list[int] | None:
    """Numbers of the lines in which RE2 by itself finds the pattern as it is written; None if it refuses it."""
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        made = re2.compile(pattern.encode(), options)
    except re2.error:
        return None
    return [number for number, line in enumerate(lines, 1) if made.search(line) is not None]


def test_whatever_re2_takes_is_understood() -> None:
    """GREP-LINEAR: in a soup of signs each pattern is refused as RE2 does, or finds in each line what RE2 finds."""
    rng = random.Random(3)
    lines = TEXT.split(b"\n")
    text = to_searchable_text(TEXT)
    assert text is not None
    taken = 0
    for _ in range(3_000):
        pattern = "".join(rng.choice(SOUP) for _ in range(rng.randrange(1, 10)))
        expected = by_re2(pattern, lines)
        if expected is None:
            with pytest.raises(Failure):
                Expression.from_pattern(pattern, case_sensitive=True)
        else:
            taken += 1
            assert [one.line for one in places(pattern, text)] == expected, pattern
    assert taken > 700


@pytest.mark.parametrize("pattern", [r"\Acd", r"cd\z", "(?-m)^cd", "(?-m:cd$)", r"(?-m)\Acd$\z"])
def test_a_line_is_all_a_pattern_sees(pattern: str) -> None:
    """GREP-LIKE-RG: the ends of the text are those of the line, as in ripgrep."""
    text = to_searchable_text(b"ab\ncd\nab\ncd\n")
    assert text is not None
    assert [one.line for one in places(pattern, text)] == [2, 4]


def fulfils(grams: TrigramQuery, words: set[str]) -> bool:
    found = [trigram_word(run) in words for run in grams.words] + [fulfils(part, words) for part in grams.parts]
    return any(found) if grams.any else all(found)


def test_trigrams_lose_no_match() -> None:
    """GREP-GRAMS: a line that matches has the trigrams that its pattern is said to need; most patterns need some."""
    rng = random.Random(5)
    lines = ["".join(rng.choice(WORDS) + rng.choice(GAPS) for _ in range(6)).encode() + b"\n" for _ in range(60)]
    indexed = [set(trigram_words(line).split()) for line in lines]
    telling = spared = found = 0
    for pattern in patterns(200, 7):
        for case_sensitive in (True, False):
            made = Expression.from_pattern(pattern, case_sensitive=case_sensitive)
            telling += not made.grams.matches_all
            for line, words in zip(lines, indexed, strict=True):
                hit = bool(LineSearch(line, 1).run(made.split_by_matcher(line)).matches)
                passes = fulfils(made.grams, words)
                assert passes or not hit, (pattern, case_sensitive, line)
                found += hit
                spared += not passes
    assert telling > 150 and found > 1_000 and spared > 3_000


@pytest.mark.parametrize(
    ("pattern", "fold", "needed", "missing"),
    [
        ("jwt\\.sign", True, "x JWT.Sign(y)", "jwt sign"),
        ("interface.*Context", True, "interface AContext", "interface only"),
        ("(foo|bar)baz", False, "a barbaz", "foo bar baz"),
        ("ses{2}ion", True, "\u017fession", "sesion"),
        ("\\Qa.b(c\\E", False, "a.b(c)", "axb(c"),
        ("привет", True, "ПРИВЕТ", "приветы".replace("и", "е")),
        ("[Kk]elvin", True, "\u212aelvin", "elvin"),
        ("x{3}y", False, "xxxy", "xxy"),
    ],
)  # fmt: skip
def test_conditions_tell_texts_apart(pattern: str, fold: bool, needed: str, missing: str) -> None:
    """GREP-GRAMS: what a literal, a choice, a repetition or another case needs, and what lacks it."""
    grams = Expression.from_pattern(pattern, case_sensitive=not fold).grams
    assert fulfils(grams, set(trigram_words(needed.encode()).split()))
    assert not fulfils(grams, set(trigram_words(missing.encode()).split()))


@pytest.mark.parametrize(
    "pattern",
    ["[invalid(", "(?P<x", "a**", "(?=a)", r"(a)\1", r"\p{Foo}", "(a{1000}){1000}", "a{0,1000000}", "a)", "\\", "[z-a]",
     "(" * 90 + ")" * 90, r"\C"],
)  # fmt: skip
def test_what_is_no_pattern(pattern: str) -> None:
    """GREP-ERRORS: the documented words, the pattern, the reason, and what is understood."""
    with pytest.raises(Failure) as caught:
        Expression.from_pattern(pattern, case_sensitive=False)
    assert caught.value.code == "INVALID_REQUEST" and caught.value.message == "Invalid regex pattern"
    assert caught.value.details["pattern"] == pattern and caught.value.details["details"]
    assert caught.value.hint


def test_time_is_linear() -> None:
    """GREP-LINEAR: patterns that ruin other engines answer on a line of a hundred thousand characters."""
    text = b"a" * 100_000 + b"!\n"
    for pattern in ("(a+)+$", "(a|aa)+$", "(a|a?)+b", "(x+x+)+y", "(.*)(.*)(.*)(.*)(.*)[1-9]", "a{0,500}b"):
        assert places(pattern, text) == [], pattern


def test_lines() -> None:
    """GREP-LIKE-RG: a line ends at a line feed alone; marks at the beginning and other encodings are read."""
    assert (
        to_searchable_text(b"") == b""
        and to_searchable_text(b"a") == b"a\n"
        and to_searchable_text(b"a\r\nb") == b"a\r\nb\n"
    )
    assert (
        to_searchable_text("\ufeffa\n".encode()) == b"a\n"
        and to_searchable_text("aé\n".encode("utf-16")) == "aé\n".encode()
    )
    assert to_searchable_text(b"a\0b") is None and to_searchable_text(b"x\n" * 40_000 + b"ab\0c\n") == b"x\n" * 40_000
    assert [(one.line, one.at - one.start) for one in places("$", b"a\n\nbc\n")] == [(1, 1), (2, 0), (3, 2)]
    assert [one.line for one in places("x*", b"\n\n")] == [1, 2] and places("x*", b"") == []
    assert [one.line for one in places("b", b"a\rb\nb\r\n")] == [1, 2]
    assert places("a\\sb", b"a\nb\n") == places("[^x]b", b"\nb\n") == places("a\\nb", b"a\nb\n") == []
    assert places("b|[sS]", "\u017fa\n".encode()) == places("[Kk]|b", "\u212aa\n".encode()) == []
    assert places("a$", b"a\r\n") == [] and len(places("a\\r?$", b"a\r\n")) == 1
    assert [one.line for one in places("\\w{4}", "naïv ab\nabc\n".encode())] == [1]
    assert [one.line for one in places("\\w{60}", ("é" * 59 + "\n" + "é" * 60 + "\nab\n").encode())] == [2]


def test_looking_ends_with_what_is_wanted() -> None:
    """GREP-TOTAL: what was not looked at begins with a line; under a test of lines all are looked at."""
    text = "".join(("ab ab\n", "x\n", "ab\n", "naïve ab\n")[turn % 4] for turn in range(4_000)).encode()
    made = Expression.from_pattern("ab", case_sensitive=True)
    for want in (0, 1, 7):
        found = LineSearch(text, want).run(made.split_by_matcher(text))
        assert found.total == len(found.matches) == want
        assert found.total + text[found.resume_at :].count(b"b\n") == 3_000 and text[: found.resume_at].endswith(
            (b"\n", b"")
        )
    assert LineSearch(text, 4_000).run(made.split_by_matcher(text)).resume_at == len(text)
    odd = LineSearch(text, 5, lambda line: line % 4 == 3).run(made.split_by_matcher(text))
    assert odd.total == 1_000 and odd.resume_at == len(text) and [one.line for one in odd.matches] == [3, 7, 11, 15, 19]


def test_long_lines_are_cut_around_the_match() -> None:
    """GREP-CUT: the match is in what is shown, and a cut is marked."""
    for before in (0, 10, 250, 5_000):
        for after in (0, 10, 5_000):
            line = b"x" * before + b"needle" + "é".encode() * after
            (place,) = places("needle", line + b"\n")
            shown = build_excerpt(line + b"\n", place)
            assert "needle" in shown.text and len(shown.text) <= MAX_LINE_CHARS + 2
            assert shown.cut is (before + 6 + after > MAX_LINE_CHARS)
            assert shown.text.startswith("…") is (before > MAX_LINE_CHARS // 2 and shown.cut)
            assert shown.text == line.decode() or shown.cut
    around = build_excerpt(b"1\n2\n3\nneedle\r\n5\n6\n7\n", places("needle", b"1\n2\n3\nneedle\r\n5\n6\n7\n")[0])
    assert (around.text, around.before, around.after) == ("needle", ("2", "3"), ("5", "6"))
