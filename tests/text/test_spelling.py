"""British and American spelling are one word; words that only look like a pair are not."""

import pytest

from codecompass.text.tokens import list_inflections, list_spellings, stem, to_american, to_british

PAIRS = [
    ("initialise", "initialize"), ("serialisation", "serialization"), ("normalised", "normalized"),
    ("organising", "organizing"), ("optimiser", "optimizer"), ("colour", "color"), ("behaviours", "behaviors"),
    ("favourite", "favorite"), ("neighbouring", "neighboring"), ("centre", "center"), ("centred", "centered"),
    ("fibres", "fibers"), ("catalogue", "catalog"), ("dialogues", "dialogs"), ("analyse", "analyze"),
    ("analysing", "analyzing"), ("cancelled", "canceled"), ("labelling", "labeling"), ("travellers", "travelers"),
    ("modelled", "modeled"), ("licence", "license"), ("defence", "defense"), ("grey", "gray"),
    ("artefacts", "artifacts"), ("summarise", "summarize"), ("polarised", "polarized"), ("memoise", "memoize"),
]  # fmt: skip
APART = [
    ("four", "for"), ("hour", "hor"), ("your", "yor"), ("pour", "por"), ("tour", "tor"), ("our", "or"),
    ("source", "sorce"), ("court", "cort"), ("prise", "prize"), ("size", "sise"), ("resize", "resise"),
    ("raise", "raize"), ("promise", "promize"), ("otherwise", "otherwize"), ("precise", "precize"), ("acre", "acer"),
    ("here", "heer"), ("were", "weer"), ("vogue", "vog"), ("rogue", "rog"), ("excelled", "exceled"),
    ("called", "caled"), ("filled", "filed"), ("polled", "poled"), ("noise", "noize"), ("list", "lizt"),
    ("denoise", "denoize"),    ("visited", "vizited"), ("advertised", "advertized"), ("supervisor", "supervizor"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_spellings_are_one_word(one: str, other: str) -> None:
    """SEARCH-SPELLING: either finds the other, through the same stem and among the forms of a word."""
    assert to_american(one) == other and to_british(other) == one
    assert set(list_spellings(one)) == set(list_spellings(other)) == {one, other}
    assert stem(one) == stem(other)
    assert other in list_inflections(one) and one in list_inflections(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_looks_like_a_pair_is_none(one: str, other: str) -> None:
    """SEARCH-SPELLING: no merge of two words."""
    assert other not in list_spellings(one)
    assert to_american(one) == one and to_british(one) == one
