"""Counting: however texts are joined, cut and passed over, the number is that of looking at each line."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from codecompass.engine.grep import match_counter
from codecompass.engine.grep.line_matches import LineSearch
from codecompass.engine.grep.match_counter import MatchCounter
from codecompass.engine.grep.regex.pattern import Expression
from tests.engine.grep.patterns import patterns
from tests.engine.grep.regex_repo import GAPS, WORDS

HEAVY = (r"\w{25}", r"[^\W_]{3}\s\d", r"\d\W\w{12}", r"(?i:sk\w{30})", r"[\w.]{40}", r"[^\s,]{30}\S")
KINDS = "é\u0661\u00a0§\u212a\u017f日ǅ𝔸"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_counter, "_BLOCK", 1_500)
    monkeypatch.setattr(match_counter, "_SAMPLE", 100)


@pytest.fixture(params=[True, False])
def striding(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether strides always or never seem quicker."""
    monkeypatch.setattr(match_counter._LineCounter, "_is_quicker", lambda *_: request.param)
    return bool(request.param)


def texts(rng: random.Random, count: int) -> Iterator[bytes]:
    """Texts of all lengths: ASCII, other languages, bytes that are no UTF-8, blank lines, carriage returns."""
    plain = [word for word in WORDS if word.isascii()]
    for turn in range(count):
        words = plain if turn % 3 else WORDS
        lines = []
        for _ in range(rng.choice((1, 5, 40, 120))):
            line = "".join(rng.choice(words) + rng.choice(GAPS) for _ in range(rng.randrange(6)))
            lines.append(line.replace("\n", "").encode() + (b"\xff\xc3" if turn % 7 == 0 else b""))
        yield rng.choice((b"\n", b"\n", b"\r\n")).join(lines) + b"\n"


def one_by_one(made: Expression, text: bytes) -> int:
    return LineSearch(text, 10**6).run(made.split_by_matcher(text)).total


def counted(made: Expression, given: list[bytes]) -> int:
    found = MatchCounter(made, lambda: None)
    for text in given:
        found.add(text)
    return found.finish()


def test_as_many_as_one_by_one(striding: bool) -> None:
    """GREP-TOTAL: the number of lines is the same whether they are counted together or looked at."""
    given = list(texts(random.Random(11), 30))
    most = 0
    for pattern in (*patterns(120, 13), *HEAVY, ".", "^", "$", r"\w+", r"^\s*$", r"\A.", r".\n?\z", "(?-m:^)a"):
        for case_sensitive in (True, False):
            made = Expression.from_pattern(pattern, case_sensitive=case_sensitive)
            expected = sum(one_by_one(made, text) for text in given)
            assert counted(made, given) == expected, (pattern, case_sensitive)
            most += expected > 500
    assert most > 40, "many patterns match often"


def test_strides_are_taken_where_lines_match_often(striding: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """GREP-TOTAL: one call of the engine passes many lines; not where few match, not where it proved to be slower."""
    rows = (("a", b"a cat\n", True), ("zq", b"no, none\n", False), (r"\w+ñ?", "añ\n".encode(), True))
    for pattern, line, often in rows:
        made = Expression.from_pattern(pattern, case_sensitive=True)
        calls = _Spy(made.ascii if line.isascii() else made.wide)
        monkeypatch.setitem(made.__dict__, "ascii" if line.isascii() else "wide", calls)
        assert counted(made, [line * 2_000] * 4) == 8_000 * often
        assert (calls.found < 4_000) is (striding or not often), pattern


class _Spy:
    """Counts what a finder finds."""

    def __init__(self, finder: object) -> None:
        self._finder = finder
        self.found = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._finder, name)

    def finditer(self, *given: object) -> Iterator[object]:
        for match in self._finder.finditer(*given):  # type: ignore[attr-defined]
            self.found += 1
            yield match


def test_kinds_of_characters() -> None:
    """GREP-LIKE-RG: where one character stands for all of its kind, lines and places are those of the text itself."""
    lines = ["x" * 9 + sign + "y" * at for sign in KINDS for at in (1, 3)] + ["é\u0661日 " * 3 + "_sK"]
    text = "".join(f"{line}\n" for line in lines).encode() + b"\xff\xc3ab\xe9cd \xc3\xa9\n"
    for pattern in (r"\w{11}", r"\W", r"\d", r"x\sy", r"[^\W\d]{11}", "xky|xs", r"\S{13}", r"[^\w\s]", r"\w é?_[sk]"):
        for case_sensitive in (True, False):
            made = Expression.from_pattern(pattern, case_sensitive=case_sensitive)
            whole = [(match.start(), match.end()) for match in _exact(pattern, case_sensitive, text).finditer(text)]
            veiled = [(match.start(), match.end()) for match in made.get_exact_matcher(text).finditer(text)]
            assert veiled == whole, (pattern, case_sensitive)


def _exact(pattern: str, case_sensitive: bool, text: bytes) -> Any:  # noqa: ANN401 - of RE2
    """What the pattern is when the characters of the text are spelled into it."""
    made = Expression.from_pattern(pattern, case_sensitive=case_sensitive)
    made.__dict__["_veiled"] = None
    return made.get_exact_matcher(text)


def test_a_stopped_count() -> None:
    """GREP-TIME: a long text is counted in parts, and a call that is cancelled ends between them."""
    parts = []

    def check() -> None:
        parts.append(1)
        if len(parts) == 3:
            raise InterruptedError

    found = MatchCounter(Expression.from_pattern("a", case_sensitive=True), check)
    with pytest.raises(InterruptedError):
        found.add(b"a\n" * 100_000)
    assert 0 < found.total < 10_000
