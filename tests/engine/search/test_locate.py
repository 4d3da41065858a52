"""Locate: definitions by name, the best tier that has any, narrowed by kind and language."""

import pytest

from codecompass.model.call import Call
from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import LocateQuery, SearchQuery
from tests.engine.support import Desk


def locate(shop: Desk, name: str, kind: str | None = None, language: str | None = None) -> Hits:
    query = LocateQuery(name, kind=kind, language=language, limit=50, freshness="best_effort")
    return shop.engine.locate(None, query, Call())


@pytest.mark.parametrize(
    ("name", "tier", "expected"),
    [
        ("validate_token", "exact", "src/auth/token.py:4"),
        ("validate_token()", "exact", "src/auth/token.py:4"),
        ("  Session  ", "exact", "src/auth/session.py:4"),
        ("auth.session.Session.open", "exact", "src/auth/session.py:7"),
        ("VALIDATE_TOKEN", "case_insensitive", "src/auth/token.py:4"),
        ("shoppingbasket", "case_insensitive", "src/store/basket.ts:1"),
        ("Session.open", "qualified_suffix", "src/auth/session.py:7"),
        ("Session::open", "qualified_suffix", "src/auth/session.py:7"),
        ("Session#open", "qualified_suffix", "src/auth/session.py:7"),
        ("Session->open", "qualified_suffix", "src/auth/session.py:7"),
        ("RateLimiter::check_rate_limit", "qualified_suffix", "src/net/limiter.rs:8"),
        ("RateLimiter.check_rate_limit", "qualified_suffix", "src/net/limiter.rs:8"),
        ("Mail::Sender#deliver", "exact", "lib/mail.rb:3"),
        ("Stock.Reserve", "qualified_suffix", "src/store/stock.go:7"),
        ("io::Error", "qualified_suffix", "src/net/limiter.rs:2"),
        ("session.OPEN", "case_insensitive", "src/auth/session.py:7"),
        ("validate_t", "prefix", "src/auth/token.py:4"),
        ("Shopping", "prefix", "src/store/basket.ts:1"),
    ],
)
def test_a_name_is_met_in_its_tier(shop: Desk, name: str, tier: str, expected: str) -> None:
    """LOCATE-TIERS: exact, case, qualified suffix and prefix each find the definition and say how."""
    hits = locate(shop, name).hits
    assert expected in {f"{hit.path}:{hit.line_start}" for hit in hits}
    assert {hit.tier for hit in hits} == {tier}


def test_a_lower_tier_is_silent_while_a_higher_one_answers(shop: Desk) -> None:
    """LOCATE-TIERS: a prefix is tried only when no name fits, a qualified name never finds another scope's."""
    assert [hit.path for hit in locate(shop, "Session").hits] == ["src/auth/session.py"]
    assert [hit.path for hit in locate(shop, "session").hits] == ["lib/legacy.js"]
    assert {hit.tier for hit in locate(shop, "SESSION").hits} == {"case_insensitive"}
    assert len(locate(shop, "SESSION").hits) == 2
    assert locate(shop, "Basket.open").hits == ()
    assert locate(shop, "Client.open").hits == ()
    assert locate(shop, "v").hits == ()
    assert locate(shop, "nothing_like_it").hits == ()


@pytest.mark.parametrize(
    ("name", "kind", "count"),
    [
        ("Session", "class", 1),
        ("Session", "fn", 0),
        ("open", "fn", 1),
        ("open", "method", 1),
        ("open", "class", 0),
        ("validate_token", "method", 0),
        ("Stock", "struct", 1),
        ("Mail", "mod", 1),
        ("SECONDS", "const", 1),
    ],
)
def test_a_kind_narrows(shop: Desk, name: str, kind: str, count: int) -> None:
    """LOCATE-KIND: only definitions of the kind answer; a function filter also finds methods."""
    found = locate(shop, name, kind)
    assert len([hit for hit in found.hits if hit.tier == "exact"]) == count
    assert all(hit.kind == kind or (kind == "fn" and hit.kind == "method") for hit in found.hits)


@pytest.mark.parametrize(
    ("spelling", "shown"),
    [
        ("typescript", "typescript"),
        ("ts", "typescript"),
        ("TypeScript", "typescript"),
        ("tsx", "typescript"),
        ("py", "python"),
        ("golang", "go"),
    ],
)
def test_a_language_has_many_spellings(shop: Desk, spelling: str, shown: str) -> None:
    """LOCATE-LANGUAGE: a language filter takes every accepted spelling, for names as for words."""
    names = {"typescript": "BasketView", "python": "Session", "go": "Stock"}
    assert len(locate(shop, names[shown], language=spelling).hits) == 1
    assert locate(shop, names[shown], language="ruby").hits == ()
    query = SearchQuery(names[shown], language=spelling, freshness="best_effort")
    hits = shop.engine.search(None, query, Call()).hits
    assert hits and {hit.language for hit in hits} == {shown}
