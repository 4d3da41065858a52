"""Spelling: conversion of words between British and American spelling.

A word is converted only if its root is listed, or if it ends in -ise or -ize and is not an exception:
`four` is not `for`, `hour` is not `hor`, `prise` is not `prize`.
"""

from functools import lru_cache

_OUR = (
    "arbour armour behaviour candour clamour colour demeanour discolour dishonour disfavour endeavour favour fervour"
    " flavour glamour harbour honour humour labour misbehaviour neighbour odour parlour rancour rigour rumour saviour"
    " savour splendour tumour valour vapour vigour"
)
_RE = (
    "calibre centimetre centre epicentre fibre kilometre litre lustre meagre metre millilitre millimetre nanometre"
    " recentre sabre sombre spectre theatre"
)
_OGUE = "analogue catalogue dialogue epilogue monologue prologue"
_YSE = "analyse catalyse dialyse electrolyse hydrolyse paralyse"
_DOUBLED = (
    "bevel cancel channel counsel dial duel enamel equal fuel funnel initial jewel kernel label level libel marshal"
    " model panel parcel pencil quarrel relabel remodel rival shovel signal snorkel spiral symbol total towel"
    " travel tunnel unlabel unravel"
)
"""Verbs whose last letter British spelling doubles before an ending: labelled, labeled."""
_SINGLES = {
    "acknowledgement": "acknowledgment", "aluminium": "aluminum", "artefact": "artifact", "defence": "defense",
    "enrol": "enroll", "enrolment": "enrollment", "fulfil": "fulfill", "fulfilment": "fulfillment", "grey": "gray",
    "greyscale": "grayscale", "instalment": "installment", "judgement": "judgment", "licence": "license",
    "mould": "mold", "offence": "offense", "plough": "plow", "pretence": "pretense", "programme": "program",
    "sceptic": "skeptic", "sulphur": "sulfur",
}  # fmt: skip
_ISE_ONLY = frozenset(
    "advise advertise apprise arise bruise chemise circumcise comprise compromise concise cruise demise"
    " despise devise disguise enterprise excise exercise expertise franchise guise improvise incise likewise"
    " merchandise misadvise noise otherwise paradise poise porpoise praise precise premise prise promise raise reprise"
    " revise rise supervise surmise surprise televise tortoise treatise turquoise unwise upraise vise wise".split()
)
"""Words that end in -ise in both spellings."""
_IZE_ONLY = frozenset("capsize maize oversize prize resize seize size".split())
_PREFIXES = ("de", "dis", "mis", "over", "pre", "re", "un", "up")
_MIN_LETTERS = 3
"""Minimum letters before -ise or -ize."""
_ISE_ENDINGS = ("e", "ed", "es", "er", "ers", "ing", "able", "ation", "ations", "ational")
_ENDINGS = ("", "s", "ed", "ing", "er", "ers", "able", "ful", "less", "ite", "ites", "al", "ally", "hood", "ist", "ly")
_CACHE_SIZE = 20_000


def _build_pairs() -> dict[str, str]:
    """Return British form → American form for every listed root with its endings."""
    pairs = dict(_SINGLES)
    pairs |= {f"{one}s": f"{other}s" for one, other in _SINGLES.items()}
    for ending in _ENDINGS:
        pairs |= {root + ending: root[:-3] + "or" + ending for root in _OUR.split()}
    for root in _RE.split():
        pairs |= {root: root[:-2] + "er", f"{root}s": root[:-2] + "ers", f"{root}d": root[:-2] + "ered"}
    pairs |= {root[:-1] + "ing": root[:-2] + "ering" for root in _RE.split()}
    for root in _OGUE.split():
        pairs |= {root: root[:-2], f"{root}s": root[:-2] + "s", f"{root}d": root[:-2] + "ed"}
        pairs[root[:-2] + "uing"] = root[:-2] + "ing"
    for root in _YSE.split():
        for ending in ("e", "ed", "es", "er", "ers", "ing"):
            pairs[root[:-1] + ending] = root[:-2] + "z" + ending
    for root in _DOUBLED.split():
        for ending in ("ed", "ing", "er", "ers"):
            pairs[root + "l" + ending] = root + ending
    return pairs


_AMERICAN = _build_pairs()
_BRITISH = {other: one for one, other in _AMERICAN.items()}


@lru_cache(maxsize=_CACHE_SIZE)
def to_american(word: str) -> str:
    """Return the American spelling of a lower-case word; the word itself if there is only one spelling."""
    known = _AMERICAN.get(word)
    return known if known is not None else _swap_ise_ize(word, "is", "iz", _ISE_ONLY) or word


@lru_cache(maxsize=_CACHE_SIZE)
def to_british(word: str) -> str:
    """Return the British spelling of a lower-case word; the word itself if there is only one spelling."""
    known = _BRITISH.get(word)
    return known if known is not None else _swap_ise_ize(word, "iz", "is", _IZE_ONLY) or word


def list_spellings(word: str) -> tuple[str, ...]:
    """Return all spellings of a word, the given one first."""
    return tuple(dict.fromkeys((word, to_american(word), to_british(word))))


def _swap_ise_ize(word: str, one: str, other: str, apart: frozenset[str]) -> str:
    """Convert a form of a verb in -ise or -ize to the other spelling; empty for other words."""
    at = word.rfind(one)
    if at < _MIN_LETTERS or word[at + 2 :] not in _ISE_ENDINGS:
        return ""
    root = word[:at] + one + "e"
    if root in apart or any(root.removeprefix(prefix) in apart for prefix in _PREFIXES):
        return ""
    return word[:at] + other + word[at + 2 :]
