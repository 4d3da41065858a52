"""What is understood, as people and programs are told."""

from pathlib import Path

import pytest

from codecompass.contract.export import render_language_page
from codecompass.languages.language_info import describe_languages
from codecompass.languages.registry import Registry

ROOT = Path(__file__).parents[2]
REGISTRY = Registry()
CARDS = {card.name: card for card in describe_languages(REGISTRY)}


def test_every_language_has_a_card() -> None:
    """CLI-LANGUAGES: each language once, under the name answers show, with what its data gives."""
    assert set(CARDS) == {REGISTRY.display_name(name) for name in REGISTRY.languages}
    assert all(bool(card.facts) == (card.tier != "text") or "embedded" in card.facts for card in CARDS.values())
    assert "tsx" in CARDS["typescript"].dialects
    assert {"references", "values", "files"} <= set(CARDS["java"].facts)
    assert CARDS["json"].tier == "outline" and CARDS["asciidoc"].tier == "outline"
    assert all(".h" in CARDS[name].contested and ".h" not in CARDS[name].extensions for name in ("c", "cpp"))


@pytest.mark.parametrize("name", sorted(CARDS))
def test_a_card_tells_no_lies(name: str) -> None:
    """CLI-LANGUAGES: a file of each ending and name listed is taken for that language."""
    card = CARDS[name]
    for path in (*(f"a{ending}" for ending in card.extensions), *card.filenames):
        assert REGISTRY.display_name(REGISTRY.detect(path.replace("…", "x"))) == name, path
    for spelling in (card.name, *card.aliases, *card.dialects):
        assert REGISTRY.display_name(REGISTRY.resolve_name(spelling) or "") == name, spelling


def test_the_page_is_current() -> None:
    """C-DOCS-CURRENT: docs/languages.md says what the data says."""
    page = (ROOT / "docs/languages.md").read_text(encoding="utf-8")
    assert page == render_language_page(CARDS.values()), "run: make snapshots (codecompass snapshots)"
